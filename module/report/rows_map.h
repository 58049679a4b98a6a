/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of tables that are made from countmaps. */
#ifndef KMA_REPORT_ROWS_MAP_H
#define KMA_REPORT_ROWS_MAP_H

#include <linux/math64.h>

#include "../core/countmap.h"
#include "../resolve/symbol.h"
#include "seqtab.h"

/**
 * struct kma_map_row - one row
 * @v: the counters
 * @sum: the same
 * @id: two more columns, whose meaning depends on the table
 * @label: what the counters belong to
 */
struct kma_map_row {
	union {
		u64 v[KMA_COUNTMAP_SHARED];
		struct kma_countmap_sum sum;
	};
	u64 id[2];
	const char *label;
};

/**
 * kma_mean() - the mean of times
 * @ns: their sum, in ns
 * @nr: their number
 *
 * Context: any.
 * Return: the mean, in thousandths of us; 0 if there are none.
 */
static inline u64 kma_mean(u64 ns, u64 nr)
{
	return nr ? div64_u64(ns, nr) : 0;
}

/**
 * kma_rows_map_fill() - a @fill of struct kma_table_ops: with the rows of the table's countmap
 * @snap: the snapshot
 *
 * The @describe of struct kma_table_ops labels them.
 *
 * Context: process, may sleep; kma_lock is held, and dropped between rows.
 * Return: 0, -ENOMEM or -EAGAIN, as from @fill of struct kma_table_ops.
 */
int kma_rows_map_fill(struct kma_snapshot *snap);

/**
 * kma_rows_map_merge() - a @merge of struct kma_table_ops: of rows with the same label and @id
 * @snap: the snapshot
 *
 * Context: process, may sleep.
 */
void kma_rows_map_merge(struct kma_snapshot *snap);

/**
 * kma_rows_map_label() - the @label of struct kma_table_ops for tables of countmaps
 * @snap: the snapshot
 * @row: a struct kma_map_row
 *
 * Context: process.
 * Return: the label of the row.
 */
const char *kma_rows_map_label(const struct kma_snapshot *snap, const void *row);

#endif /* KMA_REPORT_ROWS_MAP_H */
