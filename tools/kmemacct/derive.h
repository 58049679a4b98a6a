/* SPDX-License-Identifier: GPL-2.0 */
/* Tables derived from other tables. */
#ifndef DERIVE_H
#define DERIVE_H

#include "table.h"

/* Turn a table callers into a table of modules, by adding up the rows of each module. */
void derive_modules(struct table *callers);

/*
 * Return: the module of a call site `symbol+0xoff [module]`, or [kernel] if it names none.
 * [other], [unknown] and [unloaded], which are not call sites, are returned as they are.  They
 * differ from all modules, whose brackets are removed: this changes the text of the label.
 */
const char *derive_module_of(const char *site);

/**
 * derive_difference() - subtract two snapshots of callers
 * @before: the earlier snapshot; the new table takes ownership of it
 * @after: the later snapshot; the new table takes ownership of it
 *
 * Return: a table with a row for each call site whose counters differ.
 */
struct table *derive_difference(struct table *before, struct table *after);

/*
 * Compare the next names of two sorted lists; NULL: the list has ended.
 * Return: less than 0: @before is only in the first; more: @after is only in the second; 0: both.
 */
int derive_order(const char *before, const char *after);

/*
 * Keep only the objects that contain @addr.
 * Return: 0, or -1 after calling fail().
 */
int derive_object(struct table *allocs, u64 addr);

#endif /* DERIVE_H */
