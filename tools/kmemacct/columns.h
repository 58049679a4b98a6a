/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of tables as text.
 *
 * The module's tables have more columns than fit a line.  So each table has a list of those that
 * tell most, and -o prints others.  Some of these are not in the module's table but computed
 * from it:
 *
 *   share_pct		of the live bytes of all rows, those of this one
 *   growth_bytes_s	by how many bytes a second the live ones have grown since counting began:
 *			what was allocated, with and without an event, less what was freed, and less
 *			what found no room in the live table, because its free is not seen; of the
 *			latter only the number is known, so that its size is the mean of the row
 *
 * A column is found by its name, by its title, or by the name that perf kmem has for it.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "sort.h"

/**
 * struct columns - the columns to print
 * @nr: number of @column
 * @column: indices of the columns, in the order in which they are printed
 * @fixed: for each of these, whether it stays if the line is too long
 */
struct columns {
	int nr;
	int column[COLUMNS_MAX];
	bool fixed[COLUMNS_MAX];
};

/*
 * Give columns short titles and add the computed ones.
 * Return: the new table, which owns @t; or @t, if there is nothing to compute.
 */
struct table *columns_add(struct table *t);

/* Compute share_pct and growth_bytes_s of a row from its other columns. */
void columns_compute(const struct table *t, struct row *row);

/* Return: index of the column whose name has @len characters; -1 if there is none. */
int columns_find(const struct table *t, const char *key, size_t len);

/* Report that there is no such column; @what is what it should be.  Return: -1. */
int columns_fail(const struct table *t, const char *what, const char *key, size_t len);

/**
 * columns_choose() - find the columns to print
 * @cs: the result
 * @t: the table
 * @sort: the order of its rows; sort keys are always printed, unless @output lists others
 * @output: value of -o, or NULL for the default
 *
 * Return: 0, or -1 after calling fail().
 */
int columns_choose(struct columns *cs, const struct table *t, const struct sort *sort,
		   const char *output);

/*
 * Return: how soon a column is left out if a line is too long: those of the highest rank are left
 * out first.
 */
int columns_rank(const struct table *t, int column);

/* Return: true if the table has a line of totals as text. */
bool columns_has_total(const struct table *t);

#endif /* COLUMNS_H */
