/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of tables that are made of countmaps. */
#ifndef KMA_ROWS_MAP_H
#define KMA_ROWS_MAP_H

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

/* ---- acct.c: what somebody did -------------------------------------------- */

/* Of the columns that tables of these have in common. */
enum {
#define X(name, format) KMA_ACCT_COL_##name,
	KMA_ACCT_COLUMNS(X)
#undef X
	KMA_ACCT_COL_NR
};

/* For struct kma_table: these columns, and the two of @id. */
u64 kma_acct_value(const struct kma_snapshot *snap, const void *row, int column);

/* Those of what is counted by command and something else. */
u64 kma_sources_value(const struct kma_snapshot *snap, const void *row, int column);

/**
 * kma_comm_and() - the label `command;something`
 * @info: a row
 * @what: the something
 * @buf: room for the result; @what may be in it
 *
 * Context: any. Return: @buf.
 */
const char *kma_comm_and(const struct kma_countmap_info *info, const char *what,
			 char buf[KMA_SYMBOL_LEN]);

#endif /* KMA_ROWS_MAP_H */
