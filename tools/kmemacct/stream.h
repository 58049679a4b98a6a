/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables whose rows are printed as they are read, so that memory does not depend on their number.
 *
 *   reader --JSON--> each row as it is read
 *          --text--> the first STREAM_KEEP rows are kept; if there are more, they and then
 *                    each row as it is read, in columns of fixed widths
 *          --a table that is small, or cut by -l--> struct table, to be shown as any other
 *
 * Estimates have no place here: the tables that have a row for each object or page have no columns
 * of standard errors.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdio.h>

#include "print.h"
#include "reader.h"
#include "rows.h"

/* Number of rows to keep, usually.  Text of more rows is printed as they are read. */
#define STREAM_KEEP	1000

/**
 * struct stream - what to print of a table, and how
 * @out: output file
 * @json: print JSON and not text
 * @raw_ip: print addresses in place of call sites
 * @all: keep all rows that -l leaves, however many there are
 * @look: what text looks like
 * @match: what rows have to match
 * @sort: the order of rows; without keys, it is that of the file
 * @lines: number of rows to print
 * @keep: number of rows to keep in text that is not sorted, before they are printed
 * @check_empty: returns -1 after calling fail() if it is an error that the table is empty; or NULL
 */
struct stream {
	FILE *out;
	bool json;
	bool raw_ip;
	bool all;
	struct look look;
	struct rows_match match;
	struct sort sort;
	u64 lines;
	u64 keep;
	int (*check_empty)(const struct table *t);
};

/**
 * stream_rows() - read all rows, and print them or keep those that -l leaves
 * @s: what to print
 * @r: the reader; the names of gfp flags are those of its table's @gfp
 * @kept: set to a table of the rows if they are still to be shown, otherwise to NULL.  The caller
 *	frees it, before the reader.
 *
 * A row that cannot be read ends the output where it is.  JSON is then incomplete, so that no
 * program takes it for the whole table.
 *
 * Return: 0, or -1 after calling fail().
 */
int stream_rows(const struct stream *s, struct reader *r, struct table **kept);

#endif /* STREAM_H */
