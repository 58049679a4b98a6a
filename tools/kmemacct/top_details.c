// SPDX-License-Identifier: GPL-2.0
/* The details of a row of kmemacct top.  See top_details.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_details.h"
#include "top_graph.h"

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

/* Add the exact number to one that is printed with a unit. */
static void print_exact(const struct top_details *d, int column, const char *rounded,
			char text[CELL_LEN])
{
	const struct top_column *c = &d->columns->c[column];
	struct layout exact = { .t = d->rows->now, .exact = true };
	char cell[CELL_LEN];

	*text = '\0';
	if (c->kind != TOP_VALUE || c->unit == UNIT_NONE)
		return;
	exact.mark[c->source[0]] = -1;
	exact.mark_bytes[c->source[0]] = -1;
	layout_cell(&exact, d->row->now, c->source[0], cell);
	if (strcmp(cell, rounded))
		snprintf(text, CELL_LEN, " = %.70s", cell);
}

static u64 samples_of(const struct table *t, const struct row *row)
{
	int column = table_column(t, "samples");

	return row && column >= 0 ? row->v[column] : 0;
}

/* With fewer samples since the last refresh, the interval of a rate is too narrow. */
#define RATE_SAMPLES	30

/* Test for an interval that is rough.  Only those of rates are computed from standard errors. */
static bool has_few(const struct top_details *d, int column)
{
	const struct table *t = d->rows->now;

	return d->columns->c[column].kind == TOP_RATE &&
	       samples_of(t, d->row->now) - samples_of(t, d->row->before) < RATE_SAMPLES;
}

static void make_item(const struct top_details *d, int column, struct item *item)
{
	char cell[CELL_LEN], exact[CELL_LEN], interval[CELL_LEN];

	top_column_cell(d->columns, column, d->rows, d->row, cell);
	top_column_interval(d->columns, column, d->rows, d->row, interval);
	print_exact(d, column, cell, exact);
	snprintf(item->name, sizeof(item->name), "%s", d->columns->c[column].key);
	if (*interval)
		snprintf(item->text, sizeof(item->text), "%s (%s%s)", cell, interval,
			 has_few(d, column) ? ", few samples" : "");
	else
		snprintf(item->text, sizeof(item->text), "%s%s", cell, exact);
}

/* Print items in as many columns as fit, from top to bottom. */
static void print_items(FILE *out, const struct item *items, int nr, int screen)
{
	int i, line, lines, columns, name = 0, text = 0;

	for (i = 0; i < nr; i++) {
		layout_widen(&name, items[i].name);
		layout_widen(&text, items[i].text);
	}
	columns = (screen + GAP) / (name + 1 + text + GAP);
	if (columns < 1)
		columns = 1;
	lines = (nr + columns - 1) / columns;
	for (line = 0; line < lines; line++)
		for (i = line; i < nr; i += lines)
			fprintf(out, "%-*s %-*s%*s", name, items[i].name, text, items[i].text,
				i + lines < nr ? GAP : 1, i + lines < nr ? "" : "\n");
}

static void print_numbers(FILE *out, const struct top_details *d)
{
	struct item *items = alloc(d->columns->nr, sizeof(*items));
	int i, nr = 0;

	for (i = 0; i < d->columns->nr; i++)
		if (d->columns->c[i].nr_sources)
			make_item(d, i, &items[nr++]);
	print_items(out, items, nr, d->screen);
	free(items);
}

/* ---- names of flags ------------------------------------------------------- */

static void print_flags(FILE *out, const struct top_details *d)
{
	int nr, column = table_column(d->rows->now, "gfp");
	struct gfp_walk walk = {};
	const char *comma = "";

	if (!d->gfp || column < 0)
		return;
	walk.rest = d->row->now->v[column];
	fputs("gfp flags: ", out);
	while ((nr = gfp_next(d->gfp, &walk)) >= 0) {
		fprintf(out, "%s%s", comma, gfp_name(d->gfp, nr));
		comma = "|";
	}
	if (walk.rest || !*comma)
		fprintf(out, "%s%#llx", comma, walk.rest);
	fputc('\n', out);
}

/* ---- histograms ----------------------------------------------------------- */

static u64 highest_count(const struct table *t, const struct row *row)
{
	u64 highest = 0;
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (!strncmp(t->columns[i].name, "us_", 3) && row->v[i] > highest)
			highest = row->v[i];
	return highest;
}

/* Print the buckets up to the last one that has counted something. */
static void print_histogram(FILE *out, const struct top_details *d)
{
	const struct table *t = d->rows->now;
	const struct row *row = d->row->now;
	u64 highest = highest_count(t, row);
	int i, j;

	if (!highest)
		return;
	fputs("\ntimes in us, from each number to the next one:\n", out);
	for (i = 0; i < t->nr_values; i++) {
		if (strncmp(t->columns[i].name, "us_", 3) || !row->v[i])
			continue;
		fprintf(out, "%9s %12llu ", t->columns[i].name + 3, row->v[i]);
		for (j = 0; j < (int)((double)row->v[i] / highest * BAR_WIDTH + 0.5); j++)
			fputc('#', out);
		fputc('\n', out);
	}
}

/* ---- graphs --------------------------------------------------------------- */

static void print_graph(FILE *out, const struct top_details *d, int column,
			const struct top_point *points, const u64 *ms, int nr, bool rates)
{
	float values[TOP_HISTORY_DEPTH];
	int i;

	for (i = 0; i < nr; i++)
		values[i] = rates ? points[i].rate : points[i].value;
	fputc('\n', out);
	top_graph_print(out, &d->columns->c[column], values, nr, ms, d->screen);
}

static void print_graphs(FILE *out, const struct top_details *d)
{
	int rate = top_columns_find(d->columns, d->rows->view->rate);
	struct top_point points[TOP_HISTORY_DEPTH];
	u64 ms[TOP_HISTORY_DEPTH];
	int nr;

	nr = top_history_read(&d->rows->history, d->row->slot, points, ms);
	print_graph(out, d, 0, points, ms, nr, false);
	if (rate >= 0)
		print_graph(out, d, rate, points, ms, nr, true);
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

static void print_stack(FILE *out, const struct table *t, const struct row *row)
{
	struct layout l = { .t = t };
	char cell[CELL_LEN];

	l.mark[COUNT_live_bytes] = estimate_se(t, COUNT_live_bytes);
	l.mark_bytes[COUNT_live_bytes] = -1;
	layout_cell(&l, row, COUNT_live_bytes, cell);
	fprintf(out, "  %s live by\n", cell);
	print_frames(out, row->label);
}

/* The table has the largest stacks first, unless `control` has changed its order. */
static void print_stacks(FILE *out, const struct top_details *d)
{
	const char *site = d->row->now->label;
	size_t i, nr = 0;

	if (d->rows->view->stacks) {
		fputs("\nstack:\n", out);
		print_frames(out, site);
	}
	for (i = 0; d->stacks && i < d->stacks->nr_rows; i++) {
		if (!leads_to(d->stacks->rows[i]->label, site))
			continue;
		if (!nr)
			fputs("\nstacks of samples:\n", out);
		if (nr++ < STACKS_MAX)
			print_stack(out, d->stacks, d->stacks->rows[i]);
	}
	if (nr > STACKS_MAX)
		fprintf(out, "  and %zu more\n", nr - STACKS_MAX);
}

char *top_details_make(const struct top_details *d)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return alloc_copy("not enough memory: free some");
	fprintf(out, "%s\n\n", d->rows->view->stacks ? "" : d->row->now->label);
	print_numbers(out, d);
	print_flags(out, d);
	print_graphs(out, d);
	print_histogram(out, d);
	print_stacks(out, d);
	fclose(out);
	return text;
}
