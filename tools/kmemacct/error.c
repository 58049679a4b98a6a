// SPDX-License-Identifier: GPL-2.0
/* Errors.  See error.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

char error_text[1024];

int fail(const char *fmt, ...)
{
	unsigned char *c;
	va_list args;

	va_start(args, fmt);
	vsnprintf(error_text, sizeof(error_text), fmt, args);
	va_end(args);
	/* A message may quote any text, but has to stay a single line. */
	for (c = (unsigned char *)error_text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	return -1;
}

void *alloc(size_t nr, size_t size)
{
	void *mem = calloc(nr ? nr : 1, size);

	if (!mem) {
		fputs("kmemacct: out of memory: free some memory and try again\n", stderr);
		exit(1);
	}
	return mem;
}

char *alloc_copy(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(alloc(1, size), text, size);
}
