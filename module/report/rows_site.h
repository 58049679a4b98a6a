/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of `callers`, `caches` and `stacks`: the same counters under different names.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_REPORT_ROWS_SITE_H
#define KMA_REPORT_ROWS_SITE_H

#include "../sitecount.h"
#include "seqtab.h"

/* How many indexes kma_rows_site_read() takes. */
u32 kma_rows_site_nr(void);

/**
 * kma_rows_site_read() - read the counters of one row of the site table, or of recycled rows
 * @i: an index below kma_rows_site_nr(): the number of a row; from kma_sitetab_rows() on, one of
 *	KMA_RECYCLING_GONE sums of all caches whose numbers were recycled; then a pair of cache and
 *	shift, which stands for all recycled rows of this cache and shift
 * @samples: true to read only rows of samples
 * @counts: the result; @label is not set
 *
 * Live columns are those of this moment; all others are since the last reset.
 *
 * Return: false if there is no such row, or if it is empty.
 */
bool kma_rows_site_read(u32 i, bool samples, struct kma_site_counts *counts);

/*
 * Read what was recorded of row @i, below kma_rows_site_nr(), without estimating anything: @since
 * the last reset, where a sample counts as one, and the number of its live records.  Returns false
 * if there is no such row.
 */
bool kma_rows_site_recorded(u32 i, struct kma_row *since, u64 *live);

/*
 * Internal fragmentation, in thousandths of a percent, rounded to the nearest, as perf kmem
 * computes it: 100 - 100 * req / alloc, and 0 if @bytes_alloc is 0.  @bytes_alloc is at least
 * @bytes_req.  Context: any.
 */
u64 kma_frag_milli(u64 bytes_req, u64 bytes_alloc);

/*
 * The @head, @value, @label, @fill and @merge of struct kma_table_ops for these tables.  @row is a
 * struct kma_site_counts.  Context, except of @fill: process, may sleep.
 */
void kma_rows_site_head(struct seq_file *seq, const struct kma_snapshot *snap);
u64 kma_rows_site_value(const struct kma_snapshot *snap, const void *row, int column);
const char *kma_rows_site_label(const struct kma_snapshot *snap, const void *row);

/**
 * kma_rows_site_fill() - fill a snapshot with rows of the site table
 * @snap: the snapshot
 * @name: the function that names a row: kma_names_site(), kma_names_cache() or
 *	kma_names_stack()
 * @samples: true to use only rows of samples
 *
 * Context: process, may sleep; kma_lock is held, and dropped while rows are named.
 * Return: 0, -ENOMEM or -EAGAIN, as from @fill of struct kma_table_ops.
 */
int kma_rows_site_fill(struct kma_snapshot *snap,
		       const char *(*name)(struct kma_names *, u32), bool samples);

/*
 * Find the call site whose live bytes have grown most in the last @seconds; of estimates, what is
 * certain to 97.5 %.  Returns its growth; 0 if nothing has grown, or if no mark is that old.
 */
u64 kma_rows_site_growth(u32 seconds, unsigned long *site);

/* Rows with the same name are merged.  Context: process, may sleep. */
void kma_rows_site_merge(struct kma_snapshot *snap);

#endif /* KMA_REPORT_ROWS_SITE_H */
