// SPDX-License-Identifier: GPL-2.0
/* Estimates.  See the overview in estimate.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimate.h"

/* ---- columns -------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool is_se_of(const char *se, const char *name)
{
	return begins(se, name) && !strcmp(se + strlen(name), "_se");
}

int estimate_se(const struct table *t, int column)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (is_se_of(t->columns[i].name, t->columns[column].name))
			return i;
	return -1;
}

/* Return: index of the column whose standard errors are in column @se, or -1 if there is none. */
static int estimate_of(const struct table *t, int se)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (is_se_of(t->columns[se].name, t->columns[i].name))
			return i;
	return -1;
}

bool estimate_is_se(const struct table *t, int column)
{
	return estimate_of(t, column) >= 0;
}

/* The main column without sort keys: of objects live_bytes, of pages live_kb. */
static int main_column(const struct table *t)
{
	int column = table_column(t, "live_bytes");

	return column < 0 ? table_column(t, "live_kb") : column;
}

int estimate_main(const struct table *t, const struct sort *sort)
{
	int i, column;

	for (i = 0; i < sort->nr; i++) {
		column = estimate_of(t, sort->key[i]);
		if (column < 0)
			column = sort->key[i];
		if (estimate_se(t, column) >= 0)
			return column;
	}
	return main_column(t);
}

/* ---- values by name ------------------------------------------------------- */

/* Return: a value of a row, or of a table of pairs; 0 if there is none of that name. */
static u64 value(const struct table *t, const struct row *row, const char *name)
{
	int column = table_column(t, name);
	size_t i;

	if (column >= 0)
		return row->v[column];
	for (i = 0; !t->columns && i < t->nr_rows; i++)
		if (!strcmp(t->rows[i]->label, name))
			return t->rows[i]->v[0];
	return 0;
}

/* These show the present state; all others count from the last reset. */
static bool is_live(const char *name)
{
	return begins(name, "live_") || begins(name, "confirmed_");
}

/* Test for a number of objects or of page allocations, not of bytes. */
static bool is_count(const char *name)
{
	enum unit unit = table_unit(name);

	return unit != UNIT_BYTES && unit != UNIT_KB;
}

static u64 se_of(const struct table *t, const struct row *row, const char *name)
{
	char se[64];

	snprintf(se, sizeof(se), "%s_se", name);
	return value(t, row, se);
}

/* The bytes of the objects that a column counts. */
static const char *bytes_of(const struct table *t, const char *name)
{
	static const char * const pairs[][2] = {
		{ "live_objs", "live_bytes" }, { "live_allocs", "live_kb" },
		{ "hits", "bytes_alloc" }, { "allocs", "bytes_allocated" },
		{ "objs_alloc", "bytes_alloc" },
		{ "frees", "bytes_freed" }, { "bulk_objs", "bulk_bytes" },
	};
	size_t i;

	if (!strcmp(name, "hits") && table_column(t, "kb") >= 0)
		return "kb";
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (!strcmp(name, pairs[i][0]))
			return pairs[i][1];
	return NULL;
}

/*
 * The standard error of a few large objects is less than one object and rounded to 0, but that of
 * their bytes is not.
 */
static bool is_rough(const struct table *t, const struct row *row, const char *name)
{
	const char *bytes = bytes_of(t, name);

	return se_of(t, row, name) || (bytes && se_of(t, row, bytes));
}

int estimate_bytes_se(const struct table *t, int column)
{
	const char *bytes = bytes_of(t, t->columns[column].name);
	int i = bytes ? table_column(t, bytes) : -1;

	return i < 0 ? -1 : estimate_se(t, i);
}

bool estimate_is_rough(const struct table *t, const struct row *row, int column)
{
	return estimate_se(t, column) >= 0 && is_rough(t, row, t->columns[column].name);
}

/* Standard errors are rounded down. */
static double variance_of(const struct table *t, const struct row *row, const char *name)
{
	double se = se_of(t, row, name);

	return is_rough(t, row, name) ? (se + 1) * (se + 1) : 0;
}

double estimate_variance(const struct table *t, const struct row *row, int column)
{
	return variance_of(t, row, t->columns[column].name);
}

/* ---- samples -------------------------------------------------------------- */

/* Test for bulk allocations, which are not in `hits` but may be sampled as well. */
static bool has_bulk(const struct table *t, const struct row *row)
{
	return value(t, row, "bulk_objs") || value(t, row, "bulk_allocs");
}

static bool is_of_hits(const char *name)
{
	return !strcmp(name, "hits") || !strcmp(name, "bytes_req") ||
	       !strcmp(name, "bytes_alloc") || !strcmp(name, "kb");
}

/*
 * Return: a lower bound for the true value in a column, from the number of samples: all that
 * were sampled exist, each object takes at least one byte, and each page allocation at least
 * one KiB.  `samples` counts both allocations with an event and bulk allocations, so it
 * is a bound for either of them only if there are none of the other.
 */
static u64 known_samples(const struct table *t, const struct row *row,
			 const char *name)
{
	if (begins(name, "live_"))
		return value(t, row, "live_samples");
	if (!strcmp(name, "objs_alloc"))
		return value(t, row, "samples");
	if (begins(name, "bulk_"))
		return value(t, row, "hits") ? 0 : value(t, row, "samples");
	if (is_of_hits(name))
		return has_bulk(t, row) ? 0 : value(t, row, "samples");
	return 0;
}

/* Return: the variance of what all samples, or all live ones, stand for. */
static double variance_of_all(const struct table *t, const struct row *row, const char *name)
{
	static const char * const live[] = { "live_bytes", "live_kb" };
	static const char * const bytes[] = {
		"bytes_alloc", "bytes_allocated", "kb", "bulk_bytes",
	};
	static const char * const counts[] = { "hits", "allocs", "bulk_objs", "bulk_allocs" };
	double variance = 0;
	size_t i;

	if (begins(name, "live_") || begins(name, "all_") || !strcmp(name, "objs_alloc"))
		return variance_of(t, row, name);
	if (is_live(name)) {
		for (i = 0; i < ARRAY_SIZE(live); i++)
			variance += variance_of(t, row, live[i]);
		return variance;
	}
	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		variance += variance_of(t, row, is_count(name) ? counts[i] : bytes[i]);
	return variance;
}

/* Set the number of samples of a value that the table shows no samples of. */
static void guess_samples(struct weighed *w)
{
	w->part = true;
	w->samples = w->unit > 0 ? fmax(w->variance / (w->unit * w->unit), 1) : 1;
}

/* Set the number of samples, of which there may be none: counts of frees were reset last. */
static void set_samples(struct weighed *w, const struct table *t, const struct row *row,
			const char *name)
{
	const double all = variance_of_all(t, row, name);

	w->part = w->variance != all;
	w->samples = value(t, row, is_live(name) ? "live_samples" : "samples");
	if (w->part && all > 0)
		w->samples *= w->variance / all;
	if (w->samples > 0)
		return;
	guess_samples(w);
}

/* ---- what a sample stands for --------------------------------------------- */

#define KB		1024
/* The slab allocator has no smaller objects. */
#define OBJECT_MIN	8
/* A page allocation of order 0, on 64-bit PCs; no order is larger than this. */
#define PAGE_BYTES	4096
#define ORDER_MAX	20

static double bytes_per_unit(const char *name)
{
	return table_unit(name) == UNIT_KB ? KB : 1;
}

/* The columns of bytes that show T, and their numbers of samples. */
static const char * const seen_columns[][2] = {
	{ "live_bytes", "live_samples" }, { "live_kb", "live_samples" },
	{ "bytes_alloc", "samples" }, { "bytes_allocated", "samples" }, { "kb", "samples" },
	{ "all_bytes", "samples" },
};

/* Return: T by the standard error of @n samples, at least. */
static double seen_sample_bytes(const char *name, u64 se, u64 n)
{
	return n ? se * bytes_per_unit(name) / sqrt(n) : 0;
}

/* Return: T, the number of bytes that one sample of small objects stands for; 0 if not known. */
static double sample_bytes(const struct table *t, const struct row *row)
{
	double bytes = table_number(t, "sample_bytes");
	const char *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seen_columns); i++) {
		name = seen_columns[i][0];
		bytes = fmax(bytes, seen_sample_bytes(name, se_of(t, row, name),
						      value(t, row, seen_columns[i][1])));
	}
	return bytes;
}

/* Return: the largest T that any row shows in a column. */
static double largest_sample_bytes(const struct table *t, const char *name, const char *samples)
{
	int column = table_column(t, name), n = table_column(t, samples);
	int se = column < 0 ? -1 : estimate_se(t, column);
	double bytes = 0;
	size_t i;

	if (se < 0 || n < 0)
		return 0;
	for (i = 0; i < t->nr_rows + t->left_out; i++)
		bytes = fmax(bytes, seen_sample_bytes(name, t->rows[i]->v[se], t->rows[i]->v[n]));
	return bytes;
}

/* Return: size of the objects of a row by its estimates, which are rounded; at most that size. */
static double estimated_size(const struct table *t, const struct row *row)
{
	static const char * const counts[] = { "live_objs", "hits", "bulk_objs", "frees" };
	u64 count;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		count = value(t, row, counts[i]);
		if (count)
			return value(t, row, bytes_of(t, counts[i])) / (count + 0.5);
	}
	return 0;
}

/*
 * Find the size of the objects that a row is about.
 * Return: their size if all have the same, or that of the smallest possible object.
 */
static double object_size(const struct table *t, const struct row *row, bool *mixed)
{
	int order = table_column(t, "order");
	double size = 0;

	if (order >= 0 && row->v[order] <= ORDER_MAX)
		size = (double)PAGE_BYTES * (1 << row->v[order]);
	else if (!strcmp(t->name, "caches") && *row->label != '[')
		size = estimated_size(t, row);
	*mixed = size < OBJECT_MIN;
	return *mixed ? OBJECT_MIN : size;
}

static struct weighed make_weighed(const struct table *t, const struct row *row,
				   const char *name, double estimate)
{
	struct weighed w = {
		.estimate = estimate,
		.variance = variance_of(t, row, name),
		.unit = sample_bytes(t, row) / bytes_per_unit(name),
	};

	if (is_count(name))
		w.unit /= object_size(t, row, &w.mixed);
	set_samples(&w, t, row, name);
	return w;
}

struct weighed estimate_weighed(const struct table *t, const struct row *row, int column)
{
	const struct column *c = &t->columns[column];
	const u64 value = row->v[column];

	return make_weighed(t, row, c->name,
			    c->format == FORMAT_S64 ? (double)(s64)value : (double)value);
}

void estimate_add(struct weighed *sum, const struct weighed *more, int sign)
{
	sum->estimate += sign * more->estimate;
	if (!(more->variance > 0))
		return;
	sum->variance += more->variance;
	sum->samples += more->samples;
	sum->unit = fmax(sum->unit, more->unit);
	sum->mixed |= more->mixed;
	sum->part |= more->part;
}

double estimate_least_variance(const struct weighed *w)
{
	/* See variance_of(). */
	const double root = fmax(sqrt(w->variance) - 1, 0);

	return root * root;
}

void estimate_since(struct weighed *w, const struct weighed *before)
{
	w->estimate -= before->estimate;
	w->variance = fmax(w->variance - estimate_least_variance(before), 0);
	w->samples -= before->samples;
	w->unit = fmax(w->unit, before->unit);
	if (w->samples <= 0)
		guess_samples(w);
}

bool estimate_any(const struct table *t)
{
	return t->columns && t->sampled && estimate_unsampled(t);
}

double estimate_unit(const struct table *t)
{
	int column = main_column(t);
	double bytes = table_number(t, "sample_bytes");
	size_t i;

	if (column < 0 || estimate_se(t, column) < 0)
		return 0;
	for (i = 0; i < ARRAY_SIZE(seen_columns); i++)
		bytes = fmax(bytes, largest_sample_bytes(t, seen_columns[i][0],
							 seen_columns[i][1]));
	return bytes;
}

u64 estimate_unsampled(const struct table *t)
{
	return ceil(fmin(bounds_unsampled(estimate_unit(t)), 0x1p63));
}

/* ---- intervals ------------------------------------------------------------ */

/* Larger distances are beyond all numbers of 64 bits. */
#define DISTANCE_MAX	0x1p100

static __int128 extend(enum format format, u64 value)
{
	return format == FORMAT_S64 ? (__int128)(s64)value : (__int128)value;
}

static __int128 round_up(double distance)
{
	return ceil(fmin(distance, DISTANCE_MAX));
}

/* The interval starts at @least or above, unless the estimate itself is below @least. */
static struct interval make_interval(enum format format, u64 estimate, struct bounds bounds,
				     __int128 least)
{
	const __int128 most = format == FORMAT_S64 ? LLONG_MAX : U64_MAX;
	const __int128 middle = extend(format, estimate);
	__int128 low = middle - round_up(bounds.below);
	__int128 high = middle + round_up(bounds.above);

	if (least > middle)
		least = middle;
	return (struct interval) {
		.format = format,
		.low = low < least ? least : low,
		.high = high > most ? most : high,
	};
}

/* The interval of a difference, which may be negative. */
static struct interval interval_of_change(const struct table *t, const struct row *row,
					  const char *name, u64 estimate)
{
	struct weighed w = make_weighed(t, row, name, (s64)estimate);
	struct bounds bounds = {};

	if (w.variance > 0)
		bounds = bounds_of_change(&w);
	return make_interval(FORMAT_S64, estimate, bounds, LLONG_MIN);
}

static struct interval interval_of_sum(const struct table *t, const struct row *row,
				       enum format format, const char *name, u64 estimate)
{
	struct weighed w = make_weighed(t, row, name, extend(format, estimate));
	struct bounds bounds = {};

	if (w.variance > 0)
		bounds = bounds_of_sum(&w);
	return make_interval(format, estimate, bounds, known_samples(t, row, name));
}

struct interval estimate_interval(const struct table *t, const struct row *row,
				  int column)
{
	const struct column *c = &t->columns[column];

	/* A signed live column is a difference. */
	if (c->format == FORMAT_S64 && is_live(c->name))
		return interval_of_change(t, row, c->name, row->v[column]);
	return interval_of_sum(t, row, c->format, c->name, row->v[column]);
}

u64 estimate_root(double variance)
{
	double root = sqrt(variance);

	return root < 0x1p64 ? (u64)(root + 0.5) : U64_MAX;
}

/* ---- pairs ---------------------------------------------------------------- */

const struct row *estimate_pair_se(const struct table *t, size_t i)
{
	const struct row *next = i + 1 < t->nr_rows ? t->rows[i + 1] : NULL;

	if (next && next->format == FORMAT_U64 && t->rows[i]->format != FORMAT_MILLI &&
	    is_se_of(next->label, t->rows[i]->label))
		return next;
	return NULL;
}

bool estimate_pair_is_rough(const struct table *t, size_t i)
{
	return estimate_pair_se(t, i) && is_rough(t, t->rows[i], t->rows[i]->label);
}

struct interval estimate_pair_interval(const struct table *t, size_t i)
{
	const struct row *row = t->rows[i];

	/* Only bytes_net may be negative, even where its estimate is not. */
	if (!strcmp(row->label, "bytes_net"))
		return interval_of_change(t, row, row->label, row->v[0]);
	return interval_of_sum(t, row, row->format, row->label, row->v[0]);
}
