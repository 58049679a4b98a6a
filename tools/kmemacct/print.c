// SPDX-License-Identifier: GPL-2.0
/* Tables as text.  See the overview in print.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "comment.h"
#include "error.h"
#include "gfp.h"
#include "grid.h"
#include "layout.h"
#include "print.h"
#include "source.h"
#include "state.h"
#include "pairs.h"

/* ---- the terminal --------------------------------------------------------- */

/* Return: the number in an environment variable, or 0. */
static int number_of(const char *variable)
{
	const char *text = getenv(variable);
	u64 nr;

	return text && !number_parse(text, &nr) && nr < INT_MAX ? nr : 0;
}

static struct winsize ask_terminal(void)
{
	struct winsize size = {};

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size = (struct winsize) {};
	return size;
}

int print_screen(void)
{
	int columns = number_of("COLUMNS");

	return columns ? columns : ask_terminal().ws_col;
}

int print_screen_lines(void)
{
	return ask_terminal().ws_row;
}

/* ---- above the rows ------------------------------------------------------- */

void print_table_head(FILE *out, const struct table *t, const struct look *look)
{
	if (look->raw)
		return;
	if (look->verbose && t->nr_fields)
		state_print_fields(out, t, look->screen);
	state_print(out, t, &(struct state_look) {
		.name = look->named ? t->name : NULL, .estimates = estimate_any(t),
		.exact = look->exact, .off = look->off, .screen = look->screen,
	});
}

static void print_matrix_name(FILE *out, const struct table *t, const struct look *look)
{
	/* Only matrices have columns that hold nothing but numbers to look at. */
	if (!look->raw && t->columns[t->nr_values].format == FORMAT_LABEL &&
	    t->nr_values > 1 && t->columns[1].format == FORMAT_SPARSE)
		fprintf(out, "# %s:\n", t->name);
}

/* ---- the rows ------------------------------------------------------------- */

static bool is_left(const struct layout *l, int column)
{
	return column == l->t->nr_values;
}

static void add_titles(struct grid *g, const struct layout *l)
{
	char title[CELL_LEN];
	int i, column;

	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->shown[column])
			continue;
		if (l->lines && is_left(l, column))
			grid_column(g, LINES_TITLE, false);
		layout_title(l, column, title);
		if (strlen(title) < CELL_LEN - 1)
			grid_column(g, title, !is_left(l, column));
		else
			/* The name of a migrate type, which is from a file. */
			grid_column(g, l->t->columns[column].name, true);
		if (l->interval[column])
			grid_column(g, INTERVAL_TITLE, true);
	}
}

/* Add the cell of the source lines of a label, which the row of sums and other text do not have. */
static void add_lines(struct grid *g, const struct layout *l, const char *label)
{
	char *text;

	if (!l->lines)
		return;
	text = label ? sources_text(l->t->sources, label) : NULL;
	grid_cell(g, text ? text : "");
	free(text);
}

/* Add a line.  @text: what it has in place of its label. */
static void add_row(struct grid *g, const struct layout *l, const struct row *row,
		    const char *text)
{
	char buf[CELL_LEN];
	int i, column;

	grid_line(g);
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->shown[column])
			continue;
		if (is_left(l, column))
			add_lines(g, l, row == l->t->sum ? NULL : text);
		grid_cell(g, is_left(l, column) ? text : layout_text(l, row, column, buf));
		if (!l->interval[column])
			continue;
		layout_interval_cell(l, row, column, buf);
		grid_cell(g, buf);
	}
}

/*
 * Add a line with nothing but a part of the label.
 * @site: the call site in this part, or NULL
 */
static void add_part(struct grid *g, const struct layout *l, const char *text, const char *site)
{
	int i, column;

	if (!l->shown[l->t->nr_values])
		return;
	grid_line(g);
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->shown[column])
			continue;
		if (is_left(l, column))
			add_lines(g, l, site);
		grid_cell(g, is_left(l, column) ? text : "");
		if (l->interval[column])
			grid_cell(g, "");
	}
}

/* Add a frame of a stack: the first one with the numbers of its row, the others without. */
static void add_frame(struct grid *g, const struct layout *l, const struct row *row,
		      const char *frame)
{
	const char *line = l->below ? sources_line(l->t->sources, frame) : NULL;
	char *text = NULL;

	if (line)
		alloc_check(asprintf(&text, "%s" LINES_GAP "%s", frame, line) >= 0);
	if (row)
		add_row(g, l, row, text ? text : frame);
	else
		add_part(g, l, text ? text : frame, frame);
	free(text);
}

/* Add a row whose call site follows the numbers, with its callers on the lines below it. */
static void add_stack(struct grid *g, const struct layout *l, const struct row *row)
{
	char *copy = alloc_copy(row->label), *frame = strrchr(copy, ';');

	add_frame(g, l, row, frame ? frame + 1 : copy);
	while (frame) {
		*frame = '\0';
		frame = strrchr(copy, ';');
		add_frame(g, l, NULL, frame ? frame + 1 : copy);
	}
	free(copy);
}

/* Add a row, with the source line of its call site below it if that has no column. */
static void add_site(struct grid *g, const struct layout *l, const struct row *row,
		     const char *site)
{
	char *line = l->below ? sources_text(l->t->sources, site) : NULL;

	add_row(g, l, row, site);
	if (line && strcmp(line, "-"))
		add_part(g, l, line, NULL);
	free(line);
}

/* Add a row whose call site follows the numbers, with the cause below it. */
static void add_stall(struct grid *g, const struct layout *l, const struct row *row)
{
	char *copy = alloc_copy(row->label), *cause = copy;

	add_site(g, l, row, strsep(&cause, ";"));
	if (cause)
		add_part(g, l, cause, NULL);
	free(copy);
}

static void add_rows(struct grid *g, const struct layout *l)
{
	const struct row *row;
	size_t i;

	for (i = 0; i < l->t->nr_rows; i++) {
		row = l->t->rows[i];
		if (l->stacks && !l->raw)
			add_stack(g, l, row);
		else if (l->split)
			add_stall(g, l, row);
		else
			add_site(g, l, row, row->label);
	}
	if (l->t->sum && l->t->nr_rows && !l->raw)
		add_row(g, l, l->t->sum, l->t->sum->label);
}

/* ---- below the rows ------------------------------------------------------- */

static void print_legend(FILE *out, const struct layout *l)
{
	int column = table_column(l->t, "gfp");

	if (l->t->gfp && column >= 0 && l->shown[column] && *gfp_legend(l->t->gfp))
		comment_print(out, gfp_legend(l->t->gfp), l->screen);
}

/* Name the columns left out.  Some names are from a file, as migrate types are, and may be long. */
static void print_hidden(FILE *out, const struct layout *l)
{
	char *text = NULL;
	size_t len;
	FILE *names = open_memstream(&text, &len);
	int i, column;

	if (!names)
		return;
	fputs("no room for:", names);
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->shown[column])
			fprintf(names, " %s", l->t->columns[column].name);
	}
	fclose(names);
	comment_print(out, text, l->screen);
	free(text);
}

/* Titles alone might look like an error. */
static void print_empty(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;

	if (!t->nr_rows && !table_left_out(t) && !t->advice)
		comment_print(out, t->filtered ? "no row matches" : "no rows", l->screen);
}

/* The label of the total tells how many rows are not printed; other tables have a line of it. */
static void print_left_out(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	const size_t nr = table_left_out(t);
	char text[64];

	if (!nr || t->sum_label)
		return;
	snprintf(text, sizeof(text), "%zu more row%s", nr, nr == 1 ? "" : "s");
	comment_print(out, text, l->screen);
}

/* Print advice line by line, so that a command in it starts on a line of its own. */
static void print_advice(FILE *out, const struct layout *l)
{
	char *copy, *rest, *line;

	if (!l->t->advice)
		return;
	copy = alloc_copy(l->t->advice);
	rest = copy;
	while ((line = strsep(&rest, "\n")))
		comment_print(out, line, l->screen);
	free(copy);
}

static void print_sources(FILE *out, const struct layout *l)
{
	const struct sources *s = l->t->sources;

	if (s && sources_remark(s))
		comment_print(out, sources_remark(s), l->screen);
	if (s && sources_caution(s))
		comment_print(out, sources_caution(s), l->screen);
}

void print_remarks(FILE *out, const struct layout *l)
{
	if (l->raw)
		return;
	print_left_out(out, l);
	print_legend(out, l);
	if (l->hidden)
		print_hidden(out, l);
	print_sources(out, l);
	print_advice(out, l);
}

int print_table(FILE *out, const struct table *t, const struct sort *sort,
		const struct look *look)
{
	struct layout l = {
		.t = t, .sort = sort, .screen = look->raw ? 0 : look->screen,
		.exact = look->exact || look->raw, .raw = look->raw, .main = -1,
	};
	struct grid g;

	if (!t->columns) {
		print_table_head(out, t, look);
		pairs_print(out, t, look);
		return 0;
	}
	if (columns_choose(&l.columns, t, sort, look->output))
		return -1;
	layout_make(&l);
	print_table_head(out, t, look);
	print_matrix_name(out, t, look);
	grid_begin(&g, look->raw, !look->no_header);
	add_titles(&g, &l);
	add_rows(&g, &l);
	grid_end(&g, out);
	if (!l.raw)
		print_empty(out, &l);
	print_remarks(out, &l);
	return 0;
}
