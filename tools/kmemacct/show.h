/* SPDX-License-Identifier: GPL-2.0 */
/* Tables on standard output, as the options say. */
#ifndef SHOW_H
#define SHOW_H

#include "options.h"
#include "print.h"
#include "reader.h"

/**
 * show() - print a table
 * @t: the table, freed here; NULL if it could not be read, and fail() was called
 * @o: the options
 * @keys: sort keys if -s is not given; NULL: keep the order of the rows
 *
 * Return: 0, or -1 after calling fail().
 */
int show(struct table *t, const struct options *o, const char *keys);

/*
 * Remove the rows of a table that the options do not select, as show() does; a row may be counted
 * after that.  The table is freed after an error.
 * Return: 0, or -1 after calling fail().
 */
int show_select(struct table *t, const struct options *o);

/* The same as show(), but on a terminal print only as many rows as it has lines for. */
int show_screenful(struct table *t, const struct options *o);

/**
 * show_stream() - print a table row by row, as it is read
 * @r: the reader, closed here; NULL if it could not be opened, and fail() was called
 * @o: the options; with -s, only those of the rows that -l leaves are kept in memory
 * @check_empty: returns -1 after calling fail() if it is an error that the table is empty; or NULL
 *
 * Return: 0, or -1 after calling fail().
 */
int show_stream(struct reader *r, const struct options *o,
		int (*check_empty)(const struct table *t));

/* Print the histograms of a table from latency_view() in the same way. */
int show_histograms(struct table *t, const struct options *o, const char *keys);

/*
 * Check sort keys and columns with a table, before a command runs for an hour.
 * Return: 0, or -1 after calling fail().
 */
int show_check(const struct table *t, const struct options *o);

/* Return: what a table looks like by the options. */
struct look show_look(const struct options *o);

/*
 * Flush the output, which is buffered: a write error may appear only now.
 * Return: 0, or -1 after calling fail().
 */
int show_finish(void);

#endif /* SHOW_H */
