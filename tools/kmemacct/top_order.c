// SPDX-License-Identifier: GPL-2.0
/* Which rows of a view are shown, and in which order.  See top_order.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_order.h"

/**
 * struct item - a row to sort
 * @number: the number in the column to sort by; 0 if the column is one of text
 * @known: this number is known
 * @text: the text to sort by, if the numbers are equal
 * @label: the label
 * @index: index of the row
 */
struct item {
	long double number;
	bool known;
	const char *text;
	const char *label;
	size_t index;
};

static int compare_texts(const struct item *x, const struct item *y)
{
	int ret = strcmp(x->text, y->text);

	return ret ? ret : strcmp(x->label, y->label);
}

/* Rows that are alike keep the order of the table: the order is the same at each refresh. */
static int compare_items(const void *a, const void *b, void *priv)
{
	const struct item *x = a, *y = b;
	const bool *reverse = priv;
	int ret = 0;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->number != y->number)
		ret = x->number > y->number ? -1 : 1;
	else
		ret = compare_texts(x, y);
	if (ret)
		return *reverse ? -ret : ret;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct item make_item(const struct top_order *o, const struct top_columns *cs,
			     const struct top_rows *r, size_t index)
{
	const struct top_row *row = &r->row[index];
	struct item item = {
		.known = true, .text = "", .label = row->now->label, .index = index,
	};
	struct top_number n;

	if (!cs->c[o->key].nr_sources)
		return item;
	if (top_column_is_text(cs, o->key, r)) {
		item.text = row_name(row->now, cs->c[o->key].source[0]);
		return item;
	}
	n = top_column_number(cs, o->key, r, row);
	item.known = n.known;
	item.number = n.value;
	return item;
}

void top_order_make(struct top_order *o, const struct top_columns *cs,
		    const struct top_rows *r)
{
	struct item *items = alloc(r->nr, sizeof(*items));
	size_t i, nr = 0;

	for (i = 0; i < r->nr; i++)
		if (!*o->filter || strcasestr(r->row[i].now->label, o->filter))
			items[nr++] = make_item(o, cs, r, i);
	qsort_r(items, nr, sizeof(*items), compare_items, &o->reverse);
	free(o->shown);
	o->shown = alloc(nr, sizeof(*o->shown));
	for (i = 0; i < nr; i++)
		o->shown[i] = items[i].index;
	o->nr = nr;
	free(items);
}
