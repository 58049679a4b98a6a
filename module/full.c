// SPDX-License-Identifier: GPL-2.0
/* Tables that are full.  See full.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "full.h"
#include "state.h"

/* A table is full if one of its two counters is not 0.  The log says @advice. */
static const struct {
	const char *name;
	const char *advice;
	enum kma_full_of of;
	enum kma_stat stat[2];
} kma_full[] = {
	{
		"live", "the live table is full: load with a larger live_max, or set sample_bytes",
		KMA_FULL_OBJECTS, { KMA_STAT_dropped_live_full, KMA_STAT_dropped_live_full },
	}, {
		"sites", "no row is left for call sites: load the module with a larger sites_max",
		KMA_FULL_OBJECTS, { KMA_STAT_other_sites, KMA_STAT_dropped_sites_full },
	}, {
		"stacks", "no row is left for stacks: reset, or load with a larger sites_max",
		KMA_FULL_OBJECTS, { KMA_STAT_stacks_full, KMA_STAT_stacks_full },
	}, {
		"caches", "no number is left for new caches: their objects are in the row [other]",
		KMA_FULL_OBJECTS, { KMA_STAT_other_caches, KMA_STAT_other_caches },
	}, {
		"page_sites", "no row is left for sites of pages: load with a larger sites_max",
		KMA_FULL_PAGES, { KMA_STAT_page_other_sites, KMA_STAT_page_dropped_sites },
	}, {
		"page_classes", "no number is left for new gfp flags: they count as 0xffffffff",
		KMA_FULL_PAGES, { KMA_STAT_page_other_classes, KMA_STAT_page_other_classes },
	}, {
		"keys", "a table of account, latency, extfrag or failures is full: see [other]",
		KMA_FULL_COUNTMAPS, { KMA_STAT_countmap_other, KMA_STAT_countmap_other },
	},
};

/* One bit for each table that the log has said is full.  Protected by kma_lock. */
static unsigned long kma_full_said;

static bool kma_is_full(int i, const struct kma_stats *stats)
{
	return stats->v[kma_full[i].stat[0]] || stats->v[kma_full[i].stat[1]];
}

void kma_full_turn(void)
{
	struct kma_stats stats;
	int i;

	lockdep_assert_held(&kma_lock);
	kma_stats_sum(&stats);
	for (i = 0; i < ARRAY_SIZE(kma_full); i++) {
		if ((kma_full_said & BIT(i)) || !kma_is_full(i, &stats))
			continue;
		kma_full_said |= BIT(i);
		pr_warn("%s\n", kma_full[i].advice);
	}
}

void kma_full_show(struct seq_file *seq, enum kma_full_of of, const struct kma_stats *stats)
{
	const char *before = " full=";
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_full); i++) {
		if (kma_full[i].of != of || !kma_is_full(i, stats))
			continue;
		seq_printf(seq, "%s%s", before, kma_full[i].name);
		before = ",";
	}
}

void kma_full_start(void)
{
	kma_full_said = 0;
}
