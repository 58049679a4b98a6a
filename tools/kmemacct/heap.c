// SPDX-License-Identifier: GPL-2.0
/* The first rows of an order.  See heap.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "heap.h"

/**
 * struct item - a row that is kept
 * @nr: number of rows that were added before it
 * @size: size of the names and the label, which follow the values
 * @row: copy of the row
 */
struct item {
	u64 nr;
	size_t size;
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

/* ---- copies of rows ------------------------------------------------------- */

static size_t text_size(const struct table *t, const struct row *row)
{
	size_t size = strlen(row->label) + 1;
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].format == FORMAT_NAME)
			size += strlen(row_name(row, i)) + 1;
	return size;
}

/* Copy a text to @to.  Return: the copy; *@to is set to its end. */
static const char *copy_text(char **to, const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = memcpy(*to, text, size);

	*to += size;
	return copy;
}

/* Copy a row, and its names and label to @text.  Return: the end of these. */
static char *copy_row(const struct table *t, struct row *to, const struct row *from, char *text)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		to->v[i] = t->columns[i].format == FORMAT_NAME ?
			   (uintptr_t)copy_text(&text, row_name(from, i)) : from->v[i];
	to->label = copy_text(&text, from->label);
	return text;
}

static struct item *new_item(const struct heap *h, const struct row *row)
{
	const size_t size = text_size(h->t, row);
	const size_t values = h->t->nr_values * sizeof(row->v[0]);
	struct item *item = alloc(1, sizeof(*item) + values + size);

	item->nr = h->added;
	item->size = size;
	copy_row(h->t, &item->row, row, (char *)item->row.v + values);
	return item;
}

/* ---- the heap ------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *heap)
{
	const struct item *x = *(struct item * const *)a, *y = *(struct item * const *)b;
	const struct heap *h = heap;
	int ret = sort_compare(h->t, h->sort, &x->row, &y->row);

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

static void move_up(struct heap *h, size_t i)
{
	for (; i && comes_before(h, (i - 1) / 2, i); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

static void move_down(struct heap *h, size_t i)
{
	size_t below;

	for (; (below = 2 * i + 1) < h->nr; i = below) {
		if (below + 1 < h->nr && comes_before(h, below, below + 1))
			below++;
		if (!comes_before(h, i, below))
			return;
		swap(h, i, below);
	}
}

static void append(struct heap *h, struct item *item)
{
	struct item **items;

	if (h->nr == h->room) {
		h->room = h->room ? 2 * h->room : 64;
		items = alloc(h->room, sizeof(*items));
		if (h->nr)
			memcpy(items, h->items, h->nr * sizeof(*items));
		free(h->items);
		h->items = items;
	}
	h->items[h->nr] = item;
	move_up(h, h->nr++);
}

static void replace_root(struct heap *h, struct item *item)
{
	free(h->items[0]);
	h->items[0] = item;
	move_down(h, 0);
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
	else if (h->nr && sort_compare(h->t, h->sort, row, &h->items[0]->row) < 0)
		replace_root(h, new_item(h, row));
	h->added++;
}

void heap_free(struct heap *h)
{
	size_t i;

	for (i = 0; i < h->nr; i++)
		free(h->items[i]);
	free(h->items);
	free(h);
}

/* ---- the table ------------------------------------------------------------ */

static size_t total_size(const struct heap *h)
{
	size_t i, size = 0;

	for (i = 0; i < h->nr; i++)
		size += h->items[i]->size;
	return size;
}

struct table *heap_table(struct heap *h)
{
	struct table *t = table_new(h->t->name, h->t->columns, h->t->sampled, h->nr);
	char *text = alloc(1, total_size(h));
	size_t i;

	table_inherit(t, h->t);
	t->cells = text;
	t->not_kept = h->added - h->nr;
	if (h->nr)
		qsort_r(h->items, h->nr, sizeof(h->items[0]), compare, h);
	/* Their addresses ascend in this order, so that sort_rows() keeps it: see table.h. */
	for (i = 0; i < h->nr; i++)
		text = copy_row(t, table_add(t), &h->items[i]->row, text);
	heap_free(h);
	return t;
}
