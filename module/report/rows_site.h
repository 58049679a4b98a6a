/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of `callers`, `caches` and `stacks`: the same counters under different names. */
#ifndef KMA_REPORT_ROWS_SITE_H
#define KMA_REPORT_ROWS_SITE_H

#include "../core/sample.h"
#include "seqtab.h"

enum kma_site_column {
#define X(name, format) KMA_COUNT_##name,
	KMA_COUNTS_COLUMNS(X)
#undef X
	KMA_COUNT_NR
};

/* Columns up to here are counts, and may be estimates; from there on, their errors. */
#define KMA_COUNT_ESTIMATES	KMA_COUNT_frag_pct
#define KMA_COUNT_ERRORS	KMA_COUNT_live_bytes_se

/**
 * struct kma_site_counts - one line
 * @v: the columns, but standard errors; KMA_COUNT_frag_pct is made from the others when
 *	it is read
 * @weighed: estimates before they are rounded: kma_weigh()
 * @variance: of each estimate: kma_weigh_variance(); those of several rows add up, as
 *	what is sampled is independent
 * @label: what they belong to
 */
struct kma_site_counts {
	u64 v[KMA_COUNT_ERRORS];
	kma_u128 weighed[KMA_COUNT_ESTIMATES];
	kma_u128 variance[KMA_COUNT_ESTIMATES];
	const char *label;
};

/**
 * kma_rows_site_read() - the counters of one row of the site table
 * @id: the row, in use
 * @counts: the result; the label is left alone
 *
 * Live columns are as of now, all others since the last reset.
 * Context: process; kma_lock is held.
 */
void kma_rows_site_read(u32 id, struct kma_site_counts *counts);

/* Context: any. Adds all columns of @more to @sum. */
void kma_rows_site_add(struct kma_site_counts *sum, const struct kma_site_counts *more);

/**
 * kma_frag_milli() - internal fragmentation
 * @bytes_req: bytes asked for
 * @bytes_alloc: bytes taken for them, not less
 *
 * As perf kmem defines it: 100 - 100 * req / alloc, 0 where nothing was taken.
 * Context: any. Return: thousandths of a percent, rounded to the nearest.
 */
u64 kma_frag_milli(u64 bytes_req, u64 bytes_alloc);

/* The column with the standard error of another one. */
static inline int kma_count_se(enum kma_site_column column)
{
	return KMA_COUNT_ERRORS + column;
}

/* For struct kma_table. */
u64 kma_rows_site_value(const struct kma_snapshot *snap, const void *row, int column);
const char *kma_rows_site_label(const struct kma_snapshot *snap, const void *row);

/**
 * kma_rows_site_fill() - rows of the site table, added up by name
 * @snap: the snapshot
 * @name: kma_names_site(), kma_names_cache() or kma_names_stack()
 * @samples: only what was sampled
 *
 * Context: process, may sleep; kma_lock is held. Return: 0 or -ENOMEM.
 */
int kma_rows_site_fill(struct kma_snapshot *snap,
		       const char *(*name)(struct kma_names *, u32), bool samples);

#endif /* KMA_REPORT_ROWS_SITE_H */
