/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors: one line that says what is wrong, and then what to do.  After error_as_json(), the line
 * is a JSON object with the members `error` and `status`.
 */
#ifndef ERROR_H
#define ERROR_H

#include "base.h"

/* Message of the last error; error_print() prints it. */
extern char error_text[1024];

/*
 * Store the message of an error.
 * Return: -1, for the caller to return.
 */
__printf(1, 2) int fail(const char *fmt, ...);

/* Print errors as JSON from now on. */
void error_as_json(void);

/*
 * Print the last error on standard error.  What was printed before is written out first or, with
 * JSON, is dropped as far as it is still in memory: it is no whole document.
 * Return: @status, the exit status that the error leads to.
 */
int error_print(int status);

/* If a library has not got the memory it needs, print an error and exit. */
void alloc_check(bool done);

/*
 * Allocate zeroed memory of @nr times @size bytes.  If there is not enough, print an error
 * and exit.
 */
void *alloc(size_t nr, size_t size);

/* Allocate a copy of @text.  If there is not enough memory, print an error and exit. */
char *alloc_copy(const char *text);

#endif /* ERROR_H */
