// SPDX-License-Identifier: GPL-2.0
/*
 * Name and slot size of real kmem_caches.  The tests measure the slot size: in a full slab,
 * neighbours are one slot apart.
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "util.h"

#define KMA_OBJECTS	300

static int kma_compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Measure the smallest distance of two objects, which is the slot size. */
static u32 kma_slot_size(struct kunit *test, struct kmem_cache *cache)
{
	unsigned long *object = kunit_kcalloc(test, KMA_OBJECTS, sizeof(*object),
					      GFP_KERNEL);
	unsigned long smallest = ULONG_MAX;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (i = 0; i < KMA_OBJECTS; i++) {
		object[i] = (unsigned long)kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_NE(test, object[i], 0);
	}
	sort(object, KMA_OBJECTS, sizeof(*object), kma_compare, NULL);
	for (i = 1; i < KMA_OBJECTS; i++)
		smallest = min(smallest, object[i] - object[i - 1]);
	for (i = 0; i < KMA_OBJECTS; i++)
		if (object[i])
			kmem_cache_free(cache, (void *)object[i]);
	return smallest;
}

static void kma_ctor(void *object)
{
	*(char *)object = 1;
}

#define KMA_NAME_30	"0123456789-0123456789-01234567"

static const struct kma_example {
	const char *name;
	unsigned int size;
	unsigned int align;
	slab_flags_t flags;
	void (*ctor)(void *object);
} kma_examples[] = {
	{ .name = "kma-test-plain", .size = 64 },
	{ .name = "kma-test-tiny", .size = 1 },
	{ .name = "kma-test-odd", .size = 333 },
	{ .name = "kma-test-ctor", .size = 200, .ctor = kma_ctor },
	{ .name = "kma-test-aligned", .size = 70, .align = 64 },
	{ .name = "kma-test-hwcache", .size = 100, .flags = SLAB_HWCACHE_ALIGN },
	{ .name = "kma-test-rcu", .size = 120, .flags = SLAB_TYPESAFE_BY_RCU },
	{ .name = "kma-test-rcu-ctor", .size = 120, .flags = SLAB_TYPESAFE_BY_RCU,
	  .ctor = kma_ctor },
	{ .name = "kma-test-accounted", .size = 152, .flags = SLAB_ACCOUNT },
	{ .name = "kma-test-reclaimable", .size = 504, .flags = SLAB_RECLAIM_ACCOUNT },
	{ .name = "kma-test-page", .size = 4096 },
	{ .name = "kma-test-big", .size = 5000 },
	/* Names of 100 characters are whole.  The last one is cut. */
	{ .name = "kma-test-" KMA_NAME_30 KMA_NAME_30 KMA_NAME_30 "x", .size = 100 },
	{ .name = "kma-test-" KMA_NAME_30 KMA_NAME_30 KMA_NAME_30 KMA_NAME_30, .size = 104 },
};

static void kma_example_name(const struct kma_example *e, char *name)
{
	strscpy(name, e->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kma_example, kma_examples, kma_example_name);

static void kma_cacheinfo_tells_name_and_slot_size(struct kunit *test)
{
	const struct kma_example *e = test->param_value;
	struct kmem_cache *cache = kmem_cache_create(e->name, e->size, e->align,
						     e->flags | SLAB_NO_MERGE, e->ctor);
	char name[KMA_CACHE_NAME_LEN], expect[KMA_CACHE_NAME_LEN];
	u32 size, object_size, slot;
	unsigned long bytes = 0;
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	strscpy(expect, e->name, sizeof(expect));
	slot = kma_slot_size(test, cache);
	kma_env_cache_info((unsigned long)cache, &size, &object_size, name);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	if (object) {
		bytes = kma_cacheinfo_object(object);
		kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);

	KUNIT_EXPECT_STREQ(test, name, expect);
	KUNIT_EXPECT_GE(test, strlen(name), min_t(size_t, strlen(e->name), 100));
	KUNIT_EXPECT_EQ(test, size, slot);
	KUNIT_EXPECT_EQ(test, object_size, e->size);
	KUNIT_EXPECT_EQ(test, bytes, slot);
}

/* kma_cacheinfo_init() creates caches of its own, and must destroy all of them. */
static void kma_cacheinfo_is_exact_on_this_kernel(struct kunit *test)
{
	int i;

	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, kma_cacheinfo_init(), 0);
		KUNIT_EXPECT_TRUE(test, kma_cacheinfo_exact());
		KUNIT_EXPECT_TRUE(test, kma_cacheinfo_has_slab());
	}
}

/* A large object is in no slab: it takes whole pages, a power of two of them. */
static void kma_cacheinfo_tells_what_a_large_object_takes(struct kunit *test)
{
	void *object = kmalloc(20000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, kma_cacheinfo_object(object), 32768);
	kfree(object);
}

static int kma_cacheinfo_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

static struct kunit_case kma_cacheinfo_cases[] = {
	KUNIT_CASE(kma_cacheinfo_is_exact_on_this_kernel),
	KUNIT_CASE_PARAM(kma_cacheinfo_tells_name_and_slot_size, kma_example_gen_params),
	KUNIT_CASE(kma_cacheinfo_tells_what_a_large_object_takes),
	{}
};

struct kunit_suite kma_cacheinfo_suite = {
	.name = "kmemacct_cacheinfo",
	.suite_init = kma_cacheinfo_init_suite,
	.test_cases = kma_cacheinfo_cases,
};
