/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A canvas: what is to be on the screen.
 *
 * It is an array of cells, each with a character and attributes.  Drawing on it needs no
 * terminal, so tests can look at it.  All text of the module is ASCII; the only other
 * characters are blocks of graphs, which are 1 to TOP_LEVELS: that many eighths of a block.
 */
#ifndef TOP_CANVAS_H
#define TOP_CANVAS_H

#include "base.h"

/* Number of levels of a character of a graph. */
#define TOP_LEVELS	8

/* Attributes of a cell.  None of them has a meaning that the text does not have as well. */
enum {
	TOP_REVERSE	= 1 << 0,
	TOP_BOLD	= 1 << 1,
	TOP_WARNING	= 1 << 2,
	TOP_GROWS	= 1 << 3,
	TOP_SHRINKS	= 1 << 4,
};

struct top_cell {
	char c;
	unsigned char attributes;
};

/**
 * struct top_canvas - a canvas
 * @lines: number of its lines
 * @columns: number of its columns
 * @cells: the cells, line by line
 */
struct top_canvas {
	int lines;
	int columns;
	struct top_cell *cells;
};

/* Give a canvas a size, and make it blank. */
void top_canvas_clear(struct top_canvas *c, int lines, int columns);

/* Free the cells. */
void top_canvas_free(struct top_canvas *c);

/*
 * Put a text.  What is outside of the canvas is left out.
 * Return: the column after the text.
 */
int top_canvas_put(struct top_canvas *c, int line, int column, unsigned int attributes,
		   const char *text);

/* The same with a format. */
__printf(5, 6)
int top_canvas_print(struct top_canvas *c, int line, int column, unsigned int attributes,
		     const char *fmt, ...);

/* Give all cells of a line additional attributes. */
void top_canvas_mark(struct top_canvas *c, int line, unsigned int attributes);

/* Return: a cell. */
static inline struct top_cell *top_canvas_at(const struct top_canvas *c, int line, int column)
{
	return &c->cells[(size_t)line * c->columns + column];
}

/*
 * Copy a line as text without trailing blanks, with levels as `.`, `:` and `#`.  The caller
 * frees it.
 */
char *top_canvas_line(const struct top_canvas *c, int line);

/* Return: the ASCII character for a level from 1 to TOP_LEVELS, or for any other character. */
char top_canvas_ascii(char c);

#endif /* TOP_CANVAS_H */
