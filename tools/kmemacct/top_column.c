// SPDX-License-Identifier: GPL-2.0
/* The columns of a view of kmemacct top.  See the overview in top_column.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "top_column.h"

#define MS_PER_S	1000

/* A share is printed in thousandths of a percent. */
#define SHARE_WHOLE	100000

/* ---- making columns ------------------------------------------------------- */

static struct top_column *add_column(struct top_columns *cs, const char *key, const char *title)
{
	struct top_column *c = &cs->c[cs->nr++];

	memset(c, 0, sizeof(*c));
	snprintf(c->key, sizeof(c->key), "%s", key);
	snprintf(c->title, sizeof(c->title), "%.31s", title);
	return c;
}

/* frag_pct has no standard error, but it is an estimate if bytes_alloc is one. */
static int find_se(const struct table *t, int column)
{
	if (!strcmp(t->columns[column].name, "frag_pct"))
		column = table_column(t, "bytes_alloc");
	return column < 0 ? -1 : estimate_se(t, column);
}

static void add_source(struct top_column *c, const struct table *t, const char *name)
{
	int column = name ? table_column(t, name) : -1;

	if (column < 0 || column >= t->nr_values)
		return;
	c->source[c->nr_sources] = column;
	c->se[c->nr_sources] = find_se(t, column);
	c->nr_sources++;
	c->unit = table_unit(name);
}

/* Without any of its sources, there is no such column in this version of the table. */
static void add_spec(struct top_columns *cs, const struct table *t, const struct top_spec *spec)
{
	struct top_column *c = add_column(cs, spec->key, spec->title);

	c->kind = spec->kind;
	c->rank = spec->rank;
	c->total = spec->total;
	add_source(c, t, spec->of);
	if (!c->nr_sources) {
		add_source(c, t, spec->instead[0]);
		add_source(c, t, spec->instead[1]);
	}
	if (!c->nr_sources)
		cs->nr--;
}

/* Test for a column of the table that a view does not show as a value of its own. */
static bool is_left_out(const struct top_columns *cs, const struct table *t, int column)
{
	const char *name = t->columns[column].name;

	/* The details show standard errors as intervals, and the buckets of histograms. */
	return estimate_is_se(t, column) || t->columns[column].hidden ||
	       !strncmp(name, "us_", 3) || top_columns_find(cs, name) >= 0;
}

static void add_other(struct top_columns *cs, const struct table *t, int column)
{
	const struct layout l = { .t = t };
	struct top_column *c;
	char title[CELL_LEN];

	layout_title(&l, column, title);
	c = add_column(cs, t->columns[column].name, title);
	add_source(c, t, t->columns[column].name);
	/* The table lists the most important columns first. */
	c->rank = TOP_RANK_OTHER + column;
}

static void add_columns(struct top_columns *cs, const struct top_view *view,
			const struct table *t)
{
	const struct top_spec *spec;
	int i;

	cs->nr = 0;
	for (spec = view->specs; spec->of; spec++)
		add_spec(cs, t, spec);
	for (i = 0; i < t->nr_values && cs->nr < TOP_COLUMNS - 1; i++)
		if (!is_left_out(cs, t, i))
			add_other(cs, t, i);
	if (t->columns[t->nr_values].name)
		add_column(cs, t->columns[t->nr_values].name, t->columns[t->nr_values].name);
}

int top_columns_find(const struct top_columns *cs, const char *key)
{
	int i;

	for (i = 0; i < cs->nr; i++)
		if (!strcmp(cs->c[i].key, key))
			return i;
	return -1;
}

int top_columns_fail(const struct top_columns *cs, const char *view, const char *key)
{
	char names[TOP_COLUMNS * (TOP_KEY_LEN + 2)] = "";
	int i;

	for (i = 0; i < cs->nr; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, cs->c[i].key);
	}
	return fail("the view %s has no sort key '%.64s': use %s", view, key, names);
}

/* ---- numbers -------------------------------------------------------------- */

static long double value_of(const struct table *t, int column, const struct row *row)
{
	enum format format = t->columns[column].format;

	if (format == FORMAT_S64)
		return (s64)row->v[column];
	/* Nothing comes after what has no ID. */
	if (format == FORMAT_ID && row->v[column] == NO_ID)
		return -1;
	return row->v[column];
}

static long double sum_of(const struct top_column *c, const struct table *t,
			  const struct row *row)
{
	long double sum = 0;
	int i;

	for (i = 0; row && i < c->nr_sources; i++)
		sum += value_of(t, c->source[i], row);
	return sum;
}

/* Variance of a value.  The sources of a column are sampled independently of each other. */
static long double variance_of(const struct top_column *c, const struct row *row)
{
	long double se, variance = 0;
	int i;

	for (i = 0; row && i < c->nr_sources; i++) {
		se = c->se[i] < 0 ? 0 : row->v[c->se[i]];
		variance += se * se;
	}
	return variance;
}

static struct top_number value_number(const struct top_column *c, const struct top_rows *r,
				      const struct top_row *row)
{
	return (struct top_number) {
		.known = true, .estimate = variance_of(c, row->now) > 0,
		.value = sum_of(c, r->now, row->now),
	};
}

static struct top_number share_number(const struct top_columns *cs, int column,
				      const struct top_rows *r, const struct top_row *row)
{
	const struct top_column *c = &cs->c[column];

	if (!(cs->sum[column] > 0))
		return (struct top_number) {};
	return (struct top_number) {
		.known = true, .estimate = cs->sum_estimate[column],
		.value = SHARE_WHOLE * sum_of(c, r->now, row->now) / cs->sum[column],
	};
}

/* A row may be missing in the table before because rows were left out there. */
static bool may_be_old(const struct top_rows *r, const struct top_row *row)
{
	return !row->before && table_field(r->before, "cut");
}

/*
 * Compute a change per second.  A new row was 0 before: tables list only rows that have counted
 * something.  The variance of the growth of a counter is the growth of its variance.
 */
static struct top_number change_number(const struct top_column *c, const struct top_rows *r,
				       const struct top_row *row)
{
	long double s = (long double)r->elapsed_ms / MS_PER_S;
	long double before, after, variance;

	if (!r->elapsed_ms || may_be_old(r, row))
		return (struct top_number) {};
	before = sum_of(c, r->now, row->before);
	after = sum_of(c, r->now, row->now);
	if (c->kind == TOP_RATE && after < before)
		return (struct top_number) {};
	variance = variance_of(c, row->now);
	variance += variance_of(c, row->before) * (c->kind == TOP_RATE ? -1 : 1);
	return (struct top_number) {
		.known = true, .estimate = variance > 0, .value = (after - before) / s,
	};
}

struct top_number top_column_number(const struct top_columns *cs, int column,
				    const struct top_rows *r, const struct top_row *row)
{
	const struct top_column *c = &cs->c[column];

	switch (c->kind) {
	case TOP_SHARE:
		return share_number(cs, column, r, row);
	case TOP_GROWTH:
	case TOP_RATE:
		return change_number(c, r, row);
	default:
		return value_number(c, r, row);
	}
}

bool top_column_is_text(const struct top_columns *cs, int column, const struct top_rows *r)
{
	const struct top_column *c = &cs->c[column];

	return !c->nr_sources || r->now->columns[c->source[0]].format == FORMAT_NAME;
}

/* A sum of rates is known if at least one of them is. */
static void add_up(struct top_columns *cs, int column, const struct top_rows *r)
{
	const struct top_column *c = &cs->c[column];
	struct top_number n;
	size_t i;

	cs->sum[column] = 0;
	cs->sum_known[column] = c->kind == TOP_VALUE || c->kind == TOP_SHARE || r->elapsed_ms;
	cs->sum_estimate[column] = false;
	for (i = 0; i < r->nr; i++) {
		if (c->kind == TOP_VALUE || c->kind == TOP_SHARE)
			n = value_number(c, r, &r->row[i]);
		else
			n = change_number(c, r, &r->row[i]);
		cs->sum[column] += n.value;
		cs->sum_estimate[column] |= n.estimate;
	}
}

void top_columns_make(struct top_columns *cs, const struct top_rows *r)
{
	int i;

	add_columns(cs, r->view, r->now);
	for (i = 0; i < cs->nr; i++)
		if (cs->c[i].total || cs->c[i].kind == TOP_SHARE)
			add_up(cs, i, r);
}

/* ---- text ----------------------------------------------------------------- */

static bool is_change(const struct top_column *c)
{
	return c->kind == TOP_GROWTH || c->kind == TOP_RATE;
}

/* Print a number without a unit: with a digit after the point if it is a small change. */
static void print_count(const struct top_column *c, long double n, char buf[NUMBER_LEN])
{
	if (is_change(c) && n > 0 && n < 9.95L)
		snprintf(buf, NUMBER_LEN, n < 0.05L ? "<0.1" : "%.1Lf", n);
	else
		snprintf(buf, NUMBER_LEN, "%.0Lf", n);
}

static void print_size(const struct top_column *c, long double n, char buf[NUMBER_LEN])
{
	long double bytes = c->unit == UNIT_KB ? n * 1024 : n;

	if (bytes > 0 && bytes < 0.5L)
		snprintf(buf, NUMBER_LEN, "<1");
	else if (bytes < 0x1p63L)
		number_print_size(buf, llrintl(bytes), false);
	else
		number_print_size(buf, bytes / 1024, true);
}

static void print_time(long double us, char buf[NUMBER_LEN])
{
	if (us < 0x1p53L)
		number_print_us(buf, llrintl(us * 1000), true);
	else
		number_print_us(buf, us, false);
}

static void print_absolute(const struct top_column *c, long double n, char buf[NUMBER_LEN])
{
	if (c->kind == TOP_SHARE)
		number_print_share(buf, llrintl(n));
	else if (c->unit == UNIT_BYTES || c->unit == UNIT_KB)
		print_size(c, n, buf);
	else if (c->unit == UNIT_US)
		print_time(n, buf);
	else
		print_count(c, n, buf);
}

void top_column_print(const struct top_column *c, long double number, char buf[NUMBER_LEN])
{
	const char *sign = c->kind == TOP_GROWTH && number > 0 ? "+" : "";
	char absolute[NUMBER_LEN];

	if (number < 0)
		sign = "-";
	print_absolute(c, fabsl(number), absolute);
	/* What rounds to 0 is no change. */
	if (!strcmp(absolute, "0"))
		sign = "";
	snprintf(buf, NUMBER_LEN, "%s%.30s", sign, absolute);
}

static void print_number(const struct top_column *c, bool known, bool estimate,
			 long double value, char buf[CELL_LEN])
{
	char number[NUMBER_LEN];

	if (!known) {
		snprintf(buf, CELL_LEN, "-");
		return;
	}
	top_column_print(c, value, number);
	snprintf(buf, CELL_LEN, "%s%s", estimate ? "~" : "", number);
}

/* Values are printed as all other commands do. */
static void print_value(const struct top_column *c, const struct table *t, const struct row *row,
			char buf[CELL_LEN])
{
	struct layout l = { .t = t };

	l.mark[c->source[0]] = c->se[0];
	l.mark_bytes[c->source[0]] = estimate_bytes_se(t, c->source[0]);
	layout_cell(&l, row, c->source[0], buf);
}

void top_column_cell(const struct top_columns *cs, int column, const struct top_rows *r,
		     const struct top_row *row, char buf[CELL_LEN])
{
	const struct top_column *c = &cs->c[column];
	struct top_number n;

	if (c->kind == TOP_VALUE && c->nr_sources == 1) {
		print_value(c, r->now, row->now, buf);
		return;
	}
	n = top_column_number(cs, column, r, row);
	print_number(c, n.known, n.estimate, n.value, buf);
}

static struct weighed weighed_of(const struct top_column *c, const struct table *t,
				 const struct row *row)
{
	struct weighed sum = {}, w;
	int i;

	for (i = 0; row && i < c->nr_sources; i++) {
		w = estimate_weighed(t, row, c->source[i]);
		estimate_add(&sum, &w, 1);
	}
	return sum;
}

/*
 * Compute the limits of a change, which is an estimate.  For a gauge they are wider than necessary:
 * what is live in both tables adds to both variances, although it cancels out in the difference.
 */
static struct bounds change_bounds(const struct top_column *c, const struct top_rows *r,
				   const struct top_row *row)
{
	const struct weighed before = weighed_of(c, r->now, row->before);
	struct weighed w = weighed_of(c, r->now, row->now);

	if (c->kind == TOP_RATE) {
		estimate_since(&w, &before);
		return bounds_of_sum(&w);
	}
	estimate_add(&w, &before, -1);
	return bounds_of_change(&w);
}

static void print_change_interval(const struct top_column *c, const struct top_rows *r,
				  const struct top_row *row, long double value,
				  char buf[CELL_LEN])
{
	const long double s = (long double)r->elapsed_ms / MS_PER_S;
	const struct bounds b = change_bounds(c, r, row);
	const double least = value - b.below / s;
	char low[NUMBER_LEN], high[NUMBER_LEN];

	top_column_print(c, c->kind == TOP_RATE ? fmax(least, 0) : least, low);
	top_column_print(c, value + b.above / s, high);
	snprintf(buf, CELL_LEN, "%s..%s", low, high);
}

void top_column_interval(const struct top_columns *cs, int column, const struct top_rows *r,
			 const struct top_row *row, char buf[CELL_LEN])
{
	const struct top_column *c = &cs->c[column];
	struct top_number n = top_column_number(cs, column, r, row);
	struct layout l = { .t = r->now };

	*buf = '\0';
	if (!n.known || !n.estimate || c->kind == TOP_SHARE || c->se[0] < 0)
		return;
	l.mark[c->source[0]] = c->se[0];
	l.mark_bytes[c->source[0]] = estimate_bytes_se(r->now, c->source[0]);
	if (c->kind == TOP_VALUE && estimate_se(r->now, c->source[0]) >= 0) {
		layout_interval_cell(&l, row->now, c->source[0], buf);
		return;
	}
	if (is_change(c))
		print_change_interval(c, r, row, n.value, buf);
}

void top_column_total(const struct top_columns *cs, int column, char buf[CELL_LEN])
{
	print_number(&cs->c[column], cs->sum_known[column], cs->sum_estimate[column],
		     cs->sum[column], buf);
}
