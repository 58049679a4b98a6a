// SPDX-License-Identifier: GPL-2.0
/* Views of the tables of latency and stalls.  See latency.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "latency.h"

#define BUCKETS		(LATENCY_us_8388608 - LATENCY_us_1 + 1)

/* ---- buckets -------------------------------------------------------------- */

static u64 bucket_of(const struct row *phase, int bucket)
{
	return phase->v[LATENCY_us_1 + bucket];
}

static u64 bucket_sum(const struct row *phase)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < BUCKETS; i++)
		sum += bucket_of(phase, i);
	return sum;
}

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
	unsigned __int128 sum = bucket_sum(phase), below = 0;
	int i;

	if (!sum)
		return NO_ID;
	for (i = 0; i < BUCKETS - 1; i++) {
		below += bucket_of(phase, i);
		if (below * 100 >= sum * percent)
			break;
	}
	return bucket_end(phase, i);
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
		if (bucket_of(latency->rows[i], bucket))
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

/* Print the scale: the durations of the first bucket, and of those of about 1 ms and 1 s. */
static void print_scale(char scale[BUCKETS + 1], const struct range *r)
{
	int end = 0;

	memset(scale, '-', r->last - r->first + 1);
	scale[r->last - r->first + 1] = '\0';
	put_mark(scale, r, r->first, &end);
	put_mark(scale, r, 10, &end);
	put_mark(scale, r, 20, &end);
}

static u64 largest_of(const u64 buckets[BUCKETS])
{
	u64 largest = 0;
	int i;

	for (i = 0; i < BUCKETS; i++)
		if (largest < buckets[i])
			largest = buckets[i];
	return largest;
}

/* Print a character for each bucket: a dot if it is empty, the denser the more is in it. */
static void print_bars(char bars[BUCKETS + 1], const struct row *phase, const struct range *r)
{
	static const char levels[] = ".:-=+*#%@";
	u64 largest = largest_of(&phase->v[LATENCY_us_1]);
	int i, level;

	for (i = r->first; i <= r->last; i++) {
		level = sizeof(levels) - 2;
		level = largest ? ceil((double)level * bucket_of(phase, i) / largest) : 0;
		*bars++ = levels[level];
	}
	*bars = '\0';
}

/* ---- the table latency ---------------------------------------------------- */

#define PERCENTILE(percent) \
	{ .name = "p" #percent "_le_us", COLUMN_BOUND, .title = "p" #percent }

static const struct column percentiles[] = {
	PERCENTILE(50), PERCENTILE(95), PERCENTILE(99),
};

static const int percents[] = { 50, 95, 99 };

static const struct column histogram = { "histogram", COLUMN_TYPE };

/* Make the columns: percentiles are before max_us, and the bars are last. */
static void make_columns(struct column columns[COLUMNS_MAX], const struct table *latency,
			 bool bars)
{
	int i, nr = 0;

	for (i = 0; i < latency->nr_values; i++) {
		if (i == LATENCY_max_us) {
			memcpy(&columns[nr], percentiles, sizeof(percentiles));
			nr += ARRAY_SIZE(percentiles);
		}
		columns[nr] = latency->columns[i];
		columns[nr++].hidden = i >= LATENCY_us_1;
	}
	if (bars)
		columns[nr++] = histogram;
	columns[nr] = latency->columns[i];
}

static void copy_row(struct row *to, const struct row *from, int nr_values)
{
	u64 *v = to->v;
	size_t i;

	to->label = from->label;
	memcpy(v, from->v, LATENCY_max_us * sizeof(*v));
	v += LATENCY_max_us;
	for (i = 0; i < ARRAY_SIZE(percents); i++)
		*v++ = percentile(from, percents[i]);
	memcpy(v, from->v + LATENCY_max_us, (nr_values - LATENCY_max_us) * sizeof(*v));
}

static void add_bars(struct table *view, const struct table *latency)
{
	struct range r = find_range(latency);
	int column = view->nr_values - 1;
	char (*text)[BUCKETS + 1];
	size_t i;

	if (!latency->nr_rows)
		return;
	text = alloc(latency->nr_rows + 1, sizeof(*text));
	view->cells = text;
	print_scale(text[latency->nr_rows], &r);
	view->columns[column].title = text[latency->nr_rows];
	for (i = 0; i < latency->nr_rows; i++) {
		print_bars(text[i], latency->rows[i], &r);
		view->rows[i]->v[column] = (uintptr_t)text[i];
	}
}

struct table *latency_view(struct table *latency, bool bars)
{
	struct column columns[COLUMNS_MAX];
	struct table *view;
	size_t i;

	make_columns(columns, latency, bars);
	view = table_new(latency->name, columns, false, latency->nr_rows);
	view->from[0] = latency;
	view->note =
		"phases contain each other: do not add them up; percentiles are upper bounds";
	table_inherit(view, latency);
	for (i = 0; i < latency->nr_rows; i++)
		copy_row(table_add(view), latency->rows[i], latency->nr_values);
	if (bars)
		add_bars(view, latency);
	return view;
}

/* ---- whole histograms ----------------------------------------------------- */

/* Columns before the bar, as in the format of print_bucket(). */
#define BAR_AT		32
#define BAR_MAX		50
#define BAR_MIN		10

static u64 value(const struct table *t, const struct row *row, const char *name)
{
	return row->v[table_column(t, name)];
}

static void print_time(char buf[NUMBER_LEN], u64 us, bool exact)
{
	if (exact)
		snprintf(buf, NUMBER_LEN, "%llu", us);
	else
		number_print_us(buf, us, false);
}

/* Print the two lines above the histogram of a phase. */
static void print_phase(FILE *out, const struct table *view, const struct row *row, bool exact)
{
	char total[NUMBER_LEN], mean[NUMBER_LEN], max[NUMBER_LEN], bound[NUMBER_LEN];
	size_t i;
	u64 us;

	print_time(total, value(view, row, "total_us"), exact);
	print_time(max, value(view, row, "max_us"), exact);
	number_print_milli(mean, value(view, row, "mean_us"));
	if (!exact)
		number_print_us(mean, value(view, row, "mean_us"), true);
	fprintf(out, "%s%s: count %llu, total %s, mean %s, max %s\n",
		view->rows[0] == row ? "" : "\n", row->label, value(view, row, "count"), total,
		mean, max);
	for (i = 0; i < ARRAY_SIZE(percentiles); i++) {
		us = value(view, row, percentiles[i].name);
		print_time(bound, us, exact);
		if (us != NO_ID)
			fprintf(out, "%s%s <=%s", i ? ", " : "  ", percentiles[i].title, bound);
	}
	fputc('\n', out);
}

static void print_bucket(FILE *out, int bucket, u64 count, int bar, bool exact)
{
	char from[NUMBER_LEN], to[NUMBER_LEN];

	print_time(from, bucket ? 1ULL << bucket : 0, exact);
	print_time(to, 2ULL << bucket, exact);
	fprintf(out, "%9s..%-8s %10llu |", from, bucket == BUCKETS - 1 ? "" : to, count);
	while (bar-- > 0)
		fputc('#', out);
	fputc('\n', out);
}

/* Return: length of a bar, at least 1 if there is anything to see. */
static int bar_len(u64 count, u64 largest, int width)
{
	int len = largest ? (double)count / largest * width + 0.5 : 0;

	return len || !count ? len : 1;
}

static int bar_width(int screen)
{
	int width = screen - BAR_AT;

	if (!screen || width > BAR_MAX)
		return BAR_MAX;
	return width < BAR_MIN ? BAR_MIN : width;
}

/* Print the buckets from the first to the last that is not empty. */
static void print_buckets(FILE *out, const u64 *buckets, u64 largest, int width, bool exact)
{
	int bucket = 0, nr = BUCKETS;

	while (nr && !buckets[nr - 1])
		nr--;
	while (bucket < nr && !buckets[bucket])
		bucket++;
	for (; bucket < nr; bucket++)
		print_bucket(out, bucket, buckets[bucket],
			     bar_len(buckets[bucket], largest, width), exact);
}

void latency_histograms(FILE *out, const struct table *view, int screen, bool exact)
{
	int first = table_column(view, "us_1");
	const u64 *buckets;
	size_t i;

	for (i = 0; i < view->nr_rows; i++) {
		buckets = &view->rows[i]->v[first];
		print_phase(out, view, view->rows[i], exact);
		print_buckets(out, buckets, largest_of(buckets), bar_width(screen), exact);
	}
	if (view->left_out)
		fputs("...\n", out);
}

/* ---- shares --------------------------------------------------------------- */

static const struct column share = {
	"share_pct", COLUMN_MILLI, .kind = KIND_RATIO, .title = "share",
};

/* Make the columns.  Return: index of the share, which follows total_us. */
static int insert_share(struct column columns[COLUMNS_MAX], const struct table *t)
{
	int i, nr = 0, at = table_column(t, "total_us") + 1;

	for (i = 0; i <= t->nr_values; i++) {
		if (i == at)
			columns[nr++] = share;
		columns[nr] = t->columns[i];
		/* Not `count`: that is a number. */
		if (!strcmp(columns[nr++].name, "count_us"))
			columns[nr - 1].title = "count_time";
	}
	return at;
}

static u64 thousandths_of(u64 part, u64 whole, unsigned int scale)
{
	return whole ? ((unsigned __int128)part * scale + whole / 2) / whole : 0;
}

static u64 add_up(const struct table *t, int column)
{
	u64 sum = 0, max = 0, value;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		value = t->rows[i]->v[column];
		sum += value;
		max = value > max ? value : max;
	}
	if (t->columns[column].format == FORMAT_ID)
		return NO_ID;
	return strcmp(t->columns[column].name, "max_us") ? sum : max;
}

static struct row *make_sum(const struct table *t)
{
	struct row *sum = alloc(1, sizeof(*sum) + t->nr_values * sizeof(u64));
	int i, calls = table_column(t, "calls"), total = table_column(t, "total_us");

	if (calls < 0)
		calls = table_column(t, "count");
	for (i = 0; i < t->nr_values; i++)
		sum->v[i] = add_up(t, i);
	sum->v[table_column(t, "mean_us")] = thousandths_of(sum->v[total], sum->v[calls], 1000);
	sum->label = "sum";
	return sum;
}

struct table *latency_shares(struct table *t)
{
	struct column columns[COLUMNS_MAX];
	int at = insert_share(columns, t);
	struct table *view = table_new(t->name, columns, false, t->nr_rows);
	u64 sum = add_up(t, at - 1);
	struct row *row;
	size_t i;

	view->from[0] = t;
	table_inherit(view, t);
	for (i = 0; i < t->nr_rows; i++) {
		row = table_add(view);
		row->label = t->rows[i]->label;
		memcpy(row->v, t->rows[i]->v, at * sizeof(row->v[0]));
		row->v[at] = thousandths_of(row->v[at - 1], sum, 100000);
		memcpy(&row->v[at + 1], &t->rows[i]->v[at],
		       (t->nr_values - at) * sizeof(row->v[0]));
	}
	view->sum = make_sum(view);
	/* Not the sum of rounded shares. */
	view->sum->v[at] = sum ? 100000 : 0;
	return view;
}
