// SPDX-License-Identifier: GPL-2.0
/*
 * The first rows of an order, kept while all rows of a table are read.
 *
 * The heap is a binary one.  Its root is the kept row that comes last; a new row that comes before
 * it replaces it.  So memory is needed for the rows that are kept, not for all.
 */
#include <stdlib.h>
#include <string.h>

#include "view.h"

/**
 * struct item - a row that is kept
 * @nr: number of rows that were added before it
 * @row: copy of the row, whose names and label follow it
 */
struct item {
	u64 nr;
	struct row row;
};

/**
 * struct heap - a binary heap
 * @t: the table that rows are of
 * @sort: the order
 * @max: number of rows to keep
 * @added: number of rows that were added
 * @items: the rows that are kept; none comes before the two below it, @items[2 * i + 1] and
 *	@items[2 * i + 2]
 * @nr: number of @items
 * @room: number of items that @items has room for
 */
struct heap {
	const struct table *t;
	const struct sort *sort;
	u64 max;
	u64 added;
	struct item **items;
	size_t nr;
	size_t room;
};

/* Copy a text to *@to, which is set to its end.  Return: the copy. */
static const char *copy_text(char **to, const char *text)
{
	char *copy = *to;

	*to = stpcpy(copy, text) + 1;
	return copy;
}

static struct item *new_item(const struct heap *h, const struct row *row)
{
	const struct column *c = h->t->columns;
	const int nr = h->t->nr_values;
	size_t size = strlen(row->label) + 1;
	struct item *item;
	char *text;
	int i;

	for (i = 0; i < nr; i++)
		if (c[i].format == FORMAT_NAME)
			size += strlen(row_name(row, i)) + 1;
	item = alloc(1, sizeof(*item) + nr * sizeof(row->v[0]) + size);
	item->nr = h->added;
	text = (char *)&item->row.v[nr];
	for (i = 0; i < nr; i++)
		item->row.v[i] = c[i].format == FORMAT_NAME ?
				 (uintptr_t)copy_text(&text, row_name(row, i)) : row->v[i];
	item->row.label = copy_text(&text, row->label);
	return item;
}

static int compare(const void *a, const void *b, void *heap)
{
	const struct item *x = *(struct item * const *)a, *y = *(struct item * const *)b;
	const struct heap *h = heap;
	int ret = view_compare(h->t, h->sort, &x->row, &y->row);

	return ret ? ret : x->nr < y->nr ? -1 : x->nr > y->nr;
}

static bool comes_before(struct heap *h, size_t a, size_t b)
{
	return compare(&h->items[a], &h->items[b], h) < 0;
}

static void swap(struct heap *h, size_t a, size_t b)
{
	struct item *item = h->items[a];

	h->items[a] = h->items[b];
	h->items[b] = item;
}

static void append(struct heap *h, struct item *item)
{
	size_t i = h->nr++;

	h->items = alloc_more(h->items, i, &h->room, sizeof(*h->items));
	h->items[i] = item;
	for (; i && comes_before(h, (i - 1) / 2, i); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

static void replace_root(struct heap *h, struct item *item)
{
	size_t i, below;

	free(h->items[0]);
	h->items[0] = item;
	for (i = 0; (below = 2 * i + 1) < h->nr; i = below) {
		if (below + 1 < h->nr && comes_before(h, below, below + 1))
			below++;
		if (!comes_before(h, i, below))
			return;
		swap(h, i, below);
	}
}

struct heap *heap_new(const struct table *t, const struct sort *sort, u64 max)
{
	struct heap *h = alloc(1, sizeof(*h));

	*h = (struct heap) { .t = t, .sort = sort, .max = max };
	return h;
}

size_t heap_nr_rows(const struct heap *h)
{
	return h->nr;
}

void heap_add(struct heap *h, const struct row *row)
{
	if (h->nr < h->max)
		append(h, new_item(h, row));
	/* A row that compares equal to the root comes after it. */
	else if (h->nr && view_compare(h->t, h->sort, row, &h->items[0]->row) < 0)
		replace_root(h, new_item(h, row));
	h->added++;
}

void heap_free(struct heap *h)
{
	while (h->nr)
		free(h->items[--h->nr]);
	free(h->items);
	free(h);
}

struct table *heap_table(struct heap *h, size_t *not_kept)
{
	struct table *t = table_new(h->t->name, h->t->columns, h->t->sampled, h->nr);
	struct row *row;
	size_t i;

	table_inherit(t, h->t);
	*not_kept = h->added - h->nr;
	if (h->nr)
		qsort_r(h->items, h->nr, sizeof(h->items[0]), compare, h);
	/* The addresses of the rows ascend in this order, so that view_sort() keeps it. */
	for (i = 0; i < h->nr; i++) {
		row = table_add(t);
		memcpy(row, &h->items[i]->row, table_row_size(t));
		table_own(t, h->items[i]);
	}
	h->nr = 0;
	heap_free(h);
	return t;
}
