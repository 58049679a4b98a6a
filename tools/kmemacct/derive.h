/* SPDX-License-Identifier: GPL-2.0 */
/* Tables derived from other tables. */
#ifndef DERIVE_H
#define DERIVE_H

#include "table.h"

/* Turn a table callers into a table of modules, by adding up the rows of each module. */
void derive_modules(struct table *callers);

/**
 * derive_leaks() - add up old objects by call site
 * @allocs: the live objects; the new table takes ownership of it
 * @older_ms: minimum age in milliseconds
 *
 * Return: a table with a row for each call site that has such objects.
 */
struct table *derive_leaks(struct table *allocs, u64 older_ms);

/**
 * derive_difference() - subtract two snapshots of callers
 * @before: the earlier snapshot; the new table takes ownership of it
 * @after: the later snapshot; the new table takes ownership of it
 *
 * Return: a table with a row for each call site whose counters differ.
 */
struct table *derive_difference(struct table *before, struct table *after);

/*
 * Keep only the objects that contain @addr.
 * Return: 0, or -1 after calling fail().
 */
int derive_object(struct table *allocs, u64 addr);

#endif /* DERIVE_H */
