/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A writer of JSON that keeps nothing but its position: what is written is not held in memory.
 *
 * Each function writes one member of the innermost object or list that is open.  Members of an
 * object have a key; those of a list have none, and @key is NULL.  All members are on one line,
 * except that json_line() puts the next one, or the bracket that closes, on a line of its own.
 */
#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include <stdio.h>

#include "base.h"

/**
 * struct json_writer - position in a JSON text
 * @out: output file
 * @depth: number of objects and lists that are open
 * @filled: the innermost one has a member already
 * @line: the next member, or the closing bracket, begins a line
 */
struct json_writer {
	FILE *out;
	int depth;
	bool filled;
	bool line;
};

/* Begin an object or a list, by its bracket: `{` or `[`. */
void json_open(struct json_writer *w, const char *key, char bracket);

/* End the innermost object or list, by its bracket: `}` or `]`.  The last one ends the text. */
void json_close(struct json_writer *w, char bracket);

/* Begin a line before the next member or closing bracket. */
void json_line(struct json_writer *w);

/*
 * Write a string.  Control characters are escaped, and bytes that are not UTF-8 are replaced by
 * U+FFFD, so that any text gives valid JSON.
 */
void json_string(struct json_writer *w, const char *key, const char *text);

/* The same, or null if @text is NULL. */
void json_text(struct json_writer *w, const char *key, const char *text);

/* Write true or false. */
void json_bool(struct json_writer *w, const char *key, bool value);

/* Write a number, as a number or as its digits, or null. */
void json_u64(struct json_writer *w, const char *key, u64 value);
void json_s64(struct json_writer *w, const char *key, s64 value);
void json_digits(struct json_writer *w, const char *key, const char *digits);
void json_null(struct json_writer *w, const char *key);

#endif /* JSON_WRITER_H */
