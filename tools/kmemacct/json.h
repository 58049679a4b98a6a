/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as programs read them. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "table.h"

/*
 * One object: the table's name and version, its head, and its rows; numbers are
 * exact.  Return: 0, or -1 and fail() was called.
 */
int json_table(FILE *out, const struct table *t);

#endif /* JSON_H */
