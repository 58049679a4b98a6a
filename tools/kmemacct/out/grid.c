// SPDX-License-Identifier: GPL-2.0
/* A grid of text.  See the overview in out.h. */
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* libsmartcols fails only if memory is exhausted. */
static void *need(void *mem)
{
	alloc_check(mem);
	return mem;
}

void grid_begin(struct grid *g, bool raw, bool header)
{
	*g = (struct grid) { .table = need(scols_new_table()), .header = header };
	/* Otherwise libsmartcols would cut cells to the width of the terminal. */
	scols_table_set_termforce(g->table, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_noheadings(g->table, !header);
	scols_table_enable_raw(g->table, raw);
}

void grid_column(struct grid *g, const char *title, bool right)
{
	/* A column is at least as wide as its title, also if titles are not printed. */
	g->column = need(scols_table_new_column(g->table, g->header ? title : "", 1,
						right ? SCOLS_FL_RIGHT : 0));
	g->titles[g->nr_columns++] = alloc_copy(title);
}

void grid_widen(struct grid *g, int width)
{
	scols_column_set_whint(g->column, width);
}

void grid_line(struct grid *g)
{
	g->line = need(scols_table_new_line(g->table, NULL));
	g->at = 0;
	if (!g->nr_parts)
		grid_part(g);
}

void grid_part(struct grid *g)
{
	bool begun = g->nr_parts && g->parts[g->nr_parts - 1] == g->line;

	if (!begun && g->nr_parts < GRID_PARTS)
		g->parts[g->nr_parts++] = g->line;
}

void grid_cell(struct grid *g, const char *text)
{
	if (scols_line_set_data(g->line, g->at++, text))
		need(NULL);
}

static void print_titles(const struct grid *g, FILE *out)
{
	int i;

	for (i = 0; i < g->nr_columns; i++)
		fprintf(out, "%s%s", i ? " " : "", g->titles[i]);
	fputc('\n', out);
}

/* Print a part.  libsmartcols ends it with a newline only if more lines follow in the table. */
static void print_part(const struct grid *g, FILE *out, struct libscols_line *first,
		       struct libscols_line *last)
{
	char *text = NULL;
	size_t len;

	if (scols_table_print_range_to_string(g->table, first, last, &text))
		need(NULL);
	for (len = strlen(text); len && text[len - 1] == '\n'; len--)
		;
	fprintf(out, "%.*s\n", (int)len, text);
	free(text);
}

/* Print the parts.  A column has the same width in all of them. */
static void print_parts(const struct grid *g, FILE *out)
{
	struct libscols_iter *all = need(scols_new_iter(SCOLS_ITER_FORWARD));
	struct libscols_line *line, *last = NULL;
	int part = 0;

	while (!scols_table_next_line(g->table, all, &line)) {
		if (part + 1 < g->nr_parts && line == g->parts[part + 1]) {
			print_part(g, out, g->parts[part++], last);
			fputc('\n', out);
		}
		last = line;
	}
	print_part(g, out, g->parts[part], last);
	scols_free_iter(all);
}

void grid_end(struct grid *g, FILE *out)
{
	if (!scols_table_is_empty(g->table))
		print_parts(g, out);
	else if (g->header && g->nr_columns)
		print_titles(g, out);
	scols_unref_table(g->table);
	while (g->nr_columns)
		free(g->titles[--g->nr_columns]);
}
