// SPDX-License-Identifier: GPL-2.0
/* A canvas: the contents of the screen as cells. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* Size of a text for top_canvas_print(), with its NUL.  No screen is wider. */
#define PRINT_LEN	1024

void top_canvas_clear(struct top_canvas *c, int lines, int columns)
{
	size_t i, nr = (size_t)lines * columns;

	if (lines != c->lines || columns != c->columns) {
		free(c->cells);
		c->cells = alloc(nr, sizeof(*c->cells));
		c->lines = lines;
		c->columns = columns;
	}
	for (i = 0; i < nr; i++)
		c->cells[i] = (struct top_cell) { .c = ' ' };
}

int top_canvas_put(struct top_canvas *c, int line, int column, unsigned int attributes,
		   const char *text)
{
	for (; *text; text++, column++)
		if (line >= 0 && line < c->lines && column >= 0 && column < c->columns)
			*top_canvas_at(c, line, column) = (struct top_cell) {
				.c = *text, .attributes = attributes,
			};
	return column;
}

int top_canvas_print(struct top_canvas *c, int line, int column, unsigned int attributes,
		     const char *fmt, ...)
{
	char text[PRINT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return top_canvas_put(c, line, column, attributes, text);
}

void top_canvas_highlight(struct top_canvas *c, int line, unsigned int attributes)
{
	int i;

	for (i = 0; line >= 0 && line < c->lines && i < c->columns; i++)
		top_canvas_at(c, line, i)->attributes |= attributes;
}

char top_canvas_ascii(char c)
{
	static const char levels[TOP_LEVELS + 1] = " ...:::##";

	return c >= 0 && c <= TOP_LEVELS ? levels[(int)c] : c;
}

char *top_canvas_line(const struct top_canvas *c, int line)
{
	char *text = alloc(c->columns + 1, 1);
	int i, len = 0;

	for (i = 0; i < c->columns; i++) {
		text[i] = top_canvas_ascii(top_canvas_at(c, line, i)->c);
		if (text[i] != ' ')
			len = i + 1;
	}
	text[len] = '\0';
	return text;
}
