// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of pairs as text: a name, its value, and what it means.
 *
 * Of `summary`, the important lines are printed in groups; -v prints all lines.
 */
#include <string.h>

#include "out.h"

/* The lines of `summary`.  One without a name begins another group. */
static const struct {
	const char *name;
	const char *what;
} lines[] = {
	{ "live_bytes", "bytes in live objects, now" },
	{ "live_objs", "live objects, now" },
	{ "confirmed_bytes", "live_bytes of rows with no sign of a missed free" },
	{},
	{ "objs_alloc", "objects that were allocated" },
	{ "frees", "objects that were freed" },
	{},
	{ "bytes_allocated", "bytes that allocations with an event took" },
	{ "bulk_bytes", "bytes that allocations without an event took" },
	{ "bytes_freed", "bytes that were freed" },
	{ "bytes_net", "bytes_allocated + bulk_bytes - bytes_freed" },
	{},
	{ "bytes_wasted", "bytes_allocated that were not requested" },
	{ "frag_pct", "bytes_wasted in percent" },
	{ "pingpong", "frees on another CPU than the allocation" },
	{ "cross_node_allocs", "allocations on another node than the CPU's" },
};

static const char *meaning(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i].name && !strcmp(lines[i].name, name))
			return lines[i].what;
	return "";
}

/**
 * struct printer - how pairs are printed
 * @l: the layout of their values
 * @grid: the grid that they are printed in
 * @intervals: there is a column of intervals
 * @meanings: there is a column of meanings
 */
struct printer {
	struct layout l;
	struct grid grid;
	bool intervals;
	bool meanings;
};

static bool is_rough(const struct layout *l, int column)
{
	return estimate_is_rough(l->v->t, l->v->t->rows[0], column);
}

/* No standard error follows frag_pct, but it is an estimate if bytes_allocated is one. */
static void print_value(const struct layout *l, int column, char buf[CELL_LEN])
{
	const struct table *t = l->v->t;
	const int of = column == t->at[AT_frag_pct] ? t->at[AT_bytes_allocated] : column;
	char number[NUMBER_LEN];

	layout_value(number, &t->columns[column], l->style->exact || l->style->raw,
		     t->rows[0]->v[column]);
	snprintf(buf, CELL_LEN, "%s%s",
		 !l->style->raw && of != NONE && is_rough(l, of) ? "~" : "", number);
}

/* Print the interval of a pair, or "" if its value is exact. */
static void print_interval(const struct layout *l, int column, char buf[CELL_LEN])
{
	struct interval i;

	*buf = '\0';
	if (!is_rough(l, column))
		return;
	i = estimate_interval(l->v->t, l->v->t->rows[0], column);
	layout_limits(l, &l->v->t->columns[column], &i, buf);
}

static void add_pair(struct printer *p, int column)
{
	const char *name = p->l.v->t->columns[column].name;
	char buf[CELL_LEN];

	grid_line(&p->grid);
	grid_cell(&p->grid, name);
	print_value(&p->l, column, buf);
	grid_cell(&p->grid, buf);
	print_interval(&p->l, column, buf);
	if (p->intervals)
		grid_cell(&p->grid, buf);
	if (p->meanings)
		grid_cell(&p->grid, meaning(name));
}

static void add_groups(struct printer *p)
{
	bool begins = false;
	int column;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		column = lines[i].name ? table_column(p->l.v->t, lines[i].name) : NONE;
		begins |= !lines[i].name;
		if (column == NONE)
			continue;
		add_pair(p, column);
		if (begins)
			grid_part(&p->grid);
		begins = false;
	}
}

/* Test whether the lines have room for the meanings. */
static bool fits(const struct printer *p)
{
	const struct table *t = p->l.v->t;
	int i, name = 0, number = 0, range = 0, what = 0;
	char buf[CELL_LEN];

	for (i = 0; i < t->nr_values; i++) {
		text_widen(&name, t->columns[i].name);
		print_value(&p->l, i, buf);
		text_widen(&number, buf);
		print_interval(&p->l, i, buf);
		text_widen(&range, buf);
		text_widen(&what, meaning(t->columns[i].name));
	}
	return !p->l.style->screen || name + number + range + what + 3 <= p->l.style->screen;
}

void text_pairs(FILE *out, const struct view *v, const struct style *style)
{
	const bool groups = !strcmp(v->t->name, "summary") && !style->raw;
	struct printer p = { .l = { .v = v, .style = style } };
	int i;

	for (i = 0; i < v->t->nr_values; i++)
		p.intervals |= !style->raw && is_rough(&p.l, i);
	p.meanings = groups && fits(&p);
	grid_begin(&p.grid, style->raw, false);
	grid_column(&p.grid, "name", false);
	grid_column(&p.grid, "value", true);
	if (p.intervals)
		grid_column(&p.grid, INTERVAL_TITLE, true);
	if (p.meanings)
		grid_column(&p.grid, "meaning", false);
	if (groups && !style->verbose)
		add_groups(&p);
	/* Standard errors are not printed: there are intervals instead. */
	for (i = 0; (!groups || style->verbose) && i < v->t->nr_values; i++)
		if (style->raw || v->t->columns[i].of == NONE)
			add_pair(&p, i);
	grid_end(&p.grid, out);
	if (groups && !p.meanings)
		text_comment(out, "no room for: meaning", style->screen);
	if (p.intervals)
		text_comment(out, "~ estimate, and its 95 % interval", style->screen);
}
