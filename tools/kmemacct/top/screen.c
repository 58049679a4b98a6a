// SPDX-License-Identifier: GPL-2.0
/* The screen of kmemacct top, drawn on a canvas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* The most lines that the state of a table takes. */
#define STATE_LINES	3

/* ---- text ----------------------------------------------------------------- */

/*
 * Put a text, and continue it on the next line after a blank.
 * Return: the line after it.
 */
static int put_wrapped(struct top_canvas *c, int line, int lines, unsigned int attributes,
		       const char *text)
{
	int len, column = 0, last = line + lines;

	for (; *text; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (column && column + 1 + len > c->columns) {
			line++;
			column = 0;
		}
		if (line == last)
			return line;
		if (column)
			column++;
		column = top_canvas_print(c, line, column, attributes, "%.*s", len, text);
	}
	return line + 1;
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

/* The names of the views, with their keys if there is room for these. */
static void draw_views(struct top_canvas *c, int line, const struct top_ui *ui)
{
	int i, column = 0, width = 0;

	for (i = 0; i < TOP_NR_VIEWS; i++)
		width += strlen(top_views[i].name) + 2;
	for (i = 0; i < TOP_NR_VIEWS; i++) {
		if (width - 1 <= c->columns)
			column = top_canvas_print(c, line, column, 0, "%d", i + 1);
		column = top_canvas_put(c, line, column, i == ui->view ? TOP_REVERSE : 0,
					top_views[i].name) + 1;
	}
}

/* Draw the state of the table: first what was lost, as warnings in a quarter of the screen. */
static int draw_state(struct top_canvas *c, int line, struct top_ui *ui)
{
	const struct view v = { .t = top_ui_page(ui)->rows->now };
	const int end = line + (c->lines / 4 > STATE_LINES ? c->lines / 4 : STATE_LINES);
	char *losses, *rest, *loss, *sentence;
	int left = 0;

	if (*ui->trouble)
		return put_wrapped(c, line, STATE_LINES, TOP_WARNING | TOP_BOLD, ui->trouble);
	losses = state_losses(&v);
	rest = losses;
	while ((loss = strsep(&rest, "\n"))) {
		if (*loss && line < end)
			line = put_wrapped(c, line, end - line < STATE_LINES ? end - line :
					   STATE_LINES, TOP_WARNING, loss);
		else
			left += !!*loss;
	}
	if (left)
		line += !!top_canvas_print(c, line, 0, TOP_WARNING,
					   "and %d more: kmemacct status", left);
	sentence = state_sentence(&v, STATE_DETAILS);
	line = put_wrapped(c, line, STATE_LINES, 0, sentence);
	free(losses);
	free(sentence);
	return line;
}

/* Draw the line of totals. */
static int draw_totals(struct top_canvas *c, int line, const struct top_page *p)
{
	const struct top_spec *s;
	char cell[CELL_LEN], *text;
	size_t len;
	FILE *out = text_open(&text, &len);
	int i;

	fprintf(out, "%zu ", p->rows->nr);
	if (*p->filter)
		fprintf(out, "(%zu shown) ", p->nr);
	fputs(p->view->row, out);
	for (i = 0; !p->view->note && (s = top_rates_spec(p, i)); i++)
		if (s->total && (s->kind == TOP_VALUE || p->rows->elapsed_ms))
			fprintf(out, ", %s %s", layout_text(&p->l, p->v.total, i, cell),
				s->title);
	if (p->view->note)
		fprintf(out, "; %s", p->view->note);
	if (p->rows->elapsed_ms) {
		number_print_age(cell, p->rows->elapsed_ms);
		fprintf(out, "; last %s", cell);
	}
	text_close(out);
	line = put_wrapped(c, line, 2, TOP_BOLD, text);
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

/* The most important part comes first: the line may be too short for all of them. */
static void draw_status(struct top_canvas *c, struct top_ui *ui)
{
	const struct top_page *p = top_ui_page(ui);
	char age[NUMBER_LEN], title[CELL_LEN];
	int line = c->lines - 1, column = 0;

	if (ui->frozen)
		column = top_canvas_put(c, line, column, TOP_REVERSE, "FROZEN") + 1;
	if (*p->filter)
		column = top_canvas_print(c, line, column, TOP_BOLD, "filter: %s",
					  p->filter) + 2;
	layout_title(&p->l, p->key, title);
	column = top_canvas_print(c, line, column, 0, "sort: %s%s", title,
				  p->reverse ? " reversed" : "") + 2;
	column = top_canvas_put(c, line, column, 0, "h help  q quit") + 2;
	if (p->hidden)
		column = top_canvas_print(c, line, column, 0, "%d more columns: < >",
					  p->hidden) + 2;
	number_print_age(age, ui->delay_ms);
	top_canvas_print(c, line, column, 0, "every %s", age);
}

/* A long message takes two lines, and the last row of the list meanwhile. */
static void draw_message(struct top_canvas *c, const char *message)
{
	bool is_long = (int)strlen(message) > c->columns;
	int column;

	for (column = 0; is_long && column < c->columns; column++)
		top_canvas_put(c, c->lines - 2, column, 0, " ");
	put_wrapped(c, c->lines - 1 - is_long, 1 + is_long, TOP_BOLD, message);
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
		"q              quit\n"
		"Tab, 1 to 9    choose a view\n"
		"Left, Right    choose the column to sort by, as < and > do\n"
		"R              reverse the order\n"
		"Up, Down       move, as PgUp, PgDn, Home and End do\n"
		"[ ]            scroll names that are too long\n"
		"d, Enter       details of a row: all numbers, graphs, stacks\n"
		"/              show only rows that contain a text; Esc shows all\n"
		"p, Space       freeze, and go on\n"
		"s              set the seconds between refreshes\n"
		"o              switch on what the view needs, until it is left\n"
		"\n"
		"live and growth/s: what is held now, and how it changes\n"
		"NAME/s: since the last refresh, per second; - is not known\n"
		"~ is an estimate from samples: details have its interval\n";

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
	line = put_wrapped(c, line + 1, 3, TOP_BOLD, need->off);
	line = put_wrapped(c, line, 3, 0,
			   "Press o to switch it on until this view is left.");
	if (need->effect)
		put_wrapped(c, line, 3, 0, need->effect);
}

static void draw_list(struct top_canvas *c, struct top_ui *ui)
{
	struct top_page *p = top_ui_page(ui);
	int line;

	if (p->off && !p->rows->nr && !*ui->trouble) {
		draw_offer(c, 1, &p->view->need);
		return;
	}
	line = draw_state(c, 1, ui);
	line = draw_totals(c, line, p);
	if (p->off)
		line = put_wrapped(c, line, 2, TOP_WARNING,
				   "It is switched off now: press o to switch it on.");
	top_list_draw(p, c, line, c->lines - 1 - line);
}

void top_screen_draw(struct top_canvas *c, struct top_ui *ui)
{
	if (c->lines < TOP_SCREEN_LINES || c->columns < TOP_SCREEN_COLUMNS) {
		put_wrapped(c, 0, c->lines, 0,
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
