/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of pairs as text: a name, its value, and what it means.
 *
 * `summary` has its telling lines in groups; all others are printed with -v.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include "print.h"

/* Print the rows of a table of pairs. */
void pairs_print(FILE *out, const struct table *t, const struct look *look);

#endif /* PAIRS_H */
