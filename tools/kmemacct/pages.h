/* SPDX-License-Identifier: GPL-2.0 */
/* What people want to see of tables of pages. */
#ifndef PAGES_H
#define PAGES_H

#include "table.h"

/**
 * pages_matrix() - a column of `orders` by order and migrate type
 * @orders: the table, of which the names of types are used
 * @column: the column's name
 *
 * Return: a row for each order; NULL, and fail() was called.
 */
struct table *pages_matrix(const struct table *orders, const char *column);

/* Take the lines of perf kmem's page summary out of @pairs, as a table of their own. */
struct table *pages_summary(struct table *pairs);

/* `pcpu` gets a column that tells unequal CPUs apart, and a sum. */
void pages_mark(struct table *pcpu);

/* `extfrag` gets advice on what to do about it, if something is to be done. */
void pages_advise(struct table *extfrag);

#endif /* PAGES_H */
