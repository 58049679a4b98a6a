/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "stat_options.h"

/* Bits of the options, to say which are given and which a command takes. */
enum {
	OPTION_SORT	= 1 << 0,
	OPTION_LINES	= 1 << 1,
	OPTION_RAW_IP	= 1 << 2,
	OPTION_JSON	= 1 << 3,
	OPTION_EXACT	= 1 << 4,
	OPTION_BY	= 1 << 5,
	OPTION_OLDER	= 1 << 6,
	OPTION_RAW_GFP	= 1 << 7,
	OPTION_CGROUP	= 1 << 8,
	OPTION_HISTOGRAM = 1 << 9,
	OPTION_FOLLOW	= 1 << 10,
	OPTION_AT_LEAST	= 1 << 11,
	OPTION_CALLER	= 1 << 12,
	OPTION_ALLOC	= 1 << 13,
	OPTION_SLAB	= 1 << 14,
	OPTION_PAGE	= 1 << 15,
	OPTION_LIVE	= 1 << 16,
	OPTION_DELAY	= 1 << 17,
	OPTION_COUNT	= 1 << 18,
};

#define OPTIONS_FORM	(OPTION_JSON | OPTION_EXACT)
#define OPTIONS_ROWS	(OPTIONS_FORM | OPTION_SORT | OPTION_LINES)
/* The options of stat that have no value, and are its own. */
#define OPTIONS_STAT	(OPTION_CALLER | OPTION_ALLOC | OPTION_SLAB | OPTION_PAGE | OPTION_LIVE)

/**
 * struct options - the parsed options
 * @given: bits of the options that were given
 * @sort: sort keys, or NULL
 * @by: `module` or `cache`, or NULL
 * @lines: number of rows to print
 * @older_ms: minimum age in milliseconds
 * @at_least_us: minimum duration in microseconds
 * @stat: what they mean to stat, where their order matters
 * @delay_ms: time between two refreshes in milliseconds
 * @count: number of refreshes
 * @help: print the help and do nothing else
 */
struct options {
	unsigned int given;
	const char *sort;
	const char *by;
	u64 lines;
	u64 older_ms;
	u64 at_least_us;
	struct stat_options stat;
	u64 delay_ms;
	u64 count;
	bool help;
};

/**
 * options_parse() - parse options
 * @o: the result, to which the options are added
 * @argc: number of strings in @argv
 * @argv: the strings; the first one is skipped
 * @mixed: options may also follow operands; getopt then moves all operands to the end
 *
 * Return: index of the first operand, or -1 after calling fail().
 */
int options_parse(struct options *o, int argc, char **argv, bool mixed);

/*
 * Reject options that are not in @takes.
 * Return: 0, or -1 after calling fail().
 */
int options_check(const struct options *o, const char *command,
		  unsigned int takes);

#endif /* OPTIONS_H */
