/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks in the folded format, which flamegraph.pl, inferno and speedscope read. */
#ifndef FOLDED_H
#define FOLDED_H

#include <stdio.h>

#include "table.h"

/**
 * folded_print() - print a line for each stack: its frames, a blank, and a count
 * @out: output file
 * @t: the table stacks
 * @name: name of the column that is the count
 *
 * Stacks whose count is 0 are left out.
 *
 * Return: 0, or -1 after calling fail().
 */
int folded_print(FILE *out, const struct table *t, const char *name);

#endif /* FOLDED_H */
