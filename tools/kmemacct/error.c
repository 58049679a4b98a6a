// SPDX-License-Identifier: GPL-2.0
/* Errors.  See error.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json_writer.h"

char error_text[1024];
static bool as_json;

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

void error_as_json(void)
{
	as_json = true;
}

static void print_json(int status)
{
	struct json_writer w = { .out = stderr };

	json_open(&w, NULL, '{');
	json_string(&w, "error", error_text);
	json_s64(&w, "status", status);
	json_close(&w, '}');
}

int error_print(int status)
{
	if (as_json) {
		__fpurge(stdout);
		print_json(status);
	} else {
		fflush(stdout);
		fprintf(stderr, "kmemacct: %s\n", error_text);
	}
	return status;
}

void alloc_check(bool done)
{
	if (done)
		return;
	fail("out of memory: free some memory and try again");
	exit(error_print(1));
}

void *alloc(size_t nr, size_t size)
{
	void *mem = calloc(nr ? nr : 1, size);

	alloc_check(mem);
	return mem;
}

char *alloc_copy(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(alloc(1, size), text, size);
}
