// SPDX-License-Identifier: GPL-2.0
/* `kmemacct status`: the state of the module on one screen. */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

/* The most lines that the status takes. */
#define STATUS_LINES	24
#define STATUS_COLUMNS	80

/**
 * struct fill - how full a table of the module is
 * @name: the name of its contents
 * @key: its name in JSON
 * @used: how much it holds
 * @room: how much it has room for
 */
struct fill {
	const char *name;
	const char *key;
	u64 used;
	u64 room;
};

/**
 * struct loss - something that was lost
 * @nr: how often; 0 for a loss that is not counted
 * @key: its name in JSON
 * @what: the loss and its reason, printed after the number, if there is one
 * @remedy: advice against the loss
 */
struct loss {
	u64 nr;
	const char *key;
	const char *what;
	const char *remedy;
};

#define STATUS_FILLS	4
#define STATUS_LOSSES	17

/**
 * struct status - what `kmemacct status` shows
 * @stats: the table stats
 * @control: the settings
 * @live: bytes that objects in slabs take, as far as they are recorded
 * @slab: bytes of all slabs of the machine, by /proc/meminfo; 0: not known
 * @fill: how full the tables are
 * @nr_fills: number of @fill
 * @loss: the losses, the worst first
 * @nr_losses: number of @loss
 */
struct status {
	struct table *stats;
	struct control control;
	u64 live;
	u64 slab;
	struct fill fill[STATUS_FILLS];
	int nr_fills;
	struct loss loss[STATUS_LOSSES];
	int nr_losses;
};

/* ---- facts ---------------------------------------------------------------- */

/* Return: a setting, or @other if the module has none of that name. */
static const char *setting(const struct status *s, const char *name, const char *other)
{
	return control_value(&s->control, name) ?: other;
}

static const char *head(const struct status *s, const char *key)
{
	return table_field(s->stats, key) ?: "?";
}

/* ---- the machine's slabs --------------------------------------------------- */

static void find_slab(struct status *s, const struct source *source)
{
	const u64 slab = machine_read(source).slab;
	struct table *t = slab ? source_table(source, "caches") : NULL;

	if (!t)
		return;
	s->slab = slab;
	s->live = machine_recorded(t);
	table_free(t);
}

/* ---- how full, and what is lost ------------------------------------------- */

static void add_fill(struct status *s, const char *name, const char *key, const char *used,
		     u64 room)
{
	if (table_column(s->stats, used) != NONE && room)
		s->fill[s->nr_fills++] = (struct fill) {
			name, key, table_pair(s->stats, used), room,
		};
}

static void find_fills(struct status *s)
{
	u64 sites = table_pair(s->stats, "sites_max");

	add_fill(s, "live objects", "live", "live_objs", table_pair(s->stats, "live_max"));
	add_fill(s, "call sites", "sites", "sites_used", sites);
	/* At most three quarters of the rows have a stack. */
	if (s->stats->sampled)
		add_fill(s, "stacks", "stacks", "stacks_used", sites - sites / 4);
	add_fill(s, "caches", "caches", "caches_used", table_pair(s->stats, "caches_max"));
}

#define NAMES_MAX	5

/*
 * The losses, the worst first: what is lost, why, and what to do.  The number of a loss is the sum
 * of the counters @names.
 */
static const struct {
	const char *names[NAMES_MAX];
	const char *what;
	const char *remedy;
} losses[] = {
	{ { "dropped_live_full" }, "objects: the live table was full",
	  "larger live_max at load, or kmemacct set sample_bytes 512K" },
	{ { "dropped_sites_full" }, "allocations: no row was left for their call sites",
	  "larger sites_max at load" },
	{ { "other_sites" }, "objects are in [other]: no row left for their call site",
	  "larger sites_max at load" },
	{ { "other_caches" }, "caches are in [other]: no number was left for them",
	  "nothing to set: in kmemacct caches, their sizes are rounded up" },
	{ { "alloc_bulk_missed", "alloc_nolock_missed" },
	  "calls that allocate without an event were missed",
	  "nothing to set: their objects are in no table" },
	{ { "replaced", "page_freed" }, "frees were not seen, and were found out later",
	  "see confirmed_bytes of kmemacct callers, a lower bound" },
	{ { "stacks_full" }, "samples have no stack: no row was left for it",
	  "kmemacct reset, or larger sites_max at load" },
	{ { "page_dropped_sites", "page_samples_lost", "page_other_sites" },
	  "page allocations have no call site: no row was left",
	  "larger sites_max at load" },
	{ { "page_other_classes" }, "page allocations: no number was left for their gfp flags",
	  "kmemacct set pages off, then kmemacct set pages sites" },
	{ { "page_no_pfn" }, "page allocations in memory that was added later",
	  "unload and load the module" },
	{ { "page_bulk_missed" }, "calls that allocate pages in bulk were missed",
	  "nothing to set: their pages are in no table" },
	{ { "countmap_other" }, "events count in [other] of account, latency or extfrag",
	  "kmemacct reset makes room" },
	{ { "stall_no_slot", "stall_begins_lost", "stall_ends_lost", "functions_missed",
	    "slow_path_missed" },
	  "phases of reclaim or compaction were not timed",
	  "nothing to set: the times in kmemacct latency are too low by these" },
	{ { "slow_lost" }, "records of slow phases: there was no room",
	  "record fewer of them: kmemacct set threshold_us 100000" },
};

/* Room for three more losses: one that is not counted, one that may decrease, one from the head. */
static_assert(ARRAY_SIZE(losses) + 3 <= STATUS_LOSSES, "STATUS_LOSSES is too small");

/* Allocations during a pause are counted since load: live counters do not include them. */
#define OFF	"off"

const char *status_loss(const struct table *stats, size_t i, u64 *value)
{
	int at;

	*value = 0;
	if (i > ARRAY_SIZE(losses))
		return NULL;
	if (i == ARRAY_SIZE(losses)) {
		*value = table_number(stats, OFF);
		return OFF;
	}
	for (at = 0; at < NAMES_MAX && losses[i].names[at]; at++)
		*value += table_pair(stats, losses[i].names[at]);
	return losses[i].names[0];
}

static void add_loss(struct status *s, u64 nr, const char *key, const char *what,
		     const char *remedy)
{
	s->loss[s->nr_losses++] = (struct loss) { nr, key, what, remedy };
}

/* Find the losses, and how full tables are. */
static void judge(struct status *s)
{
	const u64 failed = table_pair(s->stats, "selftest_failed");
	size_t i;
	u64 nr;

	find_fills(s);
	if (table_column(s->stats, "free_bulk_followed") != NONE &&
	    !table_pair(s->stats, "free_bulk_followed"))
		add_loss(s, 0, "free_bulk_followed", "frees without an event are not followed",
			 "sysctl kernel.ftrace_enabled=1, then load the module again");
	/* The paths of pages are tested each time that page tracking begins: this is no counter. */
	if (failed)
		add_loss(s, failed, "selftest_failed",
			 "paths failed the module's test of this kernel",
			 "kmemacct stats: path_... is 0; dmesg says what that means");
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		status_loss(s->stats, i, &nr);
		if (nr)
			add_loss(s, nr, losses[i].names[0], losses[i].what, losses[i].remedy);
	}
	status_loss(s->stats, ARRAY_SIZE(losses), &nr);
	if (nr)
		add_loss(s, nr, OFF, "allocations came while recording was off",
			 "load the module again to count all that is live");
}

/* ---- text ----------------------------------------------------------------- */

/* Width of the first word of a line, with the blanks after it. */
#define TITLE		11

/* Print a line that begins with a title. */
static __printf(3, 4) void print_line(FILE *out, const char *title, const char *fmt, ...)
{
	va_list args;

	fprintf(out, "%-*s", TITLE, title);
	va_start(args, fmt);
	vfprintf(out, fmt, args);
	va_end(args);
	fputc('\n', out);
}

/* Return: what to do, or "" for a snapshot, for which it comes too late. */
static const char *remedy(const struct status *s, const char *text)
{
	return source_is_snapshot(s->stats->source) ? "" : text;
}

static void print_size(char buf[NUMBER_LEN], const char *bytes)
{
	u64 value;

	snprintf(buf, NUMBER_LEN, "%.31s", bytes);
	if (!number_parse(bytes, &value))
		number_print_size(buf, value, false);
}

static void print_identity(FILE *out, const struct status *s)
{
	char when[64] = "at an unknown time";
	struct tm tm;
	time_t time;
	u64 loaded;

	if (!number_parse(head(s, "loaded_s"), &loaded)) {
		time = loaded;
		strftime(when, sizeof(when), "%F %T", localtime_r(&time, &tm));
	}
	fprintf(out, "kmemacct %s on Linux %s, loaded %s\n\n", head(s, "version"),
		head(s, "kernel"), when);
}

static void print_sampling(FILE *out, const struct status *s)
{
	const u64 set = table_pair(s->stats, "sample_bytes");
	const u64 now = table_pair(s->stats, "sample_bytes_now");
	char size[NUMBER_LEN], raised[NUMBER_LEN], more[96] = "";

	number_print_size(size, set, false);
	number_print_size(raised, now, false);
	if (now > set)
		snprintf(more, sizeof(more), "; now %s, for the budget", raised);
	if (set)
		print_line(out, "Recording", "on: one sample for each %s allocated%s", size, more);
	else
		print_line(out, "Recording", "on: every object; %s", s->stats->sampled ?
			   "sampled objects that are still live stay estimates" :
			   "numbers are exact");
}

static void print_recording(FILE *out, const struct status *s)
{
	char age[NUMBER_LEN];
	u64 milli;

	if (strcmp(setting(s, "enabled", "1"), "0"))
		print_sampling(out, s);
	else
		print_line(out, "Recording", "off%s", remedy(s, ": kmemacct on starts it"));
	snprintf(age, sizeof(age), "%.20ss", head(s, "window_s"));
	if (!number_parse_milli(head(s, "window_s"), &milli))
		number_print_age(age, milli);
	print_line(out, "Counts", "since %s, %s ago", head(s, "since"), age);
}

static void print_pages(FILE *out, const struct status *s)
{
	const char *pages = setting(s, "pages", "off");
	const char *bytes = setting(s, "page_sample_bytes", "0");
	char size[NUMBER_LEN];

	print_size(size, bytes);
	if (!strcmp(pages, "sites") && strcmp(bytes, "0"))
		print_line(out, "Pages", "sites, of one page allocation for each %s", size);
	else
		print_line(out, "Pages", "%s%s", pages, strcmp(pages, "off") ? "" :
			   remedy(s, ": kmemacct set pages sites"));
}

/*
 * Take the next threshold off a text US,PHASE=US,...  Return: the phase, "" for outermost phases;
 * or NULL at the end, and if the text is something else.
 */
static const char *next_threshold(char **text, u64 *us)
{
	char *number = strsep(text, ","), *name;

	if (!number)
		return NULL;
	name = strchr(number, '=') ? strsep(&number, "=") : "";
	return number_parse(number, us) ? NULL : name;
}

/* Print the thresholds that are not 0, or the others.  Return: how many there are. */
static int print_thresholds(FILE *out, const char *text, bool zero)
{
	char *copy = alloc_copy(text), *rest = copy, time[NUMBER_LEN];
	const char *name;
	int nr = 0;
	u64 us;

	while ((name = next_threshold(&rest, &us))) {
		number_print_us(time, us, false);
		if (!us && zero && *name)
			nr += fprintf(out, ", no %s", name) > 0;
		if (us && !zero)
			fprintf(out, nr++ ? ", %s %s" : "; slow lists %s of %s",
				*name ? name : "phases", time);
	}
	free(copy);
	return nr;
}

/* Print which phases are listed or, if that does not fit into @room columns, how to see it. */
static void print_slow(FILE *out, const struct status *s, size_t room)
{
	const char *threshold = setting(s, "threshold_us", "");
	char *text;
	size_t len;
	FILE *line = text_open(&text, &len);
	int nr = print_thresholds(line, threshold, false);

	if (nr)
		nr += print_thresholds(line, threshold, true);
	if (nr == 1)
		fputs(" or more", line);
	text_close(line);
	if (len <= room)
		fputs(text, out);
	else
		fprintf(out, "; slow has %d thresholds%s", nr,
			remedy(s, ": kmemacct set threshold_us"));
	free(text);
}

static void print_latency(FILE *out, const struct status *s)
{
	const char *latency = setting(s, "latency", "off");

	fprintf(out, "%-*s%s", TITLE, "Latency", latency);
	if (strcmp(latency, "off"))
		print_slow(out, s, STATUS_COLUMNS - TITLE - strlen(latency));
	else
		fputs(remedy(s, ": kmemacct set latency on"), out);
	fputc('\n', out);
}

/* Print the criteria that are set, and whether others were set since counting began. */
static void print_filter(FILE *out, const struct status *s)
{
	const struct control *c = &s->control;
	const char *filter = head(s, "filter");
	bool any = false;
	size_t i;

	fprintf(out, "%-*s", TITLE, "Filter");
	for (i = 0; i < c->nr; i++) {
		if (!text_begins(c->lines[i].key, "filter_") || !strcmp(c->lines[i].value, "off"))
			continue;
		fprintf(out, "%s%s %s", any ? "; " : "", c->lines[i].key + 7, c->lines[i].value);
		any = true;
	}
	if (!any && strcmp(filter, "none") && strcmp(filter, "?"))
		fprintf(out, "off now; counts are filtered by %s%s", filter,
			remedy(s, ": kmemacct reset"));
	else if (!any)
		fputs("off", out);
	fputc('\n', out);
}

#define SLAB_LINE	"%s%s of %s recorded, %s; the rest is older, filtered, or free"

/* Say how much of the machine's slabs the tables have. */
static void print_slab(FILE *out, const struct status *s)
{
	const char *about = s->stats->sampled ? "~" : "";
	char live[NUMBER_LEN], slab[NUMBER_LEN], share[NUMBER_LEN];

	if (!s->slab)
		return;
	number_print_bytes(live, s->live, false);
	number_print_bytes(slab, s->slab, false);
	number_print_share(share, number_ratio(s->live, s->slab, 100000));
	print_line(out, "Slab", SLAB_LINE, about, live, slab, share);
}

static void print_fills(FILE *out, const struct status *s)
{
	const struct fill *f;
	char share[NUMBER_LEN];
	int i;

	fprintf(out, "\n%-14s %12s %12s %7s\n", "Table", "used", "room", "full");
	for (i = 0; i < s->nr_fills; i++) {
		f = &s->fill[i];
		number_print_share(share, (double)f->used / f->room * 100000 + 0.5);
		fprintf(out, "%-14s %12llu %12llu %7s\n", f->name, f->used, f->room, share);
	}
}

/* Print a number of thousandths of stats with as few digits as it takes, or `-`. */
static void print_milli(char buf[NUMBER_LEN], const struct status *s, const char *name, int digits)
{
	const int column = table_column(s->stats, name);
	const u64 value = table_pair(s->stats, name);

	if (column == NONE)
		snprintf(buf, NUMBER_LEN, "-");
	else if (s->stats->columns[column].format == FORMAT_MILLI)
		snprintf(buf, NUMBER_LEN, "%.*f", digits, value / 1000.0);
	else
		snprintf(buf, NUMBER_LEN, "%llu", value);
}

static void print_cost(FILE *out, const struct status *s)
{
	const char *budget = setting(s, "budget_pct", "0");
	char cpu[NUMBER_LEN], se[NUMBER_LEN], ns[NUMBER_LEN], memory[NUMBER_LEN], limit[64] = "";

	print_milli(cpu, s, "cpu_pct", 2);
	print_milli(se, s, "cpu_pct_se", 2);
	print_milli(ns, s, "event_ns", 0);
	number_print_size(memory, table_pair(s->stats, "memory_bytes"), false);
	if (strcmp(budget, "0") && table_pair(s->stats, "sample_bytes"))
		snprintf(limit, sizeof(limit), ", budget %.8s %%", budget);
	fputc('\n', out);
	print_line(out, "Cost", "%s %% of all CPUs just now (standard error %s)%s", cpu, se, limit);
	print_line(out, "", "%s of memory; %s ns an event", memory, ns);
}

static void print_loss(FILE *out, const struct status *s, const struct loss *loss,
		       const char *title)
{
	if (loss->nr)
		print_line(out, title, "%llu %s", loss->nr, loss->what);
	else
		print_line(out, title, "%s", loss->what);
	if (*remedy(s, loss->remedy))
		print_line(out, "", "  %s", loss->remedy);
}

/* @lines: number of lines that are left */
static void print_losses(FILE *out, const struct status *s, int lines)
{
	int i, nr = s->nr_losses;

	if (!nr)
		print_line(out, "Lost", "nothing");
	/* The line about the losses that are left out takes one line. */
	if (2 * nr > lines)
		nr = (lines - 1) / 2;
	for (i = 0; i < nr; i++)
		print_loss(out, s, &s->loss[i], i ? "" : "Lost");
	if (nr < s->nr_losses)
		print_line(out, nr ? "" : "Lost", "and %d more: kmemacct status -j",
			   s->nr_losses - nr);
}

/* All lines except those about slabs, tables and losses */
#define LINES_FIXED	13

/*
 * Print the state on one screen: losses come last, the worst one first; if STATUS_LINES do
 * not suffice, the last line says how many kinds of loss are left out.
 */
static void print_text(FILE *out, const struct status *s)
{
	print_identity(out, s);
	print_recording(out, s);
	print_pages(out, s);
	print_line(out, "Account", "%s", setting(s, "account", "off"));
	print_latency(out, s);
	print_filter(out, s);
	print_slab(out, s);
	print_fills(out, s);
	print_cost(out, s);
	print_losses(out, s, STATUS_LINES - LINES_FIXED - !!s->slab - s->nr_fills);
}

/* ---- JSON ----------------------------------------------------------------- */

/* A number of stats, or null. */
static void write_number(struct json *w, const struct status *s, const char *name)
{
	const int column = table_column(s->stats, name);

	if (column == NONE)
		json_null(w, name);
	else if (s->stats->columns[column].format == FORMAT_MILLI)
		json_milli(w, name, table_pair(s->stats, name));
	else
		json_u64(w, name, table_pair(s->stats, name));
}

static void write_field(struct json *w, const struct status *s, const char *key)
{
	json_value(w, key, table_field(s->stats, key));
}

static void json_recording(struct json *w, const struct status *s)
{
	json_line(w);
	json_open(w, "recording", '{');
	json_bool(w, "enabled", strcmp(setting(s, "enabled", "1"), "0"));
	json_bool(w, "exact", !s->stats->sampled);
	write_number(w, s, "sample_bytes");
	write_number(w, s, "sample_bytes_now");
	write_field(w, s, "since");
	write_field(w, s, "window_s");
	write_field(w, s, "coverage_pct");
	json_close(w, '}');
}

static void json_filter(struct json *w, const struct control *c)
{
	size_t i;

	json_open(w, "filter", '{');
	for (i = 0; i < c->nr; i++)
		if (text_begins(c->lines[i].key, "filter_") && strcmp(c->lines[i].value, "off"))
			json_string(w, c->lines[i].key + 7, c->lines[i].value);
	json_close(w, '}');
}

/* The threshold of outermost phases is a number, and those of other phases are an object. */
static void json_thresholds(struct json *w, const char *text)
{
	char *copy = alloc_copy(text), *rest = copy;
	const char *name;
	u64 us;

	if (next_threshold(&rest, &us))
		json_u64(w, "threshold_us", us);
	else
		json_null(w, "threshold_us");
	json_open(w, "phase_threshold_us", '{');
	while ((name = next_threshold(&rest, &us)))
		json_u64(w, name, us);
	json_close(w, '}');
	free(copy);
}

static void json_parts(struct json *w, const struct status *s)
{
	static const char * const names[] = {
		"pages", "page_sample_bytes", "account", "latency",
	};
	size_t i;

	json_line(w);
	json_open(w, "parts", '{');
	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_value(w, names[i], control_value(&s->control, names[i]));
	json_thresholds(w, setting(s, "threshold_us", ""));
	json_filter(w, &s->control);
	json_close(w, '}');
}

static void json_tables(struct json *w, const struct status *s)
{
	int i;

	json_line(w);
	json_open(w, "tables", '[');
	for (i = 0; i < s->nr_fills; i++) {
		json_line(w);
		json_open(w, NULL, '{');
		json_string(w, "table", s->fill[i].key);
		json_u64(w, "used", s->fill[i].used);
		json_u64(w, "room", s->fill[i].room);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void json_cost(struct json *w, const struct status *s)
{
	static const char * const names[] = {
		"cpu_pct", "cpu_pct_se", "budget_pct", "event_ns", "event_ns_se", "memory_bytes",
	};
	size_t i;

	json_line(w);
	json_open(w, "cost", '{');
	for (i = 0; i < ARRAY_SIZE(names); i++)
		write_number(w, s, names[i]);
	json_close(w, '}');
}

/* A snapshot has no /proc/meminfo. */
static void json_slab(struct json *w, const struct status *s)
{
	static const char * const names[] = { "slab_bytes", "live_bytes", "share_pct" };
	size_t i;

	json_line(w);
	json_open(w, "slab", '{');
	for (i = 0; !s->slab && i < ARRAY_SIZE(names); i++)
		json_null(w, names[i]);
	if (s->slab) {
		json_u64(w, names[0], s->slab);
		json_u64(w, names[1], s->live);
		json_milli(w, names[2], number_ratio(s->live, s->slab, 100000));
	}
	json_close(w, '}');
}

static void json_losses(struct json *w, const struct status *s)
{
	const struct loss *loss;

	json_line(w);
	json_open(w, "lost", '[');
	for (loss = s->loss; loss < s->loss + s->nr_losses; loss++) {
		json_line(w);
		json_open(w, NULL, '{');
		json_string(w, "name", loss->key);
		if (loss->nr)
			json_u64(w, "count", loss->nr);
		else
			json_null(w, "count");
		json_string(w, "what", loss->what);
		json_string(w, "remedy", loss->remedy);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void print_json(FILE *out, const struct status *s)
{
	struct json w = { .out = out };

	json_open(&w, NULL, '{');
	write_field(&w, s, "version");
	write_field(&w, s, "kernel");
	write_field(&w, s, "loaded_s");
	write_field(&w, s, "resets");
	json_recording(&w, s);
	json_parts(&w, s);
	json_tables(&w, s);
	json_cost(&w, s);
	json_slab(&w, s);
	json_losses(&w, s);
	json_close(&w, '}');
}

/* ---- the command ---------------------------------------------------------- */

int status_run(const struct command *c, const struct options *o)
{
	struct status s = { .stats = source_table(o->source, "stats") };
	int ret = s.stats ? control_read(&s.control, o->source) : -1;

	if (!ret) {
		judge(&s);
		find_slab(&s, o->source);
		if (o->given & OPTION_JSON)
			print_json(stdout, &s);
		else
			print_text(stdout, &s);
	}
	table_free(s.stats);
	control_free(&s.control);
	return ret;
}
