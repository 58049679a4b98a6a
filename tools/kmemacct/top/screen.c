// SPDX-License-Identifier: GPL-2.0
/* The screen of kmemacct top, drawn on a canvas. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* The most lines that one loss takes, the state of a table without losses, and the totals. */
#define LOSS_LINES	3
#define STATE_LINES	4
#define TOTALS_LINES	3

/* The end of a text that does not fit. */
#define MORE_TEXT	"..."

/* The most characters of a filter in the last line; the prompt has all of them. */
#define FILTER_SHOWN	16

/* ---- text ----------------------------------------------------------------- */

/* Where a text is continued on the next line: after a blank, or only after one behind , or ; */
enum wrap { WRAP_WORDS, WRAP_ITEMS };

/* Return: the length of the part of a text up to the next such blank. */
static int part_len(const char *text, enum wrap wrap, int columns)
{
	const int word = strcspn(text, " ");
	int len = word;

	while (wrap == WRAP_ITEMS && text[len] && !strchr(",;", text[len - 1]))
		len += 1 + strcspn(text + len + 1, " ");
	return len > columns ? word : len;
}

/*
 * Put a text in at most @lines lines, which end in dots if it does not fit.
 * Return: the line after it.
 */
static int put_wrapped(struct top_canvas *c, int line, int lines, unsigned int attributes,
		       enum wrap wrap, const char *text)
{
	const int last = line + lines - 1, dots = strlen(MORE_TEXT);
	int len, column = 0;

	for (text += strspn(text, " "); *text; text += len, text += strspn(text, " ")) {
		len = part_len(text, wrap, c->columns);
		if (column && column + 1 + len > c->columns) {
			if (line == last) {
				top_canvas_put(c, line, column + dots < c->columns ? column + 1 :
					       c->columns - dots, attributes, MORE_TEXT);
				break;
			}
			line++;
			column = 0;
		}
		if (column)
			column++;
		column = top_canvas_print(c, line, column, attributes, "%.*s", len, text);
	}
	return line + 1;
}

/* Return: number of lines that a text takes, at most @lines. */
static int lines_of(const struct top_canvas *c, int lines, const char *text)
{
	struct top_canvas unseen = { .columns = c->columns };

	return put_wrapped(&unseen, 0, lines, 0, WRAP_WORDS, text);
}

/* Draw a text of several lines, from its line @scroll on, which is at most the last one. */
static void draw_text(struct top_canvas *c, int from, const char *text, int *scroll)
{
	char *copy = alloc_copy(text), *rest = copy, *line;
	int nr = 0, most;

	for (line = copy; (line = strchr(line, '\n')); line++)
		nr++;
	most = nr - (c->lines - 1 - from);
	if (*scroll > most)
		*scroll = most > 0 ? most : 0;
	for (nr = -*scroll; (line = strsep(&rest, "\n")) && from + nr < c->lines - 1; nr++)
		if (nr >= 0)
			top_canvas_put(c, from + nr, 0, 0, line);
	free(copy);
}

/* ---- the first lines ------------------------------------------------------ */

/*
 * The names in the first line, each after its key: all of them; short names, for views that have
 * one; or only the name of the view that is shown.
 */
enum names { NAMES_FULL, NAMES_BRIEF, NAMES_ONE };

static const char *name_of(int view, enum names names, int shown)
{
	if (names == NAMES_FULL || (names == NAMES_BRIEF && !top_views[view].brief))
		return top_views[view].name;
	if (names == NAMES_ONE && view != shown)
		return "";
	return top_views[view].brief ?: top_views[view].name;
}

/* Draw the keys and names of the views.  Return: the width of the line. */
static int put_views(struct top_canvas *c, int line, enum names names, int shown)
{
	int i, column = -1;

	for (i = 0; i < TOP_NR_VIEWS; i++) {
		column = top_canvas_print(c, line, column + 1, 0, "%d", i + 1);
		column = top_canvas_put(c, line, column, i == shown ? TOP_REVERSE : 0,
					name_of(i, names, shown));
	}
	return column;
}

static void draw_views(struct top_canvas *c, int line, const struct top_ui *ui)
{
	struct top_canvas unseen = {};
	enum names names = NAMES_FULL;

	while (names < NAMES_ONE && put_views(&unseen, 0, names, ui->view) > c->columns)
		names++;
	put_views(c, line, names, ui->view);
}

/* Draw the state of the table: first what was lost, as warnings in a quarter of the screen. */
static int draw_state(struct top_canvas *c, int line, struct top_ui *ui)
{
	const struct view v = { .t = top_ui_page(ui)->rows->now };
	const int end = line + (c->lines / 4 > LOSS_LINES ? c->lines / 4 : LOSS_LINES);
	char *losses, *rest, *loss, *sentence;
	int left = 0;

	if (*ui->trouble)
		return put_wrapped(c, line, STATE_LINES, TOP_WARNING | TOP_BOLD, WRAP_WORDS,
				   ui->trouble);
	losses = state_losses(&v);
	rest = losses;
	while ((loss = strsep(&rest, "\n"))) {
		if (*loss && line < end)
			line = put_wrapped(c, line, end - line < LOSS_LINES ? end - line :
					   LOSS_LINES, TOP_WARNING, WRAP_WORDS, loss);
		else
			left += !!*loss;
	}
	if (left)
		line += !!top_canvas_print(c, line, 0, TOP_WARNING,
					   "and %d more: kmemacct status", left);
	sentence = state_sentence(&v, STATE_DETAILS);
	line = put_wrapped(c, line, STATE_LINES, 0, WRAP_WORDS, sentence);
	free(losses);
	free(sentence);
	return line;
}

/* Draw the line of totals. */
static int draw_totals(struct top_canvas *c, int line, const struct top_page *p)
{
	const struct top_spec *s;
	char cell[CELL_LEN], *text;
	const char *sum;
	size_t len;
	FILE *out = text_open(&text, &len);
	int i;

	fprintf(out, "%zu ", p->rows->all.nr);
	if (*p->filter)
		fprintf(out, "(%zu shown) ", p->nr);
	fputs(p->view->row, out);
	for (i = 0; !p->view->note && (s = top_rates_spec(p, i)); i++) {
		if (!s->total)
			continue;
		sum = layout_text(&p->l, p->v.total, i, cell);
		if (s->kind == TOP_GROWTH)
			top_window_print(out, p, sum, p->v.t->columns[i].title);
		else if (s->kind == TOP_VALUE || p->rows->elapsed_ms)
			fprintf(out, ", %s %s", sum, s->title);
	}
	if (p->view->note)
		fprintf(out, "; %s", p->view->note);
	if (p->rows->elapsed_ms) {
		number_print_age(cell, p->rows->elapsed_ms);
		fprintf(out, "; last %s", cell);
	}
	text_close(out);
	line = put_wrapped(c, line, TOTALS_LINES, TOP_BOLD, WRAP_ITEMS, text);
	free(text);
	return line;
}

/* ---- the last line -------------------------------------------------------- */

static void draw_prompt(struct top_canvas *c, const struct top_ui *ui)
{
	int column = top_canvas_put(c, c->lines - 1, 0, TOP_BOLD, ui->prompt == TOP_ASK_FILTER ?
				    "show only rows with: " : "seconds between refreshes: ");

	column = top_canvas_put(c, c->lines - 1, column, 0, ui->input);
	top_canvas_put(c, c->lines - 1, column, TOP_REVERSE, " ");
}

/* Put a part of the last line, unless it does not fit.  Return: the column after it. */
__printf(4, 5)
static int put_part(struct top_canvas *c, int column, unsigned int attributes, const char *fmt, ...)
{
	char text[2 * CELL_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (column + (int)strlen(text) > c->columns)
		return column;
	return top_canvas_put(c, c->lines - 1, column, attributes, text) + 2;
}

/* The most important part comes first: the line may be too short for all of them. */
static void draw_status(struct top_canvas *c, struct top_ui *ui)
{
	const struct top_page *p = top_ui_page(ui);
	char age[NUMBER_LEN], title[CELL_LEN];
	int column = 0;

	if (ui->frozen)
		column = put_part(c, column, TOP_REVERSE, "FROZEN") - 1;
	if (*p->filter)
		column = put_part(c, column, TOP_BOLD, "filter: %.*s%s", FILTER_SHOWN, p->filter,
				  strlen(p->filter) > FILTER_SHOWN ? MORE_TEXT : "");
	layout_title(&p->l, p->key, title);
	/* A column of flags has no title. */
	column = put_part(c, column, 0, "sort: %s%s", *title ? title : p->v.t->columns[p->key].name,
			  p->reverse ? " reversed" : "");
	column = put_part(c, column, 0, "h help  q quit");
	if (p->hidden)
		column = put_part(c, column, 0, "%d more columns: < >", p->hidden);
	number_print_age(age, ui->delay_ms);
	put_part(c, column, 0, "every %s", age);
}

/* A long message takes the last rows of the list meanwhile. */
static void draw_message(struct top_canvas *c, const char *message)
{
	const int lines = lines_of(c, c->lines / 2, message), from = c->lines - lines;
	int line, column;

	for (line = from; line < c->lines; line++)
		for (column = 0; column < c->columns; column++)
			top_canvas_put(c, line, column, 0, " ");
	put_wrapped(c, from, lines, TOP_BOLD, WRAP_WORDS, message);
}

static void draw_last(struct top_canvas *c, struct top_ui *ui)
{
	if (ui->prompt)
		draw_prompt(c, ui);
	else if (*ui->message)
		draw_message(c, ui->message);
	else if (ui->mode != TOP_LIST)
		top_canvas_put(c, c->lines - 1, 0, 0, "Esc back to the list");
	else
		draw_status(c, ui);
}

/* ---- modes ---------------------------------------------------------------- */

static void draw_help(struct top_canvas *c, struct top_ui *ui)
{
	static const char help[] =
		"q, Ctrl-C          quit\n"
		"h, ?, F1           this help\n"
		"1 to 9             choose a view; Tab: the next one, Shift-Tab: the one before\n"
		"Left, Right, <, >  choose the column to sort by\n"
		"R                  reverse the order\n"
		"Up, Down, k, j     go to the row above or below; PgUp, PgDn: by a screen\n"
		"Home, End, g, G    go to the first or the last row\n"
		"[, ]               scroll long names, as Shift-Left and Shift-Right do\n"
		"d, Enter           details of a row: all numbers, graphs, stacks\n"
		"w                  show the change in 1min, 10min or 1h, or growth/s\n"
		"m                  set a mark, and show the change since (+mark); w removes it\n"
		"/                  show only rows that contain a text; Esc shows all\n"
		"p, Space           freeze, and go on\n"
		"s                  set the seconds between refreshes\n"
		"o                  switch on what the view needs, until it is left\n"
		"\n"
		"In the details and in this help, Up, Down and so on scroll the text;\n"
		"Esc, q, d and Enter lead back to the list.\n"
		"\n"
		"NAME/s: since the last refresh, per second; - is not known\n"
		"r is in caches that the kernel can shrink when memory is short\n"
		"~ is an estimate from samples: details have its interval\n"
		"RAM bar: u user, c page cache, s slab, r reclaimable slab, o other; blank: free\n";

	draw_text(c, 1, help, &ui->scroll);
}

static void draw_details(struct top_canvas *c, struct top_ui *ui)
{
	const struct top_page *p = top_ui_page(ui);
	const struct top_row *row = top_rows_find(p->rows, ui->hash);
	char *text;

	if (!row) {
		top_canvas_put(c, 2, 0, 0, "This row is no longer in the table.");
		return;
	}
	text = top_details_make(p, row, ui->stacks, ui->gfp, c->columns);
	draw_text(c, 1, text, &ui->scroll);
	free(text);
}

/* Offer to change the setting that the view needs. */
static void draw_offer(struct top_canvas *c, int line, const struct top_need *need)
{
	const int end = c->lines - 1;

	line = put_wrapped(c, line, end - line, TOP_BOLD, WRAP_WORDS, need->off);
	if (line < end)
		line = put_wrapped(c, line, end - line, 0, WRAP_WORDS,
				   "Press o to switch it on until this view is left.");
	if (line < end && need->effect)
		put_wrapped(c, line, end - line, 0, WRAP_WORDS, need->effect);
}

static void draw_list(struct top_canvas *c, struct top_ui *ui)
{
	struct top_page *p = top_ui_page(ui);
	int line;

	line = top_memory_draw(c, 1, &ui->memory);
	if (p->off && !p->rows->all.nr && !*ui->trouble) {
		draw_offer(c, line + 1, &p->view->need);
		return;
	}
	line = draw_state(c, line, ui);
	line = draw_totals(c, line, p);
	if (p->off)
		line = put_wrapped(c, line, 2, TOP_WARNING, WRAP_WORDS,
				   "It is switched off now: press o to switch it on.");
	top_list_draw(p, c, line, c->lines - 1 - line);
	if (!p->nr && line + 1 < c->lines - 1)
		top_canvas_put(c, line + 1, 0, 0, *p->filter ? "no row matches" :
			       schema_nothing(p->rows->now));
}

void top_screen_draw(struct top_canvas *c, struct top_ui *ui)
{
	if (c->lines < TOP_SCREEN_LINES || c->columns < TOP_SCREEN_COLUMNS) {
		put_wrapped(c, 0, c->lines, 0, WRAP_WORDS,
			    "The window is too small: make it 40 x 8 or larger.");
		return;
	}
	draw_views(c, 0, ui);
	if (ui->mode == TOP_HELP)
		draw_help(c, ui);
	else if (ui->mode == TOP_DETAILS)
		draw_details(c, ui);
	else
		draw_list(c, ui);
	draw_last(c, ui);
}
