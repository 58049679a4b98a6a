// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: reads, sorts, compares and exports the tables of the module.
 *
 *   file --files.c--> text --table.c--> struct table --derive.c--> another one
 *        --sort.c--> in order --print.c or json.c--> standard output
 *
 * It never changes what the module does, but for reset, on and off.  What goes
 * wrong is noted by fail() where it does, and printed here, in one place.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "files.h"
#include "folded.h"
#include "json.h"
#include "kallsyms.h"
#include "options.h"
#include "print.h"
#include "run.h"
#include "sort.h"

/* What `run` exits with if it fails itself; all else is of its command. */
#define STATUS_RUN	125

/* ---- output --------------------------------------------------------------- */

static void cut_rows(struct table *t, const struct options *o)
{
	if (!(o->given & OPTION_LINES) || t->nr_rows <= o->lines)
		return;
	t->left_out = t->nr_rows - o->lines;
	t->nr_rows = o->lines;
}

/**
 * show() - print a table as asked for
 * @t: the table, freed here; NULL if there is none because something failed
 * @o: how
 * @keys: its order if -s does not say; NULL: as it is
 *
 * Return: 0, or -1 and fail() was called.
 */
static int show(struct table *t, const struct options *o, const char *keys)
{
	struct sort sort = {};
	int ret = -1;

	if (!t)
		return -1;
	if (o->sort)
		keys = o->sort;
	if (keys && sort_parse(&sort, t, keys))
		goto out;
	sort_rows(t, &sort);
	cut_rows(t, o);
	if (o->given & OPTION_RAW_IP && kallsyms_replace(t))
		goto out;
	ret = 0;
	if (o->given & OPTION_JSON)
		ret = json_table(stdout, t, &sort);
	else
		print_table(stdout, t, &sort, print_screen(),
			    o->given & OPTION_EXACT);
out:
	table_free(t);
	return ret;
}

/* What was printed is only known to have arrived once it is flushed. */
static int finish_output(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	return fail("cannot write the output: %s", strerror(errno));
}

/* ---- commands ------------------------------------------------------------- */

/* @args are what follows the command's name. */

static int show_modules(const struct options *o)
{
	struct table *t;

	if (o->given & OPTION_RAW_IP)
		return fail("modules have no call sites: leave out --raw-ip or --by");
	t = files_table("callers");
	if (t)
		derive_modules(t);
	return show(t, o, "live_bytes");
}

static int run_callers(const struct options *o, char **args)
{
	if (!o->by)
		return show(files_table("callers"), o, NULL);
	if (!strcmp(o->by, "module"))
		return show_modules(o);
	if (o->given & OPTION_RAW_IP)
		return fail("caches have no call sites: leave out --raw-ip or --by");
	return show(files_table("caches"), o, NULL);
}

static int run_allocs(const struct options *o, char **args)
{
	return show(files_table("allocs"), o, NULL);
}

static int run_caches(const struct options *o, char **args)
{
	return show(files_table("caches"), o, NULL);
}

static int run_summary(const struct options *o, char **args)
{
	return show(files_table("summary"), o, NULL);
}

static int run_stats(const struct options *o, char **args)
{
	return show(files_table("stats"), o, NULL);
}

/* The table; NULL if it cannot be had, or there is nothing in it to look at. */
static struct table *read_stacks(void)
{
	struct table *t = files_table("stacks");

	if (!t || table_is_sampled(t))
		return t;
	fail("nothing was sampled: echo sample_bytes 512K > /sys/kernel/debug/kmemacct/control");
	table_free(t);
	return NULL;
}

static int run_stacks(const struct options *o, char **args)
{
	return show(read_stacks(), o, NULL);
}

static int run_folded(const struct options *o, char **args)
{
	struct table *t = read_stacks();
	int ret;

	if (!t)
		return -1;
	ret = folded_print(stdout, t, args[0] ? args[0] : "live_bytes");
	table_free(t);
	return ret;
}

static int run_leaks(const struct options *o, char **args)
{
	struct table *t;

	if (!(o->given & OPTION_OLDER))
		return fail("leaks needs an age: --older-than 30s, 5m, 2h or 1d");
	t = files_table("allocs");
	if (t)
		t = derive_leaks(t, o->older_ms);
	return show(t, o, "live_bytes");
}

static int run_lookup(const struct options *o, char **args)
{
	struct table *t;
	u64 addr;

	if (number_parse_hex(args[0], &addr))
		return fail("'%s' is not an address: write it in hex", args[0]);
	t = files_table("allocs");
	if (t && derive_object(t, addr)) {
		table_free(t);
		return -1;
	}
	return show(t, o, NULL);
}

static int run_run(const struct options *o, char **args)
{
	struct table *t = files_table("callers");
	struct sort sort;
	int status = 0;

	/* A wrong key is not to be found out after an hour. */
	if (t && o->sort && sort_parse(&sort, t, o->sort)) {
		table_free(t);
		return -1;
	}
	if (t)
		t = run_command(t, args, &status);
	if (show(t, o, "live_bytes"))
		return -1;
	return finish_output() ? -1 : status;
}

static int run_reset(const struct options *o, char **args)
{
	return files_control("reset");
}

static int run_on(const struct options *o, char **args)
{
	return files_control("enabled 1");
}

static int run_off(const struct options *o, char **args)
{
	return files_control("enabled 0");
}

/**
 * struct command - what the first word of the command line may be
 * @name: the word
 * @args: what follows it, for the help, in brackets if it need not; NULL for
 *	nothing
 * @what: a line of the help
 * @takes: options
 * @failure: exit status if it fails
 * @run: do it; returns the exit status, or -1 and fail() was called
 */
static const struct command {
	const char *name;
	const char *args;
	const char *what;
	unsigned int takes;
	int failure;
	int (*run)(const struct options *o, char **args);
} commands[] = {
	{ "callers", NULL, "who holds memory, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_BY, 1, run_callers },
	{ "allocs", NULL, "the live objects",
	  OPTIONS_ROWS | OPTION_RAW_IP, 1, run_allocs },
	{ "caches", NULL, "what they were allocated from",
	  OPTIONS_ROWS, 1, run_caches },
	{ "stacks", NULL, "who holds memory, by stack, of what was sampled",
	  OPTIONS_ROWS, 1, run_stacks },
	{ "folded", "[COLUMN]", "the same, for flame graphs", 0, 1, run_folded },
	{ "summary", NULL, "the machine on one page",
	  OPTIONS_FORM, 1, run_summary },
	{ "stats", NULL, "the module's own health",
	  OPTIONS_FORM, 1, run_stats },
	{ "leaks", NULL, "live objects older than a time, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_OLDER, 1, run_leaks },
	{ "lookup", "ADDR", "the live object at an address",
	  OPTIONS_FORM | OPTION_RAW_IP, 1, run_lookup },
	{ "run", "-- COMMAND", "what changes while a command runs",
	  OPTIONS_ROWS | OPTION_RAW_IP, STATUS_RUN, run_run },
	{ "reset", NULL, "count from now on", 0, 1, run_reset },
	{ "on", NULL, "record allocations", 0, 1, run_on },
	{ "off", NULL, "record no more allocations; frees are followed", 0, 1, run_off },
};

static int print_help(void)
{
	char usage[64];
	size_t i;

	puts("usage: kmemacct COMMAND [OPTION...]\n\n"
	     "Shows what the module kmemacct knows of the kernel's memory.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(usage, sizeof(usage), "%s %s", commands[i].name,
			 commands[i].args ? commands[i].args : "");
		printf("  %-18s %s\n", usage, commands[i].what);
	}
	puts("\n"
	     "  -s, --sort KEY[,KEY...]  order of rows: names of columns\n"
	     "  -l, --line N             the first N rows only\n"
	     "  -b, --bytes              exact sizes and times\n"
	     "  -j, --json               JSON\n"
	     "      --by module|cache    add callers up\n"
	     "      --raw-ip             addresses of call sites\n"
	     "      --older-than T       age for leaks: 30s, 5m, 2h, 1d\n"
	     "  -h, --help               this\n\n"
	     "See kmemacct(8).");
	return finish_output();
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	fail("there is no command '%s': see kmemacct --help", name);
	return NULL;
}

static int check_args(const struct command *c, int nr)
{
	if (!c->args)
		return nr ? fail("%s takes no argument: see kmemacct --help", c->name) : 0;
	if (c->run == run_run)
		return nr ? 0 : fail("run needs a command: kmemacct run -- COMMAND");
	if (*c->args == '[' && !nr)
		return 0;
	return nr == 1 ? 0 : fail("%s takes one %s", c->name, c->args);
}

/* Options may stand on both sides of the command's name. */
static int run_named(const struct command *c, struct options *o, int argc,
		     char **argv)
{
	int first = options_parse(o, argc, argv, c->run != run_run);

	if (first < 0)
		return -1;
	if (o->help)
		return print_help();
	if (options_check(o, c->name, c->takes) || check_args(c, argc - first))
		return -1;
	return c->run(o, argv + first);
}

static int complain(int status)
{
	/* What was printed before comes before it. */
	fflush(stdout);
	fprintf(stderr, "kmemacct: %s\n", error_text);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *c = &commands[0];
	struct options o = {};
	int ret, first = options_parse(&o, argc, argv, false);

	if (first >= 0 && o.help)
		return print_help() ? complain(1) : 0;
	if (first < 0)
		return complain(1);
	if (first == argc && !o.by) {
		fail("which table? %s; see kmemacct --help",
		     "callers, allocs, caches, stacks, summary or stats");
		return complain(1);
	}
	/* --by alone is of callers */
	if (first < argc)
		c = find_command(argv[first]);
	ret = c ? run_named(c, &o, argc - first, argv + first) : -1;
	if (ret >= 0 && finish_output())
		ret = -1;
	return ret < 0 ? complain(c ? c->failure : 1) : ret;
}
