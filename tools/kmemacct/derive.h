/* SPDX-License-Identifier: GPL-2.0 */
/* Tables made of tables. */
#ifndef DERIVE_H
#define DERIVE_H

#include "table.h"

/* Callers become modules: rows are added up by the end of their site. */
void derive_modules(struct table *callers);

/**
 * derive_leaks() - objects that are old, by call site
 * @allocs: the live objects; the new table's from now on
 * @older_ms: how old at least
 *
 * Return: a table of sites.
 */
struct table *derive_leaks(struct table *allocs, u64 older_ms);

/**
 * derive_difference() - what happened between two moments
 * @before: callers then; the new table's from now on
 * @after: callers later; likewise
 *
 * Return: a table of sites, of those that have a difference.
 */
struct table *derive_difference(struct table *before, struct table *after);

/* Only the objects that contain @addr.  Return: 0, or -1 and fail() was called. */
int derive_object(struct table *allocs, u64 addr);

#endif /* DERIVE_H */
