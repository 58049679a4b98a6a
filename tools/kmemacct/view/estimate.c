// SPDX-License-Identifier: GPL-2.0
/* Estimates: numbers that are computed from samples.  See the overview in view.h. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "view.h"

/* ---- values --------------------------------------------------------------- */

/* Columns of the present state; all others count from the last reset. */
static bool is_live(const struct column *c)
{
	return text_begins(c->name, "live_") || text_begins(c->name, "confirmed_");
}

/* Test for a number of objects or of page allocations, not of bytes. */
static bool is_count(const struct column *c)
{
	return c->unit != UNIT_BYTES && c->unit != UNIT_KIB;
}

static bool is_unknown(const struct table *t, const struct row *row, int column)
{
	return t->columns[column].format == FORMAT_S64 && row->v[column] == UNKNOWN;
}

static u64 se_of(const struct table *t, const struct row *row, int column)
{
	const int se = column == NONE ? NONE : t->columns[column].se;

	return se == NONE || is_unknown(t, row, se) ? 0 : row->v[se];
}

/*
 * The standard error of a few large objects is less than one object and rounded to 0, but that of
 * their bytes is not.
 */
bool estimate_is_rough(const struct table *t, const struct row *row, int column)
{
	const struct column *c = &t->columns[column];

	return se_of(t, row, column) || (c->se != NONE && se_of(t, row, c->bytes));
}

bool estimate_has_tilde(const struct table *t, const struct row *row, int column, int main)
{
	const bool growth = column == t->at[AT_growth_bytes_s];
	int of = column;

	if (main != NONE && (growth || column == t->at[AT_frag_pct]))
		of = t->at[AT_bytes_alloc];
	if (main != NONE && column == t->at[AT_share_pct] && t->columns[column].computed)
		of = main;
	if (column == t->at[AT_old_pct])
		of = t->at[AT_all_bytes];
	return se_of(t, row, of) ||
	       se_of(t, row, growth ? t->at[AT_bytes_freed] : t->columns[column].bytes);
}

/* Standard errors are rounded down. */
double estimate_variance(const struct table *t, const struct row *row, int column)
{
	const double se = se_of(t, row, column);

	return estimate_is_rough(t, row, column) ? (se + 1) * (se + 1) : 0;
}

static double variance_at(const struct table *t, const struct row *row, enum place place)
{
	return t->at[place] == NONE ? 0 : estimate_variance(t, row, t->at[place]);
}

int estimate_main(const struct table *t, const struct sort *sort)
{
	int i, column;

	for (i = 0; i < sort->nr; i++) {
		column = t->columns[sort->key[i]].of;
		if (column == NONE)
			column = sort->key[i];
		if (t->columns[column].se != NONE)
			return column;
	}
	return table_live(t);
}

/* ---- samples -------------------------------------------------------------- */

/*
 * Return: a lower bound for the true value in a column, from the number of samples: all that
 * were sampled exist, each object takes at least one byte, and each page allocation at least
 * one KiB.  `samples` counts both allocations with an event and bulk allocations, so it
 * is a bound for either of them only if there are none of the other.
 */
static u64 known_samples(const struct table *t, const struct row *row, int column)
{
	static const char * const of_hits[] = { "hits", "bytes_req", "bytes_alloc", "kb" };
	const char *name = t->columns[column].name;
	size_t i;

	if (text_begins(name, "live_"))
		return table_at(t, row, AT_live_samples);
	if (!strcmp(name, "objs_alloc"))
		return table_at(t, row, AT_samples);
	if (text_begins(name, "bulk_"))
		return table_at(t, row, AT_hits) ? 0 : table_at(t, row, AT_samples);
	for (i = 0; i < ARRAY_SIZE(of_hits); i++)
		if (!strcmp(name, of_hits[i]))
			return table_at(t, row, AT_bulk_objs) || table_at(t, row, AT_bulk_allocs) ?
			       0 : table_at(t, row, AT_samples);
	return 0;
}

/* Return: the variance of the estimate from all samples, or from all live ones. */
static double variance_of_all(const struct table *t, const struct row *row, int column)
{
	static const enum place bytes[] = {
		AT_bytes_alloc, AT_bytes_allocated, AT_kb, AT_bulk_bytes,
	};
	static const enum place counts[] = { AT_hits, AT_allocs, AT_bulk_objs, AT_bulk_allocs };
	const struct column *c = &t->columns[column];
	double variance = 0;
	size_t i;

	if (text_begins(c->name, "live_") || text_begins(c->name, "all_") ||
	    !strcmp(c->name, "objs_alloc"))
		return estimate_variance(t, row, column);
	if (is_live(c))
		return variance_at(t, row, AT_live_bytes) + variance_at(t, row, AT_live_kb);
	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		variance += variance_at(t, row, is_count(c) ? counts[i] : bytes[i]);
	return variance;
}

/* Set the number of samples of a value that the table shows no samples of. */
static void guess_samples(struct weighed *w)
{
	w->part = true;
	w->samples = w->unit > 0 ? fmax(w->variance / (w->unit * w->unit), 1) : 1;
}

/*
 * Set the number of samples, which may be 0: after a reset, frees may be counted before any sample
 * is taken.
 */
static void set_samples(struct weighed *w, const struct table *t, const struct row *row,
			int column)
{
	const double all = variance_of_all(t, row, column);

	if (t->columns[column].kind == KIND_CHANGE) {
		guess_samples(w);
		return;
	}
	w->part = w->variance != all;
	w->samples = table_at(t, row, is_live(&t->columns[column]) ? AT_live_samples : AT_samples);
	if (w->part && all > 0)
		w->samples *= w->variance / all;
	if (!(w->samples > 0))
		guess_samples(w);
}

/* ---- what a sample stands for --------------------------------------------- */

/* The slab allocator has no smaller objects. */
#define OBJECT_MIN	8
/* A page allocation of order 0, on 64-bit PCs; and the largest order that is possible. */
#define PAGE_BYTES	4096
#define ORDER_MAX	20

/* The columns of bytes that show T, and their numbers of samples. */
static const enum place seen[][2] = {
	{ AT_live_bytes, AT_live_samples }, { AT_live_kb, AT_live_samples },
	{ AT_bytes_alloc, AT_samples }, { AT_bytes_allocated, AT_samples },
	{ AT_kb, AT_samples }, { AT_all_bytes, AT_samples },
};

/* Return: T, the number of bytes that one sample of small objects stands for, by one row. */
static double sample_bytes(const struct table *t, const struct row *row)
{
	double bytes = table_number(t, "sample_bytes");
	size_t i;
	int column;
	u64 n;

	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		column = t->at[seen[i][0]];
		n = table_at(t, row, seen[i][1]);
		if (column != NONE && n)
			bytes = fmax(bytes, se_of(t, row, column) *
				     unit_bytes(t->columns[column].unit) / sqrt(n));
	}
	return bytes;
}

/* Return: size of the objects of a row by its estimates, which are rounded; at most that size. */
static double estimated_size(const struct table *t, const struct row *row)
{
	static const enum place counts[] = { AT_live_objs, AT_hits, AT_bulk_objs, AT_frees };
	size_t i;
	u64 count;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		count = table_at(t, row, counts[i]);
		if (count)
			return row->v[t->columns[t->at[counts[i]]].bytes] / (count + 0.5);
	}
	return 0;
}

/*
 * Find the size of the objects that a row is about.
 * Return: their size if all have the same, or that of the smallest possible object.
 */
static double object_size(const struct table *t, const struct row *row, bool *mixed)
{
	const int order = t->at[AT_order];
	double size = 0;

	if (order != NONE && row->v[order] <= ORDER_MAX)
		size = (double)PAGE_BYTES * (1 << row->v[order]);
	else if (!strcmp(t->name, "caches") && *row->label != '[')
		size = estimated_size(t, row);
	*mixed = size < OBJECT_MIN;
	return *mixed ? OBJECT_MIN : size;
}

struct weighed estimate_weighed(const struct table *t, const struct row *row, int column)
{
	const struct column *c = &t->columns[column];
	struct weighed w = {
		.estimate = c->format == FORMAT_S64 ? (double)(s64)row->v[column] :
						      (double)row->v[column],
		.variance = estimate_variance(t, row, column),
		.unit = sample_bytes(t, row) / unit_bytes(c->unit),
	};

	if (is_count(c))
		w.unit /= object_size(t, row, &w.mixed);
	set_samples(&w, t, row, column);
	return w;
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

double estimate_unit(const struct table *t)
{
	const int column = table_live(t);
	double bytes = table_number(t, "sample_bytes");
	size_t i;

	if (column == NONE || t->columns[column].se == NONE)
		return 0;
	for (i = 0; i < t->nr_rows; i++)
		bytes = fmax(bytes, sample_bytes(t, t->rows[i]));
	return bytes;
}

u64 estimate_unsampled(const struct table *t)
{
	return ceil(fmin(bounds_unsampled(estimate_unit(t)), 0x1p63));
}

bool estimate_any(const struct table *t)
{
	return !t->pairs && t->sampled && estimate_unsampled(t);
}

/* ---- intervals ------------------------------------------------------------ */

/* Larger distances are beyond all numbers of 64 bits. */
#define DISTANCE_MAX	0x1p100

static __int128 round_up(double distance)
{
	return ceil(fmin(distance, DISTANCE_MAX));
}

/* A signed live column is a difference, and so are the net bytes of a summary. */
static bool is_change(const struct column *c)
{
	return c->kind == KIND_CHANGE || (c->format == FORMAT_S64 && is_live(c)) ||
	       !strcmp(c->name, "bytes_net");
}

/*
 * The interval starts at the bytes or objects that are known to exist, or at the estimate if that
 * is less.
 */
struct interval estimate_interval(const struct table *t, const struct row *row, int column)
{
	const bool change = is_change(&t->columns[column]);
	const enum format format = change ? FORMAT_S64 : t->columns[column].format;
	const bool is_signed = format == FORMAT_S64;
	const __int128 most = is_signed ? (__int128)LLONG_MAX : (__int128)U64_MAX;
	const u64 value = row->v[column];
	const __int128 middle = is_signed ? (__int128)(s64)value : (__int128)value;
	__int128 least = change ? (__int128)LLONG_MIN : (__int128)known_samples(t, row, column);
	struct weighed w = estimate_weighed(t, row, column);
	struct bounds bounds = {};
	__int128 low, high;

	if (is_unknown(t, row, column))
		return (struct interval) { format, UNKNOWN, UNKNOWN };
	w.estimate = middle;
	if (w.variance > 0)
		bounds = change ? bounds_of_change(&w) : bounds_of_sum(&w);
	low = middle - round_up(bounds.below);
	high = middle + round_up(bounds.above);
	if (least > middle)
		least = middle;
	return (struct interval) {
		.format = format,
		.low = low < least ? least : low,
		.high = high > most ? most : high,
	};
}

u64 estimate_root(double variance)
{
	double root = sqrt(variance);

	return root < 0x1p64 ? (u64)(root + 0.5) : U64_MAX;
}
