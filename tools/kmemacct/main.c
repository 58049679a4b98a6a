// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: reads, sorts, compares and exports the tables of the module.
 *
 *   file --files.c--> text --table.c--> struct table --derive.c--> another one
 *        --sort.c--> in order --print.c or json.c--> standard output
 *
 * It never changes what the module does, but for reset, on, off and run --cgroup.  What
 * goes wrong is noted by fail() where it does, and printed here, in one place.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "files.h"
#include "folded.h"
#include "gfp.h"
#include "json.h"
#include "kallsyms.h"
#include "options.h"
#include "pages.h"
#include "print.h"
#include "run.h"
#include "sort.h"

/* What `run` exits with if it fails itself; all else is of its command. */
#define STATUS_RUN	125

/* What people write to. */
#define CONTROL		"/sys/kernel/debug/kmemacct/control"

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
struct command {
	const char *name;
	const char *args;
	const char *what;
	unsigned int takes;
	int failure;
	int (*run)(const struct command *c, const struct options *o, char **args);
};

/* ---- output --------------------------------------------------------------- */

static void cut_rows(struct table *t, const struct options *o)
{
	if (!(o->given & OPTION_LINES) || t->nr_rows <= o->lines)
		return;
	t->left_out = t->nr_rows - o->lines;
	t->nr_rows = o->lines;
}

/* Column gfp has codes, and in JSON also names, unless it is to be numbers. */
static int name_flags(struct table *t, const struct options *o)
{
	struct table *flags;

	if (o->given & OPTION_RAW_GFP || table_column(t, "gfp") < 0)
		return 0;
	flags = files_table("gfp_flags");
	if (!flags)
		return -1;
	t->gfp = gfp_new(flags);
	if (!(o->given & OPTION_JSON))
		gfp_shorten(t);
	return 0;
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
	if (name_flags(t, o))
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

static int run_callers(const struct command *c, const struct options *o, char **args)
{
	if (!o->by)
		return show(files_table("callers"), o, NULL);
	if (!strcmp(o->by, "module"))
		return show_modules(o);
	if (o->given & OPTION_RAW_IP)
		return fail("caches have no call sites: leave out --raw-ip or --by");
	return show(files_table("caches"), o, NULL);
}

/* The table that is called as the command. */
static struct table *read_table(const struct command *c)
{
	char name[32], *dash;

	snprintf(name, sizeof(name), "%s", c->name);
	while ((dash = strchr(name, '-')))
		*dash = '_';
	return files_table(name);
}

/* That is all. */
static int run_table(const struct command *c, const struct options *o, char **args)
{
	return show(read_table(c), o, NULL);
}

/* That one of a list of words with commas between them. */
static bool lists(const char *list, const char *word)
{
	size_t len;

	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		if (len == strlen(word) && !strncmp(list, word, len))
			return true;
	}
	return false;
}

/*
 * What is only counted once it is asked for.  NULL, and fail() was called, if it
 * cannot be had, or there is nothing in it because nobody asked.
 */
static struct table *read_counted(const struct command *c)
{
	struct table *t = read_table(c);
	const char *pages, *by;

	if (!t || (t->columns && t->nr_rows))
		return t;
	pages = table_field(t, "pages");
	by = table_field(t, "account");
	if (by && !lists(by, t->name))
		/* What is left out is forgotten. */
		fail("%s are not counted: echo account %s%s%s > " CONTROL, t->name,
		     strcmp(by, "off") ? by : "", strcmp(by, "off") ? "," : "", t->name);
	else if (!by && pages && !strcmp(pages, "off"))
		fail("pages are not tracked: echo pages sites > " CONTROL);
	else
		return t;
	table_free(t);
	return NULL;
}

static int run_counted(const struct command *c, const struct options *o, char **args)
{
	return show(read_counted(c), o, NULL);
}

static int run_doings(const struct command *c, const struct options *o, char **args)
{
	return show(read_counted(c), o, "net_pages");
}

static int run_orders(const struct command *c, const struct options *o, char **args)
{
	static const char * const shown[] = { "hits", "live_allocs" };
	const struct options plain = { .given = o->given & OPTION_EXACT };
	struct table *matrix, *t = read_counted(c);
	size_t i;
	int ret = 0;

	if (!t || o->given & (OPTION_JSON | OPTION_SORT | OPTION_LINES))
		return show(t, o, NULL);
	for (i = 0; !ret && i < ARRAY_SIZE(shown); i++) {
		matrix = pages_matrix(t, shown[i]);
		if (matrix && !i)
			table_inherit(matrix, t);
		ret = show(matrix, &plain, NULL);
	}
	table_free(t);
	return ret;
}

static int run_page_summary(const struct command *c, const struct options *o, char **args)
{
	struct table *t = read_counted(c);

	if (t && !(o->given & OPTION_JSON) && show(pages_summary(t), o, NULL)) {
		table_free(t);
		return -1;
	}
	return show(t, o, NULL);
}

static int run_pcpu(const struct command *c, const struct options *o, char **args)
{
	struct table *t = read_counted(c);

	if (t)
		pages_mark(t);
	return show(t, o, NULL);
}

static int run_extfrag(const struct command *c, const struct options *o, char **args)
{
	struct table *t = read_counted(c);

	if (t)
		pages_advise(t);
	return show(t, o, NULL);
}

/* Nothing is counted in it: to people, what the head says of counts says nothing. */
static int show_list(struct table *t, const struct options *o)
{
	if (t && !(o->given & OPTION_JSON))
		t->nr_fields = 0;
	return show(t, o, NULL);
}

static int run_skip(const struct command *c, const struct options *o, char **args)
{
	return show_list(read_table(c), o);
}

static int run_gfp_flags(const struct command *c, const struct options *o, char **args)
{
	struct table *t = read_table(c);

	return show_list(t ? gfp_codes(t) : NULL, o);
}

/* The table; NULL if it cannot be had, or there is nothing in it to look at. */
static struct table *read_stacks(void)
{
	struct table *t = files_table("stacks");

	if (!t || table_is_sampled(t))
		return t;
	fail("nothing was sampled: echo sample_bytes 512K > " CONTROL);
	table_free(t);
	return NULL;
}

static int run_stacks(const struct command *c, const struct options *o, char **args)
{
	return show(read_stacks(), o, NULL);
}

static int run_folded(const struct command *c, const struct options *o, char **args)
{
	struct table *t = read_stacks();
	int ret;

	if (!t)
		return -1;
	ret = folded_print(stdout, t, args[0] ? args[0] : "live_bytes");
	table_free(t);
	return ret;
}

static int run_leaks(const struct command *c, const struct options *o, char **args)
{
	struct table *t;

	if (!(o->given & OPTION_OLDER))
		return fail("leaks needs an age: --older-than 30s, 5m, 2h or 1d");
	t = files_table("allocs");
	if (t)
		t = derive_leaks(t, o->older_ms);
	return show(t, o, "live_bytes");
}

static int run_lookup(const struct command *c, const struct options *o, char **args)
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

static int run_run(const struct command *c, const struct options *o, char **args)
{
	int status = 0;

	if (show(run_command(args, o->sort, o->given & OPTION_CGROUP, &status), o,
		 "live_bytes"))
		return -1;
	return finish_output() ? -1 : status;
}

static int run_reset(const struct command *c, const struct options *o, char **args)
{
	return files_control("reset");
}

static int run_on(const struct command *c, const struct options *o, char **args)
{
	return files_control("enabled 1");
}

static int run_off(const struct command *c, const struct options *o, char **args)
{
	return files_control("enabled 0");
}

static const struct command commands[] = {
	{ "callers", NULL, "who holds memory, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_BY, 1, run_callers },
	{ "allocs", NULL, "the live objects",
	  OPTIONS_ROWS | OPTION_RAW_IP, 1, run_table },
	{ "caches", NULL, "what they were allocated from",
	  OPTIONS_ROWS, 1, run_table },
	{ "stacks", NULL, "who holds memory, by stack, of what was sampled",
	  OPTIONS_ROWS, 1, run_stacks },
	{ "folded", "[COLUMN]", "the same, for flame graphs", 0, 1, run_folded },
	{ "summary", NULL, "the machine on one page",
	  OPTIONS_FORM, 1, run_table },
	{ "stats", NULL, "the module's own health",
	  OPTIONS_FORM, 1, run_table },
	{ "page-callers", NULL, "who holds pages, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_RAW_GFP, 1, run_counted },
	{ "pages", NULL, "the live pages",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_RAW_GFP, 1, run_counted },
	{ "orders", NULL, "pages by order and migrate type",
	  OPTIONS_ROWS, 1, run_orders },
	{ "page-summary", NULL, "pages of the machine on one page",
	  OPTIONS_FORM, 1, run_page_summary },
	{ "pcpu", NULL, "refills and drains of the CPUs' lists of pages",
	  OPTIONS_ROWS, 1, run_pcpu },
	{ "extfrag", NULL, "what fragments memory, and what to do",
	  OPTIONS_ROWS | OPTION_RAW_IP, 1, run_extfrag },
	{ "tasks", NULL, "who allocates pages, by process",
	  OPTIONS_ROWS, 1, run_doings },
	{ "cgroups", NULL, "by cgroup",
	  OPTIONS_ROWS, 1, run_doings },
	{ "comm-sites", NULL, "by command and call site",
	  OPTIONS_ROWS, 1, run_counted },
	{ "comm-syscalls", NULL, "by command and system call",
	  OPTIONS_ROWS, 1, run_counted },
	{ "skip", NULL, "functions that are no call sites of pages",
	  OPTION_JSON, 1, run_skip },
	{ "gfp-flags", NULL, "gfp flags, and their codes here",
	  OPTION_JSON, 1, run_gfp_flags },
	{ "leaks", NULL, "live objects older than a time, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_OLDER, 1, run_leaks },
	{ "lookup", "ADDR", "the live object at an address",
	  OPTIONS_FORM | OPTION_RAW_IP, 1, run_lookup },
	{ "run", "-- COMMAND", "what changes while a command runs",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_CGROUP, STATUS_RUN, run_run },
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
	     "      --raw-gfp            gfp flags as numbers\n"
	     "      --cgroup             run: count the command alone\n"
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
	return c->run(c, o, argv + first);
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
