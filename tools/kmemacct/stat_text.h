/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of `kmemacct stat`: sections, titles and widths are those of perf kmem.
 *
 * perf kmem's lines are 105 columns wide.  Where a call site does not fit, it has a line of
 * its own: objects have it above their numbers, and pages below.  A title with a star is
 * that of a number which perf kmem has in another sense, and a remark says in which.
 */
#ifndef STAT_TEXT_H
#define STAT_TEXT_H

#include <stdio.h>

#include "print.h"
#include "stat_tables.h"

/* Text of a call site with its NUL; longer ones are cut off. */
#define STAT_SITE_LEN	256

/**
 * struct stat_text - where and what to print
 * @out: output file
 * @s: the tables
 * @o: which of them to print
 * @look: what the heads of tables look like
 * @screen: width of the terminal; 0: lines may be of any length
 */
struct stat_text {
	FILE *out;
	const struct stat_tables *s;
	const struct stat_options *o;
	struct look look;
	int screen;
};

/* Print the tables and the summary of objects. */
void stat_text_slab(const struct stat_text *text);

/* Print the tables and the summary of pages. */
void stat_text_page(const struct stat_text *text);

/* ---- what both have in common --------------------------------------------- */

/* Print a line of dashes, perf kmem's length plus @more, cut to the screen. */
void stat_text_line(const struct stat_text *text, int more);

/* Print a call site as perf kmem does, with the offset in plain hexadecimal. */
void stat_text_site(char buf[STAT_SITE_LEN], const char *label);

/* Return: "~" if the value of a row in a column is an estimate, otherwise "". */
const char *stat_text_mark(const struct table *t, const struct row *row, int column);

/* Return: true if any of the rows has an estimate in a column. */
bool stat_text_estimated(const struct table *t, int column);

/* Print the interval of an estimate after a bar, or `-` if the value is exact. */
void stat_text_interval(const struct stat_text *text, const struct table *t,
			const struct row *row, int column);

/*
 * Say what the numbers of the titles with a star include: the @nr items, of which those that
 * are "" are left out.
 */
void stat_text_star(const struct stat_text *text, const char * const *items, size_t nr);

/* Explain the marks and intervals of estimates. */
void stat_text_legend(const struct stat_text *text);

#endif /* STAT_TEXT_H */
