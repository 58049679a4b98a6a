/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of `kmemacct stat`: sections, titles and widths are those of perf kmem.
 *
 * There are four tables: objects and pages, each by call site and one by one.  --slab and
 * --page select the allocators, --caller and --alloc the tables; without the latter, only
 * the summaries are printed.  The order of the options matters: -s applies to the one table
 * that the last of --slab and --page and the last of --caller and --alloc select, and -l to
 * that of both allocators.  Several -s for one table add up.
 *
 * perf kmem's lines are 105 columns wide.  Where a call site does not fit, it has a line of
 * its own: objects have it above their numbers, and pages below.  A title with a star is
 * that of a number which perf kmem has in another sense, and a remark says in which.
 */
#ifndef PERF_H
#define PERF_H

#include "out.h"

enum perf_table {
	PERF_SLAB_CALLER,
	PERF_SLAB_ALLOC,
	PERF_PAGE_CALLER,
	PERF_PAGE_ALLOC,
	PERF_TABLES
};

/* Greater than the number of -s for one table. */
#define PERF_SORTS	8

/**
 * struct perf_options - what the options select
 * @caller: whether --caller was given; of @caller and @alloc, the one given last is greater
 * @alloc: the same for --alloc
 * @slab: the same for --slab and @page
 * @page: the same for --page
 * @live: --live was given
 * @caller_lines: number of rows by call site; 0: all
 * @alloc_lines: number of rows of objects or pages; 0: all
 * @keys: the sort keys for each table, as given: a NULL ends them
 */
struct perf_options {
	int caller;
	int alloc;
	int slab;
	int page;
	bool live;
	u64 caller_lines;
	u64 alloc_lines;
	const char *keys[PERF_TABLES][PERF_SORTS];
};

/* The allocator of objects is the default. */
static inline bool perf_has_slab(const struct perf_options *o)
{
	return o->slab || !o->page;
}

/* The time that a table counts. */
enum perf_window {
	PERF_SINCE_START,	/* since the module was loaded, or since pages are tracked */
	PERF_SINCE_RESET,
	PERF_COMMAND,		/* while a command ran */
};

/**
 * struct perf - what to print
 * @o: the options
 * @v: the view of each table; without a table: it is not printed.  That of call sites is there
 *	whenever its allocator is, for the sums
 * @orders: page allocations by order and migrate type
 * @pages: the table page_summary, or NULL
 * @gfp: names of gfp flags, or NULL
 * @window: the time that the tables count
 * @style: how the heads of tables look
 */
struct perf {
	const struct perf_options *o;
	struct view v[PERF_TABLES];
	struct view orders;
	struct table *pages;
	struct gfp *gfp;
	enum perf_window window;
	struct style style;
};

/* Print the tables and the summary of objects, and of pages; or all of them as JSON. */
void perf_print_slab(FILE *out, const struct perf *p);
void perf_print_page(FILE *out, const struct perf *p);
void perf_print_json(FILE *out, struct perf *p);

/* Return: internal fragmentation in percent, as perf kmem computes it. */
double perf_frag(u64 bytes_req, u64 bytes_alloc);

/*
 * Return: number of a migrate type in the kernel, which lists them in the order of
 * allocators' free lists; the number of types if it is none of them.
 */
int perf_migratetype(const struct perf *p, const char *name);

/*
 * Return: number of page allocations that are in no table, but in alloc_requests: those while
 * the module was off, and those that did not match its filter.
 */
u64 perf_uncounted(const struct perf *p);

/* ---- what both layouts have in common ------------------------------------- */

/* Text of a call site with its NUL; longer ones are cut off. */
#define PERF_SITE_LEN	256

/* Print a line of dashes, perf kmem's length plus @more, cut to the screen. */
void perf_line(FILE *out, const struct perf *p, int more);

/* Print a call site as perf kmem does, with the offset in plain hexadecimal. */
void perf_site(char buf[PERF_SITE_LEN], const char *label);

/* Return: "~" if the value of a row in a column is an estimate, otherwise "". */
const char *perf_tilde(const struct table *t, const struct row *row, int column);

/* Return: true if any of the rows has an estimate in a column. */
bool perf_estimated(const struct view *v, int column);

/* Print the interval of an estimate after a bar, or `-` if the value is exact. */
void perf_interval(FILE *out, const struct table *t, const struct row *row, int column);

/*
 * Explain which @nr items the numbers of titles with a star include; items that are "" are left
 * out.
 */
void perf_star(FILE *out, const struct perf *p, const char * const *items, size_t nr);

/* Explain the tildes and intervals of estimates. */
void perf_legend(FILE *out, const struct perf *p);

#endif /* PERF_H */
