/* SPDX-License-Identifier: GPL-2.0 */
/* Views of the tables of pages: matrices, a summary, sums and advice. */
#ifndef PAGES_H
#define PAGES_H

#include "table.h"

/**
 * pages_matrix() - make a matrix of a column of `orders`
 * @orders: the table; the matrix points to its names of migrate types
 * @column: name of the column
 *
 * Return: a table with a row for each order and a column for each migrate type, or NULL after
 * calling fail().
 */
struct table *pages_matrix(const struct table *orders, const char *column);

/* Move the lines of perf kmem's page summary from @pairs to a table of their own. */
struct table *pages_summary(struct table *pairs);

/* Add to `pcpu` a column `mark`, which shows imbalance between CPUs, and a row of sums. */
void pages_mark(struct table *pcpu);

/* Add advice to `extfrag`, if any allocation has fragmented memory. */
void pages_advise(struct table *extfrag);

#endif /* PAGES_H */
