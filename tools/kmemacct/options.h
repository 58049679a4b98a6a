/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base.h"

/* Which options there are, and which of them a command takes. */
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
};

#define OPTIONS_FORM	(OPTION_JSON | OPTION_EXACT)
#define OPTIONS_ROWS	(OPTIONS_FORM | OPTION_SORT | OPTION_LINES)

/**
 * struct options - what is asked for
 * @given: the options that were given
 * @sort: keys, or NULL
 * @by: `module` or `cache`, or NULL
 * @lines: rows to print
 * @older_ms: --older-than
 * @help: print the help and do nothing else
 */
struct options {
	unsigned int given;
	const char *sort;
	const char *by;
	u64 lines;
	u64 older_ms;
	bool help;
};

/**
 * options_parse() - the options in front of what is not one
 * @o: where they go, more of them than there are already
 * @argc: number of strings
 * @argv: the first of which is skipped
 * @mixed: options may stand behind what is not one, too
 *
 * Return: the number of the first string that is not an option; -1, and fail()
 * was called.
 */
int options_parse(struct options *o, int argc, char **argv, bool mixed);

/* Refuse options outside of @takes.  Return: 0, or -1 and fail() was called. */
int options_check(const struct options *o, const char *command,
		  unsigned int takes);

#endif /* OPTIONS_H */
