// SPDX-License-Identifier: GPL-2.0
/*
 * `summary`: one page for the whole machine, since the last reset.  The first
 * block are the lines of perf kmem's slab summary, by its definitions.
 */
#include <linux/sched.h>

#include "counts.h"

static void kma_summary_counts(struct kma_counts *sum)
{
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_counts counts;
	u32 id;

	memset(sum, 0, sizeof(*sum));
	for (id = 0; id < kma_sitetab_rows(t); id++) {
		if (!kma_sitetab_info(t, id))
			continue;
		kma_counts_row(id, &counts);
		kma_counts_add(sum, &counts);
		cond_resched();
	}
}

static void kma_summary_add_counts(struct kma_snapshot *snap, const u64 *v)
{
	u64 req = v[KMA_COUNT_bytes_req];
	u64 alloc = v[KMA_COUNT_bytes_alloc];
	u64 freed = v[KMA_COUNT_bytes_freed];
	u64 bulk = v[KMA_COUNT_bulk_bytes];

	kma_pair_add(snap, "bytes_requested", KMA_FORMAT_U64, req);
	kma_pair_add(snap, "bytes_allocated", KMA_FORMAT_U64, alloc);
	kma_pair_add(snap, "bytes_freed", KMA_FORMAT_U64, freed);
	/* Less than nothing, where more was freed since a reset. */
	kma_pair_add(snap, "bytes_net", KMA_FORMAT_S64, alloc + bulk - freed);
	kma_pair_add(snap, "bytes_wasted", KMA_FORMAT_U64, alloc - req);
	kma_pair_add(snap, "frag_pct", KMA_FORMAT_MILLI,
		     kma_frag_milli(req, alloc));
	kma_pair_add(snap, "cross_node_allocs", KMA_FORMAT_U64,
		     v[KMA_COUNT_cross_node]);
	kma_pair_add(snap, "allocs", KMA_FORMAT_U64, v[KMA_COUNT_hits]);
	kma_pair_add(snap, "bulk_objs", KMA_FORMAT_U64, v[KMA_COUNT_bulk_objs]);
	kma_pair_add(snap, "bulk_bytes", KMA_FORMAT_U64, bulk);
	kma_pair_add(snap, "live_bytes", KMA_FORMAT_U64, v[KMA_COUNT_live_bytes]);
	kma_pair_add(snap, "confirmed_bytes", KMA_FORMAT_U64,
		     v[KMA_COUNT_confirmed_bytes]);
	kma_pair_add(snap, "live_objs", KMA_FORMAT_U64, v[KMA_COUNT_live_objs]);
	kma_pair_add(snap, "frees", KMA_FORMAT_U64, v[KMA_COUNT_frees]);
	kma_pair_add(snap, "pingpong", KMA_FORMAT_U64, v[KMA_COUNT_pingpong]);
}

static int kma_summary_fill(struct kma_snapshot *snap)
{
	struct kma_counts sum;
	struct kma_stats stats;
	int i;

	if (kma_snapshot_room(snap, KMA_PAIRS_MAX))
		return -ENOMEM;
	kma_summary_counts(&sum);
	kma_stats_sum(&stats);
	kma_summary_add_counts(snap, sum.v);
	for (i = 0; i < KMA_STAT_NR; i++)
		kma_pair_add(snap, kma_stat_name(i), KMA_FORMAT_U64,
			     stats.v[i] - kma_base.stats.v[i]);
	return 0;
}

struct kma_table kma_table_summary = {
	.name = "summary",
	.columns = kma_pair_columns,
	.nr_columns = ARRAY_SIZE(kma_pair_columns),
	.row_size = sizeof(struct kma_pair),
	.fill = kma_summary_fill,
	.show = kma_pair_show,
};
