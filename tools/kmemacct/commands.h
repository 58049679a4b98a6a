/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands.
 *
 * Help, completion and the checks of options are made from this one table.  A command that prints
 * a table of the module has its name.  Where a command or a table is named, dashes may stand in
 * place of the underscores.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"
#include "table.h"

enum command_group {
	GROUP_LOOK,
	GROUP_FIND,
	GROUP_ACT,
	GROUP_EXPORT,
	GROUP_NR
};

/**
 * struct command - a command of this program
 * @name: its name, the first word of the command line that is no option
 * @group: where it is in the help
 * @args: its argument, as the help prints it, in brackets if it is optional; NULL if the
 *	command takes none
 * @what: its description in the help, in one line
 * @example: a command line, without the name of the program
 * @takes: the options that it takes
 * @run: run it; returns the exit status, or -1 after calling fail()
 * @table: name of the module's table that it prints; NULL: none
 * @derive: make the table that is printed from that one, which it takes ownership of; NULL: it is
 *	printed as it is
 * @keys: sort keys without -s; NULL: rows are in the order of the module
 * @by: values of its option --by; NULL ends them
 * @words: for completion, the words that its argument may be, without a limit; NULL: unknown
 * @status: what its exit status means, as the help prints it; NULL: 0, or 1 if it fails
 * @failure: exit status if it fails; 0: that is 1
 * @files: its arguments are names of files
 * @starts: all that follows its first operand belongs to it, as to another program: also options
 */
struct command {
	const char *name;
	enum command_group group;
	const char *args;
	const char *what;
	const char *example;
	u64 takes;
	int (*run)(const struct command *c, const struct options *o);
	const char *table;
	struct table *(*derive)(struct table *t, const struct options *o);
	const char *keys;
	const char * const *by;
	const char *(*words)(int nr);
	const char *status;
	int failure;
	bool files;
	bool starts;
};

/* All commands; one without a name ends them.  The first one is run if none is named. */
extern const struct command commands[];

/*
 * Find a command.
 * Return: the command, or NULL after calling fail().
 */
const struct command *commands_find(const char *name);

/*
 * Make the table that a command prints, with all its columns and without rows.
 * Return: the table, or NULL if the command prints none with columns.
 */
struct table *commands_table(const struct command *c);

#endif /* COMMANDS_H */
