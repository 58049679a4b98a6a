/* SPDX-License-Identifier: GPL-2.0 */
/* What went wrong, in one line that says what to do. */
#ifndef ERROR_H
#define ERROR_H

#include "base.h"

/* The last failure; main() prints it. */
extern char error_text[1024];

/* Note what went wrong.  Return: -1, for the caller to return. */
__printf(1, 2) int fail(const char *fmt, ...);

/*
 * Zeroed memory for @nr times @size bytes.  Does not return without: there is
 * nothing the program could do instead.
 */
void *alloc(size_t nr, size_t size);

/* Likewise a copy of @text. */
char *alloc_copy(const char *text);

#endif /* ERROR_H */
