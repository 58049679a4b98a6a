/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables: those that the module printed, and those derived from them.
 *
 * reader.c makes a table from the text of a file.  Rows hold their numbers, and pointers to their
 * names and labels in the text.  A derived table (derive.c) owns the tables that it was made from,
 * because its labels point into their texts.
 *
 * All rows of a table are in one allocation, in the order of the file, and rows[] points to
 * them.  Sorting moves the pointers.  Rows that compare equal are ordered by their
 * addresses, which makes the sort stable.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdint.h>

#include "../../include/kmemacct_abi.h"
#include "number.h"

struct gfp;
struct sources;

/*
 * The formats of kmemacct_abi.h.  In addition, SPARSE is a number whose zero prints as a dot;
 * a BOUND is an upper bound of a number that is not known exactly, or NO_ID; a NAME is text
 * without blanks.
 */
enum format {
	FORMAT_U64,
	FORMAT_S64,
	FORMAT_MILLI,
	FORMAT_PTR,
	FORMAT_ID,
	FORMAT_HEX,
	FORMAT_SPARSE,
	FORMAT_BOUND,
	FORMAT_NAME,
	FORMAT_LABEL,
};

/* The kinds of kmemacct_abi.h. */
enum kind {
	KIND_KEY,
	KIND_GAUGE,
	KIND_COUNTER,
	KIND_MAX,
	KIND_RATIO,
	KIND_ERROR,
};

/* Value in a column of FORMAT_ID or FORMAT_BOUND that prints as `-`. */
#define NO_ID	U64_MAX

/**
 * struct column - a column of a table
 * @name: name of the column
 * @format: format of its values
 * @kind: what its values tell
 * @hidden: text output has the column only if it is a sort key, or if -o asks for it
 * @title: its title in text output; NULL: its name, without the unit if values have units
 * @computed: it is made for text output only: see columns.h
 * @change: its values are changes, and text output has their signs
 * @limits: the next two columns are the limits of its 95 % intervals, if anything was sampled
 */
struct column {
	const char *name;
	enum format format;
	enum kind kind;
	bool hidden;
	const char *title;
	bool computed;
	bool change;
	bool limits;
};

/* The formats of kmemacct_abi.h, as initializers for struct column. */
#define COLUMN_U64		.format = FORMAT_U64
#define COLUMN_S64		.format = FORMAT_S64
#define COLUMN_HEX		.format = FORMAT_HEX
#define COLUMN_TYPE		.format = FORMAT_NAME
#define COLUMN_MILLI		.format = FORMAT_MILLI
#define COLUMN_PTR		.format = FORMAT_PTR
#define COLUMN_ID		.format = FORMAT_ID
#define COLUMN_LABEL		.format = FORMAT_LABEL
#define COLUMN_BOUND		.format = FORMAT_BOUND

/* Makes an array of columns from a list in kmemacct_abi.h. */
#define COLUMN(_name, _format, _kind, _unit) \
	{ #_name, COLUMN_##_format, .kind = KIND_##_kind },

/* Ends an array of columns, for a table that may have no label. */
#define COLUMN_END { NULL, COLUMN_LABEL }

/* Greater than the number of columns of any table. */
#define COLUMNS_MAX	40

/* Index of each column in a row, whatever its place in the file. */
enum {
#define X(name, ...) COUNT_##name,
	KMA_COUNTS_COLUMNS(X)
#undef X
	COUNT_NR
};

enum {
#define X(name, ...) ALLOC_##name,
	KMA_ALLOCS_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) PCPU_##name,
	KMA_PCPU_COLUMNS(X)
#undef X
	PCPU_NR
};

enum {
#define X(name, ...) LATENCY_##name,
	KMA_LATENCY_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) SHRINKER_##name,
	KMA_SHRINKERS_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) SLOW_##name,
	KMA_SLOW_COLUMNS(X)
#undef X
};

/**
 * struct row - a row of a table
 * @label: text of its label column, or "" if the table has none
 * @format: only in a table of pairs, whose rows are a label and one value: format of v[0]
 * @v: values of the other columns; signed ones are in two's complement, and names are
 *	pointers, see row_name()
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

/* One key=value of the head of a table. */
struct field {
	const char *key;
	const char *value;
};

#define FIELDS_MAX	32

/**
 * struct table - a table
 * @name: name of the table
 * @columns: copy of its columns, owned by the table: the values and then the label, whose
 *	name is NULL if there is no label; NULL in a table of pairs
 * @nr_values: number of columns without the label
 * @fields: fields of the head
 * @nr_fields: number of @fields
 * @sampled: something was sampled, so that values may be estimates
 * @streamed: rows are printed as they are read, and are not in @rows
 * @rows: the rows, in the order in which they are printed
 * @nr_rows: number of @rows
 * @sum: a row that is printed below all others, or NULL
 * @sum_label: memory of the label of @sum, or NULL
 * @whole: what all rows have live, also those that options leave out
 * @filtered: number of rows that do not match the options, and were removed
 * @own_filter: the filter in its head was set only for this table
 * @left_out: number of rows that -l left out; they are in @rows, after the others
 * @not_kept: number of rows that -l left out and that are not in @rows; 0 if there are estimates
 * @note: a remark that is printed above the rows, or NULL
 * @advice: advice that is printed below the rows, or NULL
 * @gfp: names of gfp flags, or NULL
 * @sources: lines of the call sites, or NULL
 * @block: memory of the rows
 * @text: text that labels, names and fields point into
 * @addresses: memory of the labels that kallsyms_replace() has set
 * @cells: memory of names that are in no text
 * @strings: more such names, each with memory of its own; ends with NULL; may be NULL itself
 * @from: tables whose texts labels point into as well; freed with this table
 */
struct table {
	const char *name;
	struct column *columns;
	int nr_values;
	struct field fields[FIELDS_MAX];
	int nr_fields;
	bool sampled;
	bool streamed;
	struct row **rows;
	size_t nr_rows;
	struct row *sum;
	char *sum_label;
	size_t filtered;
	bool own_filter;
	size_t left_out;
	size_t not_kept;
	double whole;
	const char *note;
	char *advice;
	struct gfp *gfp;
	struct sources *sources;
	void *block;
	char *text;
	char *addresses;
	void *cells;
	char **strings;
	struct table *from[2];
};

/**
 * table_new() - make an empty table
 * @name: its name, which is not copied
 * @columns: its columns, ending with a label or COLUMN_END; NULL for a table of pairs
 * @sampled: something was sampled
 * @max_rows: number of rows to allocate memory for
 *
 * Return: the table.
 */
struct table *table_new(const char *name, const struct column *columns,
			bool sampled, size_t max_rows);

/* Free a table and the tables in its @from; @t may be NULL. */
void table_free(struct table *t);

/* Copy the fields of the head of another table. */
void table_inherit(struct table *t, const struct table *from);

/* Add a zeroed row.  At most max_rows of them may be added. */
struct row *table_add(struct table *t);

/* Return: number of rows that -l left out. */
static inline size_t table_left_out(const struct table *t)
{
	return t->left_out + t->not_kept;
}

/* Return: number of columns, including the label if there is one. */
int table_nr_columns(const struct table *t);

/* Return: index of the column of that name, or -1 if there is none. */
int table_column(const struct table *t, const char *name);

/* Return: the value of a field of the head, or NULL if there is no such field. */
const char *table_field(const struct table *t, const char *key);

/* Return: a field of the head that is a number; 0 if there is none of that name. */
u64 table_number(const struct table *t, const char *key);

/* Return: for how long the table has counted, in milliseconds; 0 if its head does not say. */
u64 table_window_ms(const struct table *t);

/* Unit of a number, which the name of its column or pair contains. */
enum unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_KB,
	UNIT_MS,
	UNIT_US,
	UNIT_SHARE,
};

enum unit table_unit(const char *name);

/* Return: the part `kb` of a name, up to its end; NULL if the name has no such part. */
const char *table_kb(const char *name);

#endif /* TABLE_H */
