// SPDX-License-Identifier: GPL-2.0
/*
 * `page_summary`: page allocations of the whole machine, since the last reset.  The first
 * rows are those of perf kmem's page summary, with its definitions.
 */
#include <linux/mm.h>

#include "../baseline.h"
#include "../state.h"
#include "../trace/page_track.h"
#include "keyval.h"
#include "rows_page.h"

/* Sums over all rows, in pages. */
struct kma_page_sums {
	u64 allocs;
	u64 bulk;
	u64 freed;
	u64 repaired;
	u64 live;
};

static void kma_page_sums_add(struct kma_page_sums *sums, const struct kma_page_raw *raw)
{
	const unsigned int order = kma_class_order(raw->cache->class);
	const struct kma_row *since = &raw->since;

	sums->live += raw->live_pages;
	sums->allocs += since->hits << order;
	sums->bulk += since->bulk << order;
	sums->freed += since->frees + since->rest_freed;
	sums->repaired += since->repaired + since->rest_repaired;
}

static int kma_page_sums_take(struct kma_snapshot *snap, struct kma_page_sums *sums)
{
	struct kma_page_raw raw;
	int ret = 0;
	u32 i;

	*sums = (struct kma_page_sums) {};
	if (!kma_pages_tracked())
		return 0;
	for (i = 0; !ret && i < kma_rows_page_nr(); i++) {
		if (kma_rows_page_raw(i, &raw) && kma_rows_page_exact(&raw))
			kma_page_sums_add(sums, &raw);
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

static void kma_page_summary_add(struct kma_snapshot *snap, const char *name, u64 value)
{
	kma_keyval_add(snap, name, KMA_FORMAT_U64, value);
}

static void kma_page_summary_add_kb(struct kma_snapshot *snap, const char *name, u64 pages)
{
	kma_keyval_add(snap, name, KMA_FORMAT_S64, pages * (PAGE_SIZE / 1024));
}

static int kma_page_summary_fill(struct kma_snapshot *snap)
{
	struct kma_page_sums sums;
	struct kma_stats stats;
	u64 *v = stats.v;
	int i, ret;

	if (kma_snapshot_room(snap, KMA_KEYVALS_MAX))
		return -ENOMEM;
	ret = kma_page_sums_take(snap, &sums);
	if (ret)
		return ret;
	kma_stats_sum(&stats);
	kma_stats_since(&stats, &kma_baseline.stats);
	kma_page_summary_add(snap, "alloc_requests", v[KMA_STAT_events_mm_page_alloc]);
	kma_page_summary_add_kb(snap, "alloc_requests_kb",
				sums.allocs + v[KMA_STAT_pages_failed]);
	kma_page_summary_add(snap, "free_requests", v[KMA_STAT_events_mm_page_free]);
	kma_page_summary_add_kb(snap, "free_requests_kb",
				sums.freed + v[KMA_STAT_pages_free_only]);
	kma_page_summary_add(snap, "alloc_freed", v[KMA_STAT_events_mm_page_free] -
			     v[KMA_STAT_page_frees_only]);
	kma_page_summary_add_kb(snap, "alloc_freed_kb", sums.freed);
	kma_page_summary_add_kb(snap, "alloc_only_kb", sums.allocs + sums.bulk -
				sums.freed - sums.repaired);
	kma_page_summary_add(snap, "free_only", v[KMA_STAT_page_frees_only]);
	kma_page_summary_add_kb(snap, "free_only_kb", v[KMA_STAT_pages_free_only]);
	kma_page_summary_add(snap, "failures", v[KMA_STAT_page_failed]);
	kma_page_summary_add_kb(snap, "failures_kb", v[KMA_STAT_pages_failed]);
	kma_page_summary_add_kb(snap, "bulk_kb", sums.bulk);
	kma_page_summary_add_kb(snap, "live_kb", sums.live);
	for (i = KMA_STAT_PAGES; i < KMA_STAT_NR; i++)
		kma_page_summary_add(snap, kma_stat_name(i), v[i]);
	return 0;
}

const struct kma_table_ops kma_page_summary_ops = {
	.row_size = sizeof(struct kma_keyval),
	.pages = true,
	.fill = kma_page_summary_fill,
	.show = kma_keyval_show,
};
