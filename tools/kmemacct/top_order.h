/* SPDX-License-Identifier: GPL-2.0 */
/* Which rows of a view of kmemacct top are shown, and in which order. */
#ifndef TOP_ORDER_H
#define TOP_ORDER_H

#include "top_column.h"

/* Size of the text of a filter, with its NUL. */
#define TOP_FILTER_LEN	64

/**
 * struct top_order - the rows that are shown, in order
 * @key: index of the column to sort by
 * @reverse: sort in the opposite order
 * @filter: show only rows whose label contains this text, in upper or lower case
 * @shown: indexes into top_rows.row
 * @nr: number of @shown
 */
struct top_order {
	int key;
	bool reverse;
	char filter[TOP_FILTER_LEN];
	size_t *shown;
	size_t nr;
};

/*
 * Filter and sort the rows.  Numbers descend, names ascend, and what is not known comes last;
 * rows that compare equal are in the order of their labels.
 */
void top_order_make(struct top_order *o, const struct top_columns *cs,
		    const struct top_rows *r);

#endif /* TOP_ORDER_H */
