/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as JSON. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "sort.h"

/*
 * Print a table as one JSON object: its name and version, its head, and its rows.  Numbers
 * are not rounded, and estimates have their intervals.  @sort is the order of the rows; it
 * determines which column `few` is about.
 * Return: 0, or -1 after calling fail().
 */
int json_table(FILE *out, const struct table *t, const struct sort *sort);

#endif /* JSON_H */
