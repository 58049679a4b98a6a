/* SPDX-License-Identifier: GPL-2.0 */
/* Graphs of the history of a row of kmemacct top. */
#ifndef TOP_GRAPH_H
#define TOP_GRAPH_H

#include <stdio.h>

#include "top_column.h"

/* Number of lines of a graph without its title. */
#define TOP_GRAPH_LINES	4

/**
 * top_graph_print() - print a graph, in the characters of top_canvas.h
 * @out: output
 * @c: column of the view, whose title and unit the values have
 * @values: the values, the oldest first; NAN: not known
 * @nr: number of @values
 * @ms: the times of @values in milliseconds
 * @screen: width of the screen; if there are more values, only the last ones are shown
 *
 * The graph does not begin at 0, but at the lowest value, so that small changes can be seen; the
 * lowest and the highest value are printed at its side.
 */
void top_graph_print(FILE *out, const struct top_column *c, const float *values, int nr,
		     const u64 *ms, int screen);

#endif /* TOP_GRAPH_H */
