/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of a view of kmemacct top.
 *
 * The first ones are those of top_view.specs.  The other columns of the table follow, so that
 * rows can be sorted by any of them, and the last one is the label.
 */
#ifndef TOP_COLUMN_H
#define TOP_COLUMN_H

#include "layout.h"
#include "top_rows.h"

/* Greater than the number of columns of any view. */
#define TOP_COLUMNS	(COLUMNS_MAX + 16)
/* Size of the name of a column, with its NUL. */
#define TOP_KEY_LEN	32

/**
 * struct top_column - a column of a view
 * @key: its name as a sort key
 * @title: its title
 * @kind: what it shows
 * @source: the columns of the table that it is computed from
 * @se: for each of them, the column of its standard errors, or -1
 * @nr_sources: number of @source; 0: the column is the label
 * @unit: unit of its numbers
 * @rank: columns of the highest rank are left out first
 * @total: the line of totals has its sum
 */
struct top_column {
	char key[TOP_KEY_LEN];
	char title[TOP_KEY_LEN];
	enum top_kind kind;
	int source[2];
	int se[2];
	int nr_sources;
	enum unit unit;
	int rank;
	bool total;
};

/**
 * struct top_columns - the columns of a view
 * @sum: for each column that is a share or has a total, the sum of all rows
 * @c: the columns
 * @nr: number of @c
 * @sum_known: for each of these, whether the sum is known
 * @sum_estimate: for each of these, whether it is an estimate
 */
struct top_columns {
	long double sum[TOP_COLUMNS];
	struct top_column c[TOP_COLUMNS];
	int nr;
	bool sum_known[TOP_COLUMNS];
	bool sum_estimate[TOP_COLUMNS];
};

/**
 * struct top_number - a number of a row
 * @value: the number; a long double holds each u64 without rounding
 * @known: the number is known
 * @estimate: it is computed from samples
 */
struct top_number {
	long double value;
	bool known;
	bool estimate;
};

/* Make the columns of a view for its last table, and compute the sums. */
void top_columns_make(struct top_columns *cs, const struct top_rows *r);

/*
 * Find a column by its name as a sort key.
 * Return: its index, or -1 if there is none.
 */
int top_columns_find(const struct top_columns *cs, const char *key);

/* Report that a view has no such sort key. */
int top_columns_fail(const struct top_columns *cs, const char *view, const char *key);

/* Compute the number of a row.  The column is not the label. */
struct top_number top_column_number(const struct top_columns *cs, int column,
				    const struct top_rows *r, const struct top_row *row);

/* Test for a column of text that rows are sorted by in ascending order. */
bool top_column_is_text(const struct top_columns *cs, int column, const struct top_rows *r);

/* Print the number or the name of a row.  The column is not the label. */
void top_column_cell(const struct top_columns *cs, int column, const struct top_rows *r,
		     const struct top_row *row, char buf[CELL_LEN]);

/* Print the 95 % interval of the number of a row; "" if it is exact or not known. */
void top_column_interval(const struct top_columns *cs, int column, const struct top_rows *r,
			 const struct top_row *row, char buf[CELL_LEN]);

/* Print the sum of a column; `-` if it is not known. */
void top_column_total(const struct top_columns *cs, int column, char buf[CELL_LEN]);

/* Print a number in the unit of a column. */
void top_column_print(const struct top_column *c, long double number, char buf[NUMBER_LEN]);

#endif /* TOP_COLUMN_H */
