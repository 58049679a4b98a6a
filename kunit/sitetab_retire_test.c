// SPDX-License-Identifier: GPL-2.0
/* The site table: rows whose module is unloaded, or whose cache is destroyed. */
#include <linux/slab.h>

#include "sitetab_util.h"

/* ---- retiring a site ------------------------------------------------------ */

static void kma_sitetab_makes_a_new_row_for_new_code(struct kunit *test)
{
	static const struct kma_usage expect = { .used = 2, .retired = 1 };
	static const struct {
		struct kma_site_info info;
		struct kma_row row;
	} expect_old = {
		.info = {
			.site = KMA_TEST_SITE,
			.state = KMA_SITE_NO_MODULE,
			.shift = KMA_SHIFT_EXACT,
		},
		.row = { .hits = 1 },
	}, expect_new = {
		.info = {
			.site = KMA_TEST_SITE,
			.state = KMA_SITE_LIVE,
			.shift = KMA_SHIFT_EXACT,
		},
	};
	u32 old = kma_row_id(KMA_TEST_SITE, 64);
	u32 new;

	kma_hit(KMA_TEST_SITE, 64);
	kma_sitetab_retire(&kma_sites, old);
	new = kma_row_id(KMA_TEST_SITE, 64);

	KUNIT_EXPECT_NE(test, new, old);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, 64), new);
	kma_expect_site_info(test, &expect_old.info, &kma_sites.info[old]);
	kma_expect_row_sum(test, &expect_old.row, &kma_sites, old);
	kma_expect_site_info(test, &expect_new.info, &kma_sites.info[new]);
	kma_expect_row_sum(test, &expect_new.row, &kma_sites, new);
	kma_expect_usage(test, &expect);
}

/* The slot of a retired row becomes free: it hides no other slots, and is used again. */
static void kma_sitetab_finds_past_a_freed_slot(struct kunit *test)
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
	static const struct kma_usage expect = { .used = 2, .retired = 1 };
	u32 id = kma_row_id(KMA_TEST_SITE, 64);

	kma_sitetab_retire(&kma_sites, id);
	kma_sitetab_retire(&kma_sites, id);

	KUNIT_EXPECT_NE(test, kma_row_id(KMA_TEST_SITE, 64), id);
	kma_expect_usage(test, &expect);
}

/* ---- retiring a cache ----------------------------------------------------- */

static struct kmem_cache *kma_cache(struct kunit *test, const char *name)
{
	struct kmem_cache *cache = kmem_cache_create(name, 200, 0, SLAB_NO_MERGE, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* Retire a cache and destroy it, as when the module sees a kmem_cache_destroy(). */
static void kma_destroy(struct kmem_cache *cache)
{
	kma_sitetab_retire_cache(&kma_sites, (unsigned long)cache);
	kmem_cache_destroy(cache);
}

/* Create a cache, count a hit from it, and destroy it. Return: number of its row. */
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
	static const struct kma_usage expect = {
		.used = 1,
		.retired = 1,
		.no_cache = true,
	};
	struct kma_row expect_row = { .hits = 1 };
	u32 id = kma_row_of_new_cache(test, "kma-test-mounted");

	KUNIT_EXPECT_EQ(test, kma_state(id), KMA_SITE_NO_CACHE);
	kma_expect_row_sum(test, &expect_row, &kma_sites, id);
	kma_expect_usage(test, &expect);

	expect_row.hits++;
	KUNIT_EXPECT_EQ(test, kma_row_of_new_cache(test, "kma-test-mounted"), id);
	kma_expect_row_sum(test, &expect_row, &kma_sites, id);
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_gives_another_cache_another_row(struct kunit *test)
{
	static const struct kma_usage expect = {
		.used = 2,
		.retired = 2,
		.no_cache = true,
	};
	const struct kma_row expect_row = { .hits = 1 };
	u32 id = kma_row_of_new_cache(test, "kma-test-first");

	KUNIT_EXPECT_NE(test, kma_row_of_new_cache(test, "kma-test-second"), id);
	kma_expect_row_sum(test, &expect_row, &kma_sites, id);
	kma_expect_usage(test, &expect);
}

static void kma_sitetab_retires_only_that_cache(struct kunit *test)
{
	static const int expect_state[] = {
		KMA_SITE_NO_CACHE, KMA_SITE_LIVE, KMA_SITE_NO_CACHE, KMA_SITE_LIVE,
	};
	struct kmem_cache *a = kma_cache(test, "kma-test-a");
	struct kmem_cache *b = kma_cache(test, "kma-test-b");
	const u32 id[] = {
		kma_row_id(KMA_TEST_SITE, (unsigned long)a),
		kma_row_id(KMA_TEST_SITE, (unsigned long)b),
		kma_row_id(KMA_TEST_SITE + 5, (unsigned long)a),
		kma_row_id(KMA_TEST_SITE, 64),
	};
	int i;

	kma_destroy(a);
	for (i = 0; i < ARRAY_SIZE(id); i++)
		KUNIT_EXPECT_EQ_MSG(test, kma_state(id[i]), expect_state[i], "row %d", i);
	KUNIT_EXPECT_EQ(test, kma_row_id(KMA_TEST_SITE, (unsigned long)b), id[1]);
	kma_destroy(b);
}

/* After a cache was destroyed, its module was unloaded: a new cache must not get the row. */
static void kma_sitetab_reuses_no_row_of_a_module_that_went(struct kunit *test)
{
	static const struct kma_usage expect = {
		.used = 1,
		.retired = 1,
		.no_cache = true,
	};
	u32 id = kma_row_of_new_cache(test, "kma-test-module");

	kma_sitetab_retire(&kma_sites, id);
	KUNIT_EXPECT_EQ(test, kma_state(id), KMA_SITE_NO_MODULE);
	kma_expect_usage(test, &expect);
	KUNIT_EXPECT_NE(test, kma_row_of_new_cache(test, "kma-test-module"), id);
}

static struct kunit_case kma_sitetab_retire_cases[] = {
	KUNIT_CASE(kma_sitetab_makes_a_new_row_for_new_code),
	KUNIT_CASE(kma_sitetab_finds_past_a_freed_slot),
	KUNIT_CASE(kma_sitetab_retires_once),
	KUNIT_CASE(kma_sitetab_reuses_the_row_of_a_cache),
	KUNIT_CASE(kma_sitetab_gives_another_cache_another_row),
	KUNIT_CASE(kma_sitetab_retires_only_that_cache),
	KUNIT_CASE(kma_sitetab_reuses_no_row_of_a_module_that_went),
	{}
};

struct kunit_suite kma_sitetab_retire_suite = {
	.name = "kmemacct_sitetab_retire",
	.suite_init = kma_sitetab_init_suite,
	.init = kma_sitetab_init_test,
	.exit = kma_sitetab_exit_test,
	.test_cases = kma_sitetab_retire_cases,
};
