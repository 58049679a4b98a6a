// SPDX-License-Identifier: GPL-2.0
/* Tables as text.  See the overview in out.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "out.h"

/* ---- the terminal --------------------------------------------------------- */

static struct winsize ask_terminal(void)
{
	struct winsize size = {};

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size = (struct winsize) {};
	return size;
}

int screen_columns(void)
{
	const char *text = getenv("COLUMNS");
	u64 nr;

	if (text && !number_parse(text, &nr) && nr && nr < INT_MAX)
		return nr;
	return ask_terminal().ws_col;
}

int screen_lines(void)
{
	return ask_terminal().ws_row;
}

/* ---- above the rows ------------------------------------------------------- */

static void print_fields(FILE *out, const struct table *t, int screen)
{
	char *fields;
	size_t len;
	FILE *text = text_open(&fields, &len);
	int i;

	fprintf(text, "%s:", t->name);
	for (i = 0; i < t->nr_fields; i++)
		fprintf(text, " %s=%s", t->fields[i].key, t->fields[i].value);
	text_close(text);
	text_comment(out, fields, screen);
	free(fields);
}

void text_head(FILE *out, const struct view *v, const struct style *style)
{
	char *sentence, *line, *losses;

	if (style->raw)
		return;
	if (v->machine)
		text_comment(out, v->machine, style->screen);
	if (style->verbose && v->t->nr_fields)
		print_fields(out, v->t, style->screen);
	sentence = state_sentence(v, STATE_OPTIONS | (style->exact ? STATE_EXACT : 0) |
				     (style->verbose ? STATE_DETAILS : 0));
	if (style->named && !state_is_change(v->t)) {
		line = alloc_print("%s: %s", v->t->name, sentence);
		text_comment(out, line, style->screen);
		free(line);
	} else if (*sentence) {
		text_comment(out, sentence, style->screen);
	}
	free(sentence);
	if (style->off)
		text_comment(out, source_is_snapshot(v->t->source) ?
			     "recording was off, and only frees were followed" :
			     "recording is off, only frees are followed: kmemacct on",
			     style->screen);
	losses = state_losses(v);
	text_comments(out, losses, style->screen);
	free(losses);
}

/* ---- the rows ------------------------------------------------------------- */

static bool is_label(const struct layout *l, int column)
{
	return column == l->v->t->nr_values;
}

/* The parts of a label have the parts of its name as titles. */
static void add_label_titles(struct grid *g, const struct layout *l, const char *name)
{
	struct label_part part[LABEL_PARTS];
	char *title;
	int i;

	layout_split(l, name, '_', part);
	for (i = 0; i < l->parts; i++) {
		title = alloc_print("%.*s", part[i].len, part[i].text);
		grid_column(g, title, false);
		free(title);
	}
}

/* Add the cells of a label.  A label without parts, such as that of the total, is the last cell. */
static void add_label(struct grid *g, const struct layout *l, const char *text)
{
	struct label_part part[LABEL_PARTS] = {};
	char *cell;
	int i;

	if (layout_split(l, text, ';', part))
		part[l->parts ? l->parts - 1 : 0] = (struct label_part) { text, strlen(text) };
	for (i = 0; i < l->parts || !i; i++) {
		cell = alloc_print("%.*s", part[i].len, part[i].text ?: "");
		grid_cell(g, cell);
		free(cell);
	}
}

/* Return: the title of a column.  The name of a migrate type is from a file, and may be long. */
static const char *title_of(const struct layout *l, int column, char buf[CELL_LEN])
{
	layout_title(l, column, buf);
	/* Of a label that takes two lines, the first one is a call site. */
	if (l->split && is_label(l, column))
		buf[strcspn(buf, "_")] = '\0';
	return strlen(buf) < CELL_LEN - 1 ? buf : l->v->t->columns[column].name;
}

static void add_titles(struct grid *g, const struct layout *l)
{
	char title[CELL_LEN];
	int i, column;

	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->c[column].shown)
			continue;
		if (l->lines && is_label(l, column))
			grid_column(g, LINES_TITLE, false);
		if (l->parts && is_label(l, column)) {
			add_label_titles(g, l, l->v->t->columns[column].name);
			continue;
		}
		grid_column(g, title_of(l, column, title), !is_label(l, column));
		if (l->style->sequence && !is_label(l, column))
			grid_widen(g, l->c[column].width);
		if (!l->c[column].interval)
			continue;
		grid_column(g, INTERVAL_TITLE, true);
		if (l->style->sequence)
			grid_widen(g, l->c[column].interval);
	}
}

/*
 * Add a line.
 * @row: its numbers; NULL: it has none
 * @text: the text in place of its label
 * @site: the call site whose source line it has, or NULL
 */
static void add_line(struct grid *g, const struct layout *l, const struct row *row,
		     const char *text, const char *site)
{
	char buf[CELL_LEN], *line;
	int i, column;

	grid_line(g);
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->c[column].shown)
			continue;
		if (is_label(l, column) && l->lines) {
			line = site ? sites_text(l->v->sites, site) : NULL;
			grid_cell(g, line ?: "");
			free(line);
		}
		if (is_label(l, column))
			add_label(g, l, text);
		else
			grid_cell(g, row ? layout_text(l, row, column, buf) : "");
		if (!l->c[column].interval)
			continue;
		*buf = '\0';
		if (row)
			layout_interval(l, row, column, buf);
		grid_cell(g, buf);
	}
}

/* Add a line with nothing but a part of the label. */
static void add_part(struct grid *g, const struct layout *l, const char *text, const char *site)
{
	if (l->c[l->v->t->nr_values].shown)
		add_line(g, l, NULL, text, site);
}

/* Add a row whose call site follows the numbers, with its callers on the lines below it. */
static void add_stack(struct grid *g, const struct layout *l, const struct row *row)
{
	char *copy = alloc_copy(row->label), *end, *frame, *text;
	const char *line;

	do {
		end = strrchr(copy, ';');
		frame = end ? end + 1 : copy;
		line = l->below ? sites_line(l->v->sites, frame) : NULL;
		text = line ? alloc_print("%s" LINES_GAP "%s", frame, line) : alloc_copy(frame);
		if (row)
			add_line(g, l, row, text, text);
		else
			add_part(g, l, text, frame);
		row = NULL;
		free(text);
		if (end)
			*end = '\0';
	} while (end);
	free(copy);
}

/* Add a row, with the source line of its call site below it if that has no column. */
static void add_site(struct grid *g, const struct layout *l, const struct row *row,
		     const char *site)
{
	char *line = l->below ? sites_text(l->v->sites, site) : NULL;

	add_line(g, l, row, site, site);
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

	for (i = 0; i < l->v->nr; i++) {
		row = l->v->t->rows[i];
		if (l->stacks && !l->style->raw)
			add_stack(g, l, row);
		else if (l->split)
			add_stall(g, l, row);
		else
			add_site(g, l, row, row->label);
	}
	if (l->v->total && l->v->nr && !l->style->raw)
		add_line(g, l, l->v->total, l->v->total->label, NULL);
}

/* ---- below the rows ------------------------------------------------------- */

/*
 * Name the columns left out by their titles, which -o takes as well.  The title of a histogram is
 * a scale.
 */
static void print_hidden(FILE *out, const struct layout *l)
{
	char *text;
	size_t len;
	FILE *names = text_open(&text, &len);
	char title[CELL_LEN];
	const char *name;
	int i, column;

	fputs("no room for:", names);
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (l->c[column].shown)
			continue;
		name = l->v->t->columns[column].name;
		fprintf(names, " %s", !strcmp(name, "histogram") ? name :
				      title_of(l, column, title));
	}
	text_close(names);
	text_comment(out, text, l->style->screen);
	free(text);
}

#define RECLAIMABLE	"r: in caches that the kernel can shrink when memory is short"

/*
 * The label of the total tells how many rows are not printed; tables without a total have a line
 * for this.
 */
void text_remarks(FILE *out, const struct layout *l)
{
	const struct view *v = l->v;
	const int gfp = v->t->at[AT_gfp], flag = v->t->at[AT_reclaimable];
	const int screen = l->style->screen;
	const size_t more = view_left_out(v);
	char text[64];

	if (l->style->raw)
		return;
	snprintf(text, sizeof(text), "%zu more row%s", more, more == 1 ? "" : "s");
	if (more && !v->total_label)
		text_comment(out, text, screen);
	if (flag != NONE && l->c[flag].shown)
		text_comment(out, RECLAIMABLE, screen);
	if (v->codes && gfp != NONE && l->c[gfp].shown)
		text_comments(out, gfp_legend(v->gfp), screen);
	if (l->hidden && !l->repeated)
		print_hidden(out, l);
	if (v->sites && sites_remark(v->sites))
		text_comment(out, sites_remark(v->sites), screen);
	if (v->sites && sites_caution(v->sites))
		text_comment(out, sites_caution(v->sites), screen);
	if (v->advice)
		text_comments(out, v->advice, screen);
	if (v->elsewhere)
		text_comment(out, v->elsewhere, screen);
}

static void print_grid(FILE *out, const struct layout *l)
{
	struct grid g;

	grid_begin(&g, l->style->raw, !l->style->no_header && !l->repeated);
	add_titles(&g, l);
	add_rows(&g, l);
	grid_end(&g, out);
}

/* Say how a pattern may match more. */
static void print_no_match(FILE *out, const struct view *v, const struct style *style)
{
	const char *p = v->unmatched;
	char *line;

	if (!p || (*p == '*' && text_ends(p, "*"))) {
		text_comment(out, "no row matches", style->screen);
		return;
	}
	line = alloc_print("no row matches: --site '%s%s%s' also finds parts of names",
			   *p == '*' ? "" : "*", p, text_ends(p, "*") ? "" : "*");
	text_comment(out, line, style->screen);
	free(line);
}

/* A matrix has no label, and its columns print zeroes as dots. */
static bool is_matrix(const struct table *t)
{
	return !table_label(t) && t->nr_values > 1 && t->columns[1].format == FORMAT_SPARSE;
}

int text_table(FILE *out, const struct view *v, const struct style *style)
{
	struct layout l;
	int ret;

	if (v->t->pairs) {
		text_head(out, v, style);
		text_pairs(out, v, style);
		return 0;
	}
	ret = layout_begin(&l, v, style);
	if (!ret) {
		layout_fit(&l);
		text_head(out, v, style);
		if (is_matrix(v->t) && !style->raw)
			fprintf(out, "# %s:\n", v->t->name);
		/* Titles without rows might look like an error. */
		if (style->raw || v->nr)
			print_grid(out, &l);
		else if (v->filtered && !view_left_out(v) && !v->advice)
			print_no_match(out, v, style);
		else if (!view_left_out(v) && !v->advice)
			text_comment(out, schema_nothing(v->t), style->screen);
		text_remarks(out, &l);
	}
	layout_end(&l);
	return ret;
}
