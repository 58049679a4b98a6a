// SPDX-License-Identifier: GPL-2.0
/*
 * The table of caches.  For kmalloc, a cache word is the size of an object.  Name and sizes
 * of a kmem_cache are read from its memory, so the tests create real ones.
 */
#include <linux/slab.h>

#include "util.h"
#include "module.h"

static struct kma_cachetab kma_caches;

/* Create a cache that SLUB does not merge with another. */
static struct kmem_cache *kma_cache(const char *name, unsigned int size)
{
	return kmem_cache_create(name, size, 0, SLAB_NO_MERGE, NULL);
}

static int kma_number(const struct kmem_cache *cache)
{
	return kma_cachetab_get(&kma_caches, (unsigned long)cache);
}

/* Return: how many numbers the cache had. */
static int kma_retire(unsigned long cache)
{
	int id, nr = 0;

	while (kma_cachetab_retire(&kma_caches, cache, &id))
		nr++;
	return nr;
}

/* Retire a cache and destroy it, as when the module sees a kmem_cache_destroy(). */
static void kma_destroy(struct kmem_cache *cache)
{
	kma_retire((unsigned long)cache);
	kmem_cache_destroy(cache);
}

static void kma_cachetab_numbers_each_cache(struct kunit *test)
{
	int a = kma_cachetab_get(&kma_caches, 64);
	int b = kma_cachetab_get(&kma_caches, 96);

	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_EQ(test, kma_cachetab_get(&kma_caches, 64), a);
	KUNIT_EXPECT_EQ(test, kma_cachetab_get(&kma_caches, 96), b);
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&kma_caches), 2);
}

static void kma_cachetab_describes_kmalloc(struct kunit *test)
{
	static const struct kma_cache_info expect = { .size = 96 };

	kma_expect_cache_info(test, &expect,
			      &kma_caches.info[kma_cachetab_get(&kma_caches, 96)]);
}

static void kma_cachetab_describes_a_kmem_cache(struct kunit *test)
{
	struct kma_cache_info expect = {
		.object_size = 1234,
		.name = "kma-test-described",
	};
	struct kmem_cache *cache = kma_cache("kma-test-described", 1234);
	const struct kma_cache_info *info;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	info = &kma_caches.info[kma_number(cache)];
	kma_destroy(cache);

	/* cacheinfo_test.c tests whether the slot size is right. */
	expect.size = max(info->size, 1234);
	kma_expect_cache_info(test, &expect, info);
}

static void kma_cachetab_cuts_long_names(struct kunit *test)
{
	static const char name[] =
		"kma-test-0123456789-0123456789-0123456789-0123456789";
	struct kmem_cache *cache = kma_cache(name, 100);
	const struct kma_cache_info *info;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	info = &kma_caches.info[kma_number(cache)];
	kma_destroy(cache);

	KUNIT_EXPECT_EQ(test, strlen(info->name), KMA_CACHE_NAME_LEN - 1);
	KUNIT_EXPECT_TRUE(test, strstarts(name, info->name));
}

static void kma_cachetab_recognizes_a_cache_created_again(struct kunit *test)
{
	struct kma_cache_info expect = {
		.object_size = 200,
		.name = "kma-test-again",
	};
	struct kmem_cache *cache = kma_cache("kma-test-again", 200);
	int first;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	first = kma_number(cache);
	expect.size = max(kma_caches.info[first].size, 200);
	kma_destroy(cache);
	kma_expect_cache_info(test, &expect, &kma_caches.info[first]);
	KUNIT_EXPECT_EQ(test, kma_caches.state[first], KMA_CACHE_RETIRED);

	cache = kma_cache("kma-test-again", 200);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_EQ(test, kma_number(cache), first);
	kma_expect_cache_info(test, &expect, &kma_caches.info[first]);
	KUNIT_EXPECT_EQ(test, kma_caches.state[first], KMA_CACHE_LIVE);
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&kma_caches), 1);
	kma_destroy(cache);
}

/* Create a cache after another was destroyed.  Most likely it gets the same address. */
static void kma_expect_another(struct kunit *test, const char *name,
			       unsigned int size)
{
	struct kma_cache_info expect_first = {
		.object_size = 200,
		.name = "kma-test-before",
	}, expect_next = {
		.object_size = size,
	};
	struct kmem_cache *cache = kma_cache("kma-test-before", 200);
	int first, next;

	strscpy(expect_next.name, name, sizeof(expect_next.name));
	KUNIT_ASSERT_NOT_NULL(test, cache);
	first = kma_number(cache);
	kma_destroy(cache);

	cache = kma_cache(name, size);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	next = kma_number(cache);
	kma_destroy(cache);
	KUNIT_EXPECT_NE(test, next, first);
	expect_first.size = max(kma_caches.info[first].size, 200);
	kma_expect_cache_info(test, &expect_first, &kma_caches.info[first]);
	expect_next.size = max(kma_caches.info[next].size, size);
	kma_expect_cache_info(test, &expect_next, &kma_caches.info[next]);
}

static void kma_cachetab_inherits_no_name(struct kunit *test)
{
	kma_expect_another(test, "kma-test-after", 200);
}

static void kma_cachetab_inherits_no_size(struct kunit *test)
{
	kma_expect_another(test, "kma-test-before", 1000);
}

/*
 * A test cannot choose the address of a kmem_cache.  So this one retires a cache without
 * destroying it, and looks it up again as if it were a new cache at the same address.  As
 * the recorded name is no longer its own, it must get another number.
 */
static void kma_cachetab_forgets_the_address(struct kunit *test)
{
	struct kmem_cache *cache = kma_cache("kma-test-forgotten", 200);
	int first;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	first = kma_number(cache);
	KUNIT_EXPECT_EQ(test, kma_retire((unsigned long)cache), 1);
	kma_caches.info[first].name[0] = 'K';

	KUNIT_EXPECT_NE(test, kma_number(cache), first);
	kma_destroy(cache);
}

static void kma_cachetab_retires_what_it_never_saw(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_retire(KMA_CACHE_BYTES_MAX + 64), 0);
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&kma_caches), 0);
}

/* Caches without a number of their own share one with other caches of nearly the same size. */
static void kma_cachetab_shares_numbers_when_full(struct kunit *test)
{
	const struct kma_cache_info *info;
	int i, seen = 0, near = 0;
	u32 size;

	for (i = 0; i < KMA_CACHES_MAX; i++)
		seen += kma_cachetab_get(&kma_caches, 8 * (i + 1)) == i;
	KUNIT_EXPECT_EQ(test, seen, KMA_CACHES_MAX);

	/* Many look-ups of other caches change nothing.  There are more of them than slots. */
	for (i = 0; i < 2 * KMA_CACHES_MAP; i++) {
		size = 8 * (KMA_CACHES_MAX + i + 1);
		info = &kma_caches.info[kma_cachetab_get(&kma_caches, size)];
		near += info->size >= size && info->size < size + size / 4 &&
			info->object_size == info->size && !strcmp(info->name, "[other]");
	}
	KUNIT_EXPECT_EQ(test, near, 2 * KMA_CACHES_MAP);
	for (i = 0; i < KMA_CACHES_MAX; i++)
		seen -= kma_cachetab_get(&kma_caches, 8 * (i + 1)) == i;
	KUNIT_EXPECT_EQ(test, seen, 0);
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&kma_caches), KMA_CACHES_MAX);
}

#define KMA_CROWD_CACHES	200

static void kma_cachetab_crowd_main(void *arg, int nr)
{
	atomic_t *wrong = arg;
	unsigned long size;
	int i, id;

	for (i = 0; i < KMA_CROWD_CACHES; i++) {
		size = 8 * (i + 1);
		id = kma_cachetab_get(&kma_caches, size);
		if (kma_cachetab_state(&kma_caches, id) != KMA_CACHE_LIVE ||
		    kma_caches.info[id].size != size)
			atomic_inc(wrong);
	}
}

/* All CPUs see the same new caches at the same time. */
static void kma_cachetab_stands_a_crowd(struct kunit *test)
{
	atomic_t wrong = ATOMIC_INIT(0);
	int i, nr = kma_crew_size(), used;

	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_cachetab_crowd_main, &wrong, nr), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);

	/* A cache may have several numbers, but all look-ups now return the same one. */
	used = kma_cachetab_used(&kma_caches);
	KUNIT_EXPECT_GE(test, used, KMA_CROWD_CACHES);
	KUNIT_EXPECT_LE(test, used, nr * KMA_CROWD_CACHES);
	for (i = 0; i < KMA_CROWD_CACHES; i++)
		KUNIT_EXPECT_EQ(test, kma_cachetab_get(&kma_caches, 8 * (i + 1)),
				kma_cachetab_get(&kma_caches, 8 * (i + 1)));
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&kma_caches), used);
}

static int kma_cachetab_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

static int kma_cachetab_init_test(struct kunit *test)
{
	return kma_cachetab_init(&kma_caches, false);
}

static void kma_cachetab_exit_test(struct kunit *test)
{
	kma_cachetab_destroy(&kma_caches);
}

static struct kunit_case kma_cachetab_cases[] = {
	KUNIT_CASE(kma_cachetab_numbers_each_cache),
	KUNIT_CASE(kma_cachetab_describes_kmalloc),
	KUNIT_CASE(kma_cachetab_describes_a_kmem_cache),
	KUNIT_CASE(kma_cachetab_cuts_long_names),
	KUNIT_CASE(kma_cachetab_recognizes_a_cache_created_again),
	KUNIT_CASE(kma_cachetab_inherits_no_name),
	KUNIT_CASE(kma_cachetab_inherits_no_size),
	KUNIT_CASE(kma_cachetab_forgets_the_address),
	KUNIT_CASE(kma_cachetab_retires_what_it_never_saw),
	KUNIT_CASE(kma_cachetab_shares_numbers_when_full),
	KUNIT_CASE(kma_cachetab_stands_a_crowd),
	{}
};

struct kunit_suite kma_cachetab_suite = {
	.name = "kmemacct_cachetab",
	.suite_init = kma_cachetab_init_suite,
	.init = kma_cachetab_init_test,
	.exit = kma_cachetab_exit_test,
	.test_cases = kma_cachetab_cases,
};
