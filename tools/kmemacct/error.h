/* SPDX-License-Identifier: GPL-2.0 */
/* Errors: one line that says what is wrong, and then what to do. */
#ifndef ERROR_H
#define ERROR_H

#include "base.h"

/* Message of the last error; main() prints it. */
extern char error_text[1024];

/*
 * Store the message of an error.
 * Return: -1, for the caller to return.
 */
__printf(1, 2) int fail(const char *fmt, ...);

/*
 * Allocate zeroed memory of @nr times @size bytes.  If there is not enough, print an error
 * and exit.
 */
void *alloc(size_t nr, size_t size);

/* Allocate a copy of @text.  If there is not enough memory, print an error and exit. */
char *alloc_copy(const char *text);

#endif /* ERROR_H */
