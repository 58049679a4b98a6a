/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `kmemacct stat` as one JSON object.  Its members slab and page are objects, each with those
 * of the tables callers, allocs or pages, and orders that were asked for, in the form of all
 * tables, and with the summary.
 */
#ifndef STAT_JSON_H
#define STAT_JSON_H

#include <stdio.h>

#include "stat_tables.h"

/* Print the tables. */
void stat_json(FILE *out, struct stat_tables *s, const struct stat_options *o);

#endif /* STAT_JSON_H */
