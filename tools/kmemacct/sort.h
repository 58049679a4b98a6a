/* SPDX-License-Identifier: GPL-2.0 */
/* The order of rows. */
#ifndef SORT_H
#define SORT_H

#include "table.h"

#define SORT_KEYS	16

/**
 * struct sort - the order of a table's rows
 * @key: columns that rows are compared by, the first that differs decides
 * @nr: how many; 0: as they are
 *
 * Numbers descend and labels ascend, as in the module.
 */
struct sort {
	int key[SORT_KEYS];
	int nr;
};

/* Columns of @t out of `key[,key...]`.  Return: 0, or -1 and fail() was called. */
int sort_parse(struct sort *sort, const struct table *t, const char *keys);

/* Rows that compare equal keep their order. */
void sort_rows(struct table *t, const struct sort *sort);

/* By the label alone. */
void sort_by_label(struct table *t);

#endif /* SORT_H */
