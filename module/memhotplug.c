// SPDX-License-Identifier: GPL-2.0
/* Memory that is added and removed at run time.  See memhotplug.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "memhotplug.h"
#include "state.h"

static_assert(PAGE_SHIFT == KMA_PAGE_SHIFT);

/* max_pfn is not exported to modules. */
u64 kma_memhotplug_end(void)
{
	u64 end = 0;
	int nid;

	for_each_online_node(nid)
		end = max_t(u64, end, node_end_pfn(nid));
	return end;
}

/* The number of pages of RAM, including pages that a balloon driver has taken. */
static u64 kma_memhotplug_present(void)
{
	u64 pages = 0;
	int nid;

	for_each_online_node(nid)
		pages += node_present_pages(nid);
	return pages;
}

u64 kma_memhotplug_pfns(void)
{
	/* If the addresses of RAM have large gaps, an array up to the end would be too large. */
	u64 most = roundup_pow_of_two(4 * kma_memhotplug_present());

	return min_t(u64, roundup_pow_of_two(kma_memhotplug_end()), most);
}

void kma_memhotplug_stop_generations(const char *why)
{
	struct kma_pagegen *pages = &kma_core.obj.pages;

	if (pages->fixed)
		return;
	WRITE_ONCE(pages->fixed, true);
	/* Once this returns, no probe ends a generation any more. */
	tracepoint_synchronize_unregister();
	pr_warn("can no longer detect objects on freed pages: %s\n", why);
}

/*
 * Page frames up to @end exist from now on.  If the array of page generations is smaller, two
 * page frames may share a generation.  Then stop ending generations until the module is unloaded.
 */
static void kma_memhotplug_fix(u64 end, const char *why)
{
	if (end > kma_core.obj.pages.mask + 1)
		kma_memhotplug_stop_generations(why);
}

static int kma_memhotplug_notify(struct notifier_block *nb, unsigned long action,
				 void *arg)
{
	const struct memory_notify *mem = arg;

	/* MEM_GOING_ONLINE is announced before any of the memory can be used. */
	if (action == MEM_GOING_ONLINE)
		kma_memhotplug_fix((u64)mem->start_pfn + mem->nr_pages,
				   "memory was added; reload the module");
	return NOTIFY_OK;
}

static struct notifier_block kma_memhotplug_notifier = {
	.notifier_call = kma_memhotplug_notify,
};

int kma_memhotplug_start(void)
{
	int ret = register_memory_notifier(&kma_memhotplug_notifier);

	if (ret)
		pr_err("cannot register the memory hotplug notifier: error %d\n", ret);
	else
		/* The reason may also be memory that was added after the array was allocated. */
		kma_memhotplug_fix(kma_memhotplug_end(),
				   "the gaps between the physical addresses of RAM are too large");
	return ret;
}

void kma_memhotplug_stop(void)
{
	unregister_memory_notifier(&kma_memhotplug_notifier);
}

/* ---- records of pages ----------------------------------------------------- */

/*
 * Serializes the adding of chunks.  kma_lock cannot do this, because the memory notifier is
 * called with locks of memory hotplug held, and other code takes those under kma_lock.
 */
static DEFINE_MUTEX(kma_pfns_lock);

/*
 * There is room for memory that is added later: for four times the present page frames, and at
 * least for 1 TiB, which is this many chunks.
 */
#define KMA_CHUNKS_LEAST	(1ULL << (40 - PAGE_SHIFT - KMA_CHUNK_SHIFT))

u64 kma_memhotplug_chunks(void)
{
	return max_t(u64, KMA_CHUNKS_LEAST,
		     4 * DIV_ROUND_UP_ULL(kma_memhotplug_end(), KMA_CHUNK_PFNS));
}

static int kma_pfns_add(unsigned long pfn, unsigned long nr)
{
	const u64 end = min_t(u64, kma_pagealloc.pfns.nr_chunks,
			      DIV_ROUND_UP_ULL(pfn + nr, KMA_CHUNK_PFNS));
	u64 i;
	int ret = 0;

	mutex_lock(&kma_pfns_lock);
	for (i = pfn / KMA_CHUNK_PFNS; !ret && i < end; i++)
		ret = kma_pfntab_add(&kma_pagealloc.pfns, i);
	mutex_unlock(&kma_pfns_lock);
	return ret;
}

static int kma_pfns_notify(struct notifier_block *nb, unsigned long action, void *arg)
{
	const struct memory_notify *mem = arg;

	/* MEM_GOING_ONLINE is announced before any of the memory can be used. */
	if (action == MEM_GOING_ONLINE && kma_pfns_add(mem->start_pfn, mem->nr_pages))
		pr_warn("not enough memory to track the pages of hotplugged memory\n");
	return NOTIFY_OK;
}

static struct notifier_block kma_pfns_notifier = {
	.notifier_call = kma_pfns_notify,
};

/*
 * The kernel handles memory in pieces of this many page frames, each of which is either present
 * or missing as a whole.  So it is enough to look at one page of each piece.
 */
#define KMA_PFNS_STEP	512UL

static bool kma_pfns_any(u64 pfn)
{
	const u64 end = pfn + KMA_CHUNK_PFNS;

	for (; pfn < end; pfn += KMA_PFNS_STEP)
		if (pfn_to_online_page(pfn))
			return true;
	return false;
}

static int kma_pfns_add_all(void)
{
	unsigned long pfn;
	int ret = 0;

	for (pfn = 0; !ret && pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS) {
		if (kma_pfns_any(pfn))
			ret = kma_pfns_add(pfn, KMA_CHUNK_PFNS);
		cond_resched();
	}
	return ret;
}

u64 kma_memhotplug_pages_forecast(void)
{
	u64 pfn, chunks = 0;

	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS) {
		chunks += kma_pfns_any(pfn);
		cond_resched();
	}
	return kma_pagealloc_bytes(kma_memhotplug_chunks(), chunks, kma_config.sites_max,
				num_possible_cpus());
}

int kma_memhotplug_pages_start(void)
{
	/*
	 * Register the notifier first, so that memory that is added in the meantime is not
	 * missed.  Adding a chunk twice is harmless.
	 */
	int ret = register_memory_notifier(&kma_pfns_notifier);

	if (ret)
		return ret;
	ret = kma_pfns_add_all();
	if (ret)
		kma_memhotplug_pages_stop();
	return ret;
}

void kma_memhotplug_pages_stop(void)
{
	unregister_memory_notifier(&kma_pfns_notifier);
}
