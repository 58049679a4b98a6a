/* SPDX-License-Identifier: GPL-2.0 */
/* The log of slow phases of reclaim and compaction. */
#ifndef SLOW_H
#define SLOW_H

#include <stdio.h>

#include "table.h"

/**
 * struct slow_cause - what a part of a phase was spent on
 * @name: the cause
 * @us: its time in microseconds
 * @nr: number of times
 */
struct slow_cause {
	const char *name;
	u64 us;
	u64 nr;
};

#define SLOW_CAUSES	16
#define SLOW_FRAMES	32

/**
 * struct slow - the label of a record, taken apart
 * @comm: name of the thread
 * @phase: who waited, a colon, and the phase
 * @site: call site of the allocation, or `-`
 * @cause: what the time was spent on
 * @nr_causes: number of causes
 * @frame: the stack, beginning with the innermost frame
 * @nr_frames: number of frames
 * @text: memory of the strings
 */
struct slow {
	const char *comm;
	const char *phase;
	const char *site;
	struct slow_cause cause[SLOW_CAUSES];
	int nr_causes;
	const char *frame[SLOW_FRAMES];
	int nr_frames;
	char *text;
};

/*
 * Take a label apart; the caller frees @text.  A label in another form is all in @comm, and
 * the other strings are `-`.
 */
void slow_parse(struct slow *s, const char *label);

/* Remove the records of less than @us microseconds. */
void slow_cut(struct table *t, u64 us);

/**
 * slow_print() - print a record in several lines, and an empty line after it
 * @out: output file
 * @t: the table, whose @gfp decodes flags, if it is set
 * @row: the record
 * @screen: width of the terminal; 0: lines may be of any length
 * @exact: print times without rounding
 */
void slow_print(FILE *out, const struct table *t, const struct row *row, int screen,
		bool exact);

#endif /* SLOW_H */
