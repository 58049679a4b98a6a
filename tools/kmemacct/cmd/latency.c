// SPDX-License-Identifier: GPL-2.0
/* Numbers computed from the tables of latency and stalls: percentiles, histograms, shares. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define BUCKETS		(LATENCY_us_8388608 - LATENCY_us_1 + 1)

/* ---- buckets -------------------------------------------------------------- */

/*
 * Compute the upper bound of a bucket.  The last one has no end, and the maximum may be less
 * than the end of any bucket.  The module reads them one after the other, so that the maximum
 * may also be older than the bucket: then it is no bound.
 */
static u64 bucket_end(const struct row *phase, int bucket)
{
	u64 end = 2ULL << bucket, max = phase->v[LATENCY_max_us];

	if (max < end >> 1 && bucket)
		return end;
	return bucket == BUCKETS - 1 || max < end ? max : end;
}

/* Return: upper bound of a percentile in us, or NO_ID if the phase never occurred. */
static u64 percentile(const struct row *phase, int percent)
{
	unsigned __int128 sum = 0, below = 0;
	const u64 *bucket = &phase->v[LATENCY_us_1];
	int i;

	for (i = 0; i < BUCKETS; i++)
		sum += bucket[i];
	if (!sum)
		return NO_ID;
	for (i = 0; i < BUCKETS - 1; i++) {
		below += bucket[i];
		if (below * 100 >= sum * percent)
			break;
	}
	return bucket_end(phase, i);
}

static u64 largest_of(const u64 buckets[BUCKETS])
{
	u64 largest = 0;
	int i;

	for (i = 0; i < BUCKETS; i++)
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

static bool is_used(const struct table *latency, int bucket)
{
	size_t i;

	for (i = 0; i < latency->nr_rows; i++)
		if (latency->rows[i]->v[LATENCY_us_1 + bucket])
			return true;
	return false;
}

static struct range find_range(const struct table *latency)
{
	struct range r = { .last = BUCKETS - 1 };

	while (r.first < BUCKETS - 1 && !is_used(latency, r.first))
		r.first++;
	while (r.last > r.first && !is_used(latency, r.last))
		r.last--;
	while (r.last - r.first + 1 < BARS_MIN && r.last < BUCKETS - 1)
		r.last++;
	while (r.last - r.first + 1 < BARS_MIN)
		r.first--;
	return r;
}

/* Put the duration at which a bucket begins onto the scale, if it fits behind what is there. */
static void put_mark(char *scale, const struct range *r, int bucket, int *end)
{
	static const char * const units[] = { "us", "ms", "s" };
	int at = bucket - r->first, len;
	char mark[NUMBER_LEN];

	len = snprintf(mark, sizeof(mark), "%d%s", 1 << bucket % 10, units[bucket / 10]);
	if (bucket > r->last || at < *end || at + len > r->last - r->first + 1)
		return;
	memcpy(scale + at, mark, len);
	*end = at + len + 1;
}

/* Make the scale: the durations of the first bucket, and of those of about 1 ms and 1 s. */
static char *make_scale(const struct range *r)
{
	char *scale = alloc(BUCKETS + 1, 1);
	int end = 0;

	memset(scale, '-', r->last - r->first + 1);
	put_mark(scale, r, r->first, &end);
	put_mark(scale, r, 10, &end);
	put_mark(scale, r, 20, &end);
	return scale;
}

/*
 * Make a character for each bucket: a dot if the bucket is empty, or one that is denser the larger
 * the count.
 */
static char *make_bars(const struct row *phase, const struct range *r)
{
	static const char levels[] = ".:-=+*#%@";
	const u64 *bucket = &phase->v[LATENCY_us_1], largest = largest_of(bucket);
	char *bars = alloc(BUCKETS + 1, 1);
	int i, most = sizeof(levels) - 2;

	for (i = r->first; i <= r->last; i++)
		bars[i - r->first] = levels[!largest ? 0 :
					    (int)ceil((double)most * bucket[i] / largest)];
	return bars;
}

/* ---- the table latency ---------------------------------------------------- */

#define PERCENTILE(percent) {							\
	.name = "p" #percent "_le_us", .format = FORMAT_BOUND, .unit = UNIT_US,	\
	.title = "p" #percent,							\
}

static const struct column percentiles[] = {
	PERCENTILE(50), PERCENTILE(95), PERCENTILE(99),
};

static const int percents[] = { 50, 95, 99 };

#define NR_PERCENTS	ARRAY_SIZE(percents)

static const struct column histogram = {
	.name = "histogram", .format = FORMAT_NAME,
};

/* Percentiles are before max_us, and the bars are last. */
void latency_percentiles(struct view *v, bool bars)
{
	struct table *latency = v->t, *t = table_extend(latency, LATENCY_max_us, percentiles,
							 NR_PERCENTS);
	const struct range r = find_range(latency);
	size_t i, p;

	for (i = LATENCY_us_1 + NR_PERCENTS; i < (size_t)t->nr_values; i++)
		t->columns[i].hidden = true;
	if (bars)
		t = table_extend(t, t->nr_values, &histogram, 1);
	for (i = 0; i < t->nr_rows; i++) {
		for (p = 0; p < NR_PERCENTS; p++)
			t->rows[i]->v[LATENCY_max_us + p] =
				percentile(latency->rows[i], percents[p]);
		if (bars)
			t->rows[i]->v[t->nr_values - 1] =
				(uintptr_t)table_own(t, make_bars(latency->rows[i], &r));
	}
	if (bars && t->nr_rows)
		t->columns[t->nr_values - 1].title = table_own(t, make_scale(&r));
	view_begin(v, t);
	v->aside = true;
	v->note = "phases contain each other: do not add them up; percentiles are upper bounds";
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

/* Print the two lines above the histogram of a phase. */
static void print_phase(FILE *out, const struct row *row, bool exact)
{
	char total[NUMBER_LEN], mean[NUMBER_LEN], max[NUMBER_LEN], bound[NUMBER_LEN];
	size_t i;
	u64 us;

	print_time(total, row->v[LATENCY_total_us], exact);
	print_time(max, row->v[LATENCY_max_us + NR_PERCENTS], exact);
	number_print_milli(mean, row->v[LATENCY_mean_us]);
	if (!exact)
		number_print_us(mean, row->v[LATENCY_mean_us], true);
	fprintf(out, "%s: count %llu, total %s, mean %s, max %s\n", row->label,
		row->v[LATENCY_count], total, mean, max);
	for (i = 0; i < NR_PERCENTS; i++) {
		us = row->v[LATENCY_max_us + i];
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
	fprintf(out, "%9s..%-8s %10llu |", from, bucket == BUCKETS - 1 ? "" : to, count);
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
		print_phase(out, v->t->rows[i], style->exact);
		buckets = &v->t->rows[i]->v[LATENCY_us_1 + NR_PERCENTS];
		largest = largest_of(buckets);
		for (end = BUCKETS; end && !buckets[end - 1]; end--)
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

void latency_shares(struct view *v)
{
	static const struct column share = {
		.name = "share_pct", .format = FORMAT_MILLI, .kind = KIND_RATIO,
		.unit = UNIT_SHARE, .title = "share",
	};
	const int total = table_column(v->t, "total_us"), at = total + 1;
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
	sum->v[mean] = number_ratio(sum->v[total], sum->v[calls], 1000);
	if (t->at[AT_order] != NONE)
		sum->v[t->at[AT_order]] = NO_ID;
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->v[at] = number_ratio(t->rows[i]->v[total], sum->v[total], 100000);
	/* Not the sum of the shares, because these are rounded. */
	sum->v[at] = sum->v[total] ? 100000 : 0;
}
