/* SPDX-License-Identifier: GPL-2.0 */
/* Sorting of rows. */
#ifndef SORT_H
#define SORT_H

#include "table.h"

#define SORT_KEYS	16

/**
 * struct sort - the order of a table's rows
 * @key: indexes of the columns to compare; the first column that differs decides
 * @nr: number of keys; 0: keep the order of the rows
 *
 * Numbers descend, names and labels ascend, as in the module.
 */
struct sort {
	int key[SORT_KEYS];
	int nr;
};

/*
 * Parse the sort keys `key[,key...]`, which are names of columns of @t.
 * Return: 0, or -1 after calling fail().
 */
int sort_parse(struct sort *sort, const struct table *t, const char *keys);

/* Return: below 0 if a row comes first, above 0 if the other one does, 0 if they compare equal. */
int sort_compare(const struct table *t, const struct sort *sort, const struct row *a,
		 const struct row *b);

/* Sort the rows.  Rows that compare equal keep their order. */
void sort_rows(struct table *t, const struct sort *sort);

/* Sort the rows by label only. */
void sort_by_label(struct table *t);

#endif /* SORT_H */
