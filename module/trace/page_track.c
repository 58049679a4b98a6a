// SPDX-License-Identifier: GPL-2.0
/* Start and stop the tracking of pages, and its settings.  See page_track.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../countmaps.h"
#include "../memhotplug.h"
#include "../resolve/symbol.h"
#include "../state.h"
#include "failures.h"
#include "page.h"
#include "page_bulk.h"
#include "page_track.h"
#include "pcp.h"

/* The settings, and the time when tracking began.  Written under kma_lock. */
static enum kma_pages_mode kma_pages_mode;
static u64 kma_pages_ns;
static u64 kma_pages_sample_bytes;
static bool kma_pages_recording;

static const char *const kma_pages_mode_names[] = {
	[KMA_PAGES_OFF] = "off",
	[KMA_PAGES_CLASSES] = "classes",
	[KMA_PAGES_SITES] = "sites",
};

/* ---- start and stop ------------------------------------------------------------- */

static int kma_pages_tables(void)
{
	const u64 bytes = kma_state_bytes() + kma_memhotplug_pages_forecast() +
			  kma_symbol_pages_forecast() + kma_page_bulk_forecast() +
			  kma_countmap_memory(KMA_COUNTMAP_PCPU) +
			  kma_countmap_memory(KMA_COUNTMAP_EXTFRAG);
	int ret;

	if (bytes > kma_state_bytes_max()) {
		pr_err("with the tables for tracking pages, all tables would take %llu KiB, more than 1/16 of the RAM (%llu KiB): load with a smaller live_max or sites_max\n",
		       bytes >> 10, kma_state_bytes_max() >> 10);
		return -ENOMEM;
	}
	ret = kma_pagealloc_init(&kma_pagealloc, kma_memhotplug_chunks(),
				 kma_config.sites_max);
	if (ret)
		return ret;
	ret = kma_memhotplug_pages_start();
	if (ret)
		kma_pagealloc_destroy(&kma_pagealloc);
	return ret;
}

static void kma_pages_tables_free(void)
{
	kma_memhotplug_pages_stop();
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* The countmaps of free lists, which exist while pages are tracked. */
#define KMA_PAGE_COUNTMAPS	(BIT(KMA_COUNTMAP_PCPU) | BIT(KMA_COUNTMAP_EXTFRAG))

static void kma_page_lists_stop(void)
{
	/* After this, no probe looks for the call site of a fallback any more. */
	kma_countmaps_end(KMA_PAGE_COUNTMAPS);
	kma_pcp_stop();
}

static int kma_page_lists_start(void)
{
	int ret = kma_pcp_start();

	if (ret)
		return ret;
	ret = kma_countmaps_begin(KMA_PAGE_COUNTMAPS);
	if (ret)
		kma_pcp_stop();
	return ret;
}

static int kma_pages_begin(void)
{
	int ret = kma_pages_tables();

	if (ret)
		return ret;
	ret = kma_symbol_pages_start();
	if (ret)
		goto tables;
	ret = kma_page_lists_start();
	if (ret)
		goto symbols;
	ret = kma_page_track();
	if (ret)
		goto lists;
	kma_page_bulk_start();
	kma_failures_track(true);
	return 0;

lists:
	kma_page_lists_stop();
symbols:
	kma_symbol_pages_stop();
tables:
	kma_pages_tables_free();
	return ret;
}

static void kma_pages_end(void)
{
	kma_page_bulk_stop();
	kma_page_untrack();
	kma_failures_track(false);
	/* This waits for a grace period. */
	kma_page_lists_stop();
	kma_symbol_pages_stop();
	kma_pages_tables_free();
}

/* ---- settings --------------------------------------------------------------------- */

/* Switch the probes to the mode that follows from all settings. */
static void kma_pages_switch(void)
{
	enum kma_pages_mode mode = kma_pages_mode;

	if (!kma_pages_recording)
		mode = KMA_PAGES_OFF;
	else if (mode == KMA_PAGES_SITES && kma_pages_sample_bytes)
		mode = KMA_PAGES_SAMPLED;
	kma_page_switch(mode);
}

int kma_pages_parse(const char *text)
{
	return match_string(kma_pages_mode_names, ARRAY_SIZE(kma_pages_mode_names), text);
}

const char *kma_pages_mode_name(enum kma_pages_mode mode)
{
	return kma_pages_mode_names[mode];
}

const char *kma_pages_name(void)
{
	return kma_pages_mode_name(READ_ONCE(kma_pages_mode));
}

bool kma_pages_tracked(void)
{
	return READ_ONCE(kma_pages_mode) != KMA_PAGES_OFF;
}

u64 kma_pages_since(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_pages_ns;
}

int kma_pages_shift(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_pages_sample_bytes ? kma_sample_shift(KMA_SAMPLE_PAGES) : KMA_SHIFT_EXACT;
}

u64 kma_pages_bytes(void)
{
	return READ_ONCE(kma_pages_sample_bytes);
}

void kma_pages_record(bool on)
{
	lockdep_assert_held(&kma_lock);
	kma_pages_recording = on;
	kma_pages_switch();
}

static void kma_pages_forget(void *unused)
{
	kma_sample_forget(KMA_SAMPLE_PAGES);
}

void kma_pages_sample(u64 bytes)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_pages_sample_bytes, bytes);
	if (bytes) {
		kma_sample_set(KMA_SAMPLE_PAGES, ilog2(bytes));
		on_each_cpu(kma_pages_forget, NULL, 1);
	}
	kma_pages_switch();
}

int kma_pages_set(enum kma_pages_mode mode)
{
	const enum kma_pages_mode before = kma_pages_mode;
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	if (before == KMA_PAGES_OFF && mode != KMA_PAGES_OFF) {
		ret = kma_pages_begin();
		kma_pages_ns = ktime_get_boottime_ns();
	}
	if (ret)
		return ret;
	WRITE_ONCE(kma_pages_mode, mode);
	kma_pcp_find_sites(mode == KMA_PAGES_SITES);
	kma_pages_switch();
	if (before != KMA_PAGES_OFF && mode == KMA_PAGES_OFF)
		kma_pages_end();
	return 0;
}
