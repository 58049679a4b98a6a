// SPDX-License-Identifier: GPL-2.0
/* Tables of pairs as text.  See the overview in pairs.h. */
#include <string.h>

#include "comment.h"
#include "grid.h"
#include "layout.h"
#include "pairs.h"

/* The lines of `summary`.  One without a name begins another group. */
static const struct {
	const char *name;
	const char *what;
} lines[] = {
	{ "live_bytes", "bytes in live objects, now" },
	{ "live_objs", "live objects, now" },
	{ "confirmed_bytes", "of live_bytes, those that no missed free speaks against" },
	{},
	{ "objs_alloc", "objects that were allocated" },
	{ "frees", "objects that were freed" },
	{},
	{ "bytes_allocated", "bytes that allocations with an event took" },
	{ "bulk_bytes", "bytes that allocations without an event took" },
	{ "bytes_freed", "bytes that were freed" },
	{ "bytes_net", "bytes_allocated + bulk_bytes - bytes_freed" },
	{},
	{ "bytes_wasted", "of bytes_allocated, those that were not asked for" },
	{ "frag_pct", "the same in percent" },
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

/* ---- values --------------------------------------------------------------- */

/* No standard error follows frag_pct, but it is an estimate if bytes_allocated is one. */
static bool is_estimated_ratio(const struct table *t, size_t i)
{
	size_t other;

	if (strcmp(t->rows[i]->label, "frag_pct"))
		return false;
	for (other = 0; other < t->nr_rows; other++)
		if (!strcmp(t->rows[other]->label, "bytes_allocated"))
			return estimate_pair_is_rough(t, other);
	return false;
}

static void print_value(const struct layout *l, size_t i, char buf[NUMBER_LEN])
{
	const struct row *row = l->t->rows[i];
	bool mark = estimate_pair_is_rough(l->t, i) || is_estimated_ratio(l->t, i);
	char number[NUMBER_LEN];

	layout_value(number, row->format, layout_unit(l, row->label), row->v[0]);
	snprintf(buf, NUMBER_LEN, "%s%.30s", mark && !l->raw ? "~" : "", number);
}

/* Print the interval of a pair, or "" if its value is exact. */
static void print_interval(const struct layout *l, size_t i, char buf[INTERVAL_LEN])
{
	struct interval interval;

	*buf = '\0';
	if (!estimate_pair_is_rough(l->t, i))
		return;
	interval = estimate_pair_interval(l->t, i);
	layout_interval(l, l->t->rows[i]->label, &interval, buf);
}

/* Test for the line of a standard error, which is not printed: there is an interval instead. */
static bool is_se(const struct table *t, size_t i)
{
	return i && estimate_pair_se(t, i - 1);
}

static bool has_intervals(const struct layout *l)
{
	size_t i;

	for (i = 0; i < l->t->nr_rows && !l->raw; i++)
		if (estimate_pair_is_rough(l->t, i))
			return true;
	return false;
}

/* ---- lines ---------------------------------------------------------------- */

/**
 * struct printer - how pairs are printed
 * @grid: what they are put into
 * @l: the layout of their values
 * @intervals: there is a column of intervals
 * @meanings: there is a column of meanings
 */
struct printer {
	struct grid grid;
	struct layout l;
	bool intervals;
	bool meanings;
};

static void add_pair(struct printer *p, size_t i)
{
	const char *name = p->l.t->rows[i]->label;
	char value[NUMBER_LEN], interval[INTERVAL_LEN];

	grid_line(&p->grid);
	grid_cell(&p->grid, name);
	print_value(&p->l, i, value);
	grid_cell(&p->grid, value);
	print_interval(&p->l, i, interval);
	if (p->intervals)
		grid_cell(&p->grid, interval);
	if (p->meanings)
		grid_cell(&p->grid, meaning(name));
}

/* Return: index of the row of that name; the number of rows if there is none. */
static size_t find(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->nr_rows && strcmp(t->rows[i]->label, name))
		i++;
	return i;
}

static void add_groups(struct printer *p)
{
	bool begins = false;
	size_t i, row;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		row = lines[i].name ? find(p->l.t, lines[i].name) : p->l.t->nr_rows;
		begins |= !lines[i].name;
		if (row == p->l.t->nr_rows)
			continue;
		add_pair(p, row);
		if (begins)
			grid_part(&p->grid);
		begins = false;
	}
}

static void add_all(struct printer *p)
{
	size_t i;

	for (i = 0; i < p->l.t->nr_rows; i++)
		if (p->l.raw || !is_se(p->l.t, i))
			add_pair(p, i);
}

/* Test whether the lines have room for the meanings. */
static bool fits(const struct printer *p, int screen)
{
	char value[NUMBER_LEN], interval[INTERVAL_LEN];
	int name = 0, number = 0, range = 0, what = 0;
	size_t i;

	for (i = 0; i < p->l.t->nr_rows; i++) {
		layout_widen(&name, p->l.t->rows[i]->label);
		print_value(&p->l, i, value);
		layout_widen(&number, value);
		print_interval(&p->l, i, interval);
		layout_widen(&range, interval);
		layout_widen(&what, meaning(p->l.t->rows[i]->label));
	}
	return !screen || name + number + range + what + 3 <= screen;
}

void pairs_print(FILE *out, const struct table *t, const struct look *look)
{
	bool groups = !strcmp(t->name, "summary") && !look->raw;
	struct printer p = {
		.l = { .t = t, .exact = look->exact || look->raw, .raw = look->raw },
	};

	p.intervals = has_intervals(&p.l);
	p.meanings = groups && fits(&p, look->screen);
	grid_begin(&p.grid, look->raw, false);
	grid_column(&p.grid, "name", false);
	grid_column(&p.grid, "value", true);
	if (p.intervals)
		grid_column(&p.grid, INTERVAL_TITLE, true);
	if (p.meanings)
		grid_column(&p.grid, "meaning", false);
	if (groups && !look->verbose)
		add_groups(&p);
	else
		add_all(&p);
	grid_end(&p.grid, out);
	if (p.intervals)
		comment_print(out, "~ estimate, and its 95 % interval", look->screen);
}
