/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file `query`: a part of a table.
 *
 * A program opens the file for reading and writing, writes a request, and reads the answer, which
 * has the form of the table.  Then it may write the next request.  A request is one line:
 *
 *	TABLE [sort=KEY[,KEY...]] [top=N] [min=N] [match=PATTERN]
 *
 *	sort	the order of the rows; without it, that of the table
 *	top	only the first N rows
 *	min	only rows whose value in the first key is at least N, in the unit of that column
 *	match	only rows whose label matches the pattern, with `*`, `?` and `[a-z]`; the rest of
 *		the line
 *
 * The answer has two more keys in its head: `matched` is the number of rows that `min` and `match`
 * select, of which `top` may leave out some.  `swept_s` is the age of the last removal of stale
 * entries from the live table, in seconds: an answer does not wait for one that is younger than
 * KMA_QUERY_SWEEP_S, so that reading every second is cheap, and objects whose page was freed since
 * then still count as live.
 *
 * Only this file has that: under lockdown it cannot be opened, because it is written to.
 */
#ifndef KMA_REPORT_QUERY_H
#define KMA_REPORT_QUERY_H

#include <linux/fs.h>

#include "seqtab.h"

/**
 * kma_sort_parse() - parse the keys of a sort order
 * @table: the table
 * @keys: names of columns, with commas between them; modified
 * @sort: the result
 *
 * Context: process; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse().
 */
int kma_sort_parse(const struct kma_table *table, char *keys, struct kma_sort *sort);

/**
 * kma_query_parse() - parse a request
 * @line: the request; modified
 * @query: the result
 *
 * Context: process; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse().
 */
int kma_query_parse(char *line, struct kma_query *query);

/* File operations of `query`. */
extern const struct file_operations kma_query_fops;

#endif /* KMA_REPORT_QUERY_H */
