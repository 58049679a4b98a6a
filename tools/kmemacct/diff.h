/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct diff: compares two snapshots, or a snapshot with the module. */
#ifndef DIFF_H
#define DIFF_H

#include "growth.h"

struct snapshot;

/**
 * struct diff - what to compare
 * @before: the earlier snapshot
 * @after: the later one; NULL: the module as it is now
 * @table: name of the table, as on the command line
 * @fdr: see struct growth_options
 * @exact: print sizes in the remarks without rounding
 */
struct diff {
	const char *before;
	const char *after;
	const char *table;
	double fdr;
	bool exact;
};

/* Return: what has changed; no table after calling fail(). */
struct growth diff_make(const struct diff *d);

/*
 * Read a table that can be compared, from a snapshot or (@s is NULL) from the module.  It may also
 * be `modules`.
 * Return: the table, or NULL after calling fail().
 */
struct table *diff_read(const struct snapshot *s, const char *table);

/**
 * struct relation - how two tables are related
 * @same_load: both are of the same load of the module
 * @same_resets: the counts were not reset in between
 * @same_modules: no other module was loaded or unloaded in between
 * @same_kernel: both are of the same release of the kernel
 */
struct relation {
	bool same_load;
	bool same_resets;
	bool same_modules;
	bool same_kernel;
};

struct relation diff_relate(const struct table *before, const struct table *after);

#endif /* DIFF_H */
