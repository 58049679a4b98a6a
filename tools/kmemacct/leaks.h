/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Old objects, added up by call site or by what has allocated them.
 *
 *	allocs --> the group of each object --> sums of its old objects, and of all --> a row
 *
 * The group is in `allocs` itself (call site, module, node, PID), or follows from the PID: the name
 * or the cgroup of the process, see process.h.  A process is looked up once, not once for each
 * object.  Objects of processes that have ended, and of interrupts, have groups of their own.
 *
 * An object that is sampled with probability p has the weight w = 1 / p.  What it adds to the
 * variance of the number of objects is estimated by (1 - p) / p^2 = w * (w - 1).  Each object is
 * sampled independently of all others, so variances add up in each group.
 */
#ifndef LEAKS_H
#define LEAKS_H

#include "process.h"
#include "rows.h"

enum leaks_by {
	LEAKS_BY_SITE,
	LEAKS_BY_MODULE,
	LEAKS_BY_NODE,
	LEAKS_BY_PID,
	LEAKS_BY_COMM,
	LEAKS_BY_CGROUP,
	LEAKS_BY_NR
};

/* The age from which an object is old, if the user gives none. */
#define LEAKS_OLDER_MS	60000

/* The names of these, as values of the option --by; NULL ends them. */
extern const char * const leaks_names[LEAKS_BY_NR + 1];

/* Find one of them, which has to be in the list. */
enum leaks_by leaks_find(const char *name);

/**
 * leaks_table() - add up old objects
 * @allocs: the live objects; the new table takes ownership of it
 * @older_ms: the age from which an object is old, in milliseconds
 * @by: what to group them by
 * @moment: when @allocs was read; NULL if @by needs no processes
 * @names: the table tasks, which has the names of processes that have ended; the new table takes
 *	ownership of it; NULL if the module does not keep them
 *
 * Return: a table with a row for each group that has old objects.
 */
struct table *leaks_table(struct table *allocs, u64 older_ms, enum leaks_by by,
			  const struct moment *moment, struct table *names);

/*
 * Read the tables, and add up the old objects among those that @objects selects.
 * Return: the table, or NULL after calling fail().
 */
struct table *leaks_read(u64 older_ms, enum leaks_by by, const struct rows_match *objects);

#endif /* LEAKS_H */
