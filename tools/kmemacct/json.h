/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as programs read them. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "sort.h"

/*
 * One object: the table's name and version, its head, and its rows in the order
 * @sort; numbers are as the module has them, and estimates have their interval.
 * Return: 0, or -1 and fail() was called.
 */
int json_table(FILE *out, const struct table *t, const struct sort *sort);

#endif /* JSON_H */
