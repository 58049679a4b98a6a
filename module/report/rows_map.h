/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of tables that are made of countmaps. */
#ifndef KMA_REPORT_ROWS_MAP_H
#define KMA_REPORT_ROWS_MAP_H

#include "../core/countmap.h"
#include "../resolve/symbol.h"
#include "seqtab.h"

/**
 * struct kma_map_row - one line
 * @v: the counters
 * @id: two more columns, whatever they are
 * @label: what they belong to
 */
struct kma_map_row {
	u64 v[KMA_COUNTMAP_COUNTERS];
	u64 id[2];
	const char *label;
};

/**
 * kma_rows_map_fill() - the rows of a countmap
 * @snap: the snapshot
 * @describe: gives a line its id and label, which may be @buf; @info is NULL for what
 *	has no row of its own
 *
 * Context: process, may sleep; kma_lock is held. Return: 0 or -ENOMEM.
 */
int kma_rows_map_fill(struct kma_snapshot *snap,
		      const char *(*describe)(struct kma_map_row *line,
					   const struct kma_countmap_info *info,
					   char buf[KMA_SYMBOL_LEN]));

/**
 * kma_rows_map_merge() - make lines one that only differ in what they count
 * @snap: the snapshot
 *
 * Context: process, may sleep.
 */
void kma_rows_map_merge(struct kma_snapshot *snap);

/* For struct kma_table. */
const char *kma_rows_map_label(const struct kma_snapshot *snap, const void *row);

#endif /* KMA_REPORT_ROWS_MAP_H */
