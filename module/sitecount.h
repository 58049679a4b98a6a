/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of objects: what tables show, computed from what was recorded.
 *
 * A row of the site table counts objects or samples of them.  The bytes, and the number of objects
 * that samples stand for, follow from the sizes of the cache.  Counts of rows of different caches
 * can be added up.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_SITECOUNT_H
#define KMA_SITECOUNT_H

#include "../include/kmemacct_abi.h"
#include "core/history.h"
#include "core/sample.h"
#include "core/sitetab.h"

/* The columns of `callers`, `caches` and `stacks` except the label: KMA_COUNT_NAME for each. */
enum kma_site_column {
#define X(name, ...) KMA_COUNT_##name,
	KMA_COUNTS_COLUMNS(X)
#undef X
	KMA_COUNT_NR
};

/*
 * Columns before KMA_COUNT_ESTIMATES are counts, which may be estimates.  Columns from
 * KMA_COUNT_ERRORS on are their standard errors.
 */
#define KMA_COUNT_ESTIMATES	KMA_COUNT_frag_pct
#define KMA_COUNT_ERRORS	KMA_COUNT_live_bytes_se

/*
 * The windows of time of the columns change_*.  Their standard errors are the last columns, which
 * struct kma_site_counts stores in @change.
 */
#define KMA_WINDOWS		3
#define KMA_COUNT_CHANGES	KMA_COUNT_change_1m
#define KMA_COUNT_CHANGES_ERRORS	KMA_COUNT_change_1m_se
#define KMA_WINDOW_1M		(KMA_COUNT_change_1m - KMA_COUNT_CHANGES)
#define KMA_WINDOW_10M		(KMA_COUNT_change_10m - KMA_COUNT_CHANGES)

/**
 * struct kma_site_counts - one row
 * @v: the columns, except standard errors and changes; KMA_COUNT_frag_pct is not stored, but
 *	computed from the others when it is read
 * @estimate: the estimates before they are rounded: kma_weigh()
 * @variance: the variance of each estimate: kma_weigh_variance(); the variances of several
 *	rows add up, because samples are independent of each other
 * @change: how much more is live than at the beginning of each window
 * @label: the name of the call site or cache, or the stack
 * @id: number of the row in the site table; after rows were merged, of one of them; for rows that
 *	were recycled, that of the row [other] of their cache
 */
struct kma_site_counts {
	u64 v[KMA_COUNT_ERRORS];
	kma_u128 estimate[KMA_COUNT_ESTIMATES];
	kma_u128 variance[KMA_COUNT_ESTIMATES];
	struct kma_history_change change[KMA_WINDOWS];
	const char *label;
	u32 id;
};

/**
 * struct kma_sitecount_raw - what was recorded of objects of one cache that were sampled alike
 * @id: number of the row, as in struct kma_site_counts
 * @sampled: the objects were sampled, rather than all recorded
 * @since: what was counted since the last reset; a sample counts as one
 * @live: live records
 * @confirmed: live records that are certainly live
 * @cache: the cache
 * @weight: weight of each sample
 */
struct kma_sitecount_raw {
	u32 id;
	bool sampled;
	struct kma_row since;
	u64 live;
	u64 confirmed;
	const struct kma_cache_info *cache;
	u64 weight;
};

/*
 * Set @cache, @weight and @sampled of @raw, from the number of the cache of the objects, and the
 * shift that they were sampled with, or KMA_SHIFT_EXACT.
 */
void kma_sitecount_raw_set(struct kma_sitecount_raw *raw, int cache, int shift);

/* Compute all columns of @counts but @label and @change, which becomes 0. */
void kma_sitecount_read(struct kma_site_counts *counts, const struct kma_sitecount_raw *raw);

/* Add the counts of row @more to those of row @sum.  Context: any. */
void kma_sitecount_add(struct kma_site_counts *sum, const struct kma_site_counts *more);

#endif /* KMA_SITECOUNT_H */
