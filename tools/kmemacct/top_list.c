// SPDX-License-Identifier: GPL-2.0
/* The list of rows of a view.  See the overview in top_list.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_list.h"

/* Stacks are far wider than a screen: columns are left out only for so much of them. */
#define STACK_WIDTH	40

/* Between the frames of a stack: the right one has called the left one. */
#define CALLED_BY	" < "

/* Characters at the ends of labels that go on to the left or to the right. */
#define MORE_LEFT	'<'
#define MORE_RIGHT	'>'

/* ---- moving --------------------------------------------------------------- */

void top_list_reset(struct top_list *l)
{
	memset(l->width, 0, sizeof(l->width));
	l->label = 0;
}

void top_list_move(struct top_list *l, const struct top_order *o, long by)
{
	long to = (long)l->cursor + by;

	if (to >= (long)o->nr)
		to = (long)o->nr - 1;
	l->cursor = to < 0 ? 0 : to;
}

void top_list_scroll(struct top_list *l, int by)
{
	l->scroll += by;
	if (l->scroll > l->label - 1)
		l->scroll = l->label - 1;
	if (l->scroll < 0)
		l->scroll = 0;
}

/* Keep the cursor on the screen, and no lines empty below the last row if rows are above. */
static void follow_cursor(struct top_list *l, const struct top_order *o)
{
	size_t lines = l->lines > 0 ? l->lines : 1;

	top_list_move(l, o, 0);
	if (l->first > l->cursor)
		l->first = l->cursor;
	if (l->first + lines <= l->cursor)
		l->first = l->cursor - lines + 1;
	if (l->first + lines > o->nr)
		l->first = o->nr > lines ? o->nr - lines : 0;
}

/* ---- labels --------------------------------------------------------------- */

char *top_list_label(const struct top_view *view, const char *label)
{
	char *copy = alloc_copy(label), *text, *frame;

	if (!view->stacks)
		return copy;
	text = alloc(strlen(label) * sizeof(CALLED_BY) + 1, 1);
	while ((frame = strrchr(copy, ';'))) {
		*frame = '\0';
		strcat(text, frame + 1);
		strcat(text, CALLED_BY);
	}
	strcat(text, copy);
	free(copy);
	return text;
}

/* ---- layout --------------------------------------------------------------- */

static const struct top_row *row_at(const struct top_list *l, const struct top_rows *r,
				    const struct top_order *o, int line)
{
	size_t i = l->first + line;

	return line < l->lines && i < o->nr ? &r->row[o->shown[i]] : NULL;
}

static void widen_label(struct top_list *l, const struct top_columns *cs,
			const struct top_rows *r, const struct top_order *o)
{
	const struct top_row *row;
	char *label;
	int line;

	layout_widen(&l->label, cs->c[cs->nr - 1].title);
	for (line = 0; (row = row_at(l, r, o, line)); line++) {
		label = top_list_label(r->view, row->now->label);
		layout_widen(&l->label, label);
		free(label);
	}
}

static void widen_column(struct top_list *l, int column, const struct top_columns *cs,
			 const struct top_rows *r, const struct top_order *o)
{
	const struct top_row *row;
	char cell[CELL_LEN];
	int line;

	layout_widen(&l->width[column], cs->c[column].title);
	for (line = 0; (row = row_at(l, r, o, line)); line++) {
		top_column_cell(cs, column, r, row, cell);
		layout_widen(&l->width[column], cell);
	}
}

static bool is_label(const struct top_columns *cs, int column)
{
	return !cs->c[column].nr_sources;
}

/* Return: the most important column that is not shown yet, or -1. */
static int next_column(const struct top_list *l, const struct top_columns *cs)
{
	int i, best = -1;

	for (i = 0; i < cs->nr; i++)
		if (!l->shown[i] && !is_label(cs, i) &&
		    (best < 0 || cs->c[i].rank < cs->c[best].rank))
			best = i;
	return best;
}

/* Show the columns that stay, and then others as long as they fit. */
static void choose_columns(struct top_list *l, const struct top_columns *cs,
			   const struct top_rows *r, const struct top_order *o, int screen)
{
	int i, used = l->label;

	if (r->view->stacks && used > STACK_WIDTH)
		used = STACK_WIDTH;
	for (i = 0; i < cs->nr; i++) {
		l->shown[i] = is_label(cs, i) || !cs->c[i].rank || i == o->key;
		if (!l->shown[i] || is_label(cs, i))
			continue;
		widen_column(l, i, cs, r, o);
		used += l->width[i] + 1;
	}
	while ((i = next_column(l, cs)) >= 0) {
		widen_column(l, i, cs, r, o);
		used += l->width[i] + 1;
		if (used > screen)
			break;
		l->shown[i] = true;
	}
}

static void layout(struct top_list *l, const struct top_columns *cs, const struct top_rows *r,
		   const struct top_order *o, int screen)
{
	int i;

	follow_cursor(l, o);
	widen_label(l, cs, r, o);
	choose_columns(l, cs, r, o, screen);
	l->hidden = 0;
	for (i = 0; i < cs->nr; i++)
		l->hidden += !l->shown[i];
}

/* ---- drawing -------------------------------------------------------------- */

static void draw_label(const struct top_list *l, struct top_canvas *c, int line, int column,
		       const char *label)
{
	int len = strlen(label), skip = len < l->scroll ? len : l->scroll;

	top_canvas_put(c, line, column, 0, label + skip);
	if (column >= c->columns)
		return;
	if (skip)
		top_canvas_at(c, line, column)->c = MORE_LEFT;
	if (len - skip > c->columns - column)
		top_canvas_at(c, line, c->columns - 1)->c = MORE_RIGHT;
}

static void draw_titles(const struct top_list *l, struct top_canvas *c, int line,
			const struct top_columns *cs, const struct top_order *o)
{
	unsigned int key;
	int i, at = 0;

	for (i = 0; i < cs->nr; i++) {
		if (!l->shown[i])
			continue;
		key = i == o->key ? TOP_BOLD : 0;
		if (is_label(cs, i))
			at = top_canvas_put(c, line, at, key, cs->c[i].title);
		else
			at = top_canvas_print(c, line, at, key, "%*s ", l->width[i],
					      cs->c[i].title);
	}
	top_canvas_mark(c, line, TOP_REVERSE);
}

/* The sign says the same as the colour. */
static unsigned int colour_of(const struct top_columns *cs, int column, const char *cell)
{
	if (cs->c[column].kind != TOP_GROWTH)
		return 0;
	return strchr(cell, '+') ? TOP_GROWS : *cell && strpbrk(cell, "123456789") &&
	       strchr(cell, '-') ? TOP_SHRINKS : 0;
}

static void draw_row(const struct top_list *l, struct top_canvas *c, int line,
		     const struct top_columns *cs, const struct top_rows *r,
		     const struct top_row *row)
{
	char cell[CELL_LEN], *label;
	int i, at = 0;

	for (i = 0; i < cs->nr; i++) {
		if (!l->shown[i] || is_label(cs, i))
			continue;
		top_column_cell(cs, i, r, row, cell);
		at = top_canvas_print(c, line, at, colour_of(cs, i, cell), "%*s ",
				      l->width[i], cell);
	}
	label = top_list_label(r->view, row->now->label);
	draw_label(l, c, line, at, label);
	free(label);
}

void top_list_draw(struct top_list *l, struct top_canvas *c, int from, int lines,
		   const struct top_columns *cs, const struct top_rows *r,
		   const struct top_order *o)
{
	const struct top_row *row;
	int line;

	l->lines = lines - 1;
	layout(l, cs, r, o, c->columns);
	draw_titles(l, c, from, cs, o);
	for (line = 0; (row = row_at(l, r, o, line)); line++) {
		draw_row(l, c, from + 1 + line, cs, r, row);
		if (l->first + line == l->cursor)
			top_canvas_mark(c, from + 1 + line, TOP_REVERSE);
	}
}
