/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as JSON: an object with the table's name, the format version, its head, its rows, each on
 * a line of its own, and what is known only after them.  Numbers are not rounded, and estimates
 * have their intervals.
 *
 * A table that is written row by row needs no more memory than one row:
 *
 *   json_begin_table()  json_row() for each row  json_end_table()
 */
#ifndef JSON_H
#define JSON_H

#include "json_writer.h"
#include "table.h"

/* Write what precedes the rows.  @key is that of the table in an enclosing object, or NULL. */
void json_begin_table(struct json_writer *w, const char *key, const struct table *t);

/* Write a row of a table with columns, which need not be in @t. */
void json_row(struct json_writer *w, const struct table *t, const struct row *row);

/* Write what follows the rows: how many were left out, sums and advice. */
void json_end_table(struct json_writer *w, const struct table *t);

/* Write a whole table. */
void json_table(struct json_writer *w, const char *key, const struct table *t);

/* Write a value in thousandths, with the digits that the module printed. */
void json_milli(struct json_writer *w, const char *key, u64 value);

#endif /* JSON_H */
