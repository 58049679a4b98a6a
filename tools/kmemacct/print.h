/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as text for people. */
#ifndef PRINT_H
#define PRINT_H

#include <stdio.h>

#include "sort.h"

/* Return: width of the terminal; 0 if lines may be of any length. */
int print_screen(void);

/**
 * print_table() - print a table as text
 * @out: output file
 * @t: the table
 * @sort: the order of its rows; the columns of sort keys are always shown
 * @screen: width of the terminal, as print_screen() returns it
 * @exact: print sizes and times without rounding
 */
void print_table(FILE *out, const struct table *t, const struct sort *sort,
		 int screen, bool exact);

/* Print a text as a comment, in lines that fit @screen. */
void print_remark(FILE *out, const char *text, int screen);

/* Print the head of a table, and remarks on it. */
void print_table_head(FILE *out, const struct table *t, int screen);

/*
 * Cut @label in the middle, so that it takes at most @width columns.  The ends of a name
 * distinguish it best.
 */
void print_cut(char *label, int width);

#endif /* PRINT_H */
