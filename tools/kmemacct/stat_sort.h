/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of the rows that `kmemacct stat` prints: the sort keys of perf kmem.
 *
 * All keys descend.  Objects have ptr, callsite, bytes, hit, pingpong and frag, and pages
 * page, callsite, bytes, hit, order, migtype and gfp.  A table whose rows do not differ in a
 * key takes it all the same: call sites have no ptr, for example.
 */
#ifndef STAT_SORT_H
#define STAT_SORT_H

#include "stat_tables.h"

/*
 * Check the keys that were given for all tables.
 * Return: 0, or -1 after calling fail().
 */
int stat_sort_check(const struct stat_options *o);

/*
 * Sort the rows of all tables, and leave out those that -l leaves out.
 * Return: 0, or -1 after calling fail().
 */
int stat_sort(struct stat_tables *s, const struct stat_options *o);

/* Return: internal fragmentation in percent, as perf kmem computes it. */
double stat_sort_frag(u64 bytes_req, u64 bytes_alloc);

#endif /* STAT_SORT_H */
