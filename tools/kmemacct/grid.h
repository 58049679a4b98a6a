/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A grid of text: columns that libsmartcols aligns, and never cuts.
 *
 * Add the columns, and then line by line a cell for each of them.
 */
#ifndef GRID_H
#define GRID_H

#include <stdbool.h>
#include <stdio.h>

/* Greater than the number of columns of any grid. */
#define GRID_COLUMNS	96

/* Most parts of a grid. */
#define GRID_PARTS	8

/**
 * struct grid - a grid
 * @table: the table of libsmartcols
 * @line: its last line
 * @titles: the titles, for a grid without lines, which libsmartcols does not print
 * @nr_columns: number of @titles
 * @at: number of cells of the last line
 * @parts: the first line of each part; there is an empty line between parts
 * @nr_parts: number of @parts
 * @header: the titles are printed
 */
struct grid {
	struct libscols_table *table;
	struct libscols_line *line;
	char *titles[GRID_COLUMNS];
	int nr_columns;
	int at;
	struct libscols_line *parts[GRID_PARTS];
	int nr_parts;
	bool header;
};

/* @raw: print words with one blank between them; a blank in a cell becomes \x20. */
void grid_begin(struct grid *g, bool raw, bool header);

/* Add a column, whose cells are aligned to the right or to the left. */
void grid_column(struct grid *g, const char *title, bool right);

/* Add a line without cells. */
void grid_line(struct grid *g);

/* Begin another part with the last line. */
void grid_part(struct grid *g);

/* Add a cell to the last line. */
void grid_cell(struct grid *g, const char *text);

/* Print the grid, and free it. */
void grid_end(struct grid *g, FILE *out);

#endif /* GRID_H */
