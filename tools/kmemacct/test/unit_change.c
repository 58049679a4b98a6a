// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: how sure changes are, and what is listed as growth. */
#include <math.h>

#include "unit.h"

/* The bytes that a sample stands for. */
#define T	65536.0
/* Numbers that differ by less are the same. */
#define NEAR	(1 / 1e9)

static bool is_near(double value, double expected)
{
	return fabs(value - expected) <= fabs(expected) * NEAR;
}

/* A reading with @n samples of small objects. */
static struct reading small(double n)
{
	return (struct reading) { n * T, n * T * T, n };
}

static struct change change_of(double before, double after)
{
	return (struct change) { small(before), small(after), .unit = T, .same_unit = true };
}

TEST(gamma_tails_are_those_of_poisson)
{
	EXPECT(is_near(gamma_above(1, 3), exp(-3)));
	EXPECT(is_near(gamma_above(2, 3), 4 * exp(-3)));
	EXPECT(is_near(gamma_above(3, 0.5), exp(-0.5) * 1.625));
	EXPECT(gamma_above(5, 0) == 1);
	EXPECT(fabs(gamma_above(7, gamma_quantile(7, GAMMA_HIGH)) - 0.025) < NEAR);
	EXPECT(fabs(gamma_above(7, gamma_quantile(7, GAMMA_LOW)) - 0.975) < NEAR);
	EXPECT(fabs(gamma_above(1e6, gamma_quantile(1e6, GAMMA_HIGH)) - 0.025) < 1000 * NEAR);
}

TEST(few_samples_are_binomial)
{
	struct change c = change_of(0, 6);

	EXPECT(is_near(change_classify(&c).p, 2 / 64.0));
	EXPECT(is_near(change_classify(&c).least_p, 2 / 64.0));
	/* 6 of 8 in either direction: 37 of 256 in each. */
	c = change_of(2, 6);
	EXPECT(is_near(change_classify(&c).p, 2 * 37 / 256.0));
	EXPECT(is_near(change_classify(&c).least_p, 2 / 256.0));
	c = change_of(6, 2);
	EXPECT(is_near(change_classify(&c).p, 2 * 37 / 256.0));
	c = change_of(4, 4);
	EXPECT(change_classify(&c).p == 1);
}

TEST(counters_tell_what_stays)
{
	struct change c = change_of(100, 106);
	struct reading r;

	c.counted = true;
	c.allocated = small(6);
	EXPECT(is_near(change_classify(&c).p, 2 / 64.0));
	r = change_uncertain(&c);
	EXPECT(r.samples == 6);
	/* The rounding of standard errors adds a little. */
	EXPECT(r.variance >= 6 * T * T && r.variance < 6.001 * T * T);
	/* 8 samples came and 2 went: the probability of 8 or more of 10. */
	c.allocated = small(8);
	EXPECT(is_near(change_classify(&c).p, 2 * 56 / 1024.0));
	/* Counters that lag behind do not make it more sure than the live samples show. */
	c.allocated = small(3);
	EXPECT(is_near(change_classify(&c).p, 2 / 64.0));
	c.counted = false;
	EXPECT(change_uncertain(&c).samples == 206);
	EXPECT(change_classify(&c).p > 0.6);
}

TEST(exact_changes_are_certain)
{
	struct change c = { .before.bytes = 5, .after.bytes = 6 };
	struct significance v = change_classify(&c);

	EXPECT(!v.p && !v.below && !v.above);
	c.before.bytes = 6;
	EXPECT(change_classify(&c).p == 1);
}

/* The exact part has changed, but objects without a sample may have made up for it. */
TEST(unsampled_objects_may_cancel_out)
{
	struct change c = { .after.bytes = 5 * T, .unit = T };

	EXPECT(is_near(change_classify(&c).p, 2 * exp(-5)));
	EXPECT(is_near(change_classify(&c).above, bounds_unsampled(T)));
	c.after.bytes = 0.1 * T;
	EXPECT(change_classify(&c).p == 1);
}

/* Where the binomial distribution is not used, zero is outside the interval if p is below 5 %. */
TEST(limits_agree_with_p_values)
{
	struct change c;
	struct significance v;
	double n;

	for (n = 1; n < 100; n++) {
		c = change_of(30, 30 + n);
		c.same_unit = false;
		v = change_classify(&c);
		EXPECT((v.p < 0.05) == (n * T - v.below > 0));
		EXPECT(!v.least_p);
	}
	EXPECT(v.p < 1000 * NEAR);
}

TEST(large_objects_are_not_binomial)
{
	struct change c = change_of(10, 20);

	c.after.variance /= 4;
	EXPECT(!change_classify(&c).least_p);
	/* Most of the change is exact. */
	c = change_of(10, 20);
	c.after.bytes += 100 * T;
	EXPECT(!change_classify(&c).least_p);
}

TEST(false_discoveries_are_limited)
{
	struct tested t[] = {
		{ 0.03, 0, 0 }, { 0.01, 0, 0 }, { 0, 0, 0 }, { 0.5, 0, 0 }, { 0.02, 0, 0 },
		{ 0.0625, 0.0625, 0 },
	};

	fdr_adjust(t, ARRAY_SIZE(t), 0.05);
	EXPECT(is_near(t[0].fdr, 0.04));
	EXPECT(is_near(t[1].fdr, 0.04));
	EXPECT(is_near(t[4].fdr, 0.04));
	EXPECT(is_near(t[3].fdr, 0.5));
	EXPECT(!t[2].fdr);
	EXPECT(t[5].fdr == 1);
	/* With a higher rate, the last one is tested, too. */
	fdr_adjust(t, ARRAY_SIZE(t), 0.1);
	EXPECT(is_near(t[0].fdr, 0.05));
	EXPECT(is_near(t[5].fdr, 0.0625 * 5 / 4));
	fdr_adjust(NULL, 0, 0.05);
}

/* Names without offsets are added up.  What only came and went is a row if that is asked for. */
TEST(changes_are_listed_by_name)
{
	const struct growth_options o = { .counted = true, .plain = true, .churn = true };
	struct table *before = table_known("page_callers"), *after = parse_golden("page_callers");
	struct growth g = growth_make("diff", before, after, &o);

	EXPECT(!g.before && g.after == 5128 * 1024);
	EXPECT_ROWS(g.table, "change_bytes,allocs,frees,site",
		    "5251072 1290 8 folio_maker\\x20[mod]\n0 4 1 [other]\n");
	table_free(before);
	table_free(after);
	EXPECT(growth_find("stacks") && !growth_find("allocs"));
	EXPECT(growth_is_timed("waits") && growth_is_timed("latency") &&
	       !growth_is_timed("callers"));
}
