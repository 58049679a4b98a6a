// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: reads, sorts, compares and exports the tables of the module.
 *
 *   source -> delta? -> group? -> select -> sort -> total -> render
 *
 *   base/	errors and memory, numbers, texts, maps, files, JSON
 *   table/	tables, their parser, and where they come from: the module or a snapshot
 *   view/	what is made of tables: columns, rows, totals, estimates, differences, groups
 *   names/	gfp flags, addresses, processes, lines of source code
 *   out/	text, perf kmem's layout, JSON, metrics, folded stacks
 *   top/	tables on the whole screen
 *   cmd/	options and commands
 *
 * Each folder uses only those above it.  A function that fails describes the error with fail(), and
 * main() prints it.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Test whether there may be @nr arguments: those in brackets are optional. */
static bool takes_args(const char *args, int nr)
{
	int least = 0, most = 0;

	for (; *args; args += strspn(args, " ")) {
		least += *args != '[';
		most++;
		args += strcspn(args, " ");
	}
	return least <= nr && nr <= most;
}

static int check_args(const struct command *c, int nr)
{
	if (!c->args)
		return nr ? fail("%s takes no arguments: see kmemacct %s --help", c->name,
				 c->name) : 0;
	if (c->starts || takes_args(c->args, nr))
		return 0;
	return fail("wrong number of arguments: kmemacct %s %s", c->name, c->args);
}

/* Handle the options and commands that do not need the module. */
static int run_early(const struct options *o)
{
	if (o->given & OPTION_SCHEMA)
		return json_schema_print(o->command);
	if (o->given & OPTION_COMPLETION)
		completion_print();
	else if (o->given & OPTION_MAN)
		man_print();
	else if (o->given & OPTION_VERSION)
		puts("kmemacct " KMA_VERSION);
	else
		help_print(o->command);
	return 0;
}

static int run(struct options *o)
{
	const struct command *c = o->command ?: &commands[0];
	struct source *snapshot = NULL;
	int ret;

	if (o->given & OPTIONS_ANY)
		return run_early(o);
	if (options_check(o, c) || check_args(c, o->nr_args))
		return -1;
	o->source = &module_source;
	if (o->input) {
		snapshot = snapshot_open(o->input);
		if (!snapshot)
			return -1;
		o->source = snapshot;
	}
	ret = c->run(c, o);
	snapshot_free(snapshot);
	return ret;
}

/* Without another program to run, a failure of `stat` has the usual status. */
static int failure_of(const struct options *o)
{
	const struct command *c = o->command;

	if (!c || !c->failure)
		return 1;
	if (run_failure())
		return run_failure();
	return c->starts && *c->args == '[' && !o->nr_args ? 1 : c->failure;
}

int main(int argc, char **argv)
{
	struct options o = {};
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--complete")) {
		completion_find(argv + 2);
		return 0;
	}
	/* Names and graphs are printed in the character encoding of the terminal. */
	setlocale(LC_CTYPE, "");
	ret = options_parse(&o, argc, argv);
	if (!ret)
		ret = run(&o);
	if (ret >= 0 && show_finish())
		ret = -1;
	if (ret < 0)
		ret = error_print(failure_of(&o));
	free(o.args);
	free(o.module);
	return ret;
}
