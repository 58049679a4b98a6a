/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a table in words: how exact it is, since when it counts, and what was lost.
 *
 * If nothing was lost, this is one sentence.  For each kind of loss a line says what it is, how
 * much of it there is, and what to do.  All of it is in the head of the table.
 */
#ifndef STATE_H
#define STATE_H

#include <stdio.h>

#include "table.h"

/**
 * struct state_look - how the state of a table is printed
 * @name: a name to begin with, or NULL
 * @estimates: rows may be estimates whose intervals are printed
 * @exact: print sizes without rounding
 * @off: the module does not record now
 * @screen: width of the terminal; 0: lines may be of any length
 */
struct state_look {
	const char *name;
	bool estimates;
	bool exact;
	bool off;
	int screen;
};

/* Print what is missing in a table: a line for each reason. */
void state_print_losses(FILE *out, const struct table *t, int screen);

/* Print the state of a table as comments. */
void state_print(FILE *out, const struct table *t, const struct state_look *look);

/* Print all fields of the head as they are. */
void state_print_fields(FILE *out, const struct table *t, int screen);

#endif /* STATE_H */
