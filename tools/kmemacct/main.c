// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: reads, sorts, compares and exports the tables of the module.
 *
 *   file --files.c--> text --table.c--> struct table --derive.c--> derived table
 *        --sort.c--> sorted rows --print.c or json.c--> standard output
 *
 * top.c shows tables on the whole screen.  Only reset, on, off, run --cgroup and keys of top change
 * what the module does.  A function that fails describes the error with fail(), and main() prints
 * it.
 */
#include <stdio.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "files.h"
#include "folded.h"
#include "follow.h"
#include "gfp.h"
#include "latency.h"
#include "options.h"
#include "pages.h"
#include "run.h"
#include "settings.h"
#include "show.h"
#include "slow.h"
#include "stat.h"
#include "top.h"

/* Exit status of `run` and `stat` if they fail themselves.  Otherwise it is their command's. */
#define STATUS_RUN	125

/**
 * struct command - a command of this program
 * @name: its name, the first word of the command line
 * @args: its argument, as the help prints it, in brackets if it is optional; NULL if the
 *	command takes none
 * @what: its description in the help
 * @takes: the options that it takes
 * @failure: exit status if it fails
 * @run: run it; returns the exit status, or -1 after calling fail()
 */
struct command {
	const char *name;
	const char *args;
	const char *what;
	unsigned int takes;
	int failure;
	int (*run)(const struct command *c, const struct options *o, char **args);
};

/* ---- commands ------------------------------------------------------------- */

/* In all of these, @args are the arguments after the command's name. */

static int show_modules(const struct options *o)
{
	struct table *t;

	if (o->given & OPTION_RAW_IP)
		return fail("--raw-ip needs call sites, and --by module has none: omit one");
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
		return fail("--raw-ip needs call sites, and --by cache has none: omit one");
	return show(files_table("caches"), o, NULL);
}

/* Print the table as it is. */
static int run_table(const struct command *c, const struct options *o, char **args)
{
	return show(settings_table(c->name), o, NULL);
}

static int run_counted(const struct command *c, const struct options *o, char **args)
{
	return show(settings_counted(c->name), o, NULL);
}

static int run_acct(const struct command *c, const struct options *o, char **args)
{
	return show(settings_counted(c->name), o, "net_pages");
}

static int run_orders(const struct command *c, const struct options *o, char **args)
{
	static const char * const shown[] = { "hits", "live_allocs" };
	const struct options plain = { .given = o->given & OPTION_EXACT };
	struct table *matrix, *t = settings_counted(c->name);
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
	struct table *t = settings_counted(c->name);

	if (t && !(o->given & OPTION_JSON) && show(pages_summary(t), o, NULL)) {
		table_free(t);
		return -1;
	}
	return show(t, o, NULL);
}

static int run_pcpu(const struct command *c, const struct options *o, char **args)
{
	struct table *t = settings_counted(c->name);

	if (t)
		pages_mark(t);
	return show(t, o, NULL);
}

static int run_extfrag(const struct command *c, const struct options *o, char **args)
{
	struct table *t = settings_counted(c->name);

	if (t)
		pages_advise(t);
	return show(t, o, NULL);
}

static int run_latency(const struct command *c, const struct options *o, char **args)
{
	bool json = o->given & OPTION_JSON, whole = o->given & OPTION_HISTOGRAM;
	struct table *t;

	if (json && whole)
		return fail("-H is for text, and -j has all buckets: omit one");
	t = settings_latency(c->name);
	if (!t)
		return -1;
	t = latency_view(t, !json && !whole);
	return whole ? show_histograms(t, o, "total_us") : show(t, o, "total_us");
}

static int run_shares(const struct command *c, const struct options *o, char **args)
{
	struct table *t = settings_latency(c->name);

	return show(t ? latency_shares(t) : NULL, o, "total_us");
}

static int run_slow(const struct command *c, const struct options *o, char **args)
{
	bool json = o->given & OPTION_JSON, follows = o->given & OPTION_FOLLOW;
	struct table *t;

	if (json && follows)
		return fail("slow -f prints text only: omit -j");
	t = settings_latency(c->name);
	if (!t)
		return -1;
	if (follows) {
		table_free(t);
		return follow_new(o);
	}
	if (!json)
		return follow_log(t, o);
	slow_cut(t, o->at_least_us);
	return show(t, o, NULL);
}

/* Print a table without counts: in text, omit the fields of its head, which are about counts. */
static int show_list(struct table *t, const struct options *o)
{
	if (t && !(o->given & OPTION_JSON))
		t->nr_fields = 0;
	return show(t, o, NULL);
}

static int run_skip(const struct command *c, const struct options *o, char **args)
{
	return show_list(settings_table(c->name), o);
}

static int run_gfp_flags(const struct command *c, const struct options *o, char **args)
{
	struct table *t = settings_table(c->name);

	return show_list(t ? gfp_codes(t) : NULL, o);
}

static int run_stacks(const struct command *c, const struct options *o, char **args)
{
	return show(settings_stacks(), o, NULL);
}

static int run_folded(const struct command *c, const struct options *o, char **args)
{
	struct table *t = settings_stacks();
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
		return fail("leaks needs --older-than AGE: for example 30s, 5m, 2h or 1d");
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
		return fail("'%s' is not an address: write it in hexadecimal", args[0]);
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
	return show_finish() ? -1 : status;
}

static int complain(int status)
{
	/* Write out first what was printed before the error. */
	fflush(stdout);
	fprintf(stderr, "kmemacct: %s\n", error_text);
	return status;
}

/* If there is no command to run, a failure has the usual status. */
static int run_stat(const struct command *c, const struct options *o, char **args)
{
	int ret, status = 0;

	if (*args && strcmp(args[-1], "--"))
		ret = fail("a command needs -- before it: kmemacct stat -- COMMAND");
	else
		ret = stat_command(o, args, &status) || show_finish() ? -1 : status;
	return ret < 0 && *args ? complain(STATUS_RUN) : ret;
}

static int run_top(const struct command *c, const struct options *o, char **args)
{
	return top_run(o, args[0]);
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
	{ "callers", NULL, "live and allocated memory by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_BY, 1, run_callers },
	{ "allocs", NULL, "live objects, the oldest first",
	  OPTIONS_ROWS | OPTION_RAW_IP, 1, run_table },
	{ "caches", NULL, "live and allocated memory by slab cache",
	  OPTIONS_ROWS, 1, run_table },
	{ "stacks", NULL, "sampled objects by call stack",
	  OPTIONS_ROWS, 1, run_stacks },
	{ "folded", "[COLUMN]", "the same, as input for flame graphs", 0, 1, run_folded },
	{ "summary", NULL, "totals of the whole machine",
	  OPTIONS_FORM, 1, run_table },
	{ "stats", NULL, "state of the module: table sizes, losses, CPU time",
	  OPTIONS_FORM, 1, run_table },
	{ "page-callers", NULL, "live and allocated pages by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_RAW_GFP, 1, run_counted },
	{ "pages", NULL, "live pages, the oldest first",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_RAW_GFP, 1, run_counted },
	{ "orders", NULL, "page allocations by order and migrate type",
	  OPTIONS_ROWS, 1, run_orders },
	{ "page-summary", NULL, "page allocations of the whole machine",
	  OPTIONS_FORM, 1, run_page_summary },
	{ "pcpu", NULL, "refills and drains of the per-CPU page lists",
	  OPTIONS_ROWS, 1, run_pcpu },
	{ "extfrag", NULL, "allocations that fragment memory, and advice",
	  OPTIONS_ROWS | OPTION_RAW_IP, 1, run_extfrag },
	{ "latency", NULL, "time that reclaim and compaction took, by phase",
	  OPTIONS_ROWS | OPTION_HISTOGRAM, 1, run_latency },
	{ "shrinkers", NULL, "time that each shrinker took",
	  OPTIONS_ROWS, 1, run_shares },
	{ "stalls", NULL, "what allocations waited for, by call site",
	  OPTIONS_ROWS | OPTION_RAW_GFP, 1, run_shares },
	{ "slow", NULL, "the last slow phases, with their causes and stacks",
	  OPTIONS_FORM | OPTION_LINES | OPTION_RAW_GFP | OPTION_FOLLOW | OPTION_AT_LEAST,
	  1, run_slow },
	{ "tasks", NULL, "pages allocated and freed by process",
	  OPTIONS_ROWS, 1, run_acct },
	{ "cgroups", NULL, "pages allocated and freed by cgroup",
	  OPTIONS_ROWS, 1, run_acct },
	{ "comm-sites", NULL, "allocations by command and call site",
	  OPTIONS_ROWS, 1, run_counted },
	{ "comm-syscalls", NULL, "allocations by command and system call",
	  OPTIONS_ROWS, 1, run_counted },
	{ "skip", NULL, "functions never shown as call sites of pages",
	  OPTION_JSON, 1, run_skip },
	{ "gfp-flags", NULL, "gfp flags and the short codes printed for them",
	  OPTION_JSON, 1, run_gfp_flags },
	{ "leaks", NULL, "live objects of a minimum age, by call site",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_OLDER, 1, run_leaks },
	{ "lookup", "ADDR", "the live object at an address",
	  OPTIONS_FORM | OPTION_RAW_IP, 1, run_lookup },
	{ "run", "-- COMMAND", "changes by call site while a command runs",
	  OPTIONS_ROWS | OPTION_RAW_IP | OPTION_CGROUP, STATUS_RUN, run_run },
	{ "stat", "[-- COMMAND]", "what perf kmem stat prints, live",
	  OPTIONS_STAT | OPTION_SORT | OPTION_LINES | OPTION_RAW_IP | OPTION_JSON, 1, run_stat },
	{ "top", "[VIEW]", "tables on the whole screen, refreshed each second",
	  OPTION_SORT | OPTION_DELAY | OPTION_COUNT, 1, run_top },
	{ "reset", NULL, "restart all counts; live columns stay", 0, 1, run_reset },
	{ "on", NULL, "start recording allocations", 0, 1, run_on },
	{ "off", NULL, "stop recording allocations; frees are still followed", 0, 1, run_off },
};

static int print_help(void)
{
	char usage[64];
	size_t i;

	puts("Usage: kmemacct COMMAND [OPTION...]\n\n"
	     "Show which code allocates and holds kernel memory, as recorded by the\n"
	     "kmemacct module.\n\n"
	     "Commands:");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(usage, sizeof(usage), "%s %s", commands[i].name,
			 commands[i].args ? commands[i].args : "");
		printf("  %-18s %s\n", usage, commands[i].what);
	}
	puts("\nOptions:\n"
	     "  -s, --sort KEY[,KEY...]  sort rows by these columns\n"
	     "  -l, --line N             print only the first N rows\n"
	     "  -b, --bytes              print exact sizes and times\n"
	     "  -j, --json               print JSON\n"
	     "      --by module|cache    callers: add up by module or cache\n"
	     "      --raw-ip             print addresses instead of call sites\n"
	     "      --raw-gfp            print gfp flags as numbers\n"
	     "  -H, --histogram          latency: print whole histograms\n"
	     "  -f, --follow             slow: wait for new records; Ctrl-C ends it\n"
	     "  -t, --at-least US        slow: only those of at least US microseconds\n"
	     "      --cgroup             run: count only the command and its children\n"
	     "      --caller             stat: tables by call site\n"
	     "      --alloc              stat: tables of single objects and pages\n"
	     "      --slab               stat: objects; without --page the default\n"
	     "      --page               stat: pages\n"
	     "      --live               stat --page: only pages that are live\n"
	     "  -d, --delay SECONDS      top: time between two refreshes\n"
	     "  -n, --count COUNT        top: end after COUNT refreshes\n"
	     "      --older-than AGE     leaks: minimum age, such as 30s, 5m, 2h or 1d\n"
	     "  -h, --help               print this help\n\n"
	     "See kmemacct(8).");
	return show_finish();
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	fail("unknown command '%s': see kmemacct --help", name);
	return NULL;
}

static int check_args(const struct command *c, int nr)
{
	if (!c->args)
		return nr ? fail("%s takes no arguments: see kmemacct --help", c->name) : 0;
	if (c->run == run_run)
		return nr ? 0 : fail("run needs a command: kmemacct run -- COMMAND");
	if (c->run == run_stat || (*c->args == '[' && !nr))
		return 0;
	return nr == 1 ? 0 : fail("wrong number of arguments: kmemacct %s %s", c->name, c->args);
}

/* main() has parsed the options before the command's name; more may come after it. */
static int run_named(const struct command *c, struct options *o, int argc,
		     char **argv)
{
	/* Options behind the name of a command that is to be run belong to it. */
	bool mixed = c->run != run_run && c->run != run_stat;
	int first = options_parse(o, argc, argv, mixed);

	if (first < 0)
		return -1;
	if (o->help)
		return print_help();
	if (options_check(o, c->name, c->takes) || check_args(c, argc - first))
		return -1;
	return c->run(c, o, argv + first);
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
		fail("no command is given: use %s, or see kmemacct --help",
		     "callers, allocs, caches, stacks, summary or stats");
		return complain(1);
	}
	/* --by without a command means callers. */
	if (first < argc)
		c = find_command(argv[first]);
	ret = c ? run_named(c, &o, argc - first, argv + first) : -1;
	if (ret >= 0 && show_finish())
		ret = -1;
	return ret < 0 ? complain(c ? c->failure : 1) : ret;
}
