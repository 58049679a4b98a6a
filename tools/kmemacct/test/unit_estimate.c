// SPDX-License-Identifier: GPL-2.0
/* Unit tests of intervals: gamma.c, bounds.c and estimate.c.  See unit.c. */
#include <math.h>

#include "unit.h"

/* Compare two numbers, of which @known has 9 digits after the point. */
static bool is_near(double x, double known)
{
	return fabs(x - known) < 0.00000001 * fmax(1, fabs(known));
}

/* ---- quantiles ------------------------------------------------------------ */

/*
 * The exact interval of a Poisson distribution's mean, for n events (Garwood 1936).  These are
 * the solutions of P(n or more) = 2.5 % and P(n or fewer) = 2.5 %, found from sums of
 * Poisson probabilities.
 */
static const struct {
	int n;
	double low;
	double high;
} garwood[] = {
	{ 0, 0, 3.688879454 },
	{ 1, 0.025317808, 5.571643391 },
	{ 2, 0.242209279, 7.224687668 },
	{ 3, 0.618672123, 8.767273070 },
	{ 4, 1.089865374, 10.241588675 },
	{ 5, 1.623486390, 11.668332079 },
	{ 10, 4.795388696, 18.390356042 },
	{ 20, 12.216519585, 30.888377903 },
	{ 29, 19.421755138, 41.648837439 },
	{ 30, 20.240874021, 42.826865395 },
	{ 100, 81.363991251, 121.626793792 },
};

TEST(quantiles_are_known)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(garwood); i++) {
		EXPECT(is_near(gamma_quantile(garwood[i].n + 1, GAMMA_HIGH), garwood[i].high));
		if (garwood[i].n)
			EXPECT(is_near(gamma_quantile(garwood[i].n, GAMMA_LOW), garwood[i].low));
	}
	/* Half of a chi-square distribution, that of the square of a normal variate */
	EXPECT(is_near(gamma_quantile(0.5, GAMMA_HIGH), 2.241402728 * 2.241402728 / 2));
	EXPECT(is_near(gamma_quantile(0.5, GAMMA_LOW), 0.031337982 * 0.031337982 / 2));
}

TEST(quantiles_of_any_shape)
{
	double shape, low, high, last_low = 0, last_high = 0;

	for (shape = 0.000001; shape < 1e30; shape *= 1.09) {
		low = gamma_quantile(shape, GAMMA_LOW);
		high = gamma_quantile(shape, GAMMA_HIGH);
		EXPECT(low >= last_low && high >= last_high && low <= high);
		EXPECT(shape < 1 || (low < shape && shape < high));
		last_low = low;
		last_high = high;
	}
	/* Where the approximation takes over, there is no step. */
	low = gamma_quantile(1e5, GAMMA_LOW);
	EXPECT(fabs(gamma_quantile(1e5 + 0.0000001, GAMMA_LOW) / low - 1) < 0.000000001);
	high = gamma_quantile(1e5, GAMMA_HIGH);
	EXPECT(fabs(gamma_quantile(1e5 + 0.0000001, GAMMA_HIGH) / high - 1) < 0.000000001);
}

/* ---- bounds --------------------------------------------------------------- */

#define T	524288.0

/* @n samples of objects that are much smaller than T stand for T bytes each. */
TEST(small_objects_have_garwoods_interval)
{
	struct bounds b;
	size_t i;
	double n;

	for (i = 1; i < ARRAY_SIZE(garwood); i++) {
		n = garwood[i].n;
		b = bounds_of_sum(&(struct weighed) { n * T, n * T * T, n, T, false, false });
		EXPECT(is_near(n - b.below / T, garwood[i].low));
		EXPECT(is_near(n + b.above / T, garwood[i].high));
	}
	EXPECT(is_near(bounds_unsampled(T) / T, garwood[0].high));
}

/* The exact part moves the interval, and does nothing else. */
TEST(exact_bytes_do_not_change_the_width)
{
	const struct weighed few = { 5 * T, 5 * T * T, 5, T, false, false };
	struct weighed more = few;

	more.estimate += 1000 * T;
	EXPECT(is_near(bounds_of_sum(&more).below, bounds_of_sum(&few).below));
	EXPECT(is_near(bounds_of_sum(&more).above, bounds_of_sum(&few).above));
}

/* The samples show that T was larger, or smaller, than it is now. */
TEST(past_rates_count)
{
	const struct weighed was_larger = { 20 * T, 5 * 16 * T * T, 5, T, false, false };
	const struct weighed was_smaller = { 5 * T, 5 * T * T, 5, 2 * T, false, false };
	struct bounds b = bounds_of_sum(&was_larger);

	EXPECT(is_near(5 - b.below / (4 * T), garwood[5].low));
	EXPECT(is_near(5 + b.above / (4 * T), garwood[5].high));
	/* Fay and Feuer: with one more sample, of 2 T, the shape is 7^2 / 9 and the scale 9 / 7. */
	b = bounds_of_sum(&was_smaller);
	EXPECT(is_near(5 - b.below / T, garwood[5].low));
	EXPECT(is_near(5 + b.above / T, gamma_quantile(49. / 9, GAMMA_HIGH) * 9 / 7));
}

/* An object of 20 T is certainly sampled.  What is uncertain is that others were not. */
TEST(large_objects_are_certain)
{
	const double v = 20 * T * 20 * T * exp(-20);
	struct bounds b = bounds_of_sum(&(struct weighed) { 20 * T, v, 1, T, false, false });

	EXPECT(b.below < 0.001 * T);
	EXPECT(b.above > 3.68 * T && b.above < 3.70 * T);
}

/* Five samples count as 100 objects each, but one of the smallest objects would count as 1000. */
TEST(smaller_objects_may_be_unsampled)
{
	struct weighed w = { 5 * 100, 5 * 100 * 99, 5, 1000, true, false };
	struct bounds b = bounds_of_sum(&w);

	EXPECT(b.above > 3.6 * 1000 && b.above < 4 * 1000);
	EXPECT(b.below > 500 - 170 && b.below < 500 - 160);
	/* If all have the same size, there are no smaller ones. */
	w.mixed = false;
	w.unit = 99.5;
	b = bounds_of_sum(&w);
	EXPECT(b.above > 660 && b.above < 670);
}

TEST(changes_are_symmetric)
{
	const struct weighed w = { -3 * T, 5 * T * T, 5, T, false, false };
	struct bounds b = bounds_of_change(&w);

	EXPECT(b.below == b.above && is_near(5 + b.above / T, garwood[5].high));
}

TEST(odd_sums_have_bounds)
{
	static const struct weighed odd[] = {
		{ 0, 1, 1, T, false, true }, { 0, 1e38, 1, 0, false, true },
		{ 1.8e19, 3.4e38, 1, 0, true, false }, { 1, 1, 1e19, T, false, false },
		{ 1, 0.001, 1e9, 1e19, false, true }, { 1, 1, 0.000000001, 1, true, true },
	};
	struct bounds sum, change;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		sum = bounds_of_sum(&odd[i]);
		change = bounds_of_change(&odd[i]);
		EXPECT(sum.below >= 0 && sum.above >= 0 && change.above >= 0);
		EXPECT(isfinite(sum.below) && isfinite(sum.above) && isfinite(change.above));
	}
}

/* ---- rows ----------------------------------------------------------------- */

/*
 * One sample of 192 bytes, which counts as 2731.2 objects and 524384 bytes.  The module rounds
 * standard errors down.  The expected intervals are those of test/program/bounds.py.
 */
#define DENTRY(name, label) \
	SAMPLED_HEAD(name) COLUMNS(label) \
	"524384 2731 2731 524384 2731 524384 0 0 0 0 0 0 0 524384 0.000 1 1 - - - 524287 2730" \
	" 2730 524287 2730 524287 0 0 0 0 0 0 0 524287 - - - __d_alloc+0x29\n"

TEST(rows_have_intervals)
{
	struct table *t = parse("callers", DENTRY("callers", "site"));

	EXPECT_INTERVAL(t, 0, "live_bytes", "13369..2921242");
	EXPECT_INTERVAL(t, 0, "confirmed_bytes", "13369..2921242");
	EXPECT_INTERVAL(t, 0, "frees", "0..0");
	EXPECT_INTERVAL(t, 0, "live_objs", "68..244611");
	EXPECT(estimate_is_rough(t, t->rows[0], COUNT_hits));
	EXPECT(!estimate_is_rough(t, t->rows[0], COUNT_frees));
	EXPECT(!estimate_is_rough(t, t->rows[0], COUNT_samples));
	/* 3.688879454 x 524288, rounded up */
	EXPECT(estimate_unsampled(t) == 1934036);
	table_free(t);
	/* In a cache, all objects have the same size. */
	t = parse("caches", DENTRY("caches", "cache"));
	EXPECT_INTERVAL(t, 0, "live_objs", "69..15217");
	table_free(t);
}

#define MOST "18446744073709551615"

TEST(intervals_end_somewhere)
{
	struct table *t = parse("callers", SAMPLED_HEAD("callers") COLUMNS("site")
		MOST " 9 1 0 2 0 0 0 0 0 0 1 0 0 0.000 4 10 - - - "
		MOST " 1 1 0 1 0 0 0 0 0 0 1 0 0 - - - a\n");
	struct interval i = estimate_interval(t, t->rows[0], COUNT_live_bytes);

	EXPECT(i.low >= 10 && i.high == U64_MAX);
	/*
	 * The sampled objects exist, so they are a lower bound, but the low end is not above the
	 * estimate.
	 */
	i = estimate_interval(t, t->rows[0], COUNT_live_objs);
	EXPECT(i.low == 9);
	/* With hits and bulk objects, all samples may be of either. */
	i = estimate_interval(t, t->rows[0], COUNT_hits);
	EXPECT(!i.low);
	table_free(t);
}

/*
 * 39 of 40 objects of 16 KiB are sampled, at one sample point in 4 KiB: the error is less than an
 * object.
 */
TEST(errors_below_one_are_errors)
{
	struct table *t = parse("callers",
		"# kmemacct callers 8 sample_bytes=4096 sampled=1\n" COLUMNS("site")
		"650000 40 0 0 0 0 0 0 0 0 0 0 0 0 0.000 0 39 - - - 13000" ZEROS_9
		" 0 0 0 0 - - - a\n");
	struct interval i = estimate_interval(t, t->rows[0], COUNT_live_objs);

	EXPECT(estimate_is_rough(t, t->rows[0], COUNT_live_objs));
	EXPECT(i.low == 39 && i.high > 40);
	table_free(t);
}

/* Nothing is sampled now, but was: T is what the samples show, in rows that -l leaves out, too. */
TEST(what_has_no_sample_is_bounded)
{
	struct table *t = parse("callers",
		"# kmemacct callers 8 sample_bytes=0 sampled=1\n" COLUMNS("site")
		"9 9 9 9 9 9 9 9 9 9 9 9 9 9 0.000 0 0 - - - 0 0 0 0 0 0 0 0 0 0 0 0 0 0 - - - a\n"
		"4000 1 0 0 0 0 0 0 0 0 0 0 0 0 0.000 0 4 - - - 2000 1" ZEROS_9
		" 0 0 0 - - - b\n");
	struct view v;

	v = view_of(t);
	view_cut(&v, 1);
	EXPECT(estimate_any(t) && estimate_unsampled(t) == 3689);
	/* Nothing is known of rows that are not kept. */
	t->nr_rows = 1;
	EXPECT(!estimate_any(t) && !estimate_unsampled(t));
	view_end(&v);
	/* A number that no module prints, and whose bound has more than 64 bits */
	t = parse("callers",
		  "# kmemacct callers 8 sample_bytes=18446744073709551615 sampled=1\n"
		  COLUMNS("site"));
	EXPECT(estimate_unsampled(t) == 1ULL << 63);
	table_free(t);
	/* Tables without estimates */
	t = parse_golden("orders");
	EXPECT(!estimate_any(t));
	table_free(t);
	t = parse_golden("callers");
	EXPECT(!estimate_any(t));
	table_free(t);
}

#define PAGES_HEAD \
	"# kmemacct page_callers 8 sample_bytes=65536 sampled=1 pages=sites\n" \
	"# live_kb live_allocs hits kb frees bulk_allocs failed order migratetype gfp samples" \
	" live_samples live_kb_se live_allocs_se hits_se kb_se frees_se bulk_allocs_se site\n"

/* Four samples of single pages: 16.5 allocations each, of 65.8 KiB by a T of 64 KiB */
TEST(pages_have_intervals)
{
	struct table *t = parse("page_callers", PAGES_HEAD
		"264 66 0 0 0 0 0 0 Movable 0x0 0 4 127 31 0 0 0 0 a\n");

	/*
	 * The limits of Garwood, 1.09 and 10.24, times 64 KiB or 16 allocations; the upper one is
	 * extended as view/statistics.h says.
	 */
	EXPECT_INTERVAL(t, 0, "live_kb", "77..664");
	EXPECT_INTERVAL(t, 0, "live_allocs", "19..166");
	EXPECT(estimate_unsampled(t) == 241755);
	table_free(t);
}
