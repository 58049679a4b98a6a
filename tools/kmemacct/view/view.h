/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From tables to what is shown: the model that all commands share.
 *
 *   source -> delta? -> group? -> select -> sort -> total -> render
 *
 * A source gives a table.  A delta is a table of the differences of two others, and a group one of
 * sums by a key.  struct view has a table and what else a renderer needs: which rows are left out,
 * the total, and remarks.  schema.c says what a column is called and when it is printed.
 */
#ifndef VIEW_H
#define VIEW_H

#include "../table/table.h"
#include "statistics.h"

struct gfp;
struct sites;

/* ---- what tables look like (schema.c) ------------------------------------- */

/* Greater than the number of columns that are printed, and of sort keys. */
#define SHOWN_MAX	48
#define SORT_KEYS	16

/**
 * struct sort - the order of a table's rows
 * @key: indices of the columns to compare; the first column that differs decides
 * @nr: number of keys; 0: keep the order of the rows
 *
 * Numbers descend, names and labels ascend.
 */
struct sort {
	int key[SORT_KEYS];
	int nr;
};

/**
 * struct columns - the columns to print
 * @nr: number of @column
 * @column: indices of the columns, in the order in which they are printed
 * @fixed: for each of these, whether it stays if the line is too long
 */
struct columns {
	int nr;
	int column[SHOWN_MAX];
	bool fixed[SHOWN_MAX];
};

/*
 * Give columns short titles, and add those that are computed from others: share_pct, the part of the
 * live bytes of all rows; and growth_bytes_s, by how many bytes a second the live ones have grown
 * since counting began: what was allocated, with and without an event, less what was freed, and
 * less what found no room in the live table, because its free is not seen; of the latter only the
 * number is known, so that its size is the mean of the row.
 * Return: the new table, which owns @t; or @t, if there is nothing to compute.
 */
struct table *schema_complete(struct table *t);

/* Compute these two columns of a row; @whole: the live bytes of all rows. */
void schema_compute(const struct table *t, struct row *row, double whole);

/* Return: index of the column that a key of @len characters names: by its name, title or alias. */
int schema_find(const struct table *t, const char *key, size_t len);

/* Report that there is no such column; @what is what it should be.  Return: -1. */
int schema_fail(const struct table *t, const char *what, const char *key, size_t len);

/*
 * Find the columns to print; sort keys are always printed, unless @output, the value of -o, lists
 * others.  A table that is @streamed has no rows yet.
 * Return: 0, or -1 after calling fail().
 */
int schema_choose(struct columns *cs, const struct table *t, const struct sort *sort,
		  const char *output, bool streamed);

/* Return: how soon a column is left out if a line is too long: the highest rank first. */
int schema_rank(const struct table *t, int column);

/* Return: true if the table has a line of totals as text. */
bool schema_has_total(const struct table *t);

/* ---- views (view.c) ------------------------------------------------------- */

/**
 * struct match - what a row has to match
 * @min_bytes: its live size is at least this; 0: any
 * @module: its call site is in this module, `kernel` for code in no module; NULL: in any
 * @site: a part of its label matches this pattern; NULL: any
 */
struct match {
	u64 min_bytes;
	const char *module;
	const char *site;
};

/**
 * struct view - a table and what else there is to show
 * @t: the table, owned by the view; its rows are those that are shown
 * @sort: the order of its rows
 * @total: the total of all rows, also of those that are left out; or NULL
 * @total_label: memory of the label of @total
 * @whole: what all rows have live, also those that options leave out
 * @filtered: number of rows that do not match the options, and were removed
 * @own_filter: the filter in the head of the table was set only for it
 * @left_out: number of rows that -l leaves out; they are in the table, after the others
 * @not_kept: number of rows that -l leaves out, and that are in no memory
 * @note: a remark that is printed above the rows, or NULL
 * @advice: advice that is printed below the rows, or NULL
 * @gfp: names of gfp flags, or NULL
 * @sites: source lines of the call sites, or NULL
 */
struct view {
	struct table *t;
	struct sort sort;
	struct row *total;
	char *total_label;
	double whole;
	size_t filtered;
	bool own_filter;
	size_t left_out;
	size_t not_kept;
	const char *note;
	const char *advice;
	struct gfp *gfp;
	struct sites *sites;
};

/* Begin a view of a table, which it takes ownership of, and free it, but not @gfp and @sites. */
void view_begin(struct view *v, struct table *t);
void view_end(struct view *v);

/* Parse sort keys `key[,key...]`, which are names of columns.  Return: 0, or -1 after fail(). */
int view_sort_by(struct view *v, const char *keys);

/* Compare two rows; rows that compare equal keep their order when they are sorted. */
int view_compare(const struct table *t, const struct sort *sort, const struct row *a,
		 const struct row *b);
void view_sort(struct table *t, const struct sort *sort);
void view_sort_by_label(struct table *t);

/* Check whether rows have what is to be matched.  Return: 0, or -1 after calling fail(). */
int view_check(const struct table *t, const struct match *match);

/* Test whether a row matches. */
bool view_matches(const struct table *t, const struct row *row, const struct match *match);

/* Remove the rows that do not match.  Return: 0, or -1 after calling fail(). */
int view_select(struct view *v, const struct match *match);

/* Leave out all but the first @nr rows. */
void view_cut(struct view *v, size_t nr);

/*
 * Make the total: of counters and of what is live their sum, of maxima the largest.  The standard
 * error of a sum is the root of the sum of the squares, because rows are sampled independently of
 * each other.
 */
void view_total(struct view *v);

/* Add up @nr rows in @sum, which is zeroed. */
void view_add_up(const struct table *t, struct row * const *rows, size_t nr, struct row *sum);

static inline size_t view_left_out(const struct view *v)
{
	return v->left_out + v->not_kept;
}

/* The first rows of an order, kept while all rows of a table are read. */
struct heap;

/* Make an empty heap for @max rows; @t and @sort have to exist as long as it does. */
struct heap *heap_new(const struct table *t, const struct sort *sort, u64 max);
size_t heap_nr_rows(const struct heap *h);

/* Add a copy of a row, unless @max other rows come before it. */
void heap_add(struct heap *h, const struct row *row);

/*
 * Make a table of the rows in their order, and free the heap; @t may be NULL.  The head of the new
 * table points into that of the heap's table.  @not_kept: set to the number of other rows
 */
struct table *heap_table(struct heap *h, size_t *not_kept);
void heap_free(struct heap *h);

/* ---- estimates (estimate.c) ----------------------------------------------- */

/*
 * A column X is an estimate if there is a column X_se, which has its standard error.  A value whose
 * standard error is 0 is exact, except for what had no sample: see estimate_unsampled().
 *
 * statistics.h has the theory of the intervals.  Here, a column gets its number of samples and its
 * T, which are not in the column itself:
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

/* Return: true if values of a table are or may be estimates: something was or is sampled. */
bool estimate_any(const struct table *t);

/* Return: true if a value is an estimate and not exact. */
bool estimate_is_rough(const struct table *t, const struct row *row, int column);

/* Return: the variance of a value, at least the true one, as errors are rounded down; 0: exact. */
double estimate_variance(const struct table *t, const struct row *row, int column);

/* Compute the interval of a value in a column that has a standard error, rounded outwards. */
struct interval estimate_interval(const struct table *t, const struct row *row, int column);

/*
 * Return: what the limits of a value are computed from, for sums and differences of several values.
 * Its variance is 0 if the value is exact.
 */
struct weighed estimate_weighed(const struct table *t, const struct row *row, int column);

/* Add a value to a sum, or subtract it with @sign -1.  Samples may be common to both. */
void estimate_add(struct weighed *sum, const struct weighed *more, int sign);

/* Return: the least variance that a value may have: @variance is rounded up. */
double estimate_least_variance(const struct weighed *w);

/* Subtract an earlier value of a counter, of which @w has all samples and more. */
void estimate_since(struct weighed *w, const struct weighed *before);

/*
 * Return: the main column, whose interval is always shown: the first sort key that is an estimate or
 * the error of one; or else the column of live sizes.
 */
int estimate_main(const struct table *t, const struct sort *sort);

/* Return: the largest T that a table shows, in bytes; @nr: number of rows to look at. */
double estimate_unit(const struct table *t);

/*
 * Return: an upper bound, in bytes, of what has no sample; 0 if nothing was sampled.  It holds for
 * live bytes, and for bytes allocated since counting began, each with a probability of 97.5 %, for
 * each row that is not in the table, and for what is exact by its standard error.
 */
u64 estimate_unsampled(const struct table *t);

/* Compute a standard error from a variance. */
u64 estimate_root(double variance);

/* ---- differences and groups (delta.c, group.c, growth.c) ------------------ */

#endif /* VIEW_H */
