/* SPDX-License-Identifier: GPL-2.0 */
/* Tables on standard output, as the options say. */
#ifndef SHOW_H
#define SHOW_H

#include "options.h"
#include "table.h"

/**
 * show() - print a table
 * @t: the table, freed here; NULL if it could not be read, and fail() was called
 * @o: the options
 * @keys: sort keys if -s is not given; NULL: keep the order of the rows
 *
 * Return: 0, or -1 after calling fail().
 */
int show(struct table *t, const struct options *o, const char *keys);

/* Print the histograms of a table from latency_view() in the same way. */
int show_histograms(struct table *t, const struct options *o, const char *keys);

/* Leave out the rows that -l leaves out. */
void show_cut(struct table *t, const struct options *o);

/*
 * Flush the output, which is buffered: a write error may appear only now.
 * Return: 0, or -1 after calling fail().
 */
int show_finish(void);

#endif /* SHOW_H */
