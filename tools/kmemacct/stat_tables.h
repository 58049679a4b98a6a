/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of the module that `kmemacct stat` prints, and what they count. */
#ifndef STAT_TABLES_H
#define STAT_TABLES_H

#include "stat_options.h"
#include "table.h"

/* Indexes of the columns. */
enum {
#define X(name, ...) PAGE_CALLER_##name,
	KMA_PAGE_CALLERS_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) PAGE_##name,
	KMA_PAGES_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) ORDERS_##name,
	KMA_ORDERS_COLUMNS(X)
#undef X
};

/* What a table counts. */
enum stat_window {
	STAT_SINCE_START,	/* since the module was loaded, or since pages are tracked */
	STAT_SINCE_RESET,
	STAT_COMMAND,		/* while a command ran */
};

/**
 * struct stat_tables - the tables
 * @table: the table for each of the options' tables; NULL: it is not printed.  That of
 *	call sites is there whenever its allocator is, for the sums
 * @orders: page allocations by order and migrate type, or NULL
 * @pages: the lines of page_summary, or NULL
 * @flags: names of gfp flags, or NULL
 * @window: what they count
 * @live: --live was given: of page allocations, only those that are live
 */
struct stat_tables {
	struct table *table[STAT_TABLES];
	struct table *orders;
	struct table *pages;
	struct gfp *flags;
	enum stat_window window;
	bool live;
};

/*
 * Read the tables that the options select.
 * Return: 0, or -1 after calling fail(), with some of them read.
 */
int stat_tables_read(struct stat_tables *s, const struct stat_options *o);

/*
 * Read the tables of sums alone, before a command runs.
 * Return: 0, or -1 after calling fail(), with some of them read.
 */
int stat_tables_begin(struct stat_tables *s, const struct stat_options *o);

/*
 * Subtract from the tables what they counted @before the command, which ran for
 * @elapsed_ms.  Objects and pages that are older are removed.
 * Return: 0, or -1 after calling fail().
 */
int stat_tables_subtract(struct stat_tables *s, struct stat_tables *before, u64 elapsed_ms);

/* Make the sum of the rows by call site of objects, which is in the table's @sum. */
void stat_tables_sum(struct stat_tables *s);

/* Remove the rows that perf kmem would not print: those without allocations that had an event. */
void stat_tables_cut(struct stat_tables *s);

/* Free all tables. */
void stat_tables_free(struct stat_tables *s);

/* Return: value of a line of page_summary, or 0 if there is no such line. */
u64 stat_tables_pages(const struct stat_tables *s, const char *name);

/*
 * Return: number of page allocations that are in no table, but in alloc_requests: those while
 * the module was off, and those that did not match its filter.
 */
u64 stat_tables_uncounted(const struct stat_tables *s);

/* Return: true if the table of page allocations holds pages of bulk allocations. */
bool stat_tables_bulk_pages(const struct stat_tables *s);

/*
 * Return: number of a migrate type in the kernel, which lists them in the order of
 * allocators' free lists; the number of types if it is none of them.
 */
int stat_tables_type(const struct stat_tables *s, const char *name);

#endif /* STAT_TABLES_H */
