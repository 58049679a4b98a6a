// SPDX-License-Identifier: GPL-2.0
/*
 * `summary`: objects of the whole machine, since the last reset.  The first rows are those
 * of perf kmem's slab summary, with its definitions.  The events behind them are in `stats`.
 */
#include <linux/string.h>

#include "../compat.h"
#include "../state.h"
#include "keyval.h"
#include "rows_site.h"

/* Whether a row is of a call site in this module. */
static bool kma_summary_is_own(u32 i)
{
	const struct kma_site_info *info = i < kma_sitetab_rows(&kma_core.sites) ?
					   kma_sitetab_info(&kma_core.sites, i) : NULL;

	return info && kma_is_own(info->site);
}

/* Add up all rows, and those of this module.  Both sums begin with 0. */
static int kma_summary_counts(struct kma_snapshot *snap, struct kma_site_counts *sum,
			      struct kma_site_counts *own)
{
	struct kma_site_counts counts;
	u32 i, nr = kma_rows_site_nr();
	int ret = 0;

	for (i = 0; !ret && i < nr; i++) {
		if (kma_rows_site_read(i, false, &counts)) {
			kma_sitecount_add(sum, &counts);
			if (kma_summary_is_own(i))
				kma_sitecount_add(own, &counts);
		}
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* Add a row, and a row with its standard error. */
static void kma_summary_add(struct kma_snapshot *snap, const char *name, const char *name_se,
			    enum kma_format format, u64 value, kma_u128 variance)
{
	kma_keyval_add(snap, name, format, value);
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
	KMA_SUMMARY_COUNT(objs_alloc, objs_alloc);
	KMA_SUMMARY_COUNT(allocs, hits);
	KMA_SUMMARY_COUNT(bulk_objs, bulk_objs);
	KMA_SUMMARY_COUNT(bulk_bytes, bulk_bytes);
	KMA_SUMMARY_COUNT(live_bytes, live_bytes);
	KMA_SUMMARY_COUNT(confirmed_bytes, confirmed_bytes);
	KMA_SUMMARY_COUNT(live_objs, live_objs);
	KMA_SUMMARY_COUNT(frees, frees);
	KMA_SUMMARY_COUNT(pingpong, pingpong);
	kma_keyval_add(snap, "samples", KMA_FORMAT_U64, v[KMA_COUNT_samples]);
	kma_keyval_add(snap, "live_samples", KMA_FORMAT_U64, v[KMA_COUNT_live_samples]);
}

static int kma_summary_fill(struct kma_snapshot *snap)
{
	/* These are too large for the stack. */
	struct kma_site_counts *sum = kma_copy_alloc(2, sizeof(*sum)), *own = sum + 1;
	int ret;

	if (!sum || kma_snapshot_room(snap, KMA_KEYVALS_MAX)) {
		kma_copy_free(sum);
		return -ENOMEM;
	}
	ret = kma_summary_counts(snap, sum, own);
	if (!ret) {
		kma_summary_add_counts(snap, sum);
		KMA_SUMMARY_ADD(own_bytes, U64, own->v[KMA_COUNT_live_bytes],
				own->variance[KMA_COUNT_live_bytes]);
	}
	kma_copy_free(sum);
	return ret;
}

const struct kma_table_ops kma_summary_ops = {
	.row_size = sizeof(struct kma_keyval),
	.fill = kma_summary_fill,
	.show = kma_keyval_show,
};
