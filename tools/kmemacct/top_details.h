/* SPDX-License-Identifier: GPL-2.0 */
/* The details of a row of kmemacct top. */
#ifndef TOP_DETAILS_H
#define TOP_DETAILS_H

#include "gfp.h"
#include "top_column.h"

/**
 * struct top_details - what the details of a row are made from
 * @columns: the columns of the view
 * @rows: its rows
 * @row: the row
 * @stacks: the table stacks, to show the stacks that lead to a call site, or NULL
 * @gfp: names of gfp flags, or NULL
 * @screen: width of the screen
 */
struct top_details {
	const struct top_columns *columns;
	const struct top_rows *rows;
	const struct top_row *row;
	const struct table *stacks;
	const struct gfp *gfp;
	int screen;
};

/*
 * Print the label, all numbers with their intervals, the graphs of the history, and stacks.
 * Return: the text, in the characters of top_canvas.h; the caller frees it.
 */
char *top_details_make(const struct top_details *d);

#endif /* TOP_DETAILS_H */
