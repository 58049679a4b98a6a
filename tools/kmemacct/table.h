/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table: one that the module printed, or one made of such.
 *
 * table_parse() cuts the text of a file into strings, in place; rows keep
 * numbers by value and point into the text for their label.  What makes a new
 * table of old ones (derive.c) lets it own them, so that labels stay.
 *
 * Rows live in one block, in the order of the file, and rows[] points to them:
 * sorting moves pointers, and two rows that compare equal are told apart by
 * their addresses, which keeps a sort stable.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdint.h>

#include "../../include/kmemacct_abi.h"
#include "number.h"

struct gfp;

/* As in kmemacct_abi.h; of SPARSE a zero is a dot, and a name is text without blanks. */
enum format {
	FORMAT_U64,
	FORMAT_S64,
	FORMAT_MILLI,
	FORMAT_PTR,
	FORMAT_ID,
	FORMAT_HEX,
	FORMAT_SPARSE,
	FORMAT_NAME,
	FORMAT_LABEL,
};

/* Value in a column of FORMAT_ID that prints as `-`. */
#define NO_ID	U64_MAX

/**
 * struct column - what a value means
 * @name: of the column
 * @format: of the value
 * @sampled: it is only there once something was sampled
 */
struct column {
	const char *name;
	enum format format;
	bool sampled;
};

/* How a column is shown, for an initializer of struct column. */
#define COLUMN_U64		.format = FORMAT_U64
#define COLUMN_S64		.format = FORMAT_S64
#define COLUMN_HEX		.format = FORMAT_HEX
#define COLUMN_TYPE		.format = FORMAT_NAME
#define COLUMN_MILLI		.format = FORMAT_MILLI
#define COLUMN_PTR		.format = FORMAT_PTR
#define COLUMN_ID		.format = FORMAT_ID
#define COLUMN_LABEL		.format = FORMAT_LABEL
#define COLUMN_SAMPLED		.format = FORMAT_U64, .sampled = true
#define COLUMN_SAMPLED_MILLI	.format = FORMAT_MILLI, .sampled = true

/* For an array of columns out of a list in kmemacct_abi.h. */
#define COLUMN(_name, _format) { #_name, COLUMN_##_format },

/* Behind the last one, where that may be no label. */
#define COLUMN_END { NULL, COLUMN_LABEL }

/* More columns than any table has. */
#define COLUMNS_MAX	32

/*
 * Where the columns stand in a row.  Those of samples stand behind all others,
 * which are where they are with and without them.
 */
enum {
#define X(name, format) COUNT_##name,
	KMA_COUNTS_COLUMNS(X)
#undef X
	COUNT_NR
};

enum {
#define X(name, format) ALLOC_##name,
	KMA_ALLOCS_COLUMNS(X)
#undef X
};

enum {
#define X(name, format) PCPU_##name,
	KMA_PCPU_COLUMNS(X)
#undef X
	PCPU_NR
};

/**
 * struct row - a line
 * @label: its text column
 * @format: of v[0], in a table of pairs, whose rows are a label and one value
 * @v: its other columns; signed ones as two's complement, names by row_name()
 */
struct row {
	const char *label;
	enum format format;
	u64 v[];
};

static inline const char *row_name(const struct row *row, int column)
{
	return (const char *)(uintptr_t)row->v[column];
}

/* key=value in the head of a table. */
struct field {
	const char *key;
	const char *value;
};

#define FIELDS_MAX	32

/**
 * struct table - a table
 * @name: of the table
 * @columns: its own: values, and then the label, whose name is NULL if there is
 *	none; in a table of pairs NULL
 * @nr_values: columns without the label
 * @fields: of the head
 * @nr_fields: how many
 * @rows: the rows, in the order to print
 * @nr_rows: how many
 * @sum: a row that is printed below all others, or NULL
 * @left_out: rows that are not to be printed, as asked for
 * @note: a line that a reader has to know, or NULL
 * @advice: what to do about what the rows show, or NULL
 * @gfp: what gfp flags are called, or NULL
 * @block: the rows' memory
 * @text: what labels and fields point to
 * @addresses: labels, where those of the text are replaced
 * @from: tables whose text they point to as well
 */
struct table {
	const char *name;
	struct column *columns;
	int nr_values;
	struct field fields[FIELDS_MAX];
	int nr_fields;
	struct row **rows;
	size_t nr_rows;
	struct row *sum;
	size_t left_out;
	const char *note;
	char *advice;
	struct gfp *gfp;
	void *block;
	char *text;
	char *addresses;
	struct table *from[2];
};

/**
 * table_new() - an empty table
 * @name: its name
 * @columns: its columns, a label last; NULL for pairs
 * @sampled: with those of samples
 * @max_rows: rows there will be room for
 *
 * Return: the table.
 */
struct table *table_new(const char *name, const struct column *columns,
			bool sampled, size_t max_rows);

/* Takes tables that are in @from along, and takes NULL. */
void table_free(struct table *t);

/* The head of another one. */
void table_inherit(struct table *t, const struct table *from);

/* Add a zeroed row; there is room for max_rows of them. */
struct row *table_add(struct table *t);

/**
 * table_parse() - understand a table
 * @name: which it should be
 * @file: where it comes from, for errors
 * @text: allocated, ends with a NUL that @len does not count; the table's from
 *	now on, also after an error
 * @len: bytes of it
 *
 * Return: the table, or NULL and fail() was called.
 */
struct table *table_parse(const char *name, const char *file, char *text,
			  size_t len);

/* Columns with the label, if there is one. */
int table_nr_columns(const struct table *t);

/* Where the column of that name is; -1: there is none. */
int table_column(const struct table *t, const char *name);

/* Something was sampled: values may be estimates. */
bool table_is_sampled(const struct table *t);

/* The value of a field of the head, or NULL. */
const char *table_field(const struct table *t, const char *key);

/* How a number is to be read: the names of columns and pairs tell. */
enum unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_KB,
	UNIT_MS,
};

enum unit table_unit(const char *name);

/* Where a name says `kb`, or NULL. */
const char *table_kb(const char *name);

#endif /* TABLE_H */
