/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates: numbers that are computed from samples.
 *
 * A column X is an estimate if there is a column X_se, which has its standard error.  In a
 * table of pairs, a line X is an estimate if the next line is X_se.  A value whose standard
 * error is 0 is exact.  Without sampling, tables have no columns X_se.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "sort.h"

/* With fewer samples, an interval computed from the standard error is not reliable. */
#define ESTIMATE_FEW	30

/**
 * struct interval - a 95 % interval: it contains the true value in about 95 of 100 cases
 * @format: format of @low and @high, FORMAT_U64 or FORMAT_S64
 * @low: lowest value of the interval
 * @high: highest value of the interval
 */
struct interval {
	enum format format;
	u64 low;
	u64 high;
};

/* Return: index of the column with the standard error of a column, or -1 if it has none. */
int estimate_se(const struct table *t, int column);

/* Return: true if a column has the standard errors of another column. */
bool estimate_is_se(const struct table *t, int column);

/* Return: true if a table has estimates, and so columns of standard errors. */
bool estimate_any(const struct table *t);

/**
 * estimate_interval() - compute the 95 % interval of an estimate
 * @t: the table
 * @row: a row of it
 * @column: index of a column that has a standard error
 *
 * Return: the interval, rounded outwards.  For an exact value, both ends are that value.
 */
struct interval estimate_interval(const struct table *t, const struct row *row,
				  int column);

/*
 * Find the main column of a table, whose interval is always shown: the estimate of the first
 * sort key that is an estimate or the standard error of one.  If no sort key is either, the
 * main column is live_bytes or live_kb.
 */
int estimate_main(const struct table *t, const struct sort *sort);

/* Return: true if a value is based on samples, but on fewer than ESTIMATE_FEW of them. */
bool estimate_few(const struct table *t, const struct row *row, int column);

/* In a table of pairs: find the row with the standard error of row @i, or NULL. */
const struct row *estimate_pair_se(const struct table *t, size_t i);

/* In a table of pairs: compute the interval of row @i, which has a standard error. */
struct interval estimate_pair_interval(const struct table *t, size_t i);

/* Compute a standard error from a variance. */
u64 estimate_root(double variance);

#endif /* ESTIMATE_H */
