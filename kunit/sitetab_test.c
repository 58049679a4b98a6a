// SPDX-License-Identifier: GPL-2.0
/*
 * The call sites.  The table does not look at what is at a site's address, so
 * sites are made up, and so are most caches, which are sizes of kmalloc.
 */
#include <linux/slab.h>

#include "util.h"
#include "../module/kmemacct.h"

#define KMA_TEST_SITE	0xffffffff81234560UL
#define KMA_TEST_SITES	KMA_SITES_MIN

static struct kma_sitetab kma_sites;

static const struct kma_site_slot *kma_get(unsigned long site, unsigned long cache)
{
	return kma_sitetab_get(&kma_sites, site, cache);
}

static u32 kma_row_id(unsigned long site, unsigned long cache)
{
	return kma_get(site, cache)->id;
}

static void kma_hit(unsigned long site, unsigned long cache)
{
	this_cpu_inc(kma_sites.row[kma_row_id(site, cache)]->hits);
}

static u64 kma_hits(u32 id)
{
	struct kma_row sum;

	kma_sitetab_sum(&kma_sites, id, &sum);
	return sum.hits;
}

/* Hits of all rows of a site and the cache word, a size of kmalloc. */
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

static int kma_state(u32 id)
{
	return kma_sites.info[id].state;
}

/* ---- finding a row -------------------------------------------------------- */

static void kma_sitetab_gives_a_pair_one_row(struct kunit *test)
{
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), id);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), 1);
	KUNIT_EXPECT_EQ(test, kma_sites.info[id].site, KMA_TEST_SITE);
	KUNIT_EXPECT_EQ(test, kma_state(id), KMA_SITE_LIVE);
}

static void kma_sitetab_tells_pairs_apart(struct kunit *test)
{
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE, 96), id);
	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE + 5, 64), id);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), id);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), 3);
}

static void kma_sitetab_has_no_row_before_the_first_event(struct kunit *test)
{
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++)
		KUNIT_EXPECT_NULL(test, kma_sitetab_info(&kma_sites, id));
}

static void kma_sitetab_sums_over_all_cpus(struct kunit *test)
{
	const struct kma_row one = { .hits = 1, .bytes_req = 2, .frees = 3,
				     .repaired = 4, .no_entry = 5, .pingpong = 6,
				     .cross_node = 7 };
	u32 id = kma_row_id(KMA_TEST_SITE, 64);
	struct kma_row sum, expected = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		*per_cpu_ptr(kma_sites.row[id], cpu) = one;
		expected.hits += one.hits;
		expected.bytes_req += one.bytes_req;
		expected.frees += one.frees;
		expected.repaired += one.repaired;
		expected.no_entry += one.no_entry;
		expected.pingpong += one.pingpong;
		expected.cross_node += one.cross_node;
	}
	kma_sitetab_sum(&kma_sites, id, &sum);
	KUNIT_EXPECT_MEMEQ(test, &sum, &expected, sizeof(sum));
}

/* Site and cache are added up for the hash: these all have the same one. */
static void kma_sitetab_keeps_colliding_pairs_apart(struct kunit *test)
{
	u32 id[KMA_TEST_SITES];
	int i, k;

	for (i = 0; i < KMA_TEST_SITES; i++)
		id[i] = kma_row_id(KMA_TEST_SITE - 8 * i, 8 * (i + 1));
	for (i = 0; i < KMA_TEST_SITES; i++) {
		KUNIT_EXPECT_EQ(test, id[i],
				kma_row_id(KMA_TEST_SITE - 8 * i, 8 * (i + 1)));
		KUNIT_EXPECT_LT(test, id[i], KMA_TEST_SITES);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, id[i], id[k]);
	}
}

/* ---- when something is full ----------------------------------------------- */

static void kma_sitetab_counts_the_rest_as_other(struct kunit *test)
{
	u64 before = kma_stat_now(other_sites);
	const struct kma_site_info *info;
	u32 id[2];
	int i;

	for (i = 0; i < KMA_TEST_SITES; i++)
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
	KUNIT_EXPECT_EQ(test, kma_stat_now(other_sites), before);
	for (i = KMA_TEST_SITES; i < KMA_TEST_SITES + 100; i++) {
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
		kma_hit(KMA_TEST_SITE + 16 * i, 96);
	}

	KUNIT_EXPECT_EQ(test, kma_stat_now(other_sites) - before, 200);
	id[0] = kma_row_id(KMA_TEST_SITE - 16, 64);
	id[1] = kma_row_id(KMA_TEST_SITE - 16, 96);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_GE(test, id[i], KMA_TEST_SITES);
		KUNIT_EXPECT_EQ(test, kma_hits(id[i]), 100);
		info = kma_sitetab_info(&kma_sites, id[i]);
		KUNIT_ASSERT_NOT_NULL(test, info);
		KUNIT_EXPECT_EQ(test, info->site, 0);
		KUNIT_EXPECT_EQ(test, kma_sites.caches.info[info->cache].size,
				i ? 96 : 64);
	}
	/* Those that came in time go on as before. */
	for (i = 0; i < KMA_TEST_SITES; i++) {
		kma_hit(KMA_TEST_SITE + 16 * i, 64);
		KUNIT_EXPECT_EQ(test, kma_hits_of(KMA_TEST_SITE + 16 * i, 64), 2);
	}
}

/* More pairs of one hash than a look-up looks at. */
static void kma_sitetab_gives_up_on_a_crowded_hash(struct kunit *test)
{
	const int nr = KMA_SITES_PROBES + 8;
	u64 hits = 0;
	u32 id;
	int i, round;

	kma_sitetab_destroy(&kma_sites);
	KUNIT_ASSERT_EQ(test, kma_sitetab_init(&kma_sites, 2 * KMA_SITES_PROBES), 0);
	for (round = 0; round < 3; round++)
		for (i = 0; i < nr; i++)
			kma_hit(KMA_TEST_SITE - 8 * i, 8 * (i + 1));

	for (i = 0; i < KMA_SITES_PROBES; i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(KMA_TEST_SITE - 8 * i, 8 * (i + 1)), 3);
	for (i = KMA_SITES_PROBES; i < nr; i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(0, 8 * (i + 1)), 3);
	for (id = 0; id < kma_sitetab_rows(&kma_sites); id++)
		hits += kma_hits(id);
	KUNIT_EXPECT_EQ(test, hits, 3 * nr);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), KMA_SITES_PROBES);
}

static void kma_sitetab_refuses_without_a_cache(struct kunit *test)
{
	u64 before = kma_stat_now(dropped_caches_full);
	int i;

	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_cachetab_get(&kma_sites.caches, 8 * (i + 1));

	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE, 8 * (KMA_CACHES_MAX + 1)));
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_caches_full) - before, 1);
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE, 8));
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_caches_full) - before, 1);
}

static void kma_sitetab_gives_inner_sites_no_row(struct kunit *test)
{
	u64 before = kma_stat_now(double_fired);

	kma_sites.inner[0] = KMA_TEST_SITE;
	kma_sites.inner[1] = KMA_TEST_SITE + 16;
	kma_sites.nr_inner = 2;

	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE, 16384));
	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE + 16, 16384));
	KUNIT_EXPECT_EQ(test, kma_stat_now(double_fired) - before, 2);
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE + 8, 16384));
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), 1);
}

/* ---- samples -------------------------------------------------------------- */

/* With up to two frames; 0 for none. */
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
	const struct kma_site_slot *slot[] = {
		kma_get(KMA_TEST_SITE, 64),
		kma_sample(12, 0),
		kma_sample(13, 0),
		kma_sample(12, KMA_TEST_SITE + 100),
		kma_sample(12, KMA_TEST_SITE + 200),
		kma_sample(13, KMA_TEST_SITE + 200),
	};
	int i, k;

	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), ARRAY_SIZE(slot));
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.stacks), 3);
	for (i = 0; i < ARRAY_SIZE(slot); i++)
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, slot[i]->id, slot[k]->id);
	KUNIT_EXPECT_PTR_EQ(test, kma_get(KMA_TEST_SITE, 64), slot[0]);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(13, 0), slot[2]);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 200), slot[4]);
}

/* Without a stack a site and the next one, with the next N. */
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
	u32 exact = kma_row_id(KMA_TEST_SITE, 64);
	u32 id;

	KUNIT_EXPECT_FALSE(test, kma_sites.sampled);
	id = kma_sample(12, KMA_TEST_SITE + 100)->id;
	KUNIT_EXPECT_TRUE(test, kma_sites.sampled);
	KUNIT_EXPECT_FALSE(test, kma_sitetab_is_sampled(&kma_sites, exact));
	KUNIT_EXPECT_TRUE(test, kma_sitetab_is_sampled(&kma_sites, id));
	KUNIT_EXPECT_EQ(test, kma_sites.info[id].site, KMA_TEST_SITE);
	KUNIT_EXPECT_EQ(test, kma_sites.info[id].shift, 12);
	KUNIT_EXPECT_EQ(test, kma_sites.info[id].nr_frames, 2);
	KUNIT_EXPECT_EQ(test, kma_sitetab_frames(&kma_sites, id)[0], KMA_TEST_SITE);
	KUNIT_EXPECT_EQ(test, kma_sitetab_frames(&kma_sites, id)[1], KMA_TEST_SITE + 100);
}

static void kma_sitetab_keeps_rows_free_of_stacks(struct kunit *test)
{
	const u32 stacks = KMA_TEST_SITES / 4 * 3;
	u64 before = kma_stat_now(stacks_full);
	const struct kma_site_slot *slot;
	u32 i;

	for (i = 1; i <= stacks; i++)
		kma_sample(12, KMA_TEST_SITE + 16 * i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(stacks_full), before);
	slot = kma_sample(12, KMA_TEST_SITE + 16 * i);
	KUNIT_EXPECT_EQ(test, kma_sites.info[slot->id].nr_frames, 0);
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 16 * (i + 1)), slot);
	KUNIT_EXPECT_EQ(test, kma_stat_now(stacks_full) - before, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.stacks), stacks);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), stacks + 1);
}

/* Else nobody would know what it stands for. */
static void kma_sitetab_counts_as_other_what_weighs_the_same(struct kunit *test)
{
	u64 before = kma_stat_now(dropped_sites_full);
	const struct kma_site_slot *other;
	int i;

	for (i = 1; i <= KMA_TEST_SITES; i++)
		kma_get(KMA_TEST_SITE + 16 * i, 64);
	other = kma_sample(12, 0);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, kma_sites.info[other->id].site, 0);
	KUNIT_EXPECT_TRUE(test, kma_sitetab_is_sampled(&kma_sites, other->id));
	KUNIT_EXPECT_PTR_EQ(test, kma_sample(12, KMA_TEST_SITE + 100), other);
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_sites_full), before);

	KUNIT_EXPECT_NULL(test, kma_sample(13, 0));
	KUNIT_EXPECT_NULL(test, kma_get(KMA_TEST_SITE, 64));
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_sites_full) - before, 2);
	/* Of another cache, exact objects come first. */
	KUNIT_EXPECT_NOT_NULL(test, kma_get(KMA_TEST_SITE, 96));
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_sites_full) - before, 2);
}

/* ---- retiring a site ------------------------------------------------------ */

static void kma_sitetab_makes_a_new_row_for_new_code(struct kunit *test)
{
	u32 old = kma_row_id(KMA_TEST_SITE, 64);
	u32 new;

	kma_hit(KMA_TEST_SITE, 64);
	kma_sitetab_retire(&kma_sites, old);
	new = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_NE(test, new, old);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), new);
	KUNIT_EXPECT_EQ(test, kma_hits(old), 1);
	KUNIT_EXPECT_EQ(test, kma_hits(new), 0);
	KUNIT_EXPECT_EQ(test, kma_state(old), KMA_SITE_NO_MODULE);
	KUNIT_EXPECT_EQ(test, kma_state(new), KMA_SITE_LIVE);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.retired), 1);
}

/* A hole that a retired one leaves hides nothing behind it, and is used. */
static void kma_sitetab_finds_past_a_retired_slot(struct kunit *test)
{
	u32 a = kma_row_id(KMA_TEST_SITE, 64);
	u32 b = kma_row_id(KMA_TEST_SITE - 8, 72);
	u32 c = kma_row_id(KMA_TEST_SITE - 16, 80);

	kma_sitetab_retire(&kma_sites, b);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE - 16, 80), c);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), a);

	kma_row_id(KMA_TEST_SITE - 24, 88);
	KUNIT_EXPECT_EQ(test, kma_sites.info[3].slot, kma_sites.info[b].slot);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE - 16, 80), c);
}

static void kma_sitetab_retires_once(struct kunit *test)
{
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	kma_sitetab_retire(&kma_sites, id);
	kma_sitetab_retire(&kma_sites, id);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.retired), 1);
	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE, 64), id);
}

/* ---- retiring a cache ----------------------------------------------------- */

static struct kmem_cache *kma_cache(struct kunit *test, const char *name)
{
	struct kmem_cache *cache = kmem_cache_create(name, 200, 0, SLAB_NO_MERGE, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* As kmem_cache_destroy() does where the module runs. */
static void kma_destroy(struct kmem_cache *cache)
{
	kma_sitetab_retire_cache(&kma_sites, (unsigned long)cache);
	kmem_cache_destroy(cache);
}

/* The row that a site has with a cache of this name, which generations only for this. */
static u32 kma_row_of_new_cache(struct kunit *test, const char *name)
{
	struct kmem_cache *cache = kma_cache(test, name);
	u32 id = kma_row_id(KMA_TEST_SITE, (unsigned long)cache);

	kma_hit(KMA_TEST_SITE, (unsigned long)cache);
	kma_destroy(cache);
	return id;
}

static void kma_sitetab_reuses_the_row_of_a_cache(struct kunit *test)
{
	u32 id = kma_row_of_new_cache(test, "kma-test-mounted");

	KUNIT_EXPECT_EQ(test, kma_state(id), KMA_SITE_NO_CACHE);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.retired), 1);

	KUNIT_EXPECT_EQ(test, kma_row_of_new_cache(test, "kma-test-mounted"), id);
	KUNIT_EXPECT_EQ(test, kma_hits(id), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.used), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.retired), 1);
}

static void kma_sitetab_gives_another_cache_another_row(struct kunit *test)
{
	u32 id = kma_row_of_new_cache(test, "kma-test-first");

	KUNIT_EXPECT_NE(test, kma_row_of_new_cache(test, "kma-test-second"), id);
	KUNIT_EXPECT_EQ(test, kma_hits(id), 1);
}

static void kma_sitetab_retires_only_that_cache(struct kunit *test)
{
	struct kmem_cache *a = kma_cache(test, "kma-test-a");
	struct kmem_cache *b = kma_cache(test, "kma-test-b");
	u32 id[] = {
		kma_row_id(KMA_TEST_SITE, (unsigned long)a),
		kma_row_id(KMA_TEST_SITE, (unsigned long)b),
		kma_row_id(KMA_TEST_SITE + 5, (unsigned long)a),
		kma_row_id(KMA_TEST_SITE, 64),
	};

	kma_destroy(a);
	KUNIT_EXPECT_EQ(test, kma_state(id[0]), KMA_SITE_NO_CACHE);
	KUNIT_EXPECT_EQ(test, kma_state(id[1]), KMA_SITE_LIVE);
	KUNIT_EXPECT_EQ(test, kma_state(id[2]), KMA_SITE_NO_CACHE);
	KUNIT_EXPECT_EQ(test, kma_state(id[3]), KMA_SITE_LIVE);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, (unsigned long)b), id[1]);
	kma_destroy(b);
}

/* The module went after its cache: the site's code is gone for good. */
static void kma_sitetab_reuses_no_row_of_a_module_that_went(struct kunit *test)
{
	u32 id = kma_row_of_new_cache(test, "kma-test-module");

	kma_sitetab_retire(&kma_sites, id);
	KUNIT_EXPECT_EQ(test, kma_state(id), KMA_SITE_NO_MODULE);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_sites.retired), 1);
	KUNIT_EXPECT_NE(test, kma_row_of_new_cache(test, "kma-test-module"), id);
}

/* ---- several at once ------------------------------------------------------ */

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
	for (i = 0; i < KMA_CROWD_SITES && sites_max >= nr * KMA_CROWD_SITES; i++)
		KUNIT_EXPECT_EQ(test, kma_hits_of(kma_crowd_site(i), kma_crowd_cache(i)),
				expected);
}

/* All CPUs see the same new pairs at the same time, with room and without. */
static void kma_sitetab_stands_a_crowd(struct kunit *test)
{
	int round;

	for (round = 0; round < 10; round++)
		kma_crowd_check(test, kma_crew_size() * KMA_CROWD_SITES);
}

static void kma_sitetab_stands_a_crowd_when_full(struct kunit *test)
{
	int round;

	for (round = 0; round < 10; round++)
		kma_crowd_check(test, KMA_SITES_MIN);
}

static int kma_sitetab_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

static int kma_sitetab_init_test(struct kunit *test)
{
	return kma_sitetab_init(&kma_sites, KMA_TEST_SITES);
}

static void kma_sitetab_exit_test(struct kunit *test)
{
	kma_sitetab_destroy(&kma_sites);
}

static struct kunit_case kma_sitetab_cases[] = {
	KUNIT_CASE(kma_sitetab_gives_a_pair_one_row),
	KUNIT_CASE(kma_sitetab_tells_pairs_apart),
	KUNIT_CASE(kma_sitetab_has_no_row_before_the_first_event),
	KUNIT_CASE(kma_sitetab_sums_over_all_cpus),
	KUNIT_CASE(kma_sitetab_keeps_colliding_pairs_apart),
	KUNIT_CASE(kma_sitetab_counts_the_rest_as_other),
	KUNIT_CASE(kma_sitetab_gives_up_on_a_crowded_hash),
	KUNIT_CASE(kma_sitetab_refuses_without_a_cache),
	KUNIT_CASE(kma_sitetab_gives_inner_sites_no_row),
	KUNIT_CASE(kma_sitetab_gives_samples_rows_of_their_own),
	KUNIT_CASE(kma_sitetab_tells_sites_from_shifts),
	KUNIT_CASE(kma_sitetab_knows_what_a_sample_is),
	KUNIT_CASE(kma_sitetab_keeps_rows_free_of_stacks),
	KUNIT_CASE(kma_sitetab_counts_as_other_what_weighs_the_same),
	KUNIT_CASE(kma_sitetab_makes_a_new_row_for_new_code),
	KUNIT_CASE(kma_sitetab_finds_past_a_retired_slot),
	KUNIT_CASE(kma_sitetab_retires_once),
	KUNIT_CASE(kma_sitetab_reuses_the_row_of_a_cache),
	KUNIT_CASE(kma_sitetab_gives_another_cache_another_row),
	KUNIT_CASE(kma_sitetab_retires_only_that_cache),
	KUNIT_CASE(kma_sitetab_reuses_no_row_of_a_module_that_went),
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
