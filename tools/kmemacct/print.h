/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as people read them. */
#ifndef PRINT_H
#define PRINT_H

#include <stdio.h>

#include "sort.h"

/* Columns of the terminal; 0 where lines may be of any length. */
int print_screen(void);

/**
 * print_table() - a table as text
 * @out: where to
 * @t: the table
 * @sort: its order; the columns that it is by are always shown
 * @screen: as print_screen() has it
 * @exact: sizes and times as they are, not rounded
 */
void print_table(FILE *out, const struct table *t, const struct sort *sort,
		 int screen, bool exact);

/*
 * Cut @label in the middle, so that it takes @width columns at most, its ends
 * being what tells names apart.
 */
void print_cut(char *label, int width);

#endif /* PRINT_H */
