// SPDX-License-Identifier: GPL-2.0
/* The details of a row of kmemacct top: all its numbers, graphs of its history, and stacks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* More stacks of a call site than these are counted, but not printed. */
#define STACKS_MAX	5
/* Width of the bar of the highest count of a histogram. */
#define BAR_WIDTH	40
/* Blanks between the numbers that are printed side by side. */
#define GAP		3

/* ---- numbers -------------------------------------------------------------- */

/**
 * struct item - a number with its name
 * @name: its name
 * @text: the number, and its interval if it is an estimate
 */
struct item {
	char name[TOP_KEY_LEN];
	char text[3 * CELL_LEN];
};

/* With fewer samples since the last refresh, the interval of a rate is too narrow. */
#define RATE_SAMPLES	30

/*
 * Test for an interval that is inaccurate.  Only intervals of rates are computed from standard
 * errors.
 */
static bool has_few(const struct top_page *p, const struct top_row *row, int column)
{
	const struct top_spec *s = top_rates_spec(p, column);
	const struct table *t = p->rows->now;

	return s && s->kind == TOP_RATE && table_at(t, row->now, AT_samples) -
	       (row->before ? table_at(t, row->before, AT_samples) : 0) < RATE_SAMPLES;
}

static void make_item(const struct top_page *p, const struct top_row *row, int column,
		      struct item *item)
{
	const struct row *numbers = top_rates_of(p, row);
	const struct column *c = &p->v.t->columns[column];
	char buf[CELL_LEN], exact[NUMBER_LEN], interval[CELL_LEN];
	const char *cell = layout_text(&p->l, numbers, column, buf);
	const bool has_unit = unit_is_size(c->unit) || c->unit == UNIT_US || c->unit == UNIT_MS;

	snprintf(item->name, sizeof(item->name), "%s", c->name);
	top_rates_interval(p, numbers, column, interval);
	layout_value(exact, c, true, numbers->v[column]);
	if (*interval)
		snprintf(item->text, sizeof(item->text), "%s (%s%s)", cell, interval,
			 has_few(p, row, column) ? ", few samples" : "");
	else if (has_unit && c->format != FORMAT_RATE && strcmp(exact, cell))
		snprintf(item->text, sizeof(item->text), "%s = %.70s", cell, exact);
	else
		snprintf(item->text, sizeof(item->text), "%s", cell);
}

/* Print items in as many columns as fit, from top to bottom. */
static void print_items(FILE *out, const struct item *items, int nr, int screen)
{
	int i, line, lines, columns, name = 0, text = 0;

	for (i = 0; i < nr; i++) {
		text_widen(&name, items[i].name);
		text_widen(&text, items[i].text);
	}
	columns = (screen + GAP) / (name + 1 + text + GAP) ?: 1;
	lines = (nr + columns - 1) / columns;
	for (line = 0; line < lines; line++)
		for (i = line; i < nr; i += lines)
			fprintf(out, "%-*s %-*s%*s", name, items[i].name, text, items[i].text,
				i + lines < nr ? GAP : 1, i + lines < nr ? "" : "\n");
}

static void print_numbers(FILE *out, const struct top_page *p, const struct top_row *row,
			  int screen)
{
	struct item *items = alloc(p->v.t->nr_values, sizeof(*items));
	int i, nr = 0;

	for (i = 0; i < p->v.t->nr_values; i++)
		if (!p->v.t->columns[i].hidden)
			make_item(p, row, i, &items[nr++]);
	print_items(out, items, nr, screen);
	free(items);
}

/* ---- histograms ----------------------------------------------------------- */

/* Print the buckets up to the last one that has counted something. */
static void print_histogram(FILE *out, const struct table *t, const struct row *row)
{
	u64 highest = 0;
	int i, j;

	for (i = 0; i < t->nr_values; i++)
		if (text_begins(t->columns[i].name, "us_") && row->v[i] > highest)
			highest = row->v[i];
	if (!highest)
		return;
	fputs("\ntimes in us, from each number to the next one:\n", out);
	for (i = 0; i < t->nr_values; i++) {
		if (!text_begins(t->columns[i].name, "us_") || !row->v[i])
			continue;
		fprintf(out, "%9s %12llu ", t->columns[i].name + 3, row->v[i]);
		for (j = 0; j < (int)((double)row->v[i] / highest * BAR_WIDTH + 0.5); j++)
			fputc('#', out);
		fputc('\n', out);
	}
}

/* ---- graphs --------------------------------------------------------------- */

/* Number of lines of a graph, blanks before it, and the axis after the numbers at its side. */
#define LINES	4
#define MARGIN	2
#define AXIS	" |"

/**
 * struct graph - a graph, which begins at the lowest value, so that small changes can be seen
 * @values: the values
 * @nr: number of @values
 * @low: lowest of the values
 * @high: highest of the values
 * @known: number of values that are known
 */
struct graph {
	const float *values;
	int nr;
	float low;
	float high;
	int known;
};

static void find_range(struct graph *g)
{
	int i;

	g->known = 0;
	for (i = 0; i < g->nr; i++) {
		if (isnan(g->values[i]))
			continue;
		g->low = !g->known || g->values[i] < g->low ? g->values[i] : g->low;
		g->high = !g->known || g->values[i] > g->high ? g->values[i] : g->high;
		g->known++;
	}
}

/* Return: height of a value, from 1 to that of the graph; 0 if it is not known. */
static int height_of(const struct graph *g, float value)
{
	const int most = LINES * TOP_LEVELS;

	if (isnan(value))
		return 0;
	if (!(g->high > g->low))
		return 1;
	return 1 + lrint((double)(value - g->low) / (g->high - g->low) * (most - 1));
}

/* Print the lines of a graph, with the lowest and the highest value at its side. */
static void print_lines(FILE *out, const struct graph *g, const char *low, const char *high,
			int width)
{
	int line, i, level;

	for (line = LINES - 1; line >= 0; line--) {
		fprintf(out, "%*s%*s" AXIS, MARGIN, "", width,
			line == LINES - 1 ? high : line ? "" : low);
		for (i = 0; i < g->nr; i++) {
			level = height_of(g, g->values[i]) - line * TOP_LEVELS;
			level = level > TOP_LEVELS ? TOP_LEVELS : level;
			fputc(level > 0 ? level : ' ', out);
		}
		fputc('\n', out);
	}
}

static void print_graph(FILE *out, const struct top_page *p, int column, const float *values,
			const u64 *ms, int nr, int screen)
{
	struct column c = p->v.t->columns[column];
	struct graph g = { .values = values, .nr = nr };
	char low[NUMBER_LEN], high[NUMBER_LEN], time[NUMBER_LEN];
	int width = 0, room;

	find_range(&g);
	if (g.known < 2) {
		fprintf(out, "\n%s: no graph yet\n", c.title);
		return;
	}
	c.format = FORMAT_RATE;
	layout_value(low, &c, false, rate_bits(g.low));
	layout_value(high, &c, false, rate_bits(g.high));
	text_widen(&width, low);
	text_widen(&width, high);
	/* If there are more values than fit, only the last ones are shown. */
	room = screen - MARGIN - width - (int)strlen(AXIS);
	if (room > 0 && nr > room) {
		g.values += nr - room;
		g.nr = room;
		find_range(&g);
		layout_value(low, &c, false, rate_bits(g.low));
		layout_value(high, &c, false, rate_bits(g.high));
	}
	number_print_age(time, ms[nr - 1] - ms[nr - g.nr]);
	fprintf(out, "\n%s in the last %d refreshes, %s:\n", c.title, g.nr, time);
	print_lines(out, &g, low, high, width);
}

static void print_graphs(FILE *out, const struct top_page *p, const struct top_row *row,
			 int screen)
{
	const int rate = table_column(p->v.t, p->view->rate);
	float values[TOP_DEPTH], rates[TOP_DEPTH];
	struct top_point points[TOP_DEPTH];
	u64 ms[TOP_DEPTH];
	int i, nr = top_rows_read(p->rows, row, points, ms);

	for (i = 0; i < nr; i++) {
		values[i] = points[i].value;
		rates[i] = points[i].rate;
	}
	print_graph(out, p, 0, values, ms, nr, screen);
	if (rate != NONE)
		print_graph(out, p, rate, rates, ms, nr, screen);
}

/* ---- stacks --------------------------------------------------------------- */

/* Print frames line by line, beginning with the call site, which is the last one. */
static void print_frames(FILE *out, const char *stack)
{
	char *copy = alloc_copy(stack), *frame;

	while ((frame = strrchr(copy, ';'))) {
		fprintf(out, "    %s\n", frame + 1);
		*frame = '\0';
	}
	fprintf(out, "    %s\n", copy);
	free(copy);
}

static bool leads_to(const char *stack, const char *site)
{
	const char *last = strrchr(stack, ';');

	return !strcmp(last ? last + 1 : stack, site);
}

/* The table has the largest stacks first. */
static void print_stacks(FILE *out, const struct table *t, const char *site)
{
	char size[NUMBER_LEN];
	const struct row *row;
	size_t i, nr = 0;

	for (i = 0; t && i < t->nr_rows; i++) {
		row = t->rows[i];
		if (!leads_to(row->label, site))
			continue;
		if (!nr)
			fputs("\nstacks of samples:\n", out);
		if (nr++ >= STACKS_MAX)
			continue;
		layout_value(size, &t->columns[COUNT_live_bytes], false, row->v[COUNT_live_bytes]);
		fprintf(out, "  %s%s live by\n",
			estimate_is_rough(t, row, COUNT_live_bytes) ? "~" : "", size);
		print_frames(out, row->label);
	}
	if (nr > STACKS_MAX)
		fprintf(out, "  and %zu more\n", nr - STACKS_MAX);
}

char *top_details_make(const struct top_page *p, const struct top_row *row,
		       const struct table *stacks, const struct gfp *gfp, int screen)
{
	const struct table *t = p->rows->now;
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	fprintf(out, "%s\n\n", p->view->stacks ? "" : row->now->label);
	print_numbers(out, p, row, screen);
	if (gfp && t->at[AT_gfp] != NONE) {
		fputs("gfp flags: ", out);
		gfp_print_names(out, gfp, row->now->v[t->at[AT_gfp]]);
		fputc('\n', out);
	}
	print_graphs(out, p, row, screen);
	print_histogram(out, t, row->now);
	if (p->view->stacks) {
		fputs("\nstack:\n", out);
		print_frames(out, row->now->label);
	}
	print_stacks(out, stacks, row->now->label);
	text_close(out);
	return text;
}
