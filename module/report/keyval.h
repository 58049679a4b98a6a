/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of pairs (KMA_PAIRS): rows of the form `name value`. */
#ifndef KMA_REPORT_KEYVAL_H
#define KMA_REPORT_KEYVAL_H

#include "seqtab.h"

/**
 * struct kma_keyval - one row
 * @name: name of the value, with its unit
 * @format: KMA_FORMAT_U64, KMA_FORMAT_S64 or KMA_FORMAT_MILLI
 * @value: the value
 */
struct kma_keyval {
	const char *name;
	enum kma_format format;
	u64 value;
};

/* Largest number of rows in any of these tables. */
#define KMA_KEYVALS_MAX	192

/**
 * kma_keyval_add() - add a row
 * @snap: the snapshot, with room for KMA_KEYVALS_MAX rows
 * @name: name of the value; a string that outlives the snapshot
 * @format: format of the value, as in struct kma_keyval
 * @value: the value
 *
 * Context: process.
 */
void kma_keyval_add(struct kma_snapshot *snap, const char *name,
		    enum kma_format format, u64 value);

/**
 * kma_keyval_show() - print a row: the @show of struct kma_table_ops
 * @seq: the file to print to
 * @snap: the snapshot
 * @row: the row, a struct kma_keyval
 *
 * Context: process.
 */
void kma_keyval_show(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row);

#endif /* KMA_REPORT_KEYVAL_H */
