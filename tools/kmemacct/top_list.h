/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of rows of a view of kmemacct top.
 *
 * Labels are not cut in order to make room for numbers: columns are left out, those of the
 * highest rank first.  What is still too long can be scrolled.  Widths only grow, so that columns
 * stay where they are while numbers change, until top_list_reset().
 */
#ifndef TOP_LIST_H
#define TOP_LIST_H

#include "top_canvas.h"
#include "top_order.h"

/**
 * struct top_list - how a list of rows is shown
 * @cursor: number of the selected row, in the order of the rows
 * @first: number of the first row on the screen
 * @scroll: number of characters of labels to the left of the screen
 * @lines: number of rows that fit on the screen
 * @width: for each column, its width
 * @label: width of the widest label
 * @shown: for each column, whether it is shown
 * @hidden: number of columns that are left out
 */
struct top_list {
	size_t cursor;
	size_t first;
	int scroll;
	int lines;
	int width[TOP_COLUMNS];
	int label;
	bool shown[TOP_COLUMNS];
	int hidden;
};

/* Forget the widths of columns. */
void top_list_reset(struct top_list *l);

/* Move the cursor, and stop it at the first and at the last row. */
void top_list_move(struct top_list *l, const struct top_order *o, long by);

/* Scroll the labels, which then begin at the left end or farther right. */
void top_list_scroll(struct top_list *l, int by);

/**
 * top_list_draw() - draw the titles and the rows
 * @l: the list
 * @c: canvas
 * @from: line of the titles; the rows follow
 * @lines: number of lines for titles and rows
 * @cs: the columns
 * @r: the rows
 * @o: their order
 */
void top_list_draw(struct top_list *l, struct top_canvas *c, int from, int lines,
		   const struct top_columns *cs, const struct top_rows *r,
		   const struct top_order *o);

/* Copy a label as a list shows it: a stack begins at its call site.  The caller frees it. */
char *top_list_label(const struct top_view *view, const char *label);

#endif /* TOP_LIST_H */
