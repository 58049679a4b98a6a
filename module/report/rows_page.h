/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of `page_callers` and `orders`: counters of page allocations.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_REPORT_ROWS_PAGE_H
#define KMA_REPORT_ROWS_PAGE_H

#include "../core/countmap.h"
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
 * @estimate: the estimates before they are rounded: kma_weigh()
 * @variance: the variance of each estimate: kma_weigh_variance()
 * @samples: page allocations that were sampled
 * @live_samples: those of the samples whose first page is live
 * @failed: allocations that failed
 * @label: the name of the call site; NULL for a row without one
 * @id: number of the row in the site table; after rows were merged, of one of them
 */
struct kma_page_counts {
	unsigned long class;
	u64 v[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 estimate[KMA_ROWS_PAGE_ESTIMATES];
	kma_u128 variance[KMA_ROWS_PAGE_ESTIMATES];
	u64 samples;
	u64 live_samples;
	u64 failed;
	const char *label;
	u32 id;
};

/**
 * struct kma_page_raw - what was recorded in a row of page allocations, or in recycled rows
 * @id: number of the row; for rows that were recycled, that of the row [other] of their class
 * @cache: the class
 * @shift: binary logarithm of the N of the samples, or KMA_SHIFT_EXACT
 * @since: what was counted since the last reset; a sample counts as one
 * @live_allocs: page allocations whose first page is live
 * @live_pages: pages that are live
 */
struct kma_page_raw {
	u32 id;
	const struct kma_cache_info *cache;
	int shift;
	struct kma_row since;
	u64 live_allocs;
	u64 live_pages;
};

/* How many indexes kma_rows_page_raw() takes. */
u32 kma_rows_page_nr(void);

/*
 * Read what was recorded in one row, or in recycled rows; return false if there is no such row.
 * Index @i, below kma_rows_page_nr(), is the number of a row or, from kma_sitetab_rows() on, a
 * pair of class and shift, which stands for all recycled rows of this class and shift.  Pages are
 * tracked.
 */
bool kma_rows_page_raw(u32 i, struct kma_page_raw *raw);

/*
 * Whether a row counts page allocations, not samples of them.  Each page allocation counts in one
 * exact row.  If it is sampled, it also counts in a row of samples.  Context: any.
 */
static inline bool kma_rows_page_exact(const struct kma_page_raw *raw)
{
	return raw->shift <= KMA_SHIFT_EXACT;
}

/*
 * Compute the counts of a row, but not its @label.  Live counts are those of the moment when @raw
 * was read; all others are since the last reset.  Context: any.
 */
void kma_rows_page_counts(const struct kma_page_raw *raw, struct kma_page_counts *counts);

/*
 * The row @id of the countmap of failures, as a row that has counted only page allocations that
 * failed since pages are tracked; its @label is not set.  Returns false if there are none.
 */
bool kma_rows_page_failed(const struct kma_countmap *t, u32 id, struct kma_page_counts *counts);

/* Add the counts of row @more to those of row @sum.  Context: any. */
void kma_rows_page_add(struct kma_page_counts *sum, const struct kma_page_counts *more);

#endif /* KMA_REPORT_ROWS_PAGE_H */
