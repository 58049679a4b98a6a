/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is live, by name, in a table: of call sites, caches, stacks or modules, for comparing two
 * tables.  Rows of the same name are added up.
 */
#ifndef LIVE_H
#define LIVE_H

#include "change.h"
#include "table.h"

/**
 * struct live - what is live of one name, and the counters since the last reset
 * @name: the name
 * @bytes: live bytes
 * @reading: the same as an estimate
 * @allocated: what was allocated since the last reset; its variance is a lower bound
 * @allocated_most: an upper bound of that variance
 * @allocs: number of objects or page allocations since then
 * @frees: number of those that were freed
 * @uncounted: @allocated lacks something
 */
struct live {
	const char *name;
	u64 bytes;
	struct reading reading;
	struct reading allocated;
	double allocated_most;
	u64 allocs;
	u64 frees;
	bool uncounted;
};

/**
 * struct live_list - all names of a table
 * @live: the names, sorted
 * @nr: number of @live
 * @unit: bytes that a sample of a small object stands for now; 0: nothing is sampled
 * @most_unit: the largest such number that the table shows
 * @names: memory of names that differ from those of the table
 */
struct live_list {
	struct live *live;
	size_t nr;
	double unit;
	double most_unit;
	char *names;
};

/* Return: the name of table number @nr of those that show what is live by name; NULL: no more. */
const char *live_table(int nr);

/*
 * Find such a table by its name.
 * Return: the name, or NULL after calling fail().
 */
const char *live_find(const char *table);

/*
 * Check that the rows of such a table are call sites, which are in a module.
 * Return: 0, or -1 after calling fail().
 */
int live_check_module(const char *table);

/**
 * live_list_make() - list what is live
 * @list: the list; the caller calls live_list_free()
 * @t: the table, which has to stay as long as the list
 * @plain: remove offsets from the names of functions: another build of the kernel has others
 */
void live_list_make(struct live_list *list, const struct table *t, bool plain);

void live_list_free(struct live_list *list);

#endif /* LIVE_H */
