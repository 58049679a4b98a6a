// SPDX-License-Identifier: GPL-2.0
/* Estimates.  See the overview in estimate.h. */
#include <limits.h>
#include <math.h>
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

bool estimate_any(const struct table *t)
{
	int column = main_column(t);

	return column >= 0 && estimate_se(t, column) >= 0;
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

/* ---- samples -------------------------------------------------------------- */

static u64 value(const struct table *t, const struct row *row, const char *name)
{
	int column = table_column(t, name);

	return column < 0 ? 0 : row->v[column];
}

/* These columns show the present state; all others count from the last reset. */
static bool is_live(const char *name)
{
	return begins(name, "live_") || begins(name, "confirmed_");
}

/* Test whether anything in a row is based on samples. */
static bool has_samples(const struct table *t, const struct row *row)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].sampled && row->v[i])
			return true;
	return false;
}

bool estimate_few(const struct table *t, const struct row *row, int column)
{
	bool live = is_live(t->columns[column].name);

	return has_samples(t, row) &&
	       value(t, row, live ? "live_samples" : "samples") < ESTIMATE_FEW;
}

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
	if (begins(name, "bulk_"))
		return value(t, row, "hits") ? 0 : value(t, row, "samples");
	if (is_of_hits(name))
		return has_bulk(t, row) ? 0 : value(t, row, "samples");
	return 0;
}

/* ---- intervals ------------------------------------------------------------ */

static __int128 extend(enum format format, u64 value)
{
	return format == FORMAT_S64 ? (__int128)(s64)value : (__int128)value;
}

/* The interval starts at @least or above, unless the estimate itself is below @least. */
static struct interval make_interval(enum format format, u64 estimate, u64 se,
				     __int128 least)
{
	const __int128 most = format == FORMAT_S64 ? LLONG_MAX : U64_MAX;
	/* 1.96 times the standard error, rounded up */
	const __int128 half = ((__int128)se * 49 + 24) / 25;
	const __int128 middle = extend(format, estimate);
	__int128 low = middle - half, high = middle + half;

	if (least > middle)
		least = middle;
	return (struct interval) {
		.format = format,
		.low = low < least ? least : low,
		.high = high > most ? most : high,
	};
}

struct interval estimate_interval(const struct table *t, const struct row *row,
				  int column)
{
	const struct column *c = &t->columns[column];
	__int128 least;

	/* A signed live column is a difference, which may be negative. */
	if (c->format == FORMAT_S64 && is_live(c->name))
		least = LLONG_MIN;
	else
		least = known_samples(t, row, c->name);
	return make_interval(c->format, row->v[column],
			     row->v[estimate_se(t, column)], least);
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

struct interval estimate_pair_interval(const struct table *t, size_t i)
{
	const struct row *row = t->rows[i];

	/* Only bytes_net may be negative, even where its estimate is not. */
	if (!strcmp(row->label, "bytes_net"))
		return make_interval(FORMAT_S64, row->v[0],
				     estimate_pair_se(t, i)->v[0], LLONG_MIN);
	return make_interval(row->format, row->v[0], estimate_pair_se(t, i)->v[0], 0);
}
