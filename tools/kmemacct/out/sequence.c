// SPDX-License-Identifier: GPL-2.0
/* Tables of one form that are printed one after another.  See struct sequence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* Find a column, or add it.  Return: NULL if there is no room. */
static struct sequence_column *find_column(struct sequence *s, const char *name)
{
	int i = 0;

	while (i < s->nr && strcmp(s->column[i].name, name))
		i++;
	if (i == SHOWN_MAX)
		return NULL;
	if (i == s->nr) {
		s->nr++;
		snprintf(s->column[i].name, sizeof(s->column[i].name), "%s", name);
		s->column[i].shown = true;
	}
	return &s->column[i];
}

bool sequence_shows(const struct sequence *s, const char *name)
{
	int i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->column[i].name, name))
			return s->column[i].shown;
	return true;
}

/* Return: a width that fits most values, so that the column rarely has to grow. */
static int usual_width(const struct layout *l, const struct column *c)
{
	const bool size = unit_is_size(c->unit);

	if (c->format == FORMAT_NAME || (!size && c->kind != KIND_COUNTER))
		return 0;
	return strlen(size && l->style->exact ? "12345678" : "1.23K") + c->change +
	       l->v->t->sampled;
}

static int most_of(int a, int b)
{
	return a > b ? a : b;
}

void sequence_widen(struct sequence *s, struct layout *l)
{
	const struct table *t = l->v->t;
	struct sequence_column *c;
	int i, column;

	if (s->screen != l->style->screen) {
		sequence_end(s);
		s->screen = l->style->screen;
	}
	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (column == t->nr_values)
			continue;
		c = find_column(s, t->columns[column].name);
		l->c[column].width = most_of(l->c[column].width,
					     usual_width(l, &t->columns[column]));
		if (!c)
			continue;
		l->c[column].width = most_of(l->c[column].width, c->width);
		if (l->c[column].interval)
			l->c[column].interval = most_of(l->c[column].interval, c->interval);
		l->c[column].shown = c->shown;
		l->hidden += !c->shown;
	}
	l->label = l->label ? most_of(l->label, s->label) : 0;
}

/* Describe the titles: what they are, and where. */
static char *describe(const struct layout *l)
{
	const struct layout_column *c;
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);
	int i;

	for (i = 0; i < l->columns.nr; i++) {
		c = &l->c[l->columns.column[i]];
		if (c->shown && l->columns.column[i] < l->v->t->nr_values)
			fprintf(out, "%s %d %d\n", l->v->t->columns[l->columns.column[i]].name,
				c->width, c->interval);
	}
	text_close(out);
	return text;
}

/* Return: number of lines of a table: its state, its rows, and its total, but not of remarks. */
static int count_lines(const struct layout *l)
{
	const char *frame;
	int nr = 1 + !!l->v->total;
	size_t i;

	for (i = 0; i < l->v->nr; i++, nr++)
		for (frame = l->v->t->rows[i]->label; l->stacks && (frame = strchr(frame, ';'));
		     frame++)
			nr++;
	return nr;
}

static void keep_columns(struct sequence *s, const struct layout *l)
{
	struct sequence_column *c;
	int i;

	for (i = 0; i < l->v->t->nr_values; i++) {
		c = find_column(s, l->v->t->columns[i].name);
		if (!c)
			continue;
		c->shown = l->c[i].shown;
		c->width = most_of(l->c[i].width, c->width);
		c->interval = most_of(l->c[i].interval, c->interval);
	}
	s->label = most_of(l->label, s->label);
}

bool sequence_keep(struct sequence *s, const struct layout *l)
{
	const int lines = count_lines(l);
	char *titles = describe(l);
	const bool same = s->titles && !strcmp(titles, s->titles) &&
			  s->lines + lines <= l->style->lines;

	keep_columns(s, l);
	free(s->titles);
	s->titles = titles;
	s->lines = lines + (same ? s->lines : 1);
	return same;
}

void sequence_discard(struct sequence *s)
{
	free(s->titles);
	s->titles = NULL;
}

void sequence_end(struct sequence *s)
{
	free(s->titles);
	*s = (struct sequence) {};
}
