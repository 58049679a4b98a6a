/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as JSON. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "table.h"

struct json_object;

/*
 * Print a table as one JSON object: its name and version, its head, and its rows.  Numbers
 * are not rounded, and estimates have their intervals.
 * Return: 0, or -1 after calling fail().
 */
int json_table(FILE *out, const struct table *t);

/* Make the object that json_table() prints.  The caller frees it, or adds it to another one. */
struct json_object *json_of_table(const struct table *t);

/*
 * Print an object, and free it.
 * Return: 0, or -1 after calling fail().
 */
int json_print(FILE *out, struct json_object *object);

#endif /* JSON_H */
