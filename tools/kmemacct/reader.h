/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader of tables: the one parser of their heads and rows.
 *
 *   text or file --lines.c--> lines --reader.c--> head and columns, then row by row
 *
 * reader_open() and reader_next() read a file with a buffer of bounded size, whatever the number
 * of rows.  table_parse() uses the same parser to make a table of all rows of a text.
 *
 * Columns are found by their names.  A file may have columns that this program does not know;
 * these are ignored.  It must have all those that it knows.
 */
#ifndef READER_H
#define READER_H

#include "table.h"

struct reader;

/* Size of the buffer to read files with, and so of the longest line with its newline. */
#define READER_BUFFER	(256 * 1024)

/**
 * reader_open() - read the head of a table
 * @name: name of the table that is expected
 * @file: path of the file, for errors
 * @fd: the file; this function takes ownership of it
 * @size: size of the buffer, usually READER_BUFFER
 *
 * Return: the reader, or NULL after calling fail().
 */
struct reader *reader_open(const char *name, const char *file, int fd, size_t size);

/* Return: the table that is read, with its head and columns, but without rows. */
struct table *reader_table(const struct reader *r);

/**
 * reader_next() - read a row
 * @r: a reader of a table that has columns
 * @row: set to the row, which is valid up to the next call
 *
 * Return: 1, 0 after the last row, or -1 after calling fail().
 */
int reader_next(struct reader *r, struct row **row);

/* Close the file, and free the reader and its table; @r may be NULL. */
void reader_close(struct reader *r);

/**
 * table_parse() - parse the text of a table
 * @name: name of the table that is expected
 * @file: path of the file, for errors
 * @text: the text, which malloc() has allocated; this function takes ownership of it, and frees
 *	it after an error
 * @len: length of the text
 *
 * The text is split into strings, in place.  Rows hold their numbers, and pointers to their names
 * and labels in the text.
 *
 * Return: the table, or NULL after calling fail().
 */
struct table *table_parse(const char *name, const char *file, char *text, size_t len);

/*
 * Make one of the module's tables, without rows.
 * Return: the table, or NULL if there is none of that name, or if it is one of pairs.
 */
struct table *table_known(const char *name);

#endif /* READER_H */
