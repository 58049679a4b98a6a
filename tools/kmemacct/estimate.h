/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates: numbers that were made of samples.
 *
 * An estimate is a column X that has a column X_se, its standard error, beside
 * it, and in a table of pairs a line X that a line X_se follows.  If that is 0,
 * the number is exact.  Tables in which nothing was sampled have no such columns.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "sort.h"

/* With fewer samples, an interval by the standard error is not to be relied on. */
#define ESTIMATE_FEW	30

/**
 * struct interval - where the true value is, in 95 of 100 cases
 * @format: of both, FORMAT_U64 or FORMAT_S64
 * @low: from here
 * @high: to here
 */
struct interval {
	enum format format;
	u64 low;
	u64 high;
};

/* The column of a column's standard error; -1: it has none. */
int estimate_se(const struct table *t, int column);

/* The column itself is one of standard errors. */
bool estimate_is_se(const struct table *t, int column);

/* The table has estimates. */
bool estimate_any(const struct table *t);

/**
 * estimate_interval() - the interval of an estimate
 * @t: the table
 * @row: a row
 * @column: one with a standard error
 *
 * Return: the interval, rounded outwards; an exact value is both of its ends.
 */
struct interval estimate_interval(const struct table *t, const struct row *row,
				  int column);

/*
 * The column that a table is about: the first one of its order that is an
 * estimate, or an estimate's standard error, or else live_bytes or live_kb.
 */
int estimate_main(const struct table *t, const struct sort *sort);

/* Few samples are behind what the row has in @column. */
bool estimate_few(const struct table *t, const struct row *row, int column);

/* In a table of pairs: the standard error of line @i, or NULL. */
const struct row *estimate_pair_se(const struct table *t, size_t i);

/* And the interval of line @i, which has one. */
struct interval estimate_pair_interval(const struct table *t, size_t i);

/* A standard error out of a variance. */
u64 estimate_root(double variance);

#endif /* ESTIMATE_H */
