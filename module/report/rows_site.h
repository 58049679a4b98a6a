/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of `callers`, `caches` and `stacks`: the same counters under different names. */
#ifndef KMA_REPORT_ROWS_SITE_H
#define KMA_REPORT_ROWS_SITE_H

#include "../sitecount.h"
#include "seqtab.h"

/**
 * kma_rows_site_nr() - how many indexes kma_rows_site_read() takes
 *
 * Context: process; kma_lock is held.
 * Return: the number.
 */
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
 * Context: process; kma_lock is held.
 * Return: false if there is no such row, or if it is empty.
 */
bool kma_rows_site_read(u32 i, bool samples, struct kma_site_counts *counts);

/**
 * kma_rows_site_recorded() - read what was recorded of one row, without estimating anything
 * @i: an index below kma_rows_site_nr()
 * @since: what the row has counted since the last reset; a sample counts as one
 * @live: its live records
 *
 * Context: process; kma_lock is held.
 * Return: false if there is no such row.
 */
bool kma_rows_site_recorded(u32 i, struct kma_row *since, u64 *live);

/**
 * kma_frag_milli() - compute internal fragmentation
 * @bytes_req: bytes asked for
 * @bytes_alloc: bytes that the objects take, at least @bytes_req
 *
 * This is what perf kmem computes: 100 - 100 * req / alloc, and 0 if @bytes_alloc is 0.
 *
 * Context: any.
 * Return: thousandths of a percent, rounded to the nearest.
 */
u64 kma_frag_milli(u64 bytes_req, u64 bytes_alloc);

/**
 * kma_rows_site_value() - the @value of struct kma_table_ops for these tables
 * @snap: the snapshot
 * @row: a struct kma_site_counts
 * @column: the column
 *
 * Context: process.
 * Return: the value.
 */
u64 kma_rows_site_value(const struct kma_snapshot *snap, const void *row, int column);

/**
 * kma_rows_site_label() - the @label of struct kma_table_ops for these tables
 * @snap: the snapshot
 * @row: a struct kma_site_counts
 *
 * Context: process.
 * Return: the label of the row.
 */
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

/**
 * kma_rows_site_merge() - the @merge of struct kma_table_ops for these tables: by name
 * @snap: the snapshot
 *
 * Context: process, may sleep.
 */
void kma_rows_site_merge(struct kma_snapshot *snap);

#endif /* KMA_REPORT_ROWS_SITE_H */
