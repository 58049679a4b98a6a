// SPDX-License-Identifier: GPL-2.0
/* The site table: which row an event counts in. */
#include "sitetab_util.h"

/* Hits of all rows of a call site and a cache; @cache is a size of kmalloc. */
static u64 kma_hits_of(unsigned long site, unsigned long cache)
{
	const struct kma_site_info *info;
	u64 hits = 0;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++) {
		info = kma_sitetab_info(&kma_sites, id);
		if (info && info->site == site &&
		    kma_sites.caches.info[info->cache].size == cache)
			hits += kma_hits(id);
	}
	return hits;
}

/* ---- finding a row -------------------------------------------------------- */

static void kma_sitetab_gives_a_pair_one_row(struct kunit *test)
{
	static const struct kma_usage expect = { .used = 1 };
	static const struct kma_site_info expect_info = {
		.site = KMA_TEST_SITE,
		.state = KMA_SITE_LIVE,
		.shift = KMA_SHIFT_EXACT,
	};
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), id);
	kma_expect_site_info(test, &expect_info, &kma_sites.info[id]);
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_tells_pairs_apart(struct kunit *test)
{
	static const struct kma_usage expect = { .used = 3 };
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE, 96), id);
	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE + 5, 64), id);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), id);
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_has_no_row_before_the_first_event(struct kunit *test)
{
	static const struct kma_usage expect = {};
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++)
		KUNIT_EXPECT_NULL(test, kma_sitetab_info(&kma_sites, id));
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_sums_over_all_cpus(struct kunit *test)
{
	const struct kma_row one = { .hits = 1, .bytes_req = 2, .frees = 3,
				     .repaired = 4, .no_entry = 5, .pingpong = 6,
				     .cross_node = 7, .bulk = 8 };
	u32 id = kma_row_id(KMA_TEST_SITE, 64);
	struct kma_row expect = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		*per_cpu_ptr(kma_sites.row[id], cpu) = one;
		kma_row_add(&expect, &one);
	}
	kma_expect_row_sum(test, &expect, &kma_sites, id);
}

/* The hash is computed from the sum of site and cache, which is the same for all pairs here. */
static void kma_sitetab_keeps_colliding_pairs_apart(struct kunit *test)
{
	u32 id[KMA_TEST_SITES];
	int i, k;

	for (i = 0; i < KMA_TEST_SITES; i++)
		id[i] = kma_row_id(KMA_TEST_SITE - 8 * i, 8 * (i + 1));
	for (i = 0; i < KMA_TEST_SITES; i++) {
		KUNIT_EXPECT_EQ(test, id[i],
				kma_row_id(KMA_TEST_SITE - 8 * i, 8 * (i + 1)));
		KUNIT_EXPECT_LT(test, id[i], KMA_TEST_SITES_MAX);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, id[i], id[k]);
	}
}

/* ---- when something is full ----------------------------------------------- */

static void kma_sitetab_counts_the_rest_as_other(struct kunit *test)
{
	static const struct kma_usage expect_before = { .used = KMA_TEST_SITES };
	static const struct kma_usage expect = {
		.used = KMA_TEST_SITES,
		.stat = { [KMA_STAT_other_sites] = 200 },
	};
	static const u32 sizes[] = { 64, 96 };
	struct kma_site_info expect_info = {
		.site = 0,
		.state = KMA_SITE_LIVE,
		.shift = KMA_SHIFT_EXACT,
	};
	const struct kma_row expect_row = { .hits = 100 };
	u32 id;
	int i;

	for (i = 0; i < KMA_TEST_SITES; i++)
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
	kma_expect_usage(test, &expect_before);
	for (i = KMA_TEST_SITES; i < KMA_TEST_SITES + 100; i++) {
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
		kma_hit(KMA_TEST_SITE + 16 * i, 96);
	}

	kma_expect_usage(test, &expect);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		id = kma_row_id(KMA_TEST_SITE - 16, sizes[i]);
		KUNIT_EXPECT_GE(test, id, KMA_TEST_SITES_MAX);
		kma_expect_row_sum(test, &expect_row, &kma_sites, id);
		KUNIT_ASSERT_NOT_NULL(test, kma_sitetab_info(&kma_sites, id));
		expect_info.cache = kma_cachetab_get(&kma_sites.caches, sizes[i]);
		kma_expect_site_info(test, &expect_info, kma_sitetab_info(&kma_sites, id));
	}
	/* Pairs that have a row still count in it. */
	for (i = 0; i < KMA_TEST_SITES; i++) {
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
		KUNIT_EXPECT_EQ(test, kma_hits_of(KMA_TEST_SITE + 16 * i, 64), 2);
	}
}

/* More pairs have the same hash than a look-up searches slots. */
static void kma_sitetab_gives_up_on_a_crowded_hash(struct kunit *test)
{
	enum { LOST = 8, PAIRS = KMA_SITES_PROBES + LOST };
	static const struct kma_usage expect = {
		.used = KMA_SITES_PROBES,
		.stat = { [KMA_STAT_other_sites] = 3 * LOST },
	};
	u64 hits = 0;
	u32 id;
	int i, round;

	kma_sitetab_destroy(&kma_sites);
	KUNIT_ASSERT_EQ(test, kma_sitetab_init(&kma_sites, 2 * KMA_SITES_PROBES), 0);
	for (round = 0; round < 3; round++)
		for (i = 0; i < PAIRS; i++)
			kma_hit(KMA_TEST_SITE - 8 * i, 8 * (i + 1));

	for (i = 0; i < KMA_SITES_PROBES; i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(KMA_TEST_SITE - 8 * i, 8 * (i + 1)), 3);
	for (i = KMA_SITES_PROBES; i < PAIRS; i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(0, 8 * (i + 1)), 3);
	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++)
		hits += kma_hits(id);
	KUNIT_EXPECT_EQ(test, hits, 3 * PAIRS);
	kma_expect_usage(test, &expect);
}

/* A cache without a number of its own has rows of its own, like any cache. */
static void kma_sitetab_counts_without_a_number(struct kunit *test)
{
	static const struct kma_usage expect = {
		.used = 2,
		.stat = { [KMA_STAT_other_caches] = 1 },
	};
	int i;

	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_cachetab_get(&kma_sites.caches, 8 * (i + 1));

	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE, 8 * (KMA_CACHES_MAX + 1)));
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE, 8));
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_gives_inner_sites_no_row(struct kunit *test)
{
	static const struct kma_usage expect = {
		.used = 1,
		.stat = { [KMA_STAT_double_fired] = 2 },
	};

	kma_sites.internal[0] = KMA_TEST_SITE;
	kma_sites.internal[1] = KMA_TEST_SITE + 16;
	kma_sites.nr_internal = 2;

	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE, 16384));
	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE + 16, 16384));
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE + 8, 16384));
	kma_expect_usage(test, &expect);
}

/* ---- samples -------------------------------------------------------------- */

/* Find or make a row of samples.  Their stack is the site and @caller; none if that is 0. */
static const struct kma_site_slot *kma_sample(int shift, unsigned long caller)
{
	struct kma_stack stack = {
		.nr_frames = caller ? 2 : 0,
		.frame = { KMA_TEST_SITE, caller },
	};
	const struct kma_origin o = {
		.site = KMA_TEST_SITE,
		.shift = shift,
		.stack = &stack,
	};

	kma_stack_seal(&stack);
	return kma_sitetab_sample(&kma_sites, &o, 64);
}

static void kma_sitetab_gives_samples_rows_of_their_own(struct kunit *test)
{
	static const struct kma_usage expect = { .used = 6, .stacks = 3, .sampled = true };
	const struct kma_site_slot *slot[] = {
		kma_get(KMA_TEST_SITE, 64),
		kma_sample(12, 0),
		kma_sample(13, 0),
		kma_sample(12, KMA_TEST_SITE + 100),
		kma_sample(12, KMA_TEST_SITE + 200),
		kma_sample(13, KMA_TEST_SITE + 200),
	};
	int i, k;

	kma_expect_usage(test, &expect);
	for (i = 0; i < ARRAY_SIZE(slot); i++)
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, slot[i]->id, slot[k]->id);
	KUNIT_EXPECT_PTR_EQ(test, kma_get(KMA_TEST_SITE, 64), slot[0]);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(13, 0), slot[2]);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 200), slot[4]);
}

/* Samples without a stack, whose sites and shifts have the same sum, have different rows. */
static void kma_sitetab_tells_sites_from_shifts(struct kunit *test)
{
	const struct kma_origin o[] = {
		{ .site = KMA_TEST_SITE, .shift = 13 },
		{ .site = KMA_TEST_SITE + 1, .shift = 12 },
	};

	KUNIT_EXPECT_NE(test, kma_sitetab_sample(&kma_sites, &o[0], 64)->id,
			kma_sitetab_sample(&kma_sites, &o[1], 64)->id);
}

static void kma_sitetab_knows_what_a_sample_is(struct kunit *test)
{
	static const struct kma_usage expect_before = { .used = 1 };
	static const struct kma_usage expect = { .used = 2, .stacks = 1, .sampled = true };
	static const struct kma_site_info expect_info = {
		.site = KMA_TEST_SITE,
		.state = KMA_SITE_LIVE,
		.shift = 12,
		.nr_frames = 2,
	};
	static const unsigned long expect_frames[] = { KMA_TEST_SITE, KMA_TEST_SITE + 100 };
	u32 exact = kma_row_id(KMA_TEST_SITE, 64);
	u32 id;

	kma_expect_usage(test, &expect_before);
	id = kma_sample(12, KMA_TEST_SITE + 100)->id;

	kma_expect_usage(test, &expect);
	KUNIT_EXPECT_FALSE(test, kma_sitetab_is_sampled(&kma_sites, exact));
	KUNIT_EXPECT_TRUE(test, kma_sitetab_is_sampled(&kma_sites, id));
	kma_expect_site_info(test, &expect_info, &kma_sites.info[id]);
	KUNIT_EXPECT_MEMEQ(test, kma_sitetab_frames(&kma_sites, id), expect_frames,
			   sizeof(expect_frames));
}

static void kma_sitetab_limits_rows_with_a_stack(struct kunit *test)
{
	enum { STACKS = KMA_TEST_SITES_MAX / 4 * 3 };
	static const struct kma_usage expect_before = {
		.used = STACKS,
		.stacks = STACKS,
		.sampled = true,
	};
	static const struct kma_usage expect = {
		.used = STACKS + 1,
		.stacks = STACKS,
		.sampled = true,
		.stat = { [KMA_STAT_stacks_full] = 2 },
	};
	static const struct kma_site_info expect_info = {
		.site = KMA_TEST_SITE,
		.state = KMA_SITE_LIVE,
		.shift = 12,
		.nr_frames = 0,
	};
	const struct kma_site_slot *slot;
	u32 i;

	for (i = 1; i <= STACKS; i++)
		kma_sample(12, KMA_TEST_SITE + 16 * i);
	kma_expect_usage(test, &expect_before);
	slot = kma_sample(12, KMA_TEST_SITE + 16 * i);

	kma_expect_site_info(test, &expect_info, &kma_sites.info[slot->id]);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 16 * (i + 1)), slot);
	kma_expect_usage(test, &expect);
}

/* A row [other] counts samples of one shift: the weight of a mixture would not be known. */
static void kma_sitetab_does_not_mix_weights_in_other(struct kunit *test)
{
	struct kma_usage expect = {
		.used = KMA_TEST_SITES,
		.sampled = true,
		.stat = { [KMA_STAT_other_sites] = 2 },
	};
	struct kma_site_info expect_info = {
		.site = 0,
		.state = KMA_SITE_LIVE,
		.shift = 12,
	};
	const struct kma_site_slot *other, *further;
	int i;

	for (i = 1; i <= KMA_TEST_SITES; i++)
		kma_get(KMA_TEST_SITE + 16 * i, 64);
	other = kma_sample(12, 0);
	KUNIT_ASSERT_NOT_NULL(test, other);
	kma_expect_site_info(test, &expect_info, &kma_sites.info[other->id]);
	KUNIT_EXPECT_TRUE(test, kma_sitetab_is_sampled(&kma_sites, other->id));
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 100), other);
	kma_expect_usage(test, &expect);

	/* Each further shift gets a row [other] of its own, as long as rows are left for these. */
	for (i = 13; i < 13 + KMA_TEST_SITES_MAX - KMA_TEST_SITES; i++) {
		further = kma_sample(i, 0);
		KUNIT_ASSERT_NOT_NULL(test, further);
		expect_info.shift = i;
		kma_expect_site_info(test, &expect_info, &kma_sites.info[further->id]);
		KUNIT_EXPECT_PTR_EQ(test, kma_sample(i, KMA_TEST_SITE + 100), further);
		expect.stat[KMA_STAT_other_sites] += 2;
	}
	expect.used = KMA_TEST_SITES_MAX;
	kma_expect_usage(test, &expect);

	expect.stat[KMA_STAT_dropped_sites_full] = 2;
	expect.stat[KMA_STAT_other_sites]++;
	KUNIT_EXPECT_NULL(test, kma_sample(i, 0));
	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE, 64));
	/* The row [other] of another cache is still unused, so it takes exact objects. */
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE, 96));
	kma_expect_usage(test, &expect);
}

/* ---- several CPUs --------------------------------------------------------- */

#define KMA_CROWD_SITES		120
#define KMA_CROWD_CACHES	8
#define KMA_CROWD_HITS		20

static unsigned long kma_crowd_site(int i)
{
	return KMA_TEST_SITE + 16 * (i / KMA_CROWD_CACHES);
}

static unsigned long kma_crowd_cache(int i)
{
	return 64 * (1 + i % KMA_CROWD_CACHES);
}

static void kma_sitetab_crowd_main(void *arg, int nr)
{
	int i, round;

	for (round = 0; round < KMA_CROWD_HITS; round++)
		for (i = 0; i < KMA_CROWD_SITES; i++)
			kma_hit(kma_crowd_site(i), kma_crowd_cache(i));
}

static void kma_crowd_check(struct kunit *test, u32 sites_max)
{
	int i, nr = kma_crew_size();
	u64 expected = KMA_CROWD_HITS * nr, hits = 0;
	u32 id;

	kma_sitetab_destroy(&kma_sites);
	KUNIT_ASSERT_EQ(test, kma_sitetab_init(&kma_sites, sites_max), 0);
	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_sitetab_crowd_main, NULL, nr), 0);

	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++)
		if (kma_sitetab_info(&kma_sites, id))
			hits += kma_hits(id);
	KUNIT_EXPECT_EQ(test, hits, expected * KMA_CROWD_SITES);
	for (i = 0; i < KMA_CROWD_SITES && KMA_PAIRS_MAX(sites_max) >= nr * KMA_CROWD_SITES;
	     i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(kma_crowd_site(i), kma_crowd_cache(i)),
				expected);
}

/* All CPUs see the same new pairs at the same time. */
static void kma_sitetab_stands_a_crowd(struct kunit *test)
{
	int round;

	for (round = 0; round < 10; round++)
		kma_crowd_check(test, 2 * kma_crew_size() * KMA_CROWD_SITES);
}

static void kma_sitetab_stands_a_crowd_when_full(struct kunit *test)
{
	int round;

	for (round = 0; round < 10; round++)
		kma_crowd_check(test, KMA_SITES_MIN);
}

static struct kunit_case kma_sitetab_cases[] = {
	KUNIT_CASE(kma_sitetab_gives_a_pair_one_row),
	KUNIT_CASE(kma_sitetab_tells_pairs_apart),
	KUNIT_CASE(kma_sitetab_has_no_row_before_the_first_event),
	KUNIT_CASE(kma_sitetab_sums_over_all_cpus),
	KUNIT_CASE(kma_sitetab_keeps_colliding_pairs_apart),
	KUNIT_CASE(kma_sitetab_counts_the_rest_as_other),
	KUNIT_CASE(kma_sitetab_gives_up_on_a_crowded_hash),
	KUNIT_CASE(kma_sitetab_counts_without_a_number),
	KUNIT_CASE(kma_sitetab_gives_inner_sites_no_row),
	KUNIT_CASE(kma_sitetab_gives_samples_rows_of_their_own),
	KUNIT_CASE(kma_sitetab_tells_sites_from_shifts),
	KUNIT_CASE(kma_sitetab_knows_what_a_sample_is),
	KUNIT_CASE(kma_sitetab_limits_rows_with_a_stack),
	KUNIT_CASE(kma_sitetab_does_not_mix_weights_in_other),
	KUNIT_CASE(kma_sitetab_stands_a_crowd),
	KUNIT_CASE(kma_sitetab_stands_a_crowd_when_full),
	{}
};

struct kunit_suite kma_sitetab_suite = {
	.name = "kmemacct_sitetab",
	.suite_init = kma_sitetab_init_suite,
	.init = kma_sitetab_init_test,
	.exit = kma_sitetab_exit_test,
	.test_cases = kma_sitetab_cases,
};
