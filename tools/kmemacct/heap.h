/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first rows of an order, kept while all rows of a table are read.
 *
 * It is a binary heap whose root is the row that comes last, and that the next one which comes
 * before it replaces.  So it needs memory for the rows that are kept, not for all.
 */
#ifndef HEAP_H
#define HEAP_H

#include "sort.h"

struct heap;

/**
 * heap_new() - make an empty heap
 * @t: the table that rows are of; it and @sort have to exist as long as the heap
 * @sort: the order; rows that compare equal are in the order in which they are added
 * @max: number of rows to keep
 *
 * Return: the heap.
 */
struct heap *heap_new(const struct table *t, const struct sort *sort, u64 max);

/* Return: number of rows that are kept. */
size_t heap_nr_rows(const struct heap *h);

/* Add a copy of a row, unless @max other rows come before it. */
void heap_add(struct heap *h, const struct row *row);

/*
 * Make a table of the rows in their order, and free the heap.  The head of the new table is that of
 * heap_new()'s, whose text it points into.
 */
struct table *heap_table(struct heap *h);

/* Free the heap without making a table. */
void heap_free(struct heap *h);

#endif /* HEAP_H */
