// SPDX-License-Identifier: GPL-2.0
/* What kmemacct top shows.  See top_screen.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_details.h"
#include "top_screen.h"
#include "top_state.h"

/* Lines that the state of a table may take. */
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

static bool has_estimates(const struct top_columns *cs)
{
	int i;

	for (i = 0; i < cs->nr; i++)
		if ((cs->c[i].total || cs->c[i].kind == TOP_SHARE) && cs->sum_estimate[i])
			return true;
	return false;
}

static int draw_state(struct top_canvas *c, int line, struct top_ui *ui)
{
	struct top_page *page = top_ui_page(ui);
	char text[TOP_STATE_LEN];
	bool lost;

	if (*ui->trouble)
		return put_wrapped(c, line, STATE_LINES, TOP_WARNING | TOP_BOLD, ui->trouble);
	lost = top_state_print(page->rows, has_estimates(&page->columns), text);
	return put_wrapped(c, line, STATE_LINES, lost ? TOP_WARNING : 0, text);
}

/* Make the line of totals. */
static void print_totals(FILE *out, const struct top_page *page)
{
	const struct top_columns *cs = &page->columns;
	const struct top_rows *r = page->rows;
	char cell[CELL_LEN];
	int i;

	fprintf(out, "%zu ", r->nr);
	if (*page->order.filter)
		fprintf(out, "(%zu shown) ", page->order.nr);
	fprintf(out, "%s", r->view->row);
	for (i = 0; !r->view->note && i < cs->nr; i++) {
		if (!cs->c[i].total || !cs->sum_known[i])
			continue;
		top_column_total(cs, i, cell);
		fprintf(out, ", %s %s", cell, cs->c[i].title);
	}
	if (r->view->note)
		fprintf(out, "; %s", r->view->note);
	if (r->elapsed_ms) {
		number_print_age(cell, r->elapsed_ms);
		fprintf(out, "; last %s", cell);
	}
}

static int draw_totals(struct top_canvas *c, int line, const struct top_page *page)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return line;
	print_totals(out, page);
	fclose(out);
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
	const struct top_page *page = top_ui_page(ui);
	char age[NUMBER_LEN];
	int line = c->lines - 1, column = 0;

	if (ui->frozen)
		column = top_canvas_put(c, line, column, TOP_REVERSE, "FROZEN") + 1;
	if (*page->order.filter)
		column = top_canvas_print(c, line, column, TOP_BOLD, "filter: %s",
					  page->order.filter) + 2;
	column = top_canvas_print(c, line, column, 0, "sort: %s%s",
				  page->columns.c[page->order.key].title,
				  page->order.reverse ? " reversed" : "") + 2;
	column = top_canvas_put(c, line, column, 0, "h help  q quit") + 2;
	if (page->list.hidden)
		column = top_canvas_print(c, line, column, 0, "%d more columns: < >",
					  page->list.hidden) + 2;
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
	const struct top_page *page = top_ui_page(ui);
	const struct top_details d = {
		.columns = &page->columns, .rows = page->rows, .row = top_ui_row(ui),
		.stacks = ui->stacks, .gfp = ui->gfp, .screen = c->columns,
	};
	char *text;

	if (!d.row) {
		top_canvas_put(c, 2, 0, 0, "This row is no longer in the table.");
		return;
	}
	text = top_details_make(&d);
	draw_text(c, 1, text, &ui->scroll);
	free(text);
}

/* Offer to switch on what the view needs. */
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
	struct top_page *page = top_ui_page(ui);
	int line;

	if (page->off && !page->rows->nr && !*ui->trouble) {
		draw_offer(c, 1, &top_views[ui->view].need);
		return;
	}
	line = draw_state(c, 1, ui);
	line = draw_totals(c, line, page);
	if (page->off)
		line = put_wrapped(c, line, 2, TOP_WARNING,
				   "It is switched off now: press o to switch it on.");
	top_list_draw(&page->list, c, line, c->lines - 1 - line, &page->columns, page->rows,
		      &page->order);
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
