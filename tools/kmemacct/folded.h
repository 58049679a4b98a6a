/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks as flamegraph.pl, inferno and speedscope take them. */
#ifndef FOLDED_H
#define FOLDED_H

#include <stdio.h>

#include "table.h"

/**
 * folded_print() - a line for each stack: its frames, a blank, and a count
 * @out: where to
 * @t: the table stacks
 * @name: which column is the count
 *
 * Stacks of which it is 0 are left out.
 * Return: 0, or -1 and fail() was called.
 */
int folded_print(FILE *out, const struct table *t, const char *name);

#endif /* FOLDED_H */
