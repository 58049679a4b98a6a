// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers that a view of kmemacct top shows of its rows: values, shares, growth and rates, in
 * an order.
 *
 * The columns of the view come first, and then the others of the table, so that rows can be sorted
 * by any of them.  Standard errors and the buckets of histograms are hidden: the details show them.
 * Each number that is computed has a column of errors, too, in which anything but 0 says that it is
 * an estimate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

#define MS_PER_S	1000

/* A share is printed in thousandths of a percent. */
#define SHARE_WHOLE	100000

static int nr_specs(const struct top_view *view)
{
	int nr = 0;

	while (view->specs[nr].key)
		nr++;
	return nr;
}

const struct top_spec *top_rates_spec(const struct top_page *p, int column)
{
	return column < nr_specs(p->view) ? &p->view->specs[column] : NULL;
}

/* ---- numbers -------------------------------------------------------------- */

/* Return: the sum of the columns of a spec; NO_ID counts as 0. */
static double value_of(const struct top_spec *s, const struct table *t, const struct row *row)
{
	double sum = 0;
	int i, column;

	for (i = 0; row && i < 2 && s->of[i]; i++) {
		column = table_column(t, s->of[i]);
		if (t->columns[column].format == FORMAT_S64)
			sum += (s64)row->v[column];
		else if (t->columns[column].format == FORMAT_ID && row->v[column] == NO_ID)
			sum -= 1;
		else
			sum += row->v[column];
	}
	return sum;
}

/* Return: the variance of that sum.  Both columns are sampled independently of each other. */
static double variance_of(const struct top_spec *s, const struct table *t, const struct row *row)
{
	double se, variance = 0;
	int i, column;

	for (i = 0; row && i < 2 && s->of[i]; i++) {
		column = t->columns[table_column(t, s->of[i])].se;
		se = column == NONE ? 0 : row->v[column];
		variance += se * se;
	}
	return variance;
}

/**
 * struct earlier - what a change is measured against
 * @t: the earlier table
 * @row: the row in this table; NULL if it is newer
 * @seconds: what the difference is divided by; 0: it is not known
 */
struct earlier {
	const struct table *t;
	const struct row *row;
	double seconds;
};

/* The change since a mark is not divided by time.  @row: a row, or NULL for all */
static struct earlier earlier_of(const struct top_page *p, const struct top_spec *s,
				 const struct top_row *row)
{
	const struct top_rows *r = p->rows;

	if (s->kind == TOP_GROWTH && p->window == TOP_MARK)
		return (struct earlier) { r->mark, row ? row->marked : NULL, 1 };
	return (struct earlier) {
		r->before, row ? row->before : NULL, (double)r->elapsed_ms / MS_PER_S,
	};
}

/*
 * Compute a change.  A new row was 0 before: tables list only rows that have counted something,
 * unless rows were left out.  A counter that decreases was reset.  The variance of the growth of a
 * counter is the growth of its variance.
 * Return: the change, or NAN if it is not known.
 */
static double change_of(const struct top_spec *s, const struct top_page *p,
			const struct top_row *row, bool *estimate)
{
	const struct table *t = p->rows->now;
	const struct earlier e = earlier_of(p, s, row);
	const double after = value_of(s, t, row->now), before = value_of(s, t, e.row);
	const double variance = variance_of(s, t, row->now) +
				variance_of(s, t, e.row) * (s->kind == TOP_RATE ? -1 : 1);

	*estimate = false;
	if (!(e.seconds > 0) || (!e.row && table_field(e.t, "cut")) ||
	    (s->kind == TOP_RATE && after < before))
		return NAN;
	*estimate = variance > 0;
	return (after - before) / e.seconds;
}

/* ---- the table ------------------------------------------------------------ */

/* Test for a column of the table that a view does not show as a value of its own. */
static bool is_hidden(const struct column *c)
{
	return c->of != NONE || c->hidden || text_begins(c->name, "us_");
}

/* Return: the column of the module's table that a spec shows; NULL: its numbers are computed. */
static const char *shown_by(const struct top_page *p, const struct top_spec *s)
{
	if (s->kind == TOP_GROWTH)
		return top_window_column(p->window);
	return s->kind == TOP_VALUE ? s->of[0] : NULL;
}

static bool is_shown(const struct top_page *p, const char *name)
{
	const struct top_spec *s;
	const char *shown;

	for (s = p->view->specs; s->key; s++) {
		shown = shown_by(p, s);
		if (shown && !strcmp(shown, name))
			return true;
	}
	return false;
}

/**
 * struct maker - a table that is being made
 * @p: the page
 * @now: the module's table
 * @columns: the columns
 * @from: for each of these, the column of the module's table; NONE: it is computed
 * @nr: number of @columns
 * @errors: index of the first column of errors
 */
struct maker {
	const struct top_page *p;
	const struct table *now;
	struct column *columns;
	int *from;
	int nr;
	int errors;
};

static void add_column(struct maker *m, const struct column *c, int from)
{
	m->columns[m->nr] = *c;
	m->from[m->nr++] = from;
}

/* A column of flags is shown if any row has one. */
static bool has_flag(const struct table *t, int column)
{
	size_t i = 0;

	while (i < t->nr_rows && t->rows[i]->v[column] != 1)
		i++;
	return i < t->nr_rows;
}

/* Add the column of a spec: of the module's table, or a new one. */
static void add_spec(struct maker *m, const struct top_spec *s)
{
	const char *shown = shown_by(m->p, s);
	const int from = table_column(m->now, shown ?: s->of[0]);
	struct column c = m->now->columns[from];
	const bool marked = s->kind == TOP_GROWTH && m->p->window == TOP_MARK;

	if (shown) {
		/* A window of the module has its title in all tables. */
		c.title = s->kind == TOP_VALUE ? s->title : NULL;
		c.hidden = c.format == FORMAT_FLAG && !has_flag(m->now, from);
		add_column(m, &c, from);
		return;
	}
	c = (struct column) {
		.name = marked ? "since_mark" : s->key, .title = marked ? "+mark" : s->title,
		.format = FORMAT_RATE, .kind = KIND_GAUGE,
		.unit = s->kind == TOP_SHARE ? UNIT_SHARE : c.unit, .change = s->kind == TOP_GROWTH,
	};
	add_column(m, &c, NONE);
}

static void add_columns(struct maker *m)
{
	const struct table *t = m->now;
	const struct top_spec *s;
	struct column c;
	int i, hidden, nr;

	for (s = m->p->view->specs; s->key; s++)
		add_spec(m, s);
	nr = m->nr;
	for (hidden = 0; hidden < 2; hidden++)
		for (i = 0; i < t->nr_values; i++) {
			c = t->columns[i];
			c.hidden = hidden;
			if (is_hidden(&t->columns[i]) == hidden && !is_shown(m->p, c.name))
				add_column(m, &c, i);
		}
	m->errors = m->nr;
	for (i = 0; i < nr; i++) {
		if (m->from[i] != NONE)
			continue;
		c = (struct column) {
			.name = alloc_print("%s_se", m->columns[i].name), .kind = KIND_ERROR,
			.hidden = true,
		};
		add_column(m, &c, NONE);
	}
	m->columns[m->nr] = t->columns[t->nr_values];
}

/* Return: the sum of all rows of a table. */
static double sum_of(const struct top_spec *s, const struct table *t)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		sum += value_of(s, t, t->rows[i]);
	return sum;
}

static bool has_estimates(const struct top_spec *s, const struct table *t)
{
	size_t i = 0;

	while (i < t->nr_rows && !(variance_of(s, t, t->rows[i]) > 0))
		i++;
	return i < t->nr_rows;
}

/* Compute column @column of all rows, and its errors. */
static void compute(const struct maker *m, struct table *t, const struct top_spec *s, int column,
		    int error)
{
	const struct top_index *all = &m->p->rows->all;
	bool estimate = false;
	double whole = 0, number;
	size_t i;

	if (s->kind == TOP_SHARE) {
		whole = sum_of(s, m->now);
		estimate = has_estimates(s, m->now);
	}
	for (i = 0; i < all->nr; i++) {
		if (s->kind != TOP_SHARE)
			number = change_of(s, m->p, &all->row[i], &estimate);
		else
			number = whole > 0 ? SHARE_WHOLE * value_of(s, m->now, all->row[i].now) /
					     whole : NAN;
		t->rows[i]->v[column] = rate_bits(number);
		t->rows[i]->v[error] = estimate;
	}
}

static struct table *make_table(const struct maker *m)
{
	const struct top_index *all = &m->p->rows->all;
	struct table *t = table_new(m->now->name, m->columns, m->now->sampled, all->nr);
	int i, error = m->errors;
	struct row *row;
	size_t at;

	table_inherit(t, m->now);
	for (at = 0; at < all->nr; at++) {
		row = table_add(t);
		row->label = all->row[at].now->label;
		for (i = 0; i < m->nr; i++)
			if (m->from[i] != NONE)
				row->v[i] = all->row[at].now->v[m->from[i]];
	}
	for (i = 0; i < m->errors; i++)
		if (m->from[i] == NONE)
			compute(m, t, &m->p->view->specs[i], i, error++);
	for (i = m->errors; i < m->nr; i++)
		table_own(t, (char *)m->columns[i].name);
	schema_titles(t);
	return t;
}

/* Add up all rows.  Rows that have vanished count in the total growth. */
static void add_up(struct top_page *p)
{
	const struct table *now = p->rows->now;
	const struct top_spec *s;
	struct earlier e;
	int i;

	p->v.total = table_own(p->v.t, table_row(p->v.t));
	view_add_up(p->v.t, p->v.t->rows, p->v.t->nr_rows, p->v.total);
	for (i = 0; (s = top_rates_spec(p, i)); i++) {
		e = earlier_of(p, s, NULL);
		if (s->kind == TOP_GROWTH && !shown_by(p, s) && e.seconds > 0 &&
		    !table_field(now, "cut") && !table_field(e.t, "cut"))
			p->v.total->v[i] = rate_bits((sum_of(s, now) - sum_of(s, e.t)) / e.seconds);
	}
}

static void store_history(struct top_page *p)
{
	const int rate = table_column(p->v.t, p->view->rate);
	const struct row *row;
	size_t i;

	for (i = 0; i < p->rows->all.nr; i++) {
		row = p->v.t->rows[i];
		top_rows_store(p->rows, &p->rows->all.row[i], (struct top_point) {
			.value = value_of(p->view->specs, p->rows->now, p->rows->all.row[i].now),
			.rate = rate == NONE ? NAN : rate_of(row->v[rate]),
		});
	}
}

/* A window adds or removes columns after those of the specs: find the sort key in @t by name. */
static int key_in(const struct top_page *p, const struct table *t)
{
	if (!p->v.t || top_rates_spec(p, p->key))
		return p->key;
	return table_column(t, p->v.t->columns[p->key].name);
}

void top_rates_make(struct top_page *p)
{
	const int most = 2 * nr_specs(p->view) + p->rows->now->nr_values + 1;
	const enum top_window before = p->window;
	struct maker m = {
		.p = p, .now = p->rows->now,
		.columns = alloc(most, sizeof(*m.columns)), .from = alloc(most, sizeof(*m.from)),
	};
	struct table *t;

	p->window = top_window_of(p);
	add_columns(&m);
	t = make_table(&m);
	free(m.columns);
	free(m.from);
	p->key = key_in(p, t);
	view_end(&p->v);
	view_begin(&p->v, t);
	add_up(p);
	if (p->window != before) {
		free(p->l.c);
		p->l = (struct layout) {
			.v = &p->v, .style = &p->style, .limits = NONE, .main = table_live(t),
			.c = alloc(t->nr_values + 1, sizeof(*p->l.c)),
		};
	}
	store_history(p);
}

void top_page_free(struct top_page *p)
{
	top_rows_free(p->rows);
	view_end(&p->v);
	free(p->l.c);
	free(p->shown);
}

/* ---- the order ------------------------------------------------------------ */

static bool is_known(const struct top_page *p, const struct row *row)
{
	if (p->key == p->v.t->nr_values)
		return true;
	if (p->v.t->columns[p->key].format == FORMAT_S64)
		return row->v[p->key] != UNKNOWN;
	return p->v.t->columns[p->key].format != FORMAT_RATE || !isnan(rate_of(row->v[p->key]));
}

/* Rows that are alike keep the order of the table: the order is the same at each refresh. */
void top_rates_arrange(struct top_page *p)
{
	struct table *t = p->v.t;
	size_t i, j, known = 0;
	struct row *row;

	view_sort(t, &(struct sort) { .key = { p->key, t->nr_values }, .nr = 2 });
	free(p->shown);
	p->shown = alloc(t->nr_rows, sizeof(*p->shown));
	p->nr = 0;
	for (i = 0; i < t->nr_rows; i++) {
		if (*p->filter && !strcasestr(t->rows[i]->label, p->filter))
			continue;
		known += is_known(p, t->rows[i]);
		p->shown[p->nr++] = t->rows[i];
	}
	for (i = 0, j = known; p->reverse && i + 1 < j; i++) {
		row = p->shown[i];
		p->shown[i] = p->shown[--j];
		p->shown[j] = row;
	}
}

const struct top_row *top_rates_row(const struct top_page *p, const struct row *row)
{
	return &p->rows->all.row[((char *)row - (char *)p->v.t->block) / table_row_size(p->v.t)];
}

const struct row *top_rates_of(const struct top_page *p, const struct top_row *row)
{
	return (const struct row *)((char *)p->v.t->block +
				    (row - p->rows->all.row) * table_row_size(p->v.t));
}

/* ---- intervals ------------------------------------------------------------ */

static struct weighed weighed_of(const struct top_spec *s, const struct table *t,
				 const struct row *row)
{
	struct weighed sum = {}, w;
	int i;

	for (i = 0; row && i < 2 && s->of[i]; i++) {
		w = estimate_weighed(t, row, table_column(t, s->of[i]));
		estimate_add(&sum, &w, 1);
	}
	return sum;
}

/* Compute the limits of a change, which is an estimate. */
static struct bounds change_bounds(const struct top_page *p, const struct top_spec *s,
				   const struct top_row *row)
{
	const struct table *t = p->rows->now;
	const struct earlier e = earlier_of(p, s, row);
	const struct weighed before = weighed_of(s, t, e.row);
	struct weighed w = weighed_of(s, t, row->now);

	if (s->kind == TOP_GROWTH)
		return growth_bounds(e.t, e.row, t, row->now);
	estimate_since(&w, &before);
	return bounds_of_sum(&w);
}

void top_rates_interval(const struct top_page *p, const struct row *row, int column,
			char buf[CELL_LEN])
{
	const struct top_spec *s = top_rates_spec(p, column);
	const struct column *c = &p->v.t->columns[column];
	char low[NUMBER_LEN], high[NUMBER_LEN];
	struct bounds b;
	double divisor, least, value;

	*buf = '\0';
	if (c->se == NONE || !estimate_has_tilde(p->v.t, row, column, p->l.main))
		return;
	if (c->format != FORMAT_RATE) {
		layout_interval(&p->l, row, column, buf);
		return;
	}
	value = rate_of(row->v[column]);
	if (s->kind == TOP_SHARE || isnan(value))
		return;
	b = change_bounds(p, s, top_rates_row(p, row));
	divisor = earlier_of(p, s, NULL).seconds;
	if (s->kind == TOP_GROWTH)
		divisor *= unit_bytes(c->unit);
	least = value - b.below / divisor;
	layout_value(low, c, false, rate_bits(s->kind == TOP_RATE ? fmax(least, 0) : least));
	layout_value(high, c, false, rate_bits(value + b.above / divisor));
	snprintf(buf, CELL_LEN, "%s..%s", low, high);
}
