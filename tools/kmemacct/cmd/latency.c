// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers computed from the tables of latency, waits and stalls: percentiles, histograms, shares.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static u64 *buckets_of(const struct table *t, struct row *row)
{
	return &row->v[t->at[AT_us_1]];
}

/* ---- buckets -------------------------------------------------------------- */

/*
 * Compute the upper bound of a bucket.  The last one has no end, and the maximum may be less
 * than the end of any bucket.  The module reads them one after the other, so that the maximum
 * may also be older than the bucket: then it is no bound.
 */
static u64 bucket_end(u64 max, int bucket)
{
	u64 end = 2ULL << bucket;

	if (max < end >> 1 && bucket)
		return end;
	return bucket == BUCKET_NR - 1 || max < end ? max : end;
}

/* Return: upper bound of a percentile in us, or NO_ID if the phase never occurred. */
static u64 percentile(const u64 bucket[BUCKET_NR], u64 max, int percent)
{
	unsigned __int128 sum = 0, below = 0;
	int i;

	for (i = 0; i < BUCKET_NR; i++)
		sum += bucket[i];
	if (!sum)
		return NO_ID;
	for (i = 0; i < BUCKET_NR - 1; i++) {
		below += bucket[i];
		if (below * 100 >= sum * percent)
			break;
	}
	return bucket_end(max, i);
}

static u64 largest_of(const u64 buckets[BUCKET_NR])
{
	u64 largest = 0;
	int i;

	for (i = 0; i < BUCKET_NR; i++)
		largest = largest < buckets[i] ? buckets[i] : largest;
	return largest;
}

/* ---- bars ----------------------------------------------------------------- */

/* Bars of a smaller range would leave no room for the scale above them. */
#define BARS_MIN	8

/* The buckets that bars are printed for. */
struct range {
	int first;
	int last;
};

static bool is_used(const struct table *t, int bucket)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (buckets_of(t, t->rows[i])[bucket])
			return true;
	return false;
}

static struct range find_range(const struct table *t)
{
	struct range r = { .last = BUCKET_NR - 1 };

	while (r.first < BUCKET_NR - 1 && !is_used(t, r.first))
		r.first++;
	while (r.last > r.first && !is_used(t, r.last))
		r.last--;
	while (r.last - r.first + 1 < BARS_MIN && r.last < BUCKET_NR - 1)
		r.last++;
	while (r.last - r.first + 1 < BARS_MIN)
		r.first--;
	return r;
}

/* Put the duration at which a bucket begins onto the scale, if it fits behind what is there. */
static void put_time(char *scale, const struct range *r, int bucket, int *end)
{
	static const char * const units[] = { "us", "ms", "s" };
	int at = bucket - r->first, len;
	char text[NUMBER_LEN];

	len = snprintf(text, sizeof(text), "%d%s", 1 << bucket % 10, units[bucket / 10]);
	if (bucket > r->last || at < *end || at + len > r->last - r->first + 1)
		return;
	memcpy(scale + at, text, len);
	*end = at + len + 1;
}

/* Make the scale: the durations of the first bucket, and of those of about 1 ms and 1 s. */
static char *make_scale(const struct range *r)
{
	char *scale = alloc(BUCKET_NR + 1, 1);
	int end = 0;

	memset(scale, '-', r->last - r->first + 1);
	put_time(scale, r, r->first, &end);
	put_time(scale, r, 10, &end);
	put_time(scale, r, 20, &end);
	return scale;
}

/*
 * Make a character for each bucket: a dot if the bucket is empty, or one that is denser the larger
 * the count.
 */
static char *make_bars(const u64 bucket[BUCKET_NR], const struct range *r)
{
	static const char levels[] = ".:-=+*#%@";
	const u64 largest = largest_of(bucket);
	char *bars = alloc(BUCKET_NR + 1, 1);
	int i, most = sizeof(levels) - 2;

	for (i = r->first; i <= r->last; i++)
		bars[i - r->first] = levels[!largest ? 0 :
					    (int)ceil((double)most * bucket[i] / largest)];
	return bars;
}

/* ---- the table latency ---------------------------------------------------- */

#define PERCENTILE(percent) {							\
	.name = "p" #percent "_le_us", .format = FORMAT_BOUND, .kind = KIND_RATIO, \
	.unit = UNIT_US, .title = "p" #percent,					\
}

static const struct column percentiles[] = {
	PERCENTILE(50), PERCENTILE(95), PERCENTILE(99),
};

static const int percents[] = { 50, 95, 99 };

#define NR_PERCENTS	ARRAY_SIZE(percents)

static const struct column histogram = {
	.name = "histogram", .format = FORMAT_NAME, .kind = KIND_RATIO,
};

static void set_percentiles(const struct table *t, struct row *row)
{
	const int max = t->at[AT_max_us];
	size_t p;

	for (p = 0; p < NR_PERCENTS; p++)
		row->v[max - NR_PERCENTS + p] = percentile(buckets_of(t, row), row->v[max],
							   percents[p]);
}

static void hide_buckets(struct table *t)
{
	int i;

	for (i = t->at[AT_us_1]; i < t->at[AT_us_1] + BUCKET_NR; i++)
		t->columns[i].hidden = true;
}

/* Add a column with the bars of each row, whose title is the scale. */
static struct table *add_bars(struct table *t)
{
	const struct range r = find_range(t);
	size_t i;

	t = table_extend(t, t->nr_values, &histogram, 1);
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->v[t->nr_values - 1] =
			(uintptr_t)table_own(t, make_bars(buckets_of(t, t->rows[i]), &r));
	if (t->nr_rows)
		t->columns[t->nr_values - 1].title = table_own(t, make_scale(&r));
	return t;
}

/* Percentiles are before max_us, and the bars are last. */
static struct table *add_percentiles(struct table *t, bool bars)
{
	size_t i;

	t = table_extend(t, t->at[AT_max_us], percentiles, NR_PERCENTS);
	for (i = 0; i < t->nr_rows; i++)
		set_percentiles(t, t->rows[i]);
	hide_buckets(t);
	return bars ? add_bars(t) : t;
}

void latency_percentiles(struct view *v, bool bars)
{
	view_begin(v, add_percentiles(v->t, bars));
	v->aside = true;
	v->note = "phases contain each other: do not add them up; percentiles are upper bounds";
}

/* ---- the table waits ------------------------------------------------------ */

void latency_split(struct view *v)
{
	static const struct column origin = { .name = "origin", .format = FORMAT_NAME };
	struct table *t = table_extend(v->t, v->t->nr_values, &origin, 1);
	char *label, *site;
	size_t i;

	t->columns[t->nr_values].name = "site";
	table_link(t);
	for (i = 0; i < t->nr_rows; i++) {
		label = table_own(t, alloc_copy(t->rows[i]->label));
		site = label;
		strsep(&site, ";");
		t->rows[i]->label = site ?: label;
		t->rows[i]->v[t->at[AT_origin]] = (uintptr_t)(site ? label : "-");
	}
	view_begin(v, t);
}

/* Make the row of sums, whose percentiles and bars are those of all waits. */
static void add_sum(struct view *v)
{
	struct table *t = v->t;
	const int bars = table_column(t, histogram.name);
	const struct range r = find_range(t);

	v->total = table_own(t, table_row(t));
	v->total->label = "sum";
	v->total_label = v->total->label;
	view_add_up(t, t->rows, t->nr_rows, v->total);
	set_percentiles(t, v->total);
	if (bars != NONE)
		v->total->v[bars] = (uintptr_t)table_own(t, make_bars(buckets_of(t, v->total), &r));
	if (t->at[AT_order] != NONE)
		v->total->v[t->at[AT_order]] = NO_ID;
}

void latency_waits(struct view *v, const char *by, bool bars)
{
	const size_t filtered = v->filtered;

	group_by(v->t, by);
	view_begin(v, add_percentiles(v->t, bars));
	v->filtered = filtered;
	v->aside = true;
	v->note = "percentiles are upper bounds";
	add_sum(v);
}

void latency_make(struct view *v, const struct options *o)
{
	const bool bars = !(o->given & (OPTION_JSON | OPTION_HISTOGRAM));

	if (strcmp(v->t->name, "waits")) {
		latency_percentiles(v, bars);
		return;
	}
	if (v->t->at[AT_origin] == NONE)
		latency_split(v);
	view_select(v, &o->match);
	latency_waits(v, o->by ?: "site", bars);
}

/* ---- whole histograms ----------------------------------------------------- */

/* Columns before the bar, as in the format of print_bucket(). */
#define BAR_AT		32
#define BAR_MAX		50
#define BAR_MIN		10

static void print_time(char buf[NUMBER_LEN], u64 us, bool exact)
{
	if (exact)
		snprintf(buf, NUMBER_LEN, "%llu", us);
	else
		number_print_us(buf, us, false);
}

/* Print what a row is about: its label and its order. */
static void print_name(FILE *out, const struct table *t, const struct row *row)
{
	char order[NUMBER_LEN];

	fputs(row->label, out);
	if (t->at[AT_origin] != NONE)
		fprintf(out, "%s%s", *row->label ? ", " : "", row_name(row, t->at[AT_origin]));
	if (t->at[AT_order] == NONE)
		return;
	layout_value(order, &t->columns[t->at[AT_order]], true, row->v[t->at[AT_order]]);
	fprintf(out, "%sorder %s", *row->label ? ", " : "", order);
}

/* Print the two lines above a histogram. */
static void print_phase(FILE *out, const struct table *t, const struct row *row, bool exact)
{
	const int percentile = t->at[AT_max_us] - (int)NR_PERCENTS;
	char total[NUMBER_LEN], mean[NUMBER_LEN], max[NUMBER_LEN], bound[NUMBER_LEN];
	size_t i;
	u64 us;

	print_time(total, table_at(t, row, AT_total_us), exact);
	print_time(max, table_at(t, row, AT_max_us), exact);
	number_print_milli(mean, table_at(t, row, AT_mean_us));
	if (!exact)
		number_print_us(mean, table_at(t, row, AT_mean_us), true);
	print_name(out, t, row);
	fprintf(out, ": count %llu, total %s, mean %s, max %s\n", table_at(t, row, AT_count),
		total, mean, max);
	for (i = 0; i < NR_PERCENTS; i++) {
		us = row->v[percentile + i];
		print_time(bound, us, exact);
		if (us != NO_ID)
			fprintf(out, "%s%s <=%s", i ? ", " : "  ", percentiles[i].title, bound);
	}
	fputc('\n', out);
}

/* Print a bucket, with a bar of at least one character if there is anything in it. */
static void print_bucket(FILE *out, int bucket, u64 count, double share, int width, bool exact)
{
	char from[NUMBER_LEN], to[NUMBER_LEN];
	int bar = share * width + 0.5;

	print_time(from, bucket ? 1ULL << bucket : 0, exact);
	print_time(to, 2ULL << bucket, exact);
	fprintf(out, "%9s..%-8s %10llu |", from, bucket == BUCKET_NR - 1 ? "" : to, count);
	for (bar = bar || !count ? bar : 1; bar > 0; bar--)
		fputc('#', out);
	fputc('\n', out);
}

/* Print the buckets from the first to the last that is not empty. */
void latency_histograms(FILE *out, const struct view *v, const struct style *style)
{
	int width = style->screen ? style->screen - BAR_AT : BAR_MAX, bucket, end;
	const u64 *buckets;
	double largest;
	size_t i;

	width = width > BAR_MAX ? BAR_MAX : width < BAR_MIN ? BAR_MIN : width;
	for (i = 0; i < v->nr; i++) {
		fputs(i ? "\n" : "", out);
		print_phase(out, v->t, v->t->rows[i], style->exact);
		buckets = buckets_of(v->t, v->t->rows[i]);
		largest = largest_of(buckets);
		for (end = BUCKET_NR; end && !buckets[end - 1]; end--)
			;
		for (bucket = 0; bucket < end && !buckets[bucket]; bucket++)
			;
		for (; bucket < end; bucket++)
			print_bucket(out, bucket, buckets[bucket], buckets[bucket] / largest,
				     width, style->exact);
	}
	if (view_left_out(v))
		fputs("...\n", out);
}

/* ---- shares --------------------------------------------------------------- */

/* The column of times whose shares are computed. */
static int total_of(const struct table *t)
{
	const int total = table_column(t, "total_us");

	return total == NONE ? table_column(t, "ran_us") : total;
}

/* A sum belongs to no order and to no node. */
static void clear_ids(const struct table *t, struct row *sum)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].format == FORMAT_ID)
			sum->v[i] = NO_ID;
}

void latency_shares(struct view *v)
{
	static const struct column share = {
		.name = "share_pct", .format = FORMAT_MILLI, .kind = KIND_RATIO,
		.unit = UNIT_SHARE, .title = "share",
	};
	const int total = total_of(v->t), at = total + 1;
	struct table *t = table_extend(v->t, at, &share, 1);
	const int count_us = table_column(t, "count_us"), mean = table_column(t, "mean_us");
	const int calls = table_column(t, count_us == NONE ? "count" : "calls");
	struct row *sum;
	size_t i;

	/* Do not use the title `count`: another column has it. */
	if (count_us != NONE)
		t->columns[count_us].title = "count_time";
	view_begin(v, t);
	sum = table_own(t, table_row(t));
	v->total = sum;
	view_add_up(t, t->rows, t->nr_rows, sum);
	sum->label = "sum";
	if (mean != NONE)
		sum->v[mean] = number_ratio(sum->v[total], sum->v[calls], 1000);
	clear_ids(t, sum);
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->v[at] = number_ratio(t->rows[i]->v[total], sum->v[total], 100000);
	/* Not the sum of the shares, because these are rounded. */
	sum->v[at] = sum->v[total] ? 100000 : 0;
}
