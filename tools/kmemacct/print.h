/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as text for people, and as words for scripts.
 *
 *   # the state of the table
 *   titles
 *   rows
 *   sum of all rows
 *   # remarks
 *
 * libsmartcols aligns the columns.  What is printed is decided here: names are never cut.
 */
#ifndef PRINT_H
#define PRINT_H

#include <stdio.h>

#include "layout.h"

/**
 * struct look - what a table looks like
 * @screen: width of the terminal, as print_screen() returns it
 * @exact: print sizes and times without rounding
 * @raw: print words with one blank between them, and no comments
 * @no_header: omit the titles
 * @verbose: print all fields of the head, and all lines of a summary
 * @off: the module does not record now
 * @named: the state of a table begins with its name
 * @output: value of -o, or NULL
 */
struct look {
	int screen;
	bool exact;
	bool raw;
	bool no_header;
	bool verbose;
	bool off;
	bool named;
	const char *output;
};

/* Return: width of the terminal; 0 if lines may be of any length. */
int print_screen(void);

/* Return: number of lines of the terminal; 0 if the output goes elsewhere. */
int print_screen_lines(void);

/**
 * print_table() - print a table as text
 * @out: output file
 * @t: the table
 * @sort: the order of its rows; the columns of sort keys are always shown
 * @look: what it looks like
 *
 * Return: 0, or -1 after calling fail(), with nothing printed.
 */
int print_table(FILE *out, const struct table *t, const struct sort *sort,
		const struct look *look);

/* Print what is above the rows of a table. */
void print_table_head(FILE *out, const struct table *t, const struct look *look);

/* Print what is below the rows of a table. */
void print_remarks(FILE *out, const struct layout *l);

#endif /* PRINT_H */
