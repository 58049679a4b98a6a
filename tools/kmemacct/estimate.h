/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates: numbers that are computed from samples.
 *
 * A column X is an estimate if there is a column X_se, which has its standard error.  In a
 * table of pairs, a line X is an estimate if the next line is X_se.  A value whose standard
 * error is 0 is exact, except for what had no sample: see estimate_unsampled().
 *
 * bounds.h has the theory of the intervals.  Here, a column gets its number of samples and its T,
 * which are not in the column itself:
 *
 *   T	is sample_bytes of the head, the present one.  It may have been larger before, which
 *	shows if a sample stands for more than that on average.  It is assumed that the objects
 *	without a sample were not allocated at a still larger T.
 *
 *   n	is live_samples or samples.  Columns such as frees are about a part of the samples
 *	only.  Their n is assumed to be in proportion to their variance.
 *
 *   z	The size of objects matters for their number only.  In `caches` and `page_callers`,
 *	all objects of a row have the same size.  In all other rows, they may be as small as the
 *	smallest slab object.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "bounds.h"
#include "sort.h"

/**
 * struct interval - a 95 % interval: it contains the true value in at least 95 of 100 cases
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

/* Return: true if values of a table are or may be estimates: something was or is sampled. */
bool estimate_any(const struct table *t);

/*
 * Return: index of the standard errors of the bytes that the objects of a column take, or -1.
 * A number of objects is an estimate if its own standard error or this one is not 0: an error of
 * less than one object is rounded to 0.
 */
int estimate_bytes_se(const struct table *t, int column);

/*
 * Return: the variance of a value, which is not below the true one: a table shows standard errors
 * that are rounded down.  0 if the value is exact.
 */
double estimate_variance(const struct table *t, const struct row *row, int column);

/* Return: true if a value is an estimate and not exact. */
bool estimate_is_rough(const struct table *t, const struct row *row, int column);

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
 * Return: what the limits of a value are computed from, for sums and differences of several values.
 * Its variance is 0 if the value is exact.
 */
struct weighed estimate_weighed(const struct table *t, const struct row *row, int column);

/* Add a value to a sum, or subtract it with @sign -1.  Samples may be common to both. */
void estimate_add(struct weighed *sum, const struct weighed *more, int sign);

/*
 * Return: the least variance that a value may have.  A table shows standard errors that are
 * rounded down, and @variance is rounded up.
 */
double estimate_least_variance(const struct weighed *w);

/* Subtract an earlier value of a counter, of which @w has all samples and more. */
void estimate_since(struct weighed *w, const struct weighed *before);

/*
 * Find the main column of a table, whose interval is always shown: the estimate of the first
 * sort key that is an estimate or the standard error of one.  If no sort key is either, the
 * main column is live_bytes or live_kb.
 */
int estimate_main(const struct table *t, const struct sort *sort);

/*
 * Return: the largest T that a table shows, in bytes; 0 if nothing was sampled, or if it has no
 * sizes.
 */
double estimate_unit(const struct table *t);

/**
 * estimate_unsampled() - bound what has no sample
 * @t: a table with columns
 *
 * A row that is not in the table may have live objects, none of which was sampled.  The bound holds
 * for live bytes, and for bytes allocated since counting began, each with a probability of 97.5 %.
 * In the same way, it bounds how much larger a value may be that is exact by its standard error.
 *
 * Return: the bound in bytes; 0 if nothing was sampled.
 */
u64 estimate_unsampled(const struct table *t);

/* In a table of pairs: find the row with the standard error of row @i, or NULL. */
const struct row *estimate_pair_se(const struct table *t, size_t i);

/* In a table of pairs: return true if row @i is an estimate and not exact. */
bool estimate_pair_is_rough(const struct table *t, size_t i);

/* In a table of pairs: compute the interval of row @i, which has a standard error. */
struct interval estimate_pair_interval(const struct table *t, size_t i);

/* Compute a standard error from a variance. */
u64 estimate_root(double variance);

#endif /* ESTIMATE_H */
