/* SPDX-License-Identifier: GPL-2.0 */
/* The views of kmemacct top: which table each shows, and by which columns. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include "base.h"

/*
 * What a column of a view shows.  A value is a column of the table.  A share is a value's part
 * of the sum of all rows.  Growth is the change of a gauge per second, which may be negative.
 * A rate is the change of a counter per second; a counter that decreases was reset.
 */
enum top_kind {
	TOP_VALUE,
	TOP_SHARE,
	TOP_GROWTH,
	TOP_RATE,
};

/**
 * struct top_spec - a column of a view
 * @key: its name as a sort key
 * @title: its title
 * @kind: what it shows
 * @of: the column of the table; NULL ends an array of columns
 * @instead: if the table has no column @of, the sum of these columns
 * @rank: columns of the highest rank are left out first; those of rank 0 always stay
 * @total: the line of totals has its sum
 */
struct top_spec {
	const char *key;
	const char *title;
	enum top_kind kind;
	const char *of;
	const char *instead[2];
	int rank;
	bool total;
};

/* Rank of the columns of a table that a view does not list. */
#define TOP_RANK_OTHER	100

/**
 * struct top_need - the setting of the module that a view needs
 * @name: name of the setting; NULL: the view needs none
 * @value: the value to set
 * @list: the setting is a list, which has to contain @value
 * @off: what to tell a user while it is not set
 * @effect: what else changes when it is set; NULL: nothing
 */
struct top_need {
	const char *name;
	const char *value;
	bool list;
	const char *off;
	const char *effect;
};

#define TOP_IDENTITY	3

/**
 * struct top_view - a view
 * @name: its name, as a command has it
 * @table: name of the table
 * @row: what a row is, in the plural
 * @specs: its columns, the first of which is the one that rows are sorted by at first
 * @rate: key of the column that the second graph of a row shows
 * @identity: columns that identify a row, together with its label
 * @need: the setting that it needs
 * @note: a remark that is printed in place of totals, or NULL
 * @stacks: the labels are stacks
 */
struct top_view {
	const char *name;
	const char *table;
	const char *row;
	const struct top_spec *specs;
	const char *rate;
	const char *identity[TOP_IDENTITY];
	struct top_need need;
	const char *note;
	bool stacks;
};

#define TOP_NR_VIEWS	9

extern const struct top_view top_views[TOP_NR_VIEWS];

/*
 * Find a view by the name of its command or table.
 * Return: its number, or -1 after calling fail().
 */
int top_view_find(const char *name);

#endif /* TOP_VIEW_H */
