// SPDX-License-Identifier: GPL-2.0
/* Errors and memory. */
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

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

int error_print(int status)
{
	struct json w = { .out = stderr };

	if (!as_json) {
		fflush(stdout);
		fprintf(stderr, "kmemacct: %s\n", error_text);
		return status;
	}
	__fpurge(stdout);
	json_open(&w, NULL, '{');
	json_string(&w, "error", error_text);
	json_s64(&w, "status", status);
	json_close(&w, '}');
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

void *alloc_more(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = 2 * *room + 64;
	array = reallocarray(array, *room, size);
	alloc_check(array);
	return array;
}

char *alloc_print(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	alloc_check(vasprintf(&text, fmt, args) >= 0);
	va_end(args);
	return text;
}

FILE *text_open(char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);

	alloc_check(out);
	return out;
}

void text_close(FILE *out)
{
	alloc_check(!fclose(out));
}
