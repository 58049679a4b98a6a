/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of pairs (KMA_PAIRS): rows of the form `name value`.
 *
 * Context of all functions: process.
 */
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

/* Add a row to a snapshot with room for KMA_KEYVALS_MAX rows.  @name outlives the snapshot. */
void kma_keyval_add(struct kma_snapshot *snap, const char *name,
		    enum kma_format format, u64 value);

/* The @show of struct kma_table_ops.  @row is a struct kma_keyval. */
void kma_keyval_show(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row);

#endif /* KMA_REPORT_KEYVAL_H */
