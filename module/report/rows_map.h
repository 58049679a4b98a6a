/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of tables that are made from countmaps.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_REPORT_ROWS_MAP_H
#define KMA_REPORT_ROWS_MAP_H

#include <linux/math64.h>

#include "../core/countmap.h"
#include "../resolve/symbol.h"
#include "seqtab.h"

/**
 * struct kma_map_row - one row
 * @v: the counters
 * @sum: the counters, as one struct
 * @id: two more columns, whose meaning depends on the table
 * @label: the name of the row
 */
struct kma_map_row {
	union {
		u64 v[KMA_COUNTMAP_SHARED];
		struct kma_countmap_sum sum;
	};
	u64 id[2];
	const char *label;
};

/* The mean of @nr times of @ns in all, in thousandths of us; 0 if there are none.  Context: any. */
static inline u64 kma_mean(u64 ns, u64 nr)
{
	return nr ? div64_u64(ns, nr) : 0;
}

/*
 * A @fill of struct kma_table_ops: the rows of the table's countmap, labelled by @describe.
 * Returns 0, -ENOMEM or -EAGAIN.  kma_lock is held, and dropped between rows.
 */
int kma_rows_map_fill(struct kma_snapshot *snap);

/* A @merge of struct kma_table_ops: of rows with the same label and @id. */
void kma_rows_map_merge(struct kma_snapshot *snap);

/* The @label of struct kma_table_ops for tables of countmaps.  @row is a struct kma_map_row. */
const char *kma_rows_map_label(const struct kma_snapshot *snap, const void *row);

#endif /* KMA_REPORT_ROWS_MAP_H */
