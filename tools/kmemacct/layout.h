/* SPDX-License-Identifier: GPL-2.0 */
/* The layout of tables as text: the text of cells, and the columns that fit the terminal. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "columns.h"
#include "estimate.h"

/* Title of the column of source lines. */
#define LINES_TITLE	"line"

/* Between a frame of a stack and the source line behind it. */
#define LINES_GAP	"  "

/* Title of the additional columns of estimates. */
#define INTERVAL_TITLE	"low..high"

/* Size of the text of a cell, with its NUL.  Longer names are cut off. */
#define CELL_LEN	80
/* Size of the text of an interval, with its NUL. */
#define INTERVAL_LEN	(2 * NUMBER_LEN)

/**
 * struct layout - how a table is printed
 * @t: the table
 * @sort: the order of its rows
 * @columns: the columns that are printed, if they fit
 * @screen: width of the terminal; 0: lines may be of any length
 * @exact: print sizes and times without rounding
 * @raw: print neither marks nor intervals of estimates
 * @main: the column whose interval is always shown; -1: the table has no estimates
 * @limits: the column that the limits of its intervals follow, never the first one; 0: none
 * @stacks: the labels are stacks
 * @split: the labels are a call site and a cause, and have a line for each
 * @lines: width of the source lines, in a column before the labels; 0: there is none
 * @below: there is no room for this column: a source line is below its call site or, in a stack,
 *	behind it
 * @shown: for each column and the label, whether it is printed
 * @width: for each column, its width
 * @label: width of the labels; 0: they are not printed
 * @hidden: number of columns that were left out, because a line was too long
 * @mark: for each column, the column of its standard errors, where a value other than 0
 *	means that the number is an estimate; -1: its numbers are never estimates
 * @mark_bytes: for each column, another one in which a value other than 0 means this; or -1
 * @interval: for each column, the width of the interval after it; 0: none is printed
 */
struct layout {
	const struct table *t;
	const struct sort *sort;
	struct columns columns;
	int screen;
	bool exact;
	bool raw;
	int main;
	int limits;
	bool stacks;
	bool split;
	int lines;
	bool below;
	bool shown[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	int label;
	int hidden;
	int mark[COLUMNS_MAX];
	int mark_bytes[COLUMNS_MAX];
	int interval[COLUMNS_MAX];
};

/* Find the columns that fit, and their widths.  The members up to @raw are set. */
void layout_make(struct layout *l);

/* Make a width at least that of a text. */
void layout_widen(int *width, const char *text);

/* The name of a column or pair shows whether its number is a size or a time. */
enum unit layout_unit(const struct layout *l, const char *name);

/* Print a value. */
void layout_value(char buf[NUMBER_LEN], enum format format, enum unit unit, u64 value);

/* Print the value of a row in a column. */
void layout_cell(const struct layout *l, const struct row *row, int column,
		 char buf[CELL_LEN]);

/*
 * Print the value of a row in a column of any kind, also its label.
 * Return: the text, which is in @buf if it is not in the table.
 */
const char *layout_text(const struct layout *l, const struct row *row, int column,
			char buf[CELL_LEN]);

/* Print the interval of a value in a column or pair of that name.  Sizes are rounded outwards. */
void layout_interval(const struct layout *l, const char *name, const struct interval *i,
		     char buf[INTERVAL_LEN]);

/* The same for a row and a column, or `-` if the value is exact. */
void layout_interval_cell(const struct layout *l, const struct row *row, int column,
			  char buf[INTERVAL_LEN]);

/* Print a title without the unit in its name, if the values are printed with units. */
void layout_title(const struct layout *l, int column, char buf[CELL_LEN]);

#endif /* LAYOUT_H */
