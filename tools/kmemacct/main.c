// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: reads, sorts, compares and exports the tables of the module.
 *
 *   file of the module, or of a snapshot
 *        --reader.c--> struct table --derive.c, leaks.c, growth.c--> derived table
 *        --columns.c--> more columns --rows.c--> selected rows and their total
 *        --sort.c--> sorted rows --print.c or json.c--> standard output
 *
 * commands.c has the table of commands, and options.c that of options.  stream.c prints long tables
 * row by row, and top.c shows tables on the whole screen.  A function that fails describes the
 * error with fail(), and main() prints it.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "completion.h"
#include "error.h"
#include "files.h"
#include "help.h"
#include "show.h"
#include "snapshot.h"

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

/* Let commands read a snapshot in place of the module, up to the end of the program. */
static int use_input(const char *path)
{
	static struct snapshot *input;

	input = snapshot_open(path);
	if (!input)
		return -1;
	files_use(input);
	return 0;
}

/* Do what needs neither the module nor a command.  Return: false if there is no such option. */
static bool run_early(const struct options *o)
{
	if (!(o->given & OPTIONS_ANY))
		return false;
	if (o->given & OPTION_COMPLETION)
		completion_print();
	else if (o->given & OPTION_VERSION)
		puts("kmemacct " KMA_VERSION);
	else if (o->command)
		help_print_command(o->command);
	else
		help_print();
	return true;
}

static int run(const struct options *o)
{
	const struct command *c = o->command ? o->command : &commands[0];

	if (run_early(o))
		return 0;
	if (options_check(o, c) || check_args(c, o->nr_args))
		return -1;
	if (o->input && use_input(o->input))
		return -1;
	return c->run(c, o);
}

/* If `stat` has no other program to run, a failure has the usual status. */
static int failure_of(const struct options *o)
{
	const struct command *c = o->command;

	if (!c || !c->failure)
		return 1;
	return *c->args == '[' && !o->nr_args ? 1 : c->failure;
}

int main(int argc, char **argv)
{
	struct options o = {};
	int ret;

	/* The bytes of names and of graphs are those of the terminal. */
	setlocale(LC_CTYPE, "");
	ret = options_parse(&o, argc, argv);
	if (!ret)
		ret = run(&o);
	if (ret >= 0 && show_finish())
		ret = -1;
	if (ret < 0)
		ret = error_print(failure_of(&o));
	options_free(&o);
	return ret;
}
