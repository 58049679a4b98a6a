/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 *
 * Options may stand before the command and behind it.  Behind the first operand of a command
 * that starts another program, everything belongs to that program.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "series.h"
#include "stat_options.h"

struct command;
struct options;

/* Bits of the options, to say which are given and which a command takes. */
#define OPTION_SORT		BIT_ULL(0)
#define OPTION_LINES		BIT_ULL(1)
#define OPTION_RAW_IP		BIT_ULL(2)
#define OPTION_JSON		BIT_ULL(3)
#define OPTION_EXACT		BIT_ULL(4)
#define OPTION_BY		BIT_ULL(5)
#define OPTION_OLDER		BIT_ULL(6)
#define OPTION_RAW_GFP		BIT_ULL(7)
#define OPTION_CGROUP		BIT_ULL(8)
#define OPTION_HISTOGRAM	BIT_ULL(9)
#define OPTION_FOLLOW		BIT_ULL(10)
#define OPTION_AT_LEAST		BIT_ULL(11)
#define OPTION_CALLER		BIT_ULL(12)
#define OPTION_ALLOC		BIT_ULL(13)
#define OPTION_SLAB		BIT_ULL(14)
#define OPTION_PAGE		BIT_ULL(15)
#define OPTION_LIVE		BIT_ULL(16)
#define OPTION_DELAY		BIT_ULL(17)
#define OPTION_COUNT		BIT_ULL(18)
#define OPTION_RAW		BIT_ULL(19)
#define OPTION_NO_HEADER	BIT_ULL(20)
#define OPTION_OUTPUT		BIT_ULL(21)
#define OPTION_MIN		BIT_ULL(22)
#define OPTION_MODULE		BIT_ULL(23)
#define OPTION_SITE		BIT_ULL(24)
#define OPTION_VERBOSE		BIT_ULL(25)
#define OPTION_INPUT		BIT_ULL(26)
#define OPTION_TABLES		BIT_ULL(27)
#define OPTION_TABLE		BIT_ULL(28)
#define OPTION_FDR		BIT_ULL(29)
#define OPTION_SOURCES		BIT_ULL(30)
#define OPTION_DEBUG_DIR	BIT_ULL(31)
#define OPTION_SERIES		BIT_ULL(32)
#define OPTION_INCLUDE		BIT_ULL(33)
#define OPTION_EXCLUDE		BIT_ULL(34)
#define OPTION_HELP		BIT_ULL(61)
#define OPTION_VERSION		BIT_ULL(62)
#define OPTION_COMPLETION	BIT_ULL(63)

/* The options of each command, and those that need no command. */
#define OPTIONS_ANY	(OPTION_HELP | OPTION_VERSION | OPTION_COMPLETION)
/* How a list is printed and where it comes from, and how one of numbers is printed. */
#define OPTIONS_LIST	(OPTION_JSON | OPTION_RAW | OPTION_NO_HEADER | OPTION_INPUT)
#define OPTIONS_FORM	(OPTIONS_LIST | OPTION_EXACT | OPTION_VERBOSE)
/* Which rows and columns are printed, and in which order. */
#define OPTIONS_ROWS	(OPTIONS_FORM | OPTION_SORT | OPTION_LINES | OPTION_OUTPUT | OPTION_SITE)
/* The same of a table with call sites, and where these are. */
#define OPTIONS_SOURCES	(OPTION_SOURCES | OPTION_DEBUG_DIR)
#define OPTIONS_SITES	(OPTIONS_ROWS | OPTION_MODULE | OPTIONS_SOURCES)
/* The options of stat that have no value, and are its own. */
#define OPTIONS_STAT	(OPTION_CALLER | OPTION_ALLOC | OPTION_SLAB | OPTION_PAGE | OPTION_LIVE)

/**
 * struct option_info - an option
 * @bit: its bit
 * @letter: its short name, or 0
 * @name: its long name
 * @value: what its value is, as the help prints it; NULL: it has none
 * @what: its description in the help; NULL: the help does not mention it
 * @set: store its value; returns 0, or -1 after calling fail()
 */
struct option_info {
	u64 bit;
	char letter;
	const char *name;
	const char *value;
	const char *what;
	int (*set)(struct options *o, const char *text);
};

/* List the values of --by as a sentence does; NULL ends them.  Return: @text. */
#define OPTIONS_WORDS	64
const char *options_by(char text[OPTIONS_WORDS], const char * const words[]);

/* All options; one without a name ends them. */
extern const struct option_info option_infos[];

/**
 * struct options - the parsed command line
 * @given: bits of the options that were given
 * @sort: sort keys, or NULL
 * @by: what to add up by, or NULL
 * @output: columns to print, or NULL
 * @module: print only rows of this module, or NULL
 * @site: print only rows that match this pattern, or NULL
 * @lines: number of rows to print
 * @min_bytes: print only rows of at least this live size, or change of it
 * @older_ms: minimum age in milliseconds
 * @at_least_us: minimum duration in microseconds
 * @stat: what they mean to stat, where their order matters
 * @delay_ms: time between two refreshes in milliseconds
 * @count: number of refreshes
 * @input: the snapshot to read tables from, or NULL
 * @tables: names of the tables that a snapshot has, or NULL for all
 * @table: name of the table to compare, or NULL
 * @debug_dir: the directory to search for debug information first, or NULL
 * @series: which call sites are exported
 * @fdr_milli: rate of false discoveries, in thousandths of a percent
 * @command: the command, or NULL if none is given
 * @args: its arguments, then NULL
 * @nr_args: number of @args
 * @dashes: `--` stands before @args
 */
struct options {
	u64 given;
	const char *sort;
	const char *by;
	const char *output;
	const char *module;
	const char *site;
	u64 lines;
	u64 min_bytes;
	u64 older_ms;
	u64 at_least_us;
	struct stat_options stat;
	u64 delay_ms;
	u64 count;
	const char *input;
	const char *tables;
	const char *table;
	const char *debug_dir;
	struct series_choice series;
	u64 fdr_milli;
	const struct command *command;
	char **args;
	int nr_args;
	bool dashes;
};

/*
 * Parse a command line.  options_free() frees @o, also after an error.
 * Return: 0, or -1 after calling fail(), with @command set if it was found.
 */
int options_parse(struct options *o, int argc, char **argv);

void options_free(struct options *o);

/*
 * Reject options that the command does not take, and those that exclude each other.
 * Return: 0, or -1 after calling fail().
 */
int options_check(const struct options *o, const struct command *c);

#endif /* OPTIONS_H */
