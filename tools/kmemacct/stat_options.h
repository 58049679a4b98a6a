/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `kmemacct stat`, with the rules of perf kmem.
 *
 * There are four tables: objects and pages, each by call site and one by one.  --slab and
 * --page select the allocators, --caller and --alloc the tables; without the latter, only
 * the summaries are printed.  The order of the options matters: -s applies to the one table
 * that the last of --slab and --page and the last of --caller and --alloc select, and -l to
 * that of both allocators.  Several -s for one table add up.
 */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include "base.h"

enum stat_table {
	STAT_SLAB_CALLER,
	STAT_SLAB_ALLOC,
	STAT_PAGE_CALLER,
	STAT_PAGE_ALLOC,
	STAT_TABLES
};

/* Greater than the number of -s for one table. */
#define STAT_SORTS	8

/**
 * struct stat_options - what the options select
 * @caller: whether --caller was given; of @caller and @alloc, the one given last is greater
 * @alloc: the same for --alloc
 * @slab: the same for --slab and @page
 * @page: the same for --page
 * @live: --live was given
 * @caller_lines: number of rows by call site; 0: all
 * @alloc_lines: number of rows of objects or pages; 0: all
 * @keys: the sort keys for each table, as given: a NULL ends them
 */
struct stat_options {
	int caller;
	int alloc;
	int slab;
	int page;
	bool live;
	u64 caller_lines;
	u64 alloc_lines;
	const char *keys[STAT_TABLES][STAT_SORTS];
};

/* Apply one of the options without a value: its bit in options.h. */
void stat_options_flag(struct stat_options *o, u64 option);

/* Apply -l. */
void stat_options_lines(struct stat_options *o, u64 lines);

/*
 * Apply -s.
 * Return: 0, or -1 after calling fail().
 */
int stat_options_sort(struct stat_options *o, const char *keys);

/* Return: true if the allocator of pages is selected, or that of objects, which is the default. */
bool stat_options_page(const struct stat_options *o);
bool stat_options_slab(const struct stat_options *o);

/* Return: number of rows to print of a table; 0: all. */
u64 stat_options_limit(const struct stat_options *o, enum stat_table which);

#endif /* STAT_OPTIONS_H */
