/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a table: those that options select, and their total. */
#ifndef ROWS_H
#define ROWS_H

#include "table.h"

/**
 * struct rows_match - what a row has to match
 * @min_bytes: its live size is at least this; 0: any
 * @module: its call site is in this module, `kernel` for code in no module; NULL: in any
 * @site: a part of its label matches this pattern; NULL: any
 */
struct rows_match {
	u64 min_bytes;
	const char *module;
	const char *site;
};

/*
 * Check whether rows have what is to be matched.
 * Return: 0, or -1 after calling fail().
 */
int rows_check(const struct table *t, const struct rows_match *match);

/* Test whether a row of a table that rows_check() has checked matches. */
bool rows_matches(const struct table *t, const struct row *row, const struct rows_match *match);

/*
 * Remove the rows that do not match.  This changes @filtered of the table.
 * Return: 0, or -1 after calling fail().
 */
int rows_select(struct table *t, const struct rows_match *match);

/* Leave out all but the first @nr rows, and say so in the label of the total. */
void rows_cut(struct table *t, size_t nr);

/*
 * Make the total of all rows, which becomes @sum of the table: of counters and of what is live
 * their sum, of maxima the largest.  The standard error of a sum is the root of the sum of the
 * squares, because rows are sampled independently of each other.
 */
void rows_total(struct table *t);

#endif /* ROWS_H */
