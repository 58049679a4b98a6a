// SPDX-License-Identifier: GPL-2.0
/* `kmemacct export`.  See the overview in export.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "export.h"
#include "files.h"
#include "openmetrics.h"
#include "replace.h"
#include "status.h"
#include "suggest.h"
#include "table.h"

#define PREFIX	KMA_NAME "_"

/**
 * struct source - what is exported
 * @callers: the table callers
 * @status: the table stats
 * @series: the call sites of @callers
 */
struct source {
	struct table *callers;
	struct status status;
	struct series_list series;
};

/* ---- the numbers of call sites -------------------------------------------- */

/**
 * struct metric - one of the numbers that call sites have
 * @type: its type
 * @unit: its unit, or NULL
 * @total: the family of the total of the machine, and its description
 * @site: the same for call sites
 * @other: for a counter, the gauge of what is not of listed call sites
 * @variance: the variance of the total
 * @site_variance: that of call sites
 */
struct metric {
	enum openmetrics_type type;
	const char *unit;
	const char *total[2];
	const char *site[2];
	const char *other[2];
	const char *variance[2];
	const char *site_variance[2];
};

static const struct metric metrics[SERIES_VALUES] = {
	[SERIES_LIVE_BYTES] = {
		.type = OPENMETRICS_GAUGE, .unit = "bytes",
		.total = { PREFIX "live_bytes", "Bytes that live objects take." },
		.site = { PREFIX "site_live_bytes",
			  "Bytes that live objects take, by the call site that allocated them." },
		.variance = { PREFIX "live_bytes_variance",
			      "Variance of kmemacct_live_bytes; 0 if it is exact." },
		.site_variance = { PREFIX "site_live_bytes_variance",
				   "Variance of kmemacct_site_live_bytes." },
	},
	[SERIES_LIVE_OBJECTS] = {
		.type = OPENMETRICS_GAUGE,
		.total = { PREFIX "live_objects", "Live objects." },
		.site = { PREFIX "site_live_objects",
			  "Live objects, by the call site that allocated them." },
		.variance = { PREFIX "live_objects_variance",
			      "Variance of kmemacct_live_objects; 0 if it is exact." },
		.site_variance = { PREFIX "site_live_objects_variance",
				   "Variance of kmemacct_site_live_objects." },
	},
	[SERIES_ALLOCATIONS] = {
		.type = OPENMETRICS_COUNTER,
		.total = { PREFIX "allocations", "Objects that were allocated." },
		.site = { PREFIX "site_allocations",
			  "Objects that were allocated, by call site." },
		.other = { PREFIX "other_allocations",
			   "Objects that were allocated by call sites that are not listed." },
		.variance = { PREFIX "allocations_variance",
			      "Variance of kmemacct_allocations_total; 0 if it is exact." },
		.site_variance = { PREFIX "site_allocations_variance",
				   "Variance of kmemacct_site_allocations_total." },
	},
	[SERIES_FREES] = {
		.type = OPENMETRICS_COUNTER,
		.total = { PREFIX "frees", "Objects that were freed." },
		.site = { PREFIX "site_frees",
			  "Objects that were freed, by the call site that allocated them." },
		.other = { PREFIX "other_frees",
			   "Objects that were freed of call sites that are not listed." },
		.variance = { PREFIX "frees_variance",
			      "Variance of kmemacct_frees_total; 0 if it is exact." },
		.site_variance = { PREFIX "site_frees_variance",
				   "Variance of kmemacct_site_frees_total." },
	},
	[SERIES_ALLOCATED_BYTES] = {
		.type = OPENMETRICS_COUNTER, .unit = "bytes",
		.total = { PREFIX "allocated_bytes", "Bytes that were allocated." },
		.site = { PREFIX "site_allocated_bytes",
			  "Bytes that were allocated, by call site." },
		.other = { PREFIX "other_allocated_bytes",
			   "Bytes that were allocated by call sites that are not listed." },
		.variance = { PREFIX "allocated_bytes_variance",
			      "Variance of kmemacct_allocated_bytes_total; 0 if it is exact." },
		.site_variance = { PREFIX "site_allocated_bytes_variance",
				   "Variance of kmemacct_site_allocated_bytes_total." },
	},
};

static void begin(struct openmetrics *m, const char * const family[2],
		  enum openmetrics_type type, const char *unit)
{
	openmetrics_family(m, family[0], type, unit, family[1]);
}

/*
 * When counting began.  The clock of the module is not exactly that of this program, so whole
 * seconds change less often from one export to the next.
 */
static u64 count_start(const struct table *t)
{
	const char *since = table_field(t, "since");

	if (since && !strcmp(since, "load"))
		return table_number(t, "loaded_s");
	return time(NULL) - (table_window_ms(t) + 500) / 1000;
}

static void write_total(struct openmetrics *m, const struct source *s, int i)
{
	const struct metric *metric = &metrics[i];

	begin(m, metric->total, metric->type, metric->unit);
	openmetrics_u64(m, NULL, s->series.total.value[i]);
	if (metric->type == OPENMETRICS_COUNTER)
		openmetrics_created(m, count_start(s->callers));
	begin(m, metric->variance, metric->type, NULL);
	openmetrics_double(m, NULL, s->series.total.variance[i]);
}

/* Write a sample of each listed call site, and, of a gauge, one of all others. */
static void write_sites(const struct openmetrics *m, const struct source *s, int i, bool variance)
{
	const struct series_list *list = &s->series;
	const size_t nr = list->nr + (m->type == OPENMETRICS_GAUGE);
	const struct series *one;
	size_t at;

	for (at = 0; at < nr; at++) {
		one = at < list->nr ? &list->listed[at] : &list->other;
		const struct openmetrics_label labels[] = {
			{ "site", one->site }, { "module", one->module }, {},
		};

		if (variance)
			openmetrics_double(m, labels, one->variance[i]);
		else
			openmetrics_u64(m, labels, one->value[i]);
	}
}

static void write_metric(struct openmetrics *m, const struct source *s, int i)
{
	const struct metric *metric = &metrics[i];

	write_total(m, s, i);
	begin(m, metric->site, metric->type, metric->unit);
	write_sites(m, s, i, false);
	if (metric->other[0]) {
		begin(m, metric->other, OPENMETRICS_GAUGE, metric->unit);
		openmetrics_u64(m, NULL, s->series.other.value[i]);
	}
	if (s->callers->sampled) {
		begin(m, metric->site_variance, metric->type, NULL);
		write_sites(m, s, i, true);
	}
}

/* ---- the module ----------------------------------------------------------- */

static void write_gauge(struct openmetrics *m, const char *name, const char *unit, u64 value,
			const char *help)
{
	openmetrics_family(m, name, OPENMETRICS_GAUGE, unit, help);
	openmetrics_u64(m, NULL, value);
}

static void write_ratio(struct openmetrics *m, const char *name, double ratio, const char *help)
{
	openmetrics_family(m, name, OPENMETRICS_GAUGE, "ratio", help);
	openmetrics_double(m, NULL, ratio);
}

static void write_counter(struct openmetrics *m, const char *name, u64 value, const char *help)
{
	openmetrics_family(m, name, OPENMETRICS_COUNTER, NULL, help);
	openmetrics_u64(m, NULL, value);
}

/* Return: a percentage of stats as a ratio; `1` and `1.000` are the same. */
static double ratio_of(const struct status *s, const char *name)
{
	const struct row *row = status_row(s, name);

	if (!row)
		return 0;
	return row->v[0] / (row->format == FORMAT_MILLI ? 100000.0 : 100.0);
}

static const char *head(const struct table *t, const char *key)
{
	const char *value = table_field(t, key);

	return value ? value : "";
}

static bool is_filtered(const struct table *t)
{
	const char *filter = head(t, "filter");

	return (*filter && strcmp(filter, "none")) || *head(t, "live_filter");
}

static void write_identity(struct openmetrics *m, const struct source *s)
{
	const struct table *t = s->callers;
	const struct openmetrics_label labels[] = {
		{ "version", head(t, "version") }, { "program", KMA_VERSION },
		{ "kernel", head(t, "kernel") }, {},
	};

	openmetrics_family(m, PREFIX "info", OPENMETRICS_GAUGE, NULL,
			   "Versions of the module, of kmemacct and of the kernel; always 1.");
	openmetrics_u64(m, labels, 1);
	write_gauge(m, PREFIX "load_timestamp_seconds", "seconds", table_number(t, "loaded_s"),
		    "When the module was loaded, in seconds since 1970.");
	write_gauge(m, PREFIX "count_start_timestamp_seconds", "seconds", count_start(t),
		    "When counting began: at the load or at the last reset, in seconds since 1970.");
	write_counter(m, PREFIX "resets", table_number(t, "resets"),
		      "How often the counts were reset since the load.");
}

static void write_recording(struct openmetrics *m, const struct source *s)
{
	const struct status *status = &s->status;

	write_gauge(m, PREFIX "enabled", NULL, status_number(status, "enabled"),
		    "1: allocations are recorded; 0: recording is off.");
	write_gauge(m, PREFIX "sampled", NULL, s->callers->sampled,
		    "1: numbers are estimates from samples; 0: they are exact.");
	write_gauge(m, PREFIX "sample_bytes", "bytes", status_number(status, "sample_bytes_now"),
		    "Bytes allocated for each sample, as of now; 0: every object is recorded.");
	write_gauge(m, PREFIX "filtered", NULL, is_filtered(s->callers),
		    "1: a filter has left out allocations; 0: none was set.");
}

static void write_losses(struct openmetrics *m, const struct status *s)
{
	const char *key;
	u64 value;
	size_t i;

	openmetrics_family(m, PREFIX "losses", OPENMETRICS_COUNTER, NULL,
			   "What was not recorded, by reason, as kmemacct status lists it.");
	for (i = 0; (key = status_loss(s, i, &value)); i++)
		openmetrics_u64(m, (const struct openmetrics_label[]) { { "reason", key }, {} },
				value);
}

static void write_coverage(struct openmetrics *m, const struct source *s)
{
	const struct status *status = &s->status;
	u64 milli;

	if (!number_parse_milli(head(s->callers, "coverage_pct"), &milli))
		write_ratio(m, PREFIX "coverage_ratio", milli / 100000.0,
			    "Of the objects that are known to be gone, the share whose free was seen.");
	write_gauge(m, PREFIX "frees_followed", NULL, status_number(status, "free_bulk_followed"),
		    "1: all frees without an event are followed; 0: they are not.");
	write_gauge(m, PREFIX "selftest_failed", NULL, status_number(status, "selftest_failed"),
		    "Ways to allocate or to free that failed the module's test of this kernel.");
	write_losses(m, status);
	write_counter(m, PREFIX "sites_recycled", status_number(status, "sites_recycled"),
		      "Rows of call sites that were given to others: their counts begin at 0 again.");
	write_gauge(m, PREFIX "other_sites", NULL, s->series.nr_other,
		    "Call sites that are not listed, but added up as other.");
}

static void write_cost(struct openmetrics *m, const struct status *s)
{
	write_ratio(m, PREFIX "cpu_ratio", ratio_of(s, "cpu_pct"),
		    "Share of the time of all CPUs that the module took in the last seconds.");
	write_ratio(m, PREFIX "cpu_budget_ratio", ratio_of(s, "budget_pct"),
		    "The budget of kmemacct_cpu_ratio, which only sampling keeps; 0: none.");
	write_counter(m, PREFIX "budget_raised", status_number(s, "budget_raised"),
		      "How often the budget has raised kmemacct_sample_bytes.");
	write_gauge(m, PREFIX "memory_bytes", "bytes", status_number(s, "memory_bytes"),
		    "Memory that the module takes itself.");
}

/* ---- the command ---------------------------------------------------------- */

static const char * const formats[] = { "openmetrics", "prometheus" };

const char *export_format(int nr)
{
	return nr < (int)ARRAY_SIZE(formats) ? formats[nr] : NULL;
}

/* Return: index of the format, or -1 after calling fail(). */
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

static void write_all(FILE *out, const struct source *s, bool prometheus)
{
	struct openmetrics m = { .out = out, .prometheus = prometheus };
	int i;

	write_identity(&m, s);
	write_recording(&m, s);
	write_coverage(&m, s);
	write_cost(&m, &s->status);
	for (i = 0; i < SERIES_VALUES; i++)
		write_metric(&m, s, i);
	openmetrics_end(&m);
}

/* Both tables have to be about the same counts. */
static int check_identity(const struct source *s)
{
	static const char * const keys[] = { "load_id", "resets" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(head(s->callers, keys[i]), head(s->status.stats, keys[i])))
			return fail("the counts were reset during the export: try again");
	return 0;
}

static int read_source(struct source *s, const struct series_choice *choice)
{
	s->callers = files_table("callers");
	if (!s->callers)
		return -1;
	s->status.stats = files_table("stats");
	if (!s->status.stats || check_identity(s))
		return -1;
	series_make(&s->series, s->callers, choice);
	return 0;
}

static void free_source(struct source *s)
{
	series_free(&s->series);
	table_free(s->status.stats);
	table_free(s->callers);
}

struct text {
	char *start;
	size_t len;
};

/* Write a text to a file descriptor, for replace_file(). */
static int put_text(int fd, const char *path, const void *data)
{
	const struct text *text = data;
	size_t done = 0;
	ssize_t ret;

	while (done < text->len) {
		ret = write(fd, text->start + done, text->len - done);
		if (ret < 0 && errno != EINTR)
			return fail("%s: cannot write the export: %s", path, strerror(errno));
		done += ret < 0 ? 0 : ret;
	}
	return 0;
}

static int write_file(const struct source *s, const char *path, bool prometheus)
{
	struct text text = {};
	FILE *out = open_memstream(&text.start, &text.len);
	int ret;

	alloc_check(out);
	write_all(out, s, prometheus);
	alloc_check(!fclose(out));
	ret = replace_file(path, 0644, "export", put_text, &text);
	free(text.start);
	return ret;
}

int export_write(const char *format, const char *path, const struct series_choice *choice)
{
	const int found = find_format(format);
	const bool prometheus = found == 1;
	struct source s = {};
	int ret;

	if (found < 0)
		return -1;
	ret = read_source(&s, choice);
	if (!ret && path && strcmp(path, "-"))
		ret = write_file(&s, path, prometheus);
	else if (!ret)
		write_all(stdout, &s, prometheus);
	free_source(&s);
	return ret;
}
