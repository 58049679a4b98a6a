/* SPDX-License-Identifier: GPL-2.0 */
/* Columns of the accounting tables (trace/acct.h). */
#ifndef KMA_REPORT_ROWS_ACCT_H
#define KMA_REPORT_ROWS_ACCT_H

#include "rows_map.h"

/* The columns that `tasks` and `cgroups` have in common; KMA_ACCT_COL_NAME for each. */
enum {
#define X(name, ...) KMA_ACCT_COL_##name,
	KMA_ACCT_COLUMNS(X)
#undef X
	KMA_ACCT_COL_NR
};

/**
 * kma_acct_value() - the @value of struct kma_table for `tasks` and `cgroups`
 * @snap: the snapshot
 * @row: a struct kma_map_row
 * @column: one of the columns above, or one of the two after them, which are in the @id of
 *	the row
 *
 * Context: process.
 * Return: the value.
 */
u64 kma_acct_value(const struct kma_snapshot *snap, const void *row, int column);

/**
 * kma_sources_value() - the @value of struct kma_table for `comm_sites` and
 *	`comm_syscalls`
 * @snap: the snapshot
 * @row: a struct kma_map_row
 * @column: the column
 *
 * Context: process.
 * Return: the value.
 */
u64 kma_sources_value(const struct kma_snapshot *snap, const void *row, int column);

/**
 * kma_comm_and() - make a label, `command;text`
 * @info: a row whose key begins with the command
 * @what: the text
 * @buf: the result; @what may point into it
 *
 * Context: any.
 * Return: @buf.
 */
const char *kma_comm_and(const struct kma_countmap_info *info, const char *what,
			 char buf[KMA_SYMBOL_LEN]);

#endif /* KMA_REPORT_ROWS_ACCT_H */
