/* SPDX-License-Identifier: GPL-2.0 */
/* Tables whose lines are `name value`. */
#ifndef KMA_REPORT_KEYVAL_H
#define KMA_REPORT_KEYVAL_H

#include "seqtab.h"

/**
 * struct kma_keyval - one line
 * @name: of the value, with its unit
 * @format: U64, S64 or MILLI
 * @value: the value
 */
struct kma_keyval {
	const char *name;
	enum kma_format format;
	u64 value;
};

/* Room for the lines of any such table. */
#define KMA_KEYVALS_MAX	128

/* The columns of all such tables. */
extern const struct kma_column kma_keyval_columns[2];

/**
 * kma_keyval_add() - add a line
 * @snap: the snapshot, with room for KMA_KEYVALS_MAX rows
 * @name: as in struct kma_keyval
 * @format: likewise
 * @value: likewise
 *
 * Context: process.
 */
void kma_keyval_add(struct kma_snapshot *snap, const char *name,
		    enum kma_format format, u64 value);

/**
 * kma_keyval_show() - print a line: the @show of struct kma_table
 * @seq: where to
 * @snap: the snapshot
 * @row: the line
 *
 * Context: process.
 */
void kma_keyval_show(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row);

#endif /* KMA_REPORT_KEYVAL_H */
