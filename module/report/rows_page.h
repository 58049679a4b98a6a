/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of `page_callers` and `orders`: counters of blocks of pages. */
#ifndef KMA_REPORT_ROWS_PAGE_H
#define KMA_REPORT_ROWS_PAGE_H

#include "../core/sample.h"
#include "../core/sitetab.h"
#include "seqtab.h"

enum kma_rows_page_count {
	KMA_ROWS_PAGE_live_kb,
	KMA_ROWS_PAGE_live_allocs,
	KMA_ROWS_PAGE_hits,
	KMA_ROWS_PAGE_kb,
	KMA_ROWS_PAGE_frees,
	KMA_ROWS_PAGE_bulk_allocs,
	KMA_ROWS_PAGE_ESTIMATES
};

/**
 * struct kma_page_counts - one line
 * @class: order, migrate type and gfp flags: kma_class()
 * @v: the counts, or estimates of them
 * @weighed: these before they are rounded: kma_weigh()
 * @variance: of each estimate
 * @samples: blocks that were sampled
 * @live_samples: of these, those whose first page is live
 * @label: the call site; NULL where the class is all
 */
struct kma_page_counts {
	unsigned long class;
	u64 v[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 weighed[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 variance[KMA_ROWS_PAGE_ESTIMATES];
	u64 samples;
	u64 live_samples;
	const char *label;
};

/* Context: any. Return: pages of a row's blocks that are not live any more. */
static inline u64 kma_rows_page_gone(const struct kma_row *sum)
{
	return sum->frees + sum->rest_freed + sum->repaired + sum->rest_repaired;
}

/* Whether a row counts blocks that no other row does: not one of samples. */
bool kma_rows_page_exact(u32 id);

/**
 * kma_rows_page_read() - the counters of one row
 * @id: the row, in use
 * @counts: the result; the label is left alone
 *
 * Live columns are as of now, all others since the last reset.
 * Context: process; kma_lock is held; pages are tracked.
 */
void kma_rows_page_read(u32 id, struct kma_page_counts *counts);

/* Context: any. Adds all that is counted in @more to @sum. */
void kma_rows_page_add(struct kma_page_counts *sum, const struct kma_page_counts *more);

#endif /* KMA_REPORT_ROWS_PAGE_H */
