// SPDX-License-Identifier: GPL-2.0
/*
 * The commands.
 *
 * Help, completion and the checks of options are made from this one table.  A command that prints
 * a table of the module is named after that table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../top/top.h"
#include "cmd.h"

/* Exit status of `diff` if it fails: 1 says that something has grown. */
#define STATUS_DIFF	2
/* Exit status of `run` and `stat` if they fail themselves.  Otherwise it is their command's. */
#define STATUS_RUN	125

/* ---- what is made of tables ----------------------------------------------- */

static void modules_of(struct view *v, const struct options *o)
{
	if (o->by)
		group_modules(v->t);
}

static void imbalanced(struct view *v, const struct options *o)
{
	pages_imbalance(v);
}

static void advised(struct view *v, const struct options *o)
{
	pages_advise(v);
}

static void shares_of(struct view *v, const struct options *o)
{
	latency_shares(v);
}

static void stalls_of(struct view *v, const struct options *o)
{
	shares_of(v, o);
	stalls_remark(v);
}

static void leaks_of(struct view *v, const struct options *o)
{
	leaks_make(v, 0, leaks_by(o), NULL);
}

#define UNTRACKED "the slow path of the page allocator cannot be followed: "	\
	"pages that fail are counted while kmemacct set pages sites"

static void failures_of(struct view *v, const struct options *o)
{
	if (table_is(v->t, "followed_slow_path", "0") && !source_is_snapshot(v->t->source))
		v->elsewhere = UNTRACKED;
	group_failures(v->t, text_lists(o->by, "task"), text_lists(o->by, "gfp"));
}

static void codes_of(struct view *v, const struct options *o)
{
	v->t = gfp_add_codes(v->t);
}

static void changes_of(struct view *v, const struct options *o)
{
	struct table *after;

	if (o->given & OPTION_CGROUP)
		return;
	after = table_known(v->t->name);
	if (o->table && !strcmp(o->table, "modules")) {
		group_modules(v->t);
		group_modules(after);
	}
	diff_subtract(v, o, v->t, after);
}

static void growth_of(struct view *v, const struct options *o)
{
	if (o->table && growth_is_timed(o->table)) {
		changes_of(v, o);
		return;
	}
	if (o->table && !strcmp(o->table, "modules"))
		group_modules(v->t);
	v->t = growth_columns(v->t);
}

/* ---- tables --------------------------------------------------------------- */

static int run_table(const struct command *c, const struct options *o)
{
	struct view v;

	if (show_read(&v, o, c->table))
		return -1;
	if (c->derive)
		c->derive(&v, o);
	return show(&v, o, c->keys);
}

/*
 * Read the whole table if it is from a snapshot, which is in memory anyway, or if all rows are
 * sorted.  Otherwise print rows as they are read.
 */
static int run_streamed(const struct command *c, const struct options *o)
{
	if (o->input || (o->sort && !(o->given & OPTION_LINES)))
		return run_table(c, o);
	return show_stream(o, c->table);
}

/*
 * Print a list.  Its head is left out: fields of heads are about counts, which lists do not have.
 */
static int run_list(const struct command *c, const struct options *o)
{
	struct view v;

	if (show_read(&v, o, c->table))
		return -1;
	if (c->derive)
		c->derive(&v, o);
	if (!(o->given & OPTION_JSON))
		v.t->nr_fields = 0;
	return show(&v, o, NULL);
}

static bool is_by(const struct options *o, const char *key)
{
	return o->by && !strcmp(o->by, key);
}

/* Return: the table that options ask for. */
static const char *table_of(const struct command *c, const struct options *o)
{
	if (o->cgroup)
		return "allocs";
	if (o->cache || is_by(o, "cache,site"))
		return "cache_sites";
	if (is_by(o, "cache"))
		return "caches";
	if (o->given & OPTION_UNRECLAIMABLE && strcmp(c->table, "caches"))
		return "cache_sites";
	if (o->given & OPTION_CGROUP)
		return RUN_CGROUP;
	return o->table && strcmp(o->table, "modules") ? o->table : c->table;
}

/* Leave out the rows of caches that the kernel can shrink. */
static void keep_unreclaimable(struct view *v, const struct options *o)
{
	const struct sort largest = { .key = { COUNT_live_bytes }, .nr = 1 };
	struct table *t = v->t;
	char size[NUMBER_LEN];
	size_t i, nr = 0;
	u64 bytes = 0;

	if (!(o->given & OPTION_UNRECLAIMABLE))
		return;
	for (i = 0; i < t->nr_rows; i++) {
		if (table_at(t, t->rows[i], AT_reclaimable) != 1)
			t->rows[nr++] = t->rows[i];
		else
			bytes += t->rows[i]->v[COUNT_live_bytes];
	}
	t->nr_rows = nr;
	number_print_size(size, bytes, false);
	v->note = view_own(v, alloc_print("without %s in caches that the kernel can shrink", size));
	if (t->at[AT_cache_site] != t->nr_values || is_by(o, "cache,site") || o->cache)
		return;
	group_cache(t, NULL);
	view_sort(t, &largest);
}

static void callers_of(struct view *v, const struct options *o)
{
	if (o->cgroup) {
		leaks_make(v, 0, LEAKS_BY_SITE, NULL);
		return;
	}
	v->t = reclaim_flag(v->t);
	keep_unreclaimable(v, o);
	if (is_by(o, "module"))
		group_modules(v->t);
	else if (o->cache)
		group_cache(v->t, o->cache);
}

/* Options about call sites need a table of these. */
static int check_sites(const struct options *o)
{
	const u64 wrong = o->given & (OPTION_RAW_IP | (is_by(o, "cache,site") ? 0 : OPTION_MODULE));

	if (!o->by || !wrong)
		return 0;
	return fail("%s does not work with --by %s: omit one",
		    wrong & OPTION_RAW_IP ? "--raw-ip" : "--module", o->by);
}

static int check_unreclaimable(const struct options *o)
{
	return o->given & OPTION_UNRECLAIMABLE ? reclaim_check(o->source) : 0;
}

static int run_callers(const struct command *c, const struct options *o)
{
	struct view v;

	if (o->by && (o->cache || o->cgroup))
		return fail("--%s prints call sites: omit --by %s", o->cache ? "cache" : "cgroup",
			    o->by);
	if (o->cgroup && o->given & OPTION_UNRECLAIMABLE)
		return fail("--unreclaimable does not work with --cgroup: omit one");
	if (o->cgroup)
		return leaks_callers(c, o);
	if (check_sites(o) || show_read(&v, o, table_of(c, o)))
		return -1;
	callers_of(&v, o);
	if (show_check_cache(v.t, o->cache) || check_unreclaimable(o)) {
		view_end(&v);
		return -1;
	}
	if (!o->command && !o->by && !o->cache) {
		v.machine = view_own(&v, machine_line(o->source));
		return show_screenful(&v, o);
	}
	return show(&v, o, !strcmp(v.t->name, "modules") ? "live_bytes" : NULL);
}

static int run_page_callers(const struct command *c, const struct options *o)
{
	struct view v;

	if (check_sites(o) || show_read(&v, o, c->table))
		return -1;
	modules_of(&v, o);
	return show(&v, o, o->by ? "live_kb" : NULL);
}

/* Print two matrices as text, unless options are about rows. */
static int run_orders(const struct command *c, const struct options *o)
{
	static const u64 rows = OPTION_JSON | OPTION_SORT | OPTION_LINES | OPTION_OUTPUT |
				OPTION_RAW;
	static const char * const shown[][2] = {
		{ "hits", "allocations" }, { "live_allocs", "live allocations" },
	};
	const struct options plain = { .given = o->given, .source = o->source };
	struct view v, matrix;
	struct table *t;
	size_t i;
	int ret = 0;

	if (show_read(&v, o, c->table))
		return -1;
	if (o->given & rows)
		return show(&v, o, NULL);
	for (i = 0; !ret && i < ARRAY_SIZE(shown); i++) {
		t = pages_matrix(v.t, shown[i][0], shown[i][1]);
		ret = t ? 0 : -1;
		if (t && !i)
			table_inherit(t, v.t);
		if (t) {
			view_begin(&matrix, t);
			ret = show(&matrix, &plain, NULL);
		}
	}
	view_end(&v);
	return ret;
}

static int run_page_summary(const struct command *c, const struct options *o)
{
	struct view pairs, v;

	if (show_read(&pairs, o, c->table))
		return -1;
	if (o->given & (OPTION_JSON | OPTION_RAW))
		return show(&pairs, o, NULL);
	view_begin(&v, pages_summary(pairs.t));
	if (!show(&v, o, NULL))
		return show(&pairs, o, NULL);
	view_end(&pairs);
	return -1;
}

/* Print whole histograms with -H. */
static int show_times(struct view *v, const struct options *o, const char *keys)
{
	const struct style style = show_style(o);
	int ret;

	if (!(o->given & OPTION_HISTOGRAM))
		return show(v, o, keys);
	ret = show_prepare(v, o, keys);
	if (!ret) {
		text_head(stdout, v, &style);
		latency_histograms(stdout, v, &style);
	}
	view_end(v);
	return ret;
}

static int check_histogram(const struct options *o)
{
	if (!(o->given & OPTION_HISTOGRAM) || !(o->given & (OPTION_JSON | OPTION_RAW)))
		return 0;
	return fail("-H is for text, and -j has all buckets: omit one");
}

static int run_latency(const struct command *c, const struct options *o)
{
	struct view v;

	if (check_histogram(o) || show_read(&v, o, c->table))
		return -1;
	c->derive(&v, o);
	return show_times(&v, o, c->keys);
}

/* --site and --module choose rows before these are added up, so that --by order is of a site. */
static int run_waits(const struct command *c, const struct options *o)
{
	struct options rows = *o;
	struct view v;

	if (check_histogram(o) || show_read(&v, o, c->table))
		return -1;
	latency_split(&v);
	if (show_check_names(v.t, &o->match)) {
		view_end(&v);
		return -1;
	}
	latency_make(&v, o);
	if (v.nr)
		rows.match = (struct match) {};
	return show_times(&v, &rows, is_by(o, "order") ? NULL : c->keys);
}

static int run_folded(const struct command *c, const struct options *o)
{
	struct view v;
	int ret;

	if (show_read(&v, o, c->table))
		return -1;
	ret = folded_print(stdout, v.t, o->nr_args ? o->args[0] : "live_bytes");
	view_end(&v);
	return ret;
}

/* Kernel addresses are in the upper half of the address space; hashes have only 32 bits. */
static bool is_address(u64 ptr)
{
	return ptr >> 63;
}

/* A hash can only be compared for equality; with an address, test the whole object. */
static bool has_address(const struct row *object, u64 addr)
{
	u64 ptr = object->v[ALLOC_ptr];

	if (!is_address(ptr))
		return ptr && ptr == addr;
	return addr - ptr < object->v[ALLOC_bytes_alloc] || addr == ptr;
}

#define NO_OBJECT "no live object at %#llx: it was freed, or not recorded (older than the module, not sampled, or filtered out)"

#define HASHED	"no object is listed as %016llx, and addresses are hashed"
#define HIDDEN	"addresses are hidden"
#define UNHIDE	": sysctl kernel.kptr_restrict=1 shows them"

/* Keep only the objects that contain an address.  Return: 0, or -1 after calling fail(). */
static int find_object(struct view *v, u64 addr)
{
	bool addresses = false, hashes = false;
	struct table *t = v->t;
	/* Addresses in a snapshot stay as they were recorded. */
	const char *remedy = source_is_snapshot(t->source) ? "" : UNHIDE;
	size_t i;
	u64 ptr;

	for (i = 0; i < t->nr_rows; i++) {
		ptr = t->rows[i]->v[ALLOC_ptr];
		addresses |= is_address(ptr);
		hashes |= !is_address(ptr) && ptr;
	}
	view_keep(v, has_address, addr);
	if (v->nr)
		return 0;
	if (addresses || !i)
		return fail(NO_OBJECT, addr);
	if (hashes)
		return fail(HASHED "%s", addr, remedy);
	return fail(HIDDEN "%s", remedy);
}

static int run_lookup(const struct command *c, const struct options *o)
{
	struct view v;
	u64 addr;

	if (number_parse_hex(o->args[0], &addr))
		return fail("'%s' is not an address: write it in hexadecimal", o->args[0]);
	if (show_read(&v, o, c->table))
		return -1;
	if (!find_object(&v, addr))
		return show(&v, o, NULL);
	view_end(&v);
	return -1;
}

/* ---- others --------------------------------------------------------------- */

/* Check sort keys and columns first: the program may run for an hour before they are needed. */
static int run_program(const struct command *c, const struct options *o)
{
	struct view v;

	if (!o->nr_args)
		return fail("run needs a command: kmemacct run -- COMMAND");
	if (o->table && o->given & OPTION_CGROUP)
		return fail("--table is of the whole machine, and --cgroup is not: omit one");
	if (o->table && growth_check(o->table, &o->match))
		return -1;
	commands_view(&v, c, o);
	return show_check(&v, o) ? -1 : run_run(c, o);
}

static int run_top(const struct command *c, const struct options *o)
{
	return top_run(&(struct top_options) {
		.view = o->args[0], .sort = o->sort,
		.delay_ms = o->given & OPTION_DELAY ? o->delay_ms : 0,
		.count = o->given & OPTION_COUNT ? o->count : 0,
	});
}

static int run_snapshot(const struct command *c, const struct options *o)
{
	return snapshot_take(o->args[0], o->tables);
}

/* The commands `on`, `off` and `reset`. */
static int run_control(const struct command *c, const struct options *o)
{
	return control_write(!strcmp(c->name, "on") ? "enabled 1" :
			     !strcmp(c->name, "off") ? "enabled 0" : c->name);
}

/* ---- the table of commands ------------------------------------------------ */

static const char * const callers_by[] = { "module", "cache", "cache,site", NULL };
static const char * const page_callers_by[] = { "module", NULL };
static const char * const waits_by[] = {
	"site", "order", "origin", "site,order", "site,origin", NULL,
};

static const char * const failures_by[] = { "task", "gfp", "task,gfp", NULL };

#define GFP	OPTION_RAW_GFP
#define IP	OPTION_RAW_IP
#define LINES	OPTIONS_SOURCES

const struct command commands[] = {
	{
		.name = "callers", .group = GROUP_LOOK,
		.what = "live and allocated memory by call site",
		.example = "callers -s allocs -l 20",
		.takes = OPTIONS_SITES | IP | OPTION_MIN | OPTION_BY | OPTION_CACHE |
			OPTION_OWNER | OPTION_UNRECLAIMABLE,
		.run = run_callers, .table = "callers", .derive = callers_of, .by = callers_by,
	}, {
		.name = "caches", .group = GROUP_LOOK,
		.what = "live and allocated memory by slab cache",
		.example = "caches -o +frag_pct,bytes_req",
		.takes = OPTIONS_ROWS | OPTION_MIN | OPTION_UNRECLAIMABLE,
		.run = run_callers, .table = "caches", .derive = callers_of,
	}, {
		.name = "stacks", .group = GROUP_LOOK,
		.what = "sampled objects by call stack",
		.example = "stacks --site 'ext4_*' -l 5",
		.takes = OPTIONS_SITES | OPTION_MIN,
		.run = run_table, .table = "stacks",
	}, {
		.name = "history", .args = "[SITE]", .group = GROUP_LOOK,
		.what = "live memory in the last 10 min, 1 h or 2 days, by site",
		.example = "history --by 1h --cache dentry",
		.takes = OPTIONS_SITES | OPTION_BY | OPTION_CACHE,
		.run = history_run, .table = "history", .derive = history_make,
		.keys = "change_kb", .by = history_by,
	}, {
		.name = "marks", .group = GROUP_LOOK,
		.what = "the machine's memory in the last 10 min, 1 h or 2 days",
		.example = "marks --by 1h",
		.takes = (OPTIONS_ROWS & ~OPTION_SITE) | OPTION_BY,
		.run = run_table, .table = "marks", .derive = history_marks, .by = history_by,
	}, {
		.name = "allocs", .group = GROUP_LOOK,
		.what = "live objects, the oldest first",
		.example = "allocs --module ext4 -l 20",
		.takes = OPTIONS_SITES | IP | OPTION_MIN,
		.run = run_streamed, .table = "allocs",
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
		.takes = OPTIONS_SITES | IP | GFP | OPTION_MIN | OPTION_BY,
		.run = run_page_callers, .table = "page_callers", .derive = modules_of,
		.by = page_callers_by,
	}, {
		.name = "pages", .group = GROUP_LOOK,
		.what = "live pages, the oldest first",
		.example = "pages --pfn 0x1a400-0x1a5ff",
		.takes = OPTIONS_SITES | IP | GFP | OPTION_MIN | OPTION_PFN,
		.run = run_streamed, .table = "pages",
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
		.run = run_table, .table = "pcpu", .derive = imbalanced,
	}, {
		.name = "extfrag", .group = GROUP_LOOK,
		.what = "allocations that fragment memory, and advice",
		.example = "extfrag -l 5",
		.takes = OPTIONS_SITES | IP,
		.run = run_table, .table = "extfrag", .derive = advised,
	}, {
		.name = "failures", .group = GROUP_LOOK,
		.what = "failed allocations, by call site and order",
		.example = "failures --by task",
		.takes = OPTIONS_SITES | GFP | OPTION_BY,
		.run = run_table, .table = "failures", .derive = failures_of, .keys = "failed",
		.by = failures_by,
	}, {
		.name = "latency", .group = GROUP_LOOK,
		.what = "time that reclaim and compaction took, by phase",
		.example = "latency -H",
		.takes = OPTIONS_ROWS | OPTION_HISTOGRAM,
		.run = run_latency, .table = "latency", .derive = latency_make,
		.keys = "total_us",
	}, {
		.name = "shrinkers", .group = GROUP_LOOK,
		.what = "time that each shrinker took",
		.example = "shrinkers -s max_us",
		.takes = OPTIONS_ROWS,
		.run = run_table, .table = "shrinkers", .derive = shares_of, .keys = "total_us",
	}, {
		.name = "stalls", .group = GROUP_LOOK,
		.what = "what allocations waited for, by call site",
		.example = "stalls -s max_us -l 10",
		.takes = OPTIONS_SITES | GFP,
		.run = run_table, .table = "stalls", .derive = stalls_of, .keys = "total_us",
	}, {
		.name = "waits", .group = GROUP_LOOK,
		.what = "how long allocations waited, with percentiles",
		.example = "waits --by order --site __alloc_skb",
		.takes = OPTIONS_SITES | OPTION_BY | OPTION_HISTOGRAM,
		.run = run_waits, .table = "waits", .derive = latency_make, .keys = "total_us",
		.by = waits_by,
	}, {
		.name = "wakers", .group = GROUP_LOOK,
		.what = "call sites that wake kswapd and kcompactd",
		.example = "wakers -s wakeups -l 10",
		.takes = OPTIONS_SITES,
		.run = run_table, .table = "wakers", .derive = shares_of, .keys = "ran_us",
	}, {
		.name = "slow", .group = GROUP_LOOK,
		.what = "the last slow phases, with their causes and stacks",
		.example = "slow -s us -l 10",
		.takes = OPTION_SORT | OPTION_JSON | OPTION_EXACT | OPTION_VERBOSE | OPTION_LINES |
			GFP | OPTION_FOLLOW | OPTION_AT_LEAST | OPTION_INPUT,
		.run = slow_run, .table = "slow",
	}, {
		.name = "incidents", .args = "[NR]", .group = GROUP_LOOK,
		.what = "what has set off a trigger, or one incident",
		.example = "incidents 1",
		.takes = OPTIONS_ROWS | GFP,
		.run = incidents_run, .table = "incidents", .derive = incidents_make,
	}, {
		.name = "tasks", .group = GROUP_LOOK,
		.what = "pages allocated and freed by process",
		.example = "tasks -s stall_us",
		.takes = OPTIONS_ROWS,
		.run = run_table, .table = "tasks", .keys = "net_pages",
	}, {
		.name = "cgroups", .group = GROUP_LOOK,
		.what = "pages allocated and freed by cgroup",
		.example = "cgroups -s alloc_pages",
		.takes = OPTIONS_ROWS,
		.run = run_table, .table = "cgroups", .keys = "net_pages",
	}, {
		.name = "charges", .group = GROUP_LOOK,
		.what = "live memory by charged cgroup and call site",
		.example = "charges --site /system.slice/*",
		.takes = OPTIONS_SITES | OPTION_MIN | OPTION_REMOVED,
		.run = charges_run, .table = "charges", .keys = "live_bytes",
	}, {
		.name = "comm_sites", .group = GROUP_LOOK,
		.what = "allocations by command and call site",
		.example = "comm_sites --site make",
		.takes = OPTIONS_SITES,
		.run = run_table, .table = "comm_sites",
	}, {
		.name = "comm_syscalls", .group = GROUP_LOOK,
		.what = "allocations by command and system call",
		.example = "comm_syscalls -s slab_bytes",
		.takes = OPTIONS_ROWS,
		.run = run_table, .table = "comm_syscalls",
	}, {
		.name = "cgroup_sites", .group = GROUP_LOOK,
		.what = "allocations of chosen cgroups by call site",
		.example = "cgroup_sites -s slab_bytes",
		.takes = OPTIONS_SITES,
		.run = run_table, .table = "cgroup_sites",
	}, {
		.name = "gfp_flags", .group = GROUP_LOOK,
		.what = "gfp flags and the short codes printed for them",
		.example = "gfp_flags",
		.takes = OPTIONS_LIST,
		.run = run_list, .table = "gfp_flags", .derive = codes_of,
	}, {
		.name = "skip", .group = GROUP_LOOK,
		.what = "helpers: functions not shown as call sites",
		.example = "skip",
		.takes = OPTIONS_LIST,
		.run = run_list, .table = "skip",
	}, {
		.name = "top", .args = "[VIEW]", .group = GROUP_FIND,
		.what = "tables on the whole screen, refreshed each second",
		.example = "top caches -s growth",
		.takes = OPTION_SORT | OPTION_DELAY | OPTION_COUNT,
		.run = run_top,
		.words = top_view_name,
	}, {
		.name = "leaks", .group = GROUP_FIND,
		.what = "old live objects, by call site, process or cgroup",
		.example = "leaks --older-than 1h --by cgroup",
		.takes = OPTIONS_SITES | IP | OPTION_OLDER | OPTION_MIN | OPTION_BY | OPTION_OWNER,
		.run = leaks_run, .table = "allocs", .derive = leaks_of, .keys = "live_bytes",
		.by = leaks_names,
	}, {
		.name = "diff", .args = "[A [B]]", .group = GROUP_FIND,
		.what = "changes from one snapshot to another, or up to now",
		.example = "diff --every 10 --table caches -l 5",
		.takes = (OPTIONS_SITES | OPTION_MIN | OPTION_TABLE | OPTION_FDR | OPTION_EVERY |
			  OPTION_COUNT) & ~OPTION_INPUT,
		.run = diff_run, .table = "callers", .derive = growth_of,
		.status = "0: nothing has grown significantly, or --every; 1: growth; 2: failure",
		.failure = STATUS_DIFF, .files = true,
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
		.takes = (OPTIONS_SITES | IP | OPTION_CGROUP | OPTION_MIN | OPTION_TABLE) &
			~OPTION_INPUT,
		.run = run_program, .table = "callers", .derive = changes_of, .keys = "bytes_alloc",
		.status = "that of COMMAND; 127: not found; 126: cannot run; 125: another failure",
		.failure = STATUS_RUN, .starts = true,
	}, {
		.name = "stat", .args = "[-- COMMAND]", .group = GROUP_FIND,
		.what = "the tables of perf kmem stat, live",
		.example = "stat --slab --page --caller -l 20 -- find /usr",
		.takes = OPTIONS_STAT | OPTION_SORT | OPTION_LINES | IP | OPTION_JSON |
			OPTION_VERBOSE | OPTION_INPUT,
		.run = stat_run,
		.status = "that of COMMAND; 127: not found; 126: cannot run; 125: another failure",
		.failure = STATUS_RUN, .starts = true,
	}, {
		.name = "status", .group = GROUP_ACT,
		.what = "what is recorded, what was lost, and what it costs",
		.example = "status",
		.takes = OPTION_JSON | OPTION_INPUT,
		.run = status_run,
	}, {
		.name = "set", .args = "[NAME [VALUE]]", .group = GROUP_ACT,
		.what = "change a setting of the module, or list them",
		.example = "set sample_bytes 512K",
		.takes = OPTION_JSON | OPTION_EXACT | OPTION_INPUT,
		.run = set_run, .complete = set_complete,
		.starts = true,
	}, {
		.name = "on", .group = GROUP_ACT,
		.what = "start recording allocations",
		.example = "on",
		.run = run_control,
	}, {
		.name = "off", .group = GROUP_ACT,
		.what = "stop recording allocations; frees are still followed",
		.example = "off",
		.run = run_control,
	}, {
		.name = "reset", .group = GROUP_ACT,
		.what = "restart all counts; live objects stay",
		.example = "reset",
		.run = run_control,
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
		.run = export_run, .words = export_format, .files = true,
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

/* Growth per second is computed from the time since counting began. */
bool commands_view(struct view *v, const struct command *c, const struct options *o)
{
	struct table *t = c->table ? table_known(table_of(c, o)) : NULL;

	if (!t)
		return false;
	t->fields[t->nr_fields++] = (struct field) { "window_s", "1.000" };
	view_begin(v, t);
	if (c->derive)
		c->derive(v, o);
	view_complete(v);
	return true;
}
