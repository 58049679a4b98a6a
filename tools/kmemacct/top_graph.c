// SPDX-License-Identifier: GPL-2.0
/* Graphs of the history of a row.  See top_graph.h. */
#include <math.h>
#include <string.h>

#include "top_canvas.h"
#include "top_graph.h"

/* Blanks before the graph, and the axis after the numbers at its side. */
#define MARGIN	2
#define AXIS	" |"

/**
 * struct graph - a graph
 * @values: the values
 * @nr: number of @values
 * @low: lowest of them
 * @high: highest of them
 * @known: number of values that are known
 */
struct graph {
	const float *values;
	int nr;
	float low;
	float high;
	int known;
};

static void find_range(struct graph *g)
{
	int i;

	g->known = 0;
	for (i = 0; i < g->nr; i++) {
		if (isnan(g->values[i]))
			continue;
		if (!g->known || g->values[i] < g->low)
			g->low = g->values[i];
		if (!g->known || g->values[i] > g->high)
			g->high = g->values[i];
		g->known++;
	}
}

/* Return: height of a value, from 1 to that of the graph; 0 if it is not known. */
static int height_of(const struct graph *g, float value)
{
	const int most = TOP_GRAPH_LINES * TOP_LEVELS;

	if (isnan(value))
		return 0;
	if (!(g->high > g->low))
		return 1;
	return 1 + lrint((double)(value - g->low) / (g->high - g->low) * (most - 1));
}

/* Print the part of the graph in a line; line 0 is the lowest one. */
static void print_line(FILE *out, const struct graph *g, int line)
{
	int i, level;

	for (i = 0; i < g->nr; i++) {
		level = height_of(g, g->values[i]) - line * TOP_LEVELS;
		if (level > TOP_LEVELS)
			level = TOP_LEVELS;
		fputc(level > 0 ? level : ' ', out);
	}
	fputc('\n', out);
}

/* Return: width of the numbers at the side. */
static int side_width(const struct graph *g, const struct top_column *c)
{
	char number[NUMBER_LEN];
	int width = 0;

	top_column_print(c, g->low, number);
	layout_widen(&width, number);
	top_column_print(c, g->high, number);
	layout_widen(&width, number);
	return width;
}

static void print_lines(FILE *out, const struct graph *g, const struct top_column *c, int width)
{
	char low[NUMBER_LEN], high[NUMBER_LEN];
	const char *side;
	int line;

	top_column_print(c, g->low, low);
	top_column_print(c, g->high, high);
	for (line = TOP_GRAPH_LINES - 1; line >= 0; line--) {
		side = line == TOP_GRAPH_LINES - 1 ? high : line ? "" : low;
		fprintf(out, "%*s%*s" AXIS, MARGIN, "", width, side);
		print_line(out, g, line);
	}
}

void top_graph_print(FILE *out, const struct top_column *c, const float *values, int nr,
		     const u64 *ms, int screen)
{
	struct graph g = { .values = values, .nr = nr };
	char time[NUMBER_LEN];
	int width, room;

	find_range(&g);
	if (g.known < 2) {
		fprintf(out, "%s: no graph yet\n", c->title);
		return;
	}
	width = side_width(&g, c);
	room = screen - MARGIN - width - (int)strlen(AXIS);
	if (room > 0 && nr > room) {
		g.values += nr - room;
		g.nr = room;
		find_range(&g);
	}
	number_print_age(time, ms[nr - 1] - ms[nr - g.nr]);
	fprintf(out, "%s in the last %d refreshes, %s:\n", c->title, g.nr, time);
	print_lines(out, &g, c, width);
}
