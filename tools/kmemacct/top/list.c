// SPDX-License-Identifier: GPL-2.0
/*
 * The list of rows of a view of kmemacct top.
 *
 * Labels are not cut in order to make room for numbers: columns are left out, those of the
 * highest rank first.  Labels that are still too long can be scrolled.
 */
#include <stdlib.h>
#include <string.h>

#include "top.h"

/*
 * Stacks are far wider than a screen.  Columns are left out only until this many characters of them
 * fit.
 */
#define STACK_WIDTH	40

/* Between the frames of a stack: the right one has called the left one. */
#define CALLED_BY	" < "

/* Characters at the ends of labels that go on to the left or to the right. */
#define MORE_LEFT	'<'
#define MORE_RIGHT	'>'

/* Rank of the columns of the table that a view does not list. */
#define RANK_OTHER	100

/* ---- moving --------------------------------------------------------------- */

void top_list_reset(struct top_page *p)
{
	if (p->l.c)
		memset(p->l.c, 0, (p->v.t->nr_values + 1) * sizeof(*p->l.c));
	p->label = 0;
}

void top_list_move(struct top_page *p, long by)
{
	long to = (long)p->cursor + by;

	if (to >= (long)p->nr)
		to = (long)p->nr - 1;
	p->cursor = to < 0 ? 0 : to;
}

void top_list_scroll(struct top_page *p, int by)
{
	p->scroll += by;
	if (p->scroll > p->label - 1)
		p->scroll = p->label - 1;
	if (p->scroll < 0)
		p->scroll = 0;
}

/* Keep the cursor on the screen, and no lines empty below the last row if rows are above. */
static void follow_cursor(struct top_page *p)
{
	size_t lines = p->lines > 0 ? p->lines : 1;

	top_list_move(p, 0);
	if (p->first > p->cursor)
		p->first = p->cursor;
	if (p->first + lines <= p->cursor)
		p->first = p->cursor - lines + 1;
	if (p->first + lines > p->nr)
		p->first = p->nr > lines ? p->nr - lines : 0;
}

static const struct row *row_at(const struct top_page *p, int line)
{
	return line < p->lines && p->first + line < p->nr ? p->shown[p->first + line] : NULL;
}

/* ---- layout --------------------------------------------------------------- */

/* Copy a label as a list shows it: a stack begins at its call site.  The caller frees it. */
static char *copy_label(const struct top_view *view, const char *label)
{
	char *copy = alloc_copy(label), *text, *frame;
	size_t len;
	FILE *out;

	if (!view->stacks)
		return copy;
	out = text_open(&text, &len);
	while ((frame = strrchr(copy, ';'))) {
		*frame = '\0';
		fprintf(out, "%s" CALLED_BY, frame + 1);
	}
	fputs(copy, out);
	text_close(out);
	free(copy);
	return text;
}

static void widen_label(struct top_page *p)
{
	const struct row *row;
	char *label;
	int line;

	text_widen(&p->label, table_label(p->v.t));
	for (line = 0; (row = row_at(p, line)); line++) {
		label = copy_label(p->view, row->label);
		text_widen(&p->label, label);
		free(label);
	}
}

static void widen_column(struct top_page *p, int column)
{
	const struct row *row;
	char cell[CELL_LEN];
	int line;

	layout_title(&p->l, column, cell);
	text_widen(&p->l.c[column].width, cell);
	for (line = 0; (row = row_at(p, line)); line++)
		text_widen(&p->l.c[column].width, layout_text(&p->l, row, column, cell));
}

static int rank_of(const struct top_page *p, int column)
{
	const struct top_spec *s = top_rates_spec(p, column);

	if (s)
		return s->rank;
	/* The growth in other windows, if it is known, tells more than other columns. */
	if (p->v.t->columns[column].kind == KIND_CHANGE && p->v.total->v[column] != UNKNOWN)
		return RANK_OTHER;
	return RANK_OTHER + 1 + column;
}

/* Return: the most important column that is not shown yet, or NONE. */
static int next_column(const struct top_page *p)
{
	int i, best = NONE;

	for (i = 0; i < p->v.t->nr_values; i++)
		if (!p->l.c[i].shown && !p->v.t->columns[i].hidden &&
		    (best == NONE || rank_of(p, i) < rank_of(p, best)))
			best = i;
	return best;
}

/* Show the columns that stay, and then others as long as they fit. */
static void choose_columns(struct top_page *p, int screen)
{
	const struct table *t = p->v.t;
	int i, used = p->view->stacks && p->label > STACK_WIDTH ? STACK_WIDTH : p->label;
	bool fits = true;

	p->hidden = 0;
	for (i = 0; i < t->nr_values; i++) {
		p->l.c[i].shown = !t->columns[i].hidden && (!rank_of(p, i) || i == p->key);
		if (!p->l.c[i].shown) {
			p->hidden += !t->columns[i].hidden;
			continue;
		}
		widen_column(p, i);
		used += p->l.c[i].width + 1;
	}
	while (fits && (i = next_column(p)) != NONE) {
		widen_column(p, i);
		used += p->l.c[i].width + 1;
		fits = used <= screen;
		p->l.c[i].shown = fits;
		p->hidden -= fits;
	}
}

/* ---- drawing -------------------------------------------------------------- */

static void draw_label(const struct top_page *p, struct top_canvas *c, int line, int column,
		       const char *label)
{
	int len = strlen(label), skip = len < p->scroll ? len : p->scroll;

	top_canvas_put(c, line, column, 0, label + skip);
	if (column >= c->columns)
		return;
	if (skip)
		top_canvas_at(c, line, column)->c = MORE_LEFT;
	if (len - skip > c->columns - column)
		top_canvas_at(c, line, c->columns - 1)->c = MORE_RIGHT;
}

static void draw_titles(const struct top_page *p, struct top_canvas *c, int line)
{
	const int nr = p->v.t->nr_values;
	char title[CELL_LEN];
	int i, at = 0;

	for (i = 0; i < nr; i++) {
		if (!p->l.c[i].shown)
			continue;
		layout_title(&p->l, i, title);
		at = top_canvas_print(c, line, at, i == p->key ? TOP_BOLD : 0, "%*s ",
				      p->l.c[i].width, title);
	}
	top_canvas_put(c, line, at, nr == p->key ? TOP_BOLD : 0, table_label(p->v.t));
	top_canvas_highlight(c, line, TOP_REVERSE);
}

/* The sign says the same as the colour. */
static unsigned int colour_of(const struct top_page *p, int column, const char *cell)
{
	const struct top_spec *s = top_rates_spec(p, column);

	if (!s || s->kind != TOP_GROWTH)
		return 0;
	return strchr(cell, '+') ? TOP_GROWS : strpbrk(cell, "123456789") && strchr(cell, '-') ?
	       TOP_SHRINKS : 0;
}

static void draw_row(const struct top_page *p, struct top_canvas *c, int line,
		     const struct row *row)
{
	char buf[CELL_LEN], *label;
	const char *cell;
	int i, at = 0;

	for (i = 0; i < p->v.t->nr_values; i++) {
		if (!p->l.c[i].shown)
			continue;
		cell = layout_text(&p->l, row, i, buf);
		at = top_canvas_print(c, line, at, colour_of(p, i, cell), "%*s ",
				      p->l.c[i].width, cell);
	}
	label = copy_label(p->view, row->label);
	draw_label(p, c, line, at, label);
	free(label);
}

void top_list_draw(struct top_page *p, struct top_canvas *c, int from, int lines)
{
	const struct row *row;
	int line;

	p->lines = lines - 1;
	follow_cursor(p);
	widen_label(p);
	choose_columns(p, c->columns);
	draw_titles(p, c, from);
	for (line = 0; (row = row_at(p, line)); line++) {
		draw_row(p, c, from + 1 + line, row);
		if (p->first + line == p->cursor)
			top_canvas_highlight(c, from + 1 + line, TOP_REVERSE);
	}
}
