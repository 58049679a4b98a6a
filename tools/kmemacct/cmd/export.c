// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct export: metrics of call sites and of the module.
 *
 *	callers --equal names are merged--> sites --patterns, cap--> listed sites, `other`
 *
 * Each number of the table is in one listed site or in `other`, so that all of them together are
 * the totals.  Estimates of different sites have no sample in common, so variances add up as well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

/* How many call sites are listed if --series does not say it. */
#define SERIES_SITES	200

/* ---- the numbers of call sites -------------------------------------------- */

/**
 * struct metric - one of the numbers that call sites have
 * @columns: the columns that are added up for it
 * @name: its name
 * @counter: it is a counter, and not a gauge
 * @unit: its unit, or NULL
 * @total: the description of the total of the machine
 * @site: the beginning of the description for a call site; the rest is the same for all metrics
 */
static const struct metric {
	int columns[2];
	const char *name;
	bool counter;
	const char *unit;
	const char *what;
	const char *site;
} metrics[] = {
	{ { COUNT_live_bytes, NONE }, "live_bytes", false, "bytes",
	  "Bytes that live objects take", ", by the call site that allocated them" },
	{ { COUNT_live_objs, NONE }, "live_objects", false, NULL,
	  "Live objects", ", by the call site that allocated them" },
	{ { COUNT_objs_alloc, NONE }, "allocations", true, NULL,
	  "Objects that were allocated", ", by call site" },
	{ { COUNT_frees, NONE }, "frees", true, NULL,
	  "Objects that were freed", ", by the call site that allocated them" },
	{ { COUNT_bytes_alloc, COUNT_bulk_bytes }, "allocated_bytes", true, "bytes",
	  "Bytes that were allocated", ", by call site" },
};

#define NR_METRICS	ARRAY_SIZE(metrics)

enum { LIVE_BYTES = 0, ALLOCATED_BYTES = 4 };

/**
 * struct numbers - the numbers of a call site, or of several
 * @site: the call site, without its module
 * @module: its module, `kernel` for code in no module; for names in brackets that are no call
 *	sites, such as [unknown], it is this name
 * @reclaimable: 1: the kernel can shrink all caches that it has allocated from; 0: it cannot;
 *	NO_ID: not known
 * @value: its numbers
 * @variance: their variances; 0 if they are exact
 */
struct numbers {
	const char *site;
	const char *module;
	u64 reclaimable;
	u64 value[NR_METRICS];
	double variance[NR_METRICS];
};

/**
 * struct export - what is exported
 * @callers: the table callers
 * @stats: the table stats
 * @count_start: when counting began, in seconds since 1970
 * @listed: the call sites that are listed, those with the most live bytes first
 * @nr: number of @listed
 * @other: the sum of all others
 * @nr_other: number of call sites in @other
 * @total: the sum of all
 */
struct export {
	struct table *callers;
	struct table *stats;
	u64 count_start;
	struct numbers *listed;
	size_t nr;
	struct numbers other;
	size_t nr_other;
	struct numbers total;
};

static void add(struct numbers *sum, const struct numbers *more)
{
	size_t i;

	for (i = 0; i < NR_METRICS; i++) {
		sum->value[i] += more->value[i];
		sum->variance[i] += more->variance[i];
	}
}

static void add_other(struct export *e, const struct numbers *s)
{
	add(&e->other, s);
	e->nr_other++;
}

static void add_row(struct numbers *s, const struct table *t, const struct row *row)
{
	size_t i;
	int at;

	for (i = 0; i < NR_METRICS; i++)
		for (at = 0; at < 2 && metrics[i].columns[at] != NONE; at++) {
			s->value[i] += row->v[metrics[i].columns[at]];
			s->variance[i] += estimate_variance(t, row, metrics[i].columns[at]);
		}
}

static bool matches_any(const struct table *t, const struct row *row, const struct patterns *p)
{
	struct match match = {};
	int i;

	for (i = 0; i < p->nr; i++) {
		match.site = p->pattern[i];
		if (view_matches(t, row, &match))
			return true;
	}
	return false;
}

/* The row [other] of the module stands for several call sites, so it cannot be listed as one. */
static bool is_chosen(const struct table *t, const struct row *row, const struct options *o)
{
	if (!strcmp(row->label, "[other]"))
		return false;
	return (!o->include.nr || matches_any(t, row, &o->include)) &&
	       !matches_any(t, row, &o->exclude);
}

/* Sort by live bytes, largest first, then by allocated bytes, largest first, and then by name. */
static int compare(const void *a, const void *b)
{
	static const int keys[] = { LIVE_BYTES, ALLOCATED_BYTES };
	const struct numbers *x = a, *y = b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (x->value[keys[i]] != y->value[keys[i]])
			return x->value[keys[i]] > y->value[keys[i]] ? -1 : 1;
	return strcmp(x->site, y->site);
}

/* Split `symbol+0xoff [module]`. */
static void split(struct numbers *s)
{
	char *open = strstr(s->site, " [");

	s->module = *s->site == '[' ? s->site : "kernel";
	if (!open)
		return;
	*open = '\0';
	s->module = open + 2;
	open[strlen(open + 2) + 1] = '\0';
}

static void list_sites(struct export *e, const struct options *o)
{
	const u64 most = o->given & OPTION_SERIES ? o->series : SERIES_SITES;
	struct table *t = e->callers;
	struct numbers s;
	size_t i, next;

	e->listed = alloc(t->nr_rows + 1, sizeof(*e->listed));
	e->other = (struct numbers) { .site = "other", .module = "other" };
	view_sort_by_label(t);
	for (i = 0; i < t->nr_rows; i = next) {
		s = (struct numbers) {
			.site = t->rows[i]->label,
			.reclaimable = t->rows[i]->v[t->at[AT_reclaimable]],
		};
		for (next = i + view_same(t, i); i < next; i++)
			add_row(&s, t, t->rows[i]);
		add(&e->total, &s);
		if (is_chosen(t, t->rows[next - 1], o))
			e->listed[e->nr++] = s;
		else
			add_other(e, &s);
	}
	qsort(e->listed, e->nr, sizeof(*e->listed), compare);
	while (e->nr > most)
		add_other(e, &e->listed[--e->nr]);
	for (i = 0; i < e->nr; i++)
		split(&e->listed[i]);
}

/* ---- families ------------------------------------------------------------- */

/*
 * When counting began.  The clock of the module is not exactly that of this program, so whole
 * seconds change less often from one export to the next.
 */
static u64 find_count_start(const struct table *t)
{
	if (table_is(t, "since", "load"))
		return table_number(t, "loaded_s");
	return time(NULL) - (table_window_ms(t) + 500) / 1000;
}

/* Begin a family whose name and description are made of parts. */
static void begin(struct metrics *m, const struct metric *metric, bool counter, const char *unit,
		  const char *before, const char *after, const char *help)
{
	char *name = alloc_print("%s%s%s", before, metric->name, after);

	metrics_family(m, name, counter, unit, help);
	free(name);
}

static void write_total(struct metrics *m, const struct export *e, size_t i)
{
	const struct metric *metric = &metrics[i];
	char help[128];

	snprintf(help, sizeof(help), "%s.", metric->what);
	begin(m, metric, metric->counter, metric->unit, "", "", help);
	metrics_u64(m, NULL, e->total.value[i]);
	if (metric->counter)
		metrics_created(m, e->count_start);
	snprintf(help, sizeof(help), "Variance of " KMA_NAME "_%s%s; 0 if it is exact.",
		 metric->name, metric->counter ? "_total" : "");
	begin(m, metric, metric->counter, NULL, "", "_variance", help);
	metrics_double(m, NULL, e->total.variance[i]);
}

/* Set the labels of the series of a call site.  If a label changed, these would be cut. */
static void set_labels(struct metric_label labels[3], const struct numbers *s)
{
	labels[0] = (struct metric_label) { "site", s->site };
	labels[1] = (struct metric_label) { "module", s->module };
	labels[2] = (struct metric_label) {};
}

/* Write a sample of each listed call site and, for a gauge, one of all other call sites. */
static void write_sites(const struct metrics *m, const struct export *e, size_t i, bool variance)
{
	const size_t nr = e->nr + !m->counter;
	struct metric_label labels[3];
	const struct numbers *s;
	size_t at;

	for (at = 0; at < nr; at++) {
		s = at < e->nr ? &e->listed[at] : &e->other;
		set_labels(labels, s);
		if (variance)
			metrics_double(m, labels, s->variance[i]);
		else
			metrics_u64(m, labels, s->value[i]);
	}
}

static void write_metric(struct metrics *m, const struct export *e, size_t i)
{
	const struct metric *metric = &metrics[i];
	char help[128];

	write_total(m, e, i);
	snprintf(help, sizeof(help), "%s%s.", metric->what, metric->site);
	begin(m, metric, metric->counter, metric->unit, "site_", "", help);
	write_sites(m, e, i, false);
	if (metric->counter) {
		snprintf(help, sizeof(help), "%s %s call sites that are not listed.", metric->what,
			 strstr(metric->what, "freed") ? "of" : "by");
		begin(m, metric, false, metric->unit, "other_", "", help);
		metrics_u64(m, NULL, e->other.value[i]);
	}
	if (!e->callers->sampled)
		return;
	snprintf(help, sizeof(help), "Variance of " KMA_NAME "_site_%s%s.", metric->name,
		 metric->counter ? "_total" : "");
	begin(m, metric, metric->counter, NULL, "site_", "_variance", help);
	write_sites(m, e, i, true);
}

/* Another metric, and no label, as it may change, and is not known if sysfs cannot be read. */
static void write_reclaimable(struct metrics *m, const struct export *e)
{
	struct metric_label labels[3];
	const struct numbers *s;

	metrics_family(m, "site_reclaimable", false, NULL,
		       "1: the kernel can shrink all slab caches of the call site; 0: it cannot.");
	for (s = e->listed; s < e->listed + e->nr; s++) {
		set_labels(labels, s);
		if (s->reclaimable != NO_ID)
			metrics_u64(m, labels, s->reclaimable);
	}
}

/* ---- the module ----------------------------------------------------------- */

static void write_gauge(struct metrics *m, const char *name, const char *unit, u64 value,
			const char *help)
{
	metrics_family(m, name, false, unit, help);
	metrics_u64(m, NULL, value);
}

static void write_ratio(struct metrics *m, const char *name, double ratio, const char *help)
{
	metrics_family(m, name, false, "ratio", help);
	metrics_double(m, NULL, ratio);
}

static void write_counter(struct metrics *m, const char *name, u64 value, const char *help)
{
	metrics_family(m, name, true, NULL, help);
	metrics_u64(m, NULL, value);
}

/* Return: a percentage of stats as a ratio; `1` and `1.000` are the same. */
static double ratio_of(const struct table *stats, const char *name)
{
	const int column = table_column(stats, name);

	if (column == NONE)
		return 0;
	return table_pair(stats, name) /
	       (stats->columns[column].format == FORMAT_MILLI ? 100000.0 : 100.0);
}

static bool is_filtered(const struct table *t)
{
	const char *filter = table_field(t, "filter");

	return (filter && strcmp(filter, "none")) || table_field(t, "live_filter");
}

static void write_module(struct metrics *m, const struct export *e)
{
	const struct table *t = e->callers;
	const struct metric_label labels[] = {
		{ "version", table_field(t, "version") ?: "" }, { "program", KMA_VERSION },
		{ "kernel", table_field(t, "kernel") ?: "" }, {},
	};

	metrics_family(m, "info", false, NULL,
		       "Versions of the module, of kmemacct and of the kernel; always 1.");
	metrics_u64(m, labels, 1);
	write_gauge(m, "load_timestamp_seconds", "seconds", table_number(t, "loaded_s"),
		    "When the module was loaded, in seconds since 1970.");
	write_gauge(m, "count_start_timestamp_seconds", "seconds", e->count_start,
		    "When counting began: at the load or at the last reset, in seconds since 1970.");
	write_counter(m, "resets", table_number(t, "resets"),
		      "How often the counts were reset since the load.");
	write_gauge(m, "enabled", NULL, table_pair(e->stats, "enabled"),
		    "1: allocations are recorded; 0: recording is off.");
	write_gauge(m, "sampled", NULL, t->sampled,
		    "1: numbers are estimates from samples; 0: they are exact.");
	write_gauge(m, "sample_bytes", "bytes", table_pair(e->stats, "sample_bytes_now"),
		    "Bytes allocated for each sample, as of now; 0: every object is recorded.");
	write_gauge(m, "filtered", NULL, is_filtered(t),
		    "1: a filter has left out allocations; 0: none was set.");
}

static void write_losses(struct metrics *m, const struct table *stats)
{
	const char *key;
	u64 value;
	size_t i;

	metrics_family(m, "losses", true, NULL,
		       "What was not recorded, by reason, as kmemacct status lists it.");
	for (i = 0; (key = status_loss(stats, i, &value)); i++)
		metrics_u64(m, (const struct metric_label[]) { { "reason", key }, {} }, value);
}

static void write_quality(struct metrics *m, const struct export *e)
{
	const struct table *stats = e->stats;
	u64 milli;

	if (!number_parse_milli(table_field(e->callers, "coverage_pct") ?: "", &milli))
		write_ratio(m, "coverage_ratio", milli / 100000.0,
			    "Of the objects that are known to be gone, the share whose free was seen.");
	write_gauge(m, "frees_followed", NULL, table_pair(stats, "free_bulk_followed"),
		    "1: all frees without an event are followed; 0: they are not.");
	write_gauge(m, "selftest_failed", NULL, table_pair(stats, "selftest_failed"),
		    "Ways to allocate or to free that failed the module's test of this kernel.");
	write_losses(m, stats);
	write_counter(m, "sites_recycled", table_pair(stats, "sites_recycled"),
		      "Rows of call sites that were given to others: their counts begin at 0 again.");
	write_gauge(m, "other_sites", NULL, e->nr_other,
		    "Call sites that are not listed, but added up as other.");
	write_ratio(m, "cpu_ratio", ratio_of(stats, "cpu_pct"),
		    "Share of the time of all CPUs that the module took in the last seconds.");
	write_ratio(m, "cpu_budget_ratio", ratio_of(stats, "budget_pct"),
		    "The budget of kmemacct_cpu_ratio, which only sampling keeps; 0: none.");
	write_counter(m, "budget_raised", table_pair(stats, "budget_raised"),
		      "How often the budget has raised kmemacct_sample_bytes.");
	write_gauge(m, "memory_bytes", "bytes", table_pair(stats, "memory_bytes"),
		    "Memory that the module takes itself.");
}

/* ---- the command ---------------------------------------------------------- */

static const char * const formats[] = { "openmetrics", "prometheus" };

const char *export_format(int nr)
{
	return nr < (int)ARRAY_SIZE(formats) ? formats[nr] : NULL;
}

/* Return: index of the format, or NONE after calling fail(). */
static int find_format(const char *name)
{
	struct suggestion s;
	size_t i;

	suggest_begin(&s, name, strlen(name));
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(formats[i], name))
			return i;
		suggest_try(&s, formats[i]);
	}
	return suggest_fail(&s, "use openmetrics or prometheus", "export has no format '%.64s'",
			    name);
}

/* Both tables have to be about the same counts. */
static int check_identity(const struct export *e)
{
	static const char * const keys[] = { "load_id", "resets" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(table_field(e->callers, keys[i]) ?: "",
			   table_field(e->stats, keys[i]) ?: ""))
			return fail("the counts were reset during the export: try again");
	return 0;
}

static void write_all(FILE *out, const struct export *e, bool prometheus)
{
	struct metrics m = { .out = out, .prometheus = prometheus };
	size_t i;

	write_module(&m, e);
	write_quality(&m, e);
	for (i = 0; i < NR_METRICS; i++)
		write_metric(&m, e, i);
	write_reclaimable(&m, e);
	metrics_end(&m);
}

struct text {
	char *start;
	size_t len;
};

static int put_text(int fd, const char *path, const void *data)
{
	const struct text *text = data;

	if (!file_write_all(fd, text->start, text->len))
		return 0;
	return fail("%s: cannot write the export: %s", path, strerror(errno));
}

static int write_file(const struct export *e, const char *path, bool prometheus)
{
	struct text text = {};
	FILE *out = text_open(&text.start, &text.len);
	int ret;

	write_all(out, e, prometheus);
	text_close(out);
	ret = file_replace(path, 0644, "export", put_text, &text);
	free(text.start);
	return ret;
}

int export_run(const struct command *c, const struct options *o)
{
	const int format = find_format(o->args[0]);
	const char *path = o->args[1];
	struct export e = {};
	int ret = -1;

	if (format == NONE)
		return -1;
	e.callers = source_table(o->source, "callers");
	if (e.callers)
		e.stats = source_table(o->source, "stats");
	if (e.stats && !check_identity(&e)) {
		e.callers = reclaim_flag(e.callers);
		e.count_start = find_count_start(e.callers);
		list_sites(&e, o);
		ret = 0;
		if (path && strcmp(path, "-"))
			ret = write_file(&e, path, format == 1);
		else
			write_all(stdout, &e, format == 1);
	}
	free(e.listed);
	table_free(e.stats);
	table_free(e.callers);
	return ret;
}
