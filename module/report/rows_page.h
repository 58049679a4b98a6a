/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of `page_callers` and `orders`: counters of page allocations. */
#ifndef KMA_REPORT_ROWS_PAGE_H
#define KMA_REPORT_ROWS_PAGE_H

#include "../core/sample.h"
#include "../core/sitetab.h"
#include "seqtab.h"

/**
 * enum kma_rows_page_count - the counts of a row, which may be estimates
 * @KMA_ROWS_PAGE_live_kb: KiB of live pages
 * @KMA_ROWS_PAGE_live_allocs: page allocations whose first page is live
 * @KMA_ROWS_PAGE_hits: allocation events
 * @KMA_ROWS_PAGE_kb: KiB allocated by these
 * @KMA_ROWS_PAGE_frees: page allocations whose first page was freed
 * @KMA_ROWS_PAGE_bulk_allocs: pages allocated in bulk, without an event
 * @KMA_ROWS_PAGE_ESTIMATES: number of counts
 *
 * The names are those of columns, in the same order: see KMA_PAGE_CALLERS_COLUMNS.
 */
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
 * struct kma_page_counts - one row
 * @class: order, migrate type and gfp flags: kma_class()
 * @v: the counts, or estimates of them
 * @weighed: the estimates before they are rounded: kma_weigh()
 * @variance: the variance of each estimate: kma_weigh_variance()
 * @samples: page allocations that were sampled
 * @live_samples: those of the samples whose first page is live
 * @label: the name of the call site; NULL for a row without one
 * @id: number of the row in the site table; after rows were merged, of one of them
 */
struct kma_page_counts {
	unsigned long class;
	u64 v[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 weighed[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 variance[KMA_ROWS_PAGE_ESTIMATES];
	u64 samples;
	u64 live_samples;
	const char *label;
	u32 id;
};

/**
 * kma_rows_page_exact() - whether a row counts page allocations, not samples of them
 * @id: number of the row
 *
 * Each page allocation counts in one exact row.  If it is sampled, it also counts in a row of
 * samples.
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_rows_page_exact(u32 id);

/**
 * kma_rows_page_read() - read the counters of one row
 * @id: number of the row, which is in use
 * @counts: the result; @label and @id are not set
 *
 * Live counts are those of this moment; all others are since the last reset.
 *
 * Context: process; kma_lock is held; pages are tracked.
 */
void kma_rows_page_read(u32 id, struct kma_page_counts *counts);

/**
 * kma_rows_page_add() - add the counts of one row to those of another
 * @sum: the row that is added to
 * @more: the row that is added
 *
 * Context: any.
 */
void kma_rows_page_add(struct kma_page_counts *sum, const struct kma_page_counts *more);

#endif /* KMA_REPORT_ROWS_PAGE_H */
