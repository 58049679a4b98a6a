// SPDX-License-Identifier: GPL-2.0
/*
 * `summary`: objects of the whole machine, since the last reset.  The first rows are those
 * of perf kmem's slab summary, with its definitions.
 */
#include <linux/sched.h>

#include "../baseline.h"
#include "../state.h"
#include "keyval.h"
#include "rows_site.h"

static void kma_summary_counts(struct kma_site_counts *sum)
{
	struct kma_site_counts counts;
	u32 i, nr = kma_rows_site_nr();

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < nr; i++) {
		if (kma_rows_site_read(i, false, &counts))
			kma_rows_site_add(sum, &counts);
		cond_resched();
	}
}

/* Add a row and, once something has been sampled, a row with its standard error. */
static void kma_summary_add(struct kma_snapshot *snap, const char *name, const char *name_se,
			    enum kma_format format, u64 value, kma_u128 variance)
{
	kma_keyval_add(snap, name, format, value);
	if (snap->sampled)
		kma_keyval_add(snap, name_se, KMA_FORMAT_U64, kma_standard_error(variance));
}

/* Add a row for @value, and NAME_se for its standard error. */
#define KMA_SUMMARY_ADD(name, format, value, variance)			\
	kma_summary_add(snap, #name, #name "_se", KMA_FORMAT_##format, value, variance)

/* Add a row for a column of struct kma_site_counts, and NAME_se for its standard error. */
#define KMA_SUMMARY_COUNT(name, column)					\
	KMA_SUMMARY_ADD(name, U64, v[KMA_COUNT_##column], var[KMA_COUNT_##column])

static void kma_summary_add_counts(struct kma_snapshot *snap,
				   const struct kma_site_counts *sum)
{
	const u64 *v = sum->v;
	const kma_u128 *var = sum->variance;
	const u64 net = v[KMA_COUNT_bytes_alloc] + v[KMA_COUNT_bulk_bytes] -
			v[KMA_COUNT_bytes_freed];

	KMA_SUMMARY_COUNT(bytes_requested, bytes_req);
	KMA_SUMMARY_COUNT(bytes_allocated, bytes_alloc);
	KMA_SUMMARY_COUNT(bytes_freed, bytes_freed);
	/*
	 * Negative if more was freed than allocated since the reset.  The samples that
	 * were freed may be the same ones that were allocated, or others.  In both cases
	 * the variance is at most the sum of these variances.
	 */
	KMA_SUMMARY_ADD(bytes_net, S64, net, var[KMA_COUNT_bytes_alloc] +
			var[KMA_COUNT_bulk_bytes] + var[KMA_COUNT_bytes_freed]);
	/* An upper bound: (a - r)^2 is at most a^2 - r^2 if r is at most a. */
	KMA_SUMMARY_ADD(bytes_wasted, U64,
			v[KMA_COUNT_bytes_alloc] - v[KMA_COUNT_bytes_req],
			var[KMA_COUNT_bytes_alloc] - var[KMA_COUNT_bytes_req]);
	kma_keyval_add(snap, "frag_pct", KMA_FORMAT_MILLI,
		       kma_frag_milli(v[KMA_COUNT_bytes_req], v[KMA_COUNT_bytes_alloc]));
	KMA_SUMMARY_COUNT(cross_node_allocs, cross_node);
	KMA_SUMMARY_COUNT(allocs, hits);
	KMA_SUMMARY_COUNT(bulk_objs, bulk_objs);
	KMA_SUMMARY_COUNT(bulk_bytes, bulk_bytes);
	KMA_SUMMARY_COUNT(live_bytes, live_bytes);
	KMA_SUMMARY_COUNT(confirmed_bytes, confirmed_bytes);
	KMA_SUMMARY_COUNT(live_objs, live_objs);
	KMA_SUMMARY_COUNT(frees, frees);
	KMA_SUMMARY_COUNT(pingpong, pingpong);
	if (snap->sampled) {
		kma_keyval_add(snap, "samples", KMA_FORMAT_U64, v[KMA_COUNT_samples]);
		kma_keyval_add(snap, "live_samples", KMA_FORMAT_U64,
			       v[KMA_COUNT_live_samples]);
	}
}

static int kma_summary_fill(struct kma_snapshot *snap)
{
	struct kma_site_counts sum;
	struct kma_stats stats;
	int i;

	if (kma_snapshot_room(snap, KMA_KEYVALS_MAX))
		return -ENOMEM;
	kma_summary_counts(&sum);
	kma_stats_sum(&stats);
	kma_stats_since(&stats, &kma_baseline.stats);
	kma_summary_add_counts(snap, &sum);
	for (i = 0; i < KMA_STAT_PAGES; i++)
		kma_keyval_add(snap, kma_stat_name(i), KMA_FORMAT_U64, stats.v[i]);
	return 0;
}

struct kma_table kma_table_summary = {
	.name = "summary",
	.columns = kma_keyval_columns,
	.nr_columns = ARRAY_SIZE(kma_keyval_columns),
	.row_size = sizeof(struct kma_keyval),
	.fill = kma_summary_fill,
	.show = kma_keyval_show,
};
