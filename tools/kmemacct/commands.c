// SPDX-License-Identifier: GPL-2.0
/* The commands.  See the overview in commands.h. */
#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "commands.h"
#include "derive.h"
#include "diff.h"
#include "error.h"
#include "export.h"
#include "files.h"
#include "folded.h"
#include "follow.h"
#include "gfp.h"
#include "growth.h"
#include "latency.h"
#include "leaks.h"
#include "live.h"
#include "pages.h"
#include "reader.h"
#include "run.h"
#include "set.h"
#include "setting.h"
#include "settings.h"
#include "show.h"
#include "slow.h"
#include "snapshot.h"
#include "stat.h"
#include "status.h"
#include "suggest.h"
#include "top.h"
#include "top_view.h"
#include "watch.h"

/* Exit status of `diff` if it fails: 1 says that something has grown. */
#define STATUS_DIFF	2
/* Exit status of `run` and `stat` if they fail themselves.  Otherwise it is their command's. */
#define STATUS_RUN	125

/* ---- tables derived from the module's ------------------------------------- */

static struct table *modules_of(struct table *t, const struct options *o)
{
	derive_modules(t);
	return t;
}

static struct table *marked(struct table *t, const struct options *o)
{
	pages_mark(t);
	return t;
}

static struct table *advised(struct table *t, const struct options *o)
{
	pages_advise(t);
	return t;
}

static struct table *shares_of(struct table *t, const struct options *o)
{
	return latency_shares(t);
}

static struct table *percentiles_of(struct table *t, const struct options *o)
{
	return latency_view(t, !(o->given & (OPTION_JSON | OPTION_HISTOGRAM)));
}

/* Make the columns of leaks. */
static struct table *leaks_of(struct table *t, const struct options *o)
{
	return leaks_table(t, 0, LEAKS_BY_SITE, NULL, NULL);
}

static struct table *codes_of(struct table *t, const struct options *o)
{
	return gfp_codes(t);
}

/* Make the columns of differences. */
static struct table *changes_of(struct table *t, const struct options *o)
{
	return derive_difference(t, table_known(t->name));
}

/* ---- tables --------------------------------------------------------------- */

static int show_derived(const struct command *c, const struct options *o, struct table *t)
{
	if (t && c->derive)
		t = c->derive(t, o);
	return show(t, o, c->keys);
}

/* Print a table that the module always has. */
static int run_table(const struct command *c, const struct options *o)
{
	return show_derived(c, o, files_table(c->table));
}

/* Print a table that a setting enables. */
static int run_counted(const struct command *c, const struct options *o)
{
	return show_derived(c, o, settings_counted(c->table));
}

/* Those of a snapshot are in memory already, and to sort all rows needs all of them there. */
static bool needs_all_rows(const struct options *o)
{
	return o->input || (o->sort && !(o->given & OPTION_LINES));
}

static int run_allocs(const struct command *c, const struct options *o)
{
	return needs_all_rows(o) ? run_table(c, o) :
	       show_stream(files_reader(c->table), o, NULL);
}

static int run_pages(const struct command *c, const struct options *o)
{
	return needs_all_rows(o) ? run_counted(c, o) :
	       show_stream(files_reader(c->table), o, settings_check_counted);
}

static int run_timed(const struct command *c, const struct options *o)
{
	return show_derived(c, o, settings_latency(c->table));
}

static int run_stacks(const struct command *c, const struct options *o)
{
	return show_derived(c, o, settings_stacks(c->table));
}

/* The fields of the heads of lists are about counts, which lists do not have. */
static int run_list(const struct command *c, const struct options *o)
{
	struct table *t = files_table(c->table);

	if (t && c->derive)
		t = c->derive(t, o);
	if (t && !(o->given & OPTION_JSON))
		t->nr_fields = 0;
	return show(t, o, NULL);
}

static int run_callers(const struct command *c, const struct options *o)
{
	struct table *t;

	if (o->by && o->given & OPTION_RAW_IP)
		return fail("--raw-ip needs call sites, and --by %s has none: omit one", o->by);
	if (o->by && o->given & OPTION_MODULE)
		return fail("--module needs call sites, and --by %s has none: omit one", o->by);
	t = files_table(o->by && strcmp(o->by, "module") ? "caches" : "callers");
	if (!o->command && !o->by)
		return show_screenful(t, o);
	if (!o->by || strcmp(o->by, "module"))
		return show(t, o, NULL);
	return show(t ? modules_of(t, o) : NULL, o, "live_bytes");
}

static int run_orders(const struct command *c, const struct options *o)
{
	static const u64 rows = OPTION_JSON | OPTION_SORT | OPTION_LINES | OPTION_OUTPUT |
				OPTION_RAW;
	static const char * const shown[] = { "hits", "live_allocs" };
	const struct options plain = { .given = o->given };
	struct table *matrix, *t = settings_counted(c->table);
	size_t i;
	int ret = 0;

	if (!t || o->given & rows)
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

static int run_page_summary(const struct command *c, const struct options *o)
{
	struct table *t = settings_counted(c->table);

	if (t && !(o->given & (OPTION_JSON | OPTION_RAW)) && show(pages_summary(t), o, NULL)) {
		table_free(t);
		return -1;
	}
	return show(t, o, NULL);
}

static int run_latency(const struct command *c, const struct options *o)
{
	struct table *t;

	if (!(o->given & OPTION_HISTOGRAM))
		return run_timed(c, o);
	if (o->given & (OPTION_JSON | OPTION_RAW))
		return fail("-H is for text, and -j has all buckets: omit one");
	t = settings_latency(c->table);
	return t ? show_histograms(c->derive(t, o), o, c->keys) : -1;
}

static int run_slow(const struct command *c, const struct options *o)
{
	bool json = o->given & OPTION_JSON, follows = o->given & OPTION_FOLLOW;
	struct table *t;

	if (json && follows)
		return fail("slow -f prints text only: omit -j");
	if (follows && o->input)
		return fail("slow -f waits for new records, and a snapshot gets none: omit -i");
	t = settings_latency(c->table);
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

static int run_folded(const struct command *c, const struct options *o)
{
	struct table *t = settings_stacks(c->table);
	int ret;

	if (!t)
		return -1;
	ret = folded_print(stdout, t, o->nr_args ? o->args[0] : "live_bytes");
	table_free(t);
	return ret;
}

static int run_leaks(const struct command *c, const struct options *o)
{
	const u64 older_ms = o->given & OPTION_OLDER ? o->older_ms : LEAKS_OLDER_MS;
	const enum leaks_by by = o->by ? leaks_find(o->by) : LEAKS_BY_SITE;
	const struct rows_match objects = { .module = o->module, .site = o->site };
	struct options rows = *o;

	if (by != LEAKS_BY_SITE && o->given & OPTION_RAW_IP)
		return fail("--raw-ip needs call sites, and --by %s has none: omit one", o->by);
	/* These select objects, so that also groups without call sites can be of a module */
	rows.module = NULL;
	rows.site = NULL;
	return show(leaks_read(older_ms, by, &objects), &rows, c->keys);
}

static int run_lookup(const struct command *c, const struct options *o)
{
	struct table *t;
	u64 addr;

	if (number_parse_hex(o->args[0], &addr))
		return fail("'%s' is not an address: write it in hexadecimal", o->args[0]);
	t = files_table(c->table);
	if (t && derive_object(t, addr)) {
		table_free(t);
		return -1;
	}
	return show(t, o, NULL);
}

/* ---- changes -------------------------------------------------------------- */

/* Return: 1 if something has grown, of what the options select. */
static int run_diff(const struct command *c, const struct options *o)
{
	const struct diff d = {
		.before = o->args[0], .after = o->args[1],
		.table = o->table ? o->table : c->table,
		.fdr = o->given & OPTION_FDR ? o->fdr_milli / 100000.0 : GROWTH_FDR,
		.exact = o->given & OPTION_EXACT,
	};
	struct table *t;
	int ret;

	if (o->module && live_check_module(d.table))
		return -1;
	t = diff_make(&d).table;
	if (!t || show_select(t, o))
		return -1;
	ret = growth_count(t) > 0;
	return show(t, o, NULL) ? -1 : ret;
}

static int run_watch(const struct command *c, const struct options *o)
{
	return watch_run(o, o->args);
}

static struct table *columns_of_growth(struct table *t, const struct options *o)
{
	return growth_columns(t);
}

static int run_snapshot(const struct command *c, const struct options *o)
{
	return snapshot_take(o->args[0], o->tables);
}

static int run_export(const struct command *c, const struct options *o)
{
	struct series_choice choice = o->series;

	if (!(o->given & OPTION_SERIES))
		choice.sites = SERIES_SITES;
	return export_write(o->args[0], o->nr_args > 1 ? o->args[1] : NULL, &choice);
}

/* ---- other programs ------------------------------------------------------- */

/* Check sort keys and columns first: the program may run for an hour before they are needed. */
static int run_run(const struct command *c, const struct options *o)
{
	struct table *empty;
	int ret, status = 0;

	if (!o->nr_args)
		return fail("run needs a command: kmemacct run -- COMMAND");
	empty = commands_table(c);
	ret = show_check(empty, o);
	table_free(empty);
	if (ret || show(run_command(o->args, o->given & OPTION_CGROUP, &status), o, c->keys))
		return -1;
	return show_finish() ? -1 : status;
}

static int run_stat(const struct command *c, const struct options *o)
{
	int status = 0;

	if (o->nr_args && !o->dashes)
		return fail("a command needs -- before it: kmemacct stat -- COMMAND");
	if (o->nr_args && o->input)
		return fail("stat -- COMMAND needs the module: omit -i or the command");
	return stat_command(o, o->args, &status) || show_finish() ? -1 : status;
}

/* ---- others --------------------------------------------------------------- */

static int run_top(const struct command *c, const struct options *o)
{
	return top_run(o, o->args[0]);
}

static const char *view_name(int nr)
{
	return nr < TOP_NR_VIEWS ? top_views[nr].name : NULL;
}

/* What the settings are, or one of them is to be. */
static int run_set(const struct command *c, const struct options *o)
{
	const bool is_one = o->nr_args == 1 && !strchr(o->args[0], '=') &&
			    !set_is_command(o->args[0]);

	if (!o->nr_args || is_one)
		return set_list(o->nr_args ? o->args[0] : NULL, stdout, print_screen(),
				o->given & OPTION_EXACT, o->given & OPTION_JSON);
	if (o->given)
		return fail("set takes options to list settings only: omit them, or the value");
	return set_write(o->args);
}

static int run_status(const struct command *c, const struct options *o)
{
	struct status s;
	int ret = status_read(&s);

	if (!ret && o->given & OPTION_JSON)
		status_json(stdout, &s);
	else if (!ret)
		status_print(stdout, &s);
	status_free(&s);
	return ret;
}

static int run_reset(const struct command *c, const struct options *o)
{
	return files_control("reset");
}

static int run_on(const struct command *c, const struct options *o)
{
	return files_control("enabled 1");
}

static int run_off(const struct command *c, const struct options *o)
{
	return files_control("enabled 0");
}

/* ---- the table of commands ------------------------------------------------ */

static const char * const callers_by[] = { "module", "cache", NULL };

#define GFP	OPTION_RAW_GFP
#define IP	OPTION_RAW_IP
#define LINES	OPTIONS_SOURCES

const struct command commands[] = {
	{
		.name = "callers", .group = GROUP_LOOK,
		.what = "live and allocated memory by call site",
		.example = "callers -s growth -l 20",
		.takes = OPTIONS_SITES | IP | OPTION_MIN | OPTION_BY,
		.run = run_callers, .table = "callers", .by = callers_by,
	}, {
		.name = "caches", .group = GROUP_LOOK,
		.what = "the same by slab cache",
		.example = "caches -o +frag_pct,bytes_req",
		.takes = OPTIONS_ROWS | OPTION_MIN,
		.run = run_table, .table = "caches",
	}, {
		.name = "stacks", .group = GROUP_LOOK,
		.what = "sampled objects by call stack",
		.example = "stacks --site 'ext4_*' -l 5",
		.takes = OPTIONS_SITES | OPTION_MIN,
		.run = run_stacks, .table = "stacks",
	}, {
		.name = "allocs", .group = GROUP_LOOK,
		.what = "live objects, the oldest first",
		.example = "allocs --module ext4 -l 20",
		.takes = OPTIONS_SITES | IP | OPTION_MIN,
		.run = run_allocs, .table = "allocs",
	}, {
		.name = "summary", .group = GROUP_LOOK,
		.what = "totals of the whole machine",
		.example = "summary -v",
		.takes = OPTIONS_FORM & ~OPTION_NO_HEADER,
		.run = run_table, .table = "summary",
	}, {
		.name = "stats", .group = GROUP_LOOK,
		.what = "state of the module: table sizes, losses, CPU time",
		.example = "stats -r | grep dropped",
		.takes = OPTIONS_FORM & ~OPTION_NO_HEADER,
		.run = run_table, .table = "stats",
	}, {
		.name = "page_callers", .group = GROUP_LOOK,
		.what = "live and allocated pages by call site",
		.example = "page_callers -s order,live_kb -l 10",
		.takes = OPTIONS_SITES | IP | GFP | OPTION_MIN,
		.run = run_counted, .table = "page_callers",
	}, {
		.name = "pages", .group = GROUP_LOOK,
		.what = "live pages, the oldest first",
		.example = "pages --site 'alloc_skb*'",
		.takes = OPTIONS_SITES | IP | GFP | OPTION_MIN,
		.run = run_pages, .table = "pages",
	}, {
		.name = "orders", .group = GROUP_LOOK,
		.what = "page allocations by order and migrate type",
		.example = "orders -s live_kb",
		.takes = OPTIONS_ROWS & ~OPTION_SITE,
		.run = run_orders, .table = "orders",
	}, {
		.name = "page_summary", .group = GROUP_LOOK,
		.what = "page allocations of the whole machine",
		.example = "page_summary -b",
		.takes = OPTIONS_FORM,
		.run = run_page_summary, .table = "page_summary",
	}, {
		.name = "pcpu", .group = GROUP_LOOK,
		.what = "refills and drains of the per-CPU page lists",
		.example = "pcpu -s imbalance_pages",
		.takes = OPTIONS_ROWS & ~OPTION_SITE,
		.run = run_counted, .table = "pcpu", .derive = marked,
	}, {
		.name = "extfrag", .group = GROUP_LOOK,
		.what = "allocations that fragment memory, and advice",
		.example = "extfrag -l 5",
		.takes = OPTIONS_SITES | IP,
		.run = run_counted, .table = "extfrag", .derive = advised,
	}, {
		.name = "latency", .group = GROUP_LOOK,
		.what = "time that reclaim and compaction took, by phase",
		.example = "latency -H",
		.takes = OPTIONS_ROWS | OPTION_HISTOGRAM,
		.run = run_latency, .table = "latency", .derive = percentiles_of, .keys =
			"total_us",
	}, {
		.name = "shrinkers", .group = GROUP_LOOK,
		.what = "time that each shrinker took",
		.example = "shrinkers -s max_us",
		.takes = OPTIONS_ROWS,
		.run = run_timed, .table = "shrinkers", .derive = shares_of, .keys = "total_us",
	}, {
		.name = "stalls", .group = GROUP_LOOK,
		.what = "what allocations waited for, by call site",
		.example = "stalls -s max_us -l 10",
		.takes = OPTIONS_SITES | GFP,
		.run = run_timed, .table = "stalls", .derive = shares_of, .keys = "total_us",
	}, {
		.name = "slow", .group = GROUP_LOOK,
		.what = "the last slow phases, with their causes and stacks",
		.example = "slow -f -t 10000",
		.takes = OPTION_JSON | OPTION_EXACT | OPTION_VERBOSE | OPTION_LINES | GFP |
			OPTION_FOLLOW | OPTION_AT_LEAST | OPTION_INPUT,
		.run = run_slow, .table = "slow",
	}, {
		.name = "tasks", .group = GROUP_LOOK,
		.what = "pages allocated and freed by process",
		.example = "tasks -s stall_us",
		.takes = OPTIONS_ROWS,
		.run = run_counted, .table = "tasks", .keys = "net_pages",
	}, {
		.name = "cgroups", .group = GROUP_LOOK,
		.what = "pages allocated and freed by cgroup",
		.example = "cgroups -s alloc_pages",
		.takes = OPTIONS_ROWS,
		.run = run_counted, .table = "cgroups", .keys = "net_pages",
	}, {
		.name = "comm_sites", .group = GROUP_LOOK,
		.what = "allocations by command and call site",
		.example = "comm_sites --site make",
		.takes = OPTIONS_SITES,
		.run = run_counted, .table = "comm_sites",
	}, {
		.name = "comm_syscalls", .group = GROUP_LOOK,
		.what = "allocations by command and system call",
		.example = "comm_syscalls -s slab_bytes",
		.takes = OPTIONS_ROWS,
		.run = run_counted, .table = "comm_syscalls",
	}, {
		.name = "gfp_flags", .group = GROUP_LOOK,
		.what = "gfp flags and the short codes printed for them",
		.example = "gfp_flags",
		.takes = OPTIONS_LIST,
		.run = run_list, .table = "gfp_flags", .derive = codes_of,
	}, {
		.name = "skip", .group = GROUP_LOOK,
		.what = "functions never shown as call sites of pages",
		.example = "skip",
		.takes = OPTIONS_LIST,
		.run = run_list, .table = "skip",
	}, {
		.name = "top", .args = "[VIEW]", .group = GROUP_FIND,
		.what = "tables on the whole screen, refreshed each second",
		.example = "top caches -s growth",
		.takes = OPTION_SORT | OPTION_DELAY | OPTION_COUNT,
		.run = run_top,
		.words = view_name,
	}, {
		.name = "leaks", .group = GROUP_FIND,
		.what = "old live objects, by call site, process or cgroup",
		.example = "leaks --older-than 1h --by cgroup",
		.takes = OPTIONS_SITES | IP | OPTION_OLDER | OPTION_MIN | OPTION_BY,
		.run = run_leaks, .table = "allocs", .derive = leaks_of, .keys = "live_bytes",
		.by = leaks_names,
	}, {
		.name = "diff", .args = "A [B]", .group = GROUP_FIND,
		.what = "changes from one snapshot to another, or up to now",
		.example = "diff --min 1M yesterday.tar.gz",
		.takes = (OPTIONS_SITES | OPTION_MIN | OPTION_TABLE | OPTION_FDR) & ~OPTION_INPUT,
		.run = run_diff, .table = "callers", .derive = columns_of_growth,
		.status = "0: nothing has grown significantly; 1: something has; 2: failure",
		.failure = STATUS_DIFF, .files = true,
	}, {
		.name = "watch", .args = "[TABLE] [SECONDS]", .group = GROUP_FIND,
		.what = "changes since the last look, every 2 seconds",
		.example = "watch caches 10 -l 5",
		.takes = (OPTIONS_SITES | OPTION_MIN | OPTION_DELAY | OPTION_COUNT) &
			 ~(OPTION_INPUT | OPTION_RAW | LINES),
		.run = run_watch, .table = "callers", .derive = columns_of_growth,
		.words = live_table,
	}, {
		.name = "lookup", .args = "ADDR", .group = GROUP_FIND,
		.what = "the live object at an address",
		.example = "lookup ffff888001000080",
		.takes = OPTIONS_FORM | OPTION_OUTPUT | IP | LINES,
		.run = run_lookup, .table = "allocs",
	}, {
		.name = "run", .args = "-- COMMAND", .group = GROUP_FIND,
		.what = "changes by call site while a command runs",
		.example = "run --cgroup -- make -j4",
		.takes = (OPTIONS_SITES | IP | OPTION_CGROUP | OPTION_MIN) & ~OPTION_INPUT,
		.run = run_run, .table = "callers", .derive = changes_of, .keys = "bytes_alloc",
		.status = "that of COMMAND; 125: COMMAND cannot be run, or another failure",
		.failure = STATUS_RUN, .starts = true,
	}, {
		.name = "stat", .args = "[-- COMMAND]", .group = GROUP_FIND,
		.what = "what perf kmem stat prints, live",
		.example = "stat --slab --page --caller -l 20 -- find /usr",
		.takes = OPTIONS_STAT | OPTION_SORT | OPTION_LINES | IP | OPTION_JSON |
			OPTION_VERBOSE | OPTION_INPUT,
		.run = run_stat,
		.status = "that of COMMAND; 125: COMMAND cannot be run, or another failure",
		.failure = STATUS_RUN, .starts = true,
	}, {
		.name = "status", .group = GROUP_ACT,
		.what = "what is recorded, what was lost, and what it costs",
		.example = "status",
		.takes = OPTION_JSON | OPTION_INPUT,
		.run = run_status,
	}, {
		.name = "set", .args = "[NAME [VALUE]]", .group = GROUP_ACT,
		.what = "change a setting of the module, or list them",
		.example = "set sample_bytes 512K",
		.takes = OPTION_JSON | OPTION_EXACT | OPTION_INPUT,
		.run = run_set, .words = setting_name,
		.starts = true,
	}, {
		.name = "on", .group = GROUP_ACT,
		.what = "start recording allocations",
		.example = "on",
		.run = run_on,
	}, {
		.name = "off", .group = GROUP_ACT,
		.what = "stop recording allocations; frees are still followed",
		.example = "off",
		.run = run_off,
	}, {
		.name = "reset", .group = GROUP_ACT,
		.what = "restart all counts; live objects stay",
		.example = "reset",
		.run = run_reset,
	}, {
		.name = "snapshot", .args = "FILE", .group = GROUP_EXPORT,
		.what = "save all tables in one file, for diff and -i",
		.example = "snapshot yesterday.tar.gz",
		.takes = OPTION_TABLES,
		.run = run_snapshot, .files = true,
	}, {
		.name = "folded", .args = "[COLUMN]", .group = GROUP_EXPORT,
		.what = "sampled objects by stack, for flame graphs",
		.example = "folded | flamegraph.pl --countname bytes > live.svg",
		.takes = OPTION_INPUT,
		.run = run_folded, .table = "stacks",
	}, {
		.name = "export", .args = "FORMAT [FILE]", .group = GROUP_EXPORT,
		.what = "metrics, in the format openmetrics or prometheus",
		.example = "export prometheus /var/lib/prometheus/node-exporter/kmemacct.prom",
		.takes = OPTION_SERIES | OPTION_INCLUDE | OPTION_EXCLUDE,
		.run = run_export, .words = export_format, .files = true,
	},
	{}
};

const struct command *commands_find(const char *name)
{
	const struct command *c;
	struct suggestion s;

	suggest_begin(&s, name, strlen(name));
	for (c = commands; c->name; c++) {
		if (suggest_is(c->name, name))
			return c;
		suggest_try(&s, c->name);
	}
	suggest_fail(&s, "see kmemacct --help", "unknown command '%.64s'", name);
	return NULL;
}

/* The growth of what is live needs the time since counting began. */
struct table *commands_table(const struct command *c)
{
	static const struct options none;
	struct table *t = c->table ? table_known(c->table) : NULL;

	if (!t)
		return NULL;
	t->fields[t->nr_fields++] = (struct field) { "window_s", "1.000" };
	if (c->derive)
		t = c->derive(t, &none);
	return columns_add(t);
}
