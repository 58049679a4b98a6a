// SPDX-License-Identifier: GPL-2.0
/* Sampling of real allocations, and the change between exact counting and sampling. */
#include <linux/kallsyms.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probe_util.h"

/* ---- sampling ------------------------------------------------------------- */

/* Much larger than the smallest N, so that an object is always sampled. */
#define KMA_CERTAIN_BYTES	SZ_1M
#define KMA_SOME		40

/* Objects allocated while counting is exact, while objects are sampled, and exact again. */
struct kma_times {
	void *before[KMA_SOME];
	void *large[KMA_SOME / 10];
	void *small[10 * KMA_SOME];
	void *after[KMA_SOME];
};

static void kma_free_some(void **object, int from, int to)
{
	while (from < to)
		kfree(object[from++]);
}

/* Half of the objects that were recorded exactly are freed while objects are sampled. */
static void kma_allocate_in_times(struct kma_times *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(t->before); i++)
		t->before[i] = kma_site_const();
	kma_test_sample_bytes(1 << KMA_SHIFT_MIN);
	for (i = 0; i < ARRAY_SIZE(t->large); i++)
		t->large[i] = kma_site_size(KMA_CERTAIN_BYTES);
	for (i = 0; i < ARRAY_SIZE(t->small); i++)
		t->small[i] = kma_site_node(1000);
	kma_free_some(t->before, 0, KMA_SOME / 2);
	kma_free_some(t->small, 0, 5 * KMA_SOME);
	kma_free_some(t->large, 0, 2);
	kma_test_sample_bytes(0);
	for (i = 0; i < ARRAY_SIZE(t->after); i++)
		t->after[i] = kma_site_zalloc(100);
}

/* Free all other objects; those in @after while objects are sampled again. */
static void kma_free_in_times(struct kma_times *t)
{
	kma_free_some(t->before, KMA_SOME / 2, KMA_SOME);
	kma_free_some(t->small, 5 * KMA_SOME, 7 * KMA_SOME);
	kma_test_sample_bytes(1 << KMA_SHIFT_MAX);
	kma_free_some(t->small, 7 * KMA_SOME, ARRAY_SIZE(t->small));
	kma_free_some(t->large, 2, ARRAY_SIZE(t->large));
	kma_free_some(t->after, 0, ARRAY_SIZE(t->after));
	kma_test_sample_bytes(0);
}

/* Objects may be recorded in one mode and freed in another; no entry may be left. */
static void kma_probe_follows_frees_across_sampling_changes(struct kunit *test)
{
	const struct kma_site_expect before = {
		.hits = KMA_SOME,
		.bytes_req = 100 * KMA_SOME,
		.frees = KMA_SOME,
	};
	const struct kma_site_expect large = {
		.hits = KMA_SOME / 10,
		.bytes_req = (u64)KMA_CERTAIN_BYTES * (KMA_SOME / 10),
		.frees = KMA_SOME / 10,
		.samples = KMA_SOME / 10,
	};
	struct kma_times *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u64 replaced = kma_stat_now(replaced);

	KUNIT_ASSERT_NOT_NULL(test, t);
	migrate_disable();
	kma_allocate_in_times(t);
	KUNIT_EXPECT_GT(test, kma_count_of("kma_site_node", KMA_COUNT_samples), 0);
	KUNIT_EXPECT_LT(test, kma_count_of("kma_site_node", KMA_COUNT_samples),
			10 * KMA_SOME);
	kma_free_in_times(t);
	migrate_enable();

	kma_expect_site(test, "kma_site_const", &before);
	kma_expect_site(test, "kma_site_zalloc", &before);
	kma_expect_site(test, "kma_site_size", &large);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_node", KMA_COUNT_live_samples), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_node", KMA_COUNT_frees),
			kma_count_of("kma_site_node", KMA_COUNT_hits));
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), replaced);
}

/* Bulk objects, and an object of a kmem_cache, are sampled by their slot size. */
static void kma_probe_samples_kmem_caches(struct kunit *test)
{
	enum { OBJECTS = 20 };
	struct kma_site_expect bulk = {
		.bulk_objs = OBJECTS,
		.live_objs = OBJECTS,
		.samples = OBJECTS,
		.live_samples = OBJECTS,
		.confirmed_objs = OBJECTS,
	}, one = {
		.hits = 1,
		.bytes_req = 200000,
		.live_objs = 1,
		.samples = 1,
		.live_samples = 1,
		.confirmed_objs = 1,
	};
	void *object[OBJECTS], *single;

	bulk.slot = kma_probe_cache_create(test, "kma-test-sampled", 200000);
	one.slot = bulk.slot;
	migrate_disable();
	KUNIT_EXPECT_EQ(test, kma_test_sample_bytes(1 << KMA_SHIFT_MIN), 0);
	KUNIT_EXPECT_EQ(test, kma_site_bulk(OBJECTS, object), OBJECTS);
	single = kma_site_cache();
	kma_expect_site(test, "kma_site_bulk", &bulk);
	kma_expect_site(test, "kma_site_cache", &one);

	bulk.frees = OBJECTS;
	bulk.live_objs = 0;
	bulk.live_samples = 0;
	bulk.confirmed_objs = 0;
	one.frees = 1;
	one.live_objs = 0;
	one.live_samples = 0;
	one.confirmed_objs = 0;
	kmem_cache_free_bulk(kma_probe_cache, OBJECTS, object);
	kmem_cache_free(kma_probe_cache, single);
	migrate_enable();
	kma_expect_site(test, "kma_site_bulk", &bulk);
	kma_expect_site(test, "kma_site_cache", &one);
	KUNIT_EXPECT_EQ(test, kma_test_sample_bytes(0), 0);
	kmem_cache_destroy(kma_probe_cache);
}

static bool kma_is_in_function(unsigned long frame, const char *function)
{
	static char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(function);

	sprint_symbol(name, frame);
	return !strncmp(name, function, len) && name[len] == '+';
}

/* Find the first row of samples whose call site is in a function. */
static const struct kma_site_info *kma_sampled_info(const char *function)
{
	const struct kma_site_info *info;
	u32 id;

	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (info && kma_sitetab_is_sampled(&kma_core.sites, id) &&
		    kma_is_in_function(info->site, function))
			return info;
	}
	return NULL;
}

static void kma_probe_takes_stacks(struct kunit *test)
{
	const struct kma_site_info *info;
	const unsigned long *frame;

	kma_test_sample_bytes(1 << KMA_SHIFT_MIN);
	kfree(kma_site_size(KMA_CERTAIN_BYTES));
	kma_test_sample_bytes(0);

	info = kma_sampled_info("kma_site_size");
	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_ASSERT_GE(test, info->nr_frames, 2);
	frame = kma_sitetab_frames(&kma_core.sites, info - kma_core.sites.info);
	KUNIT_EXPECT_EQ(test, frame[0], info->site);
	KUNIT_EXPECT_TRUE(test, kma_is_in_function(frame[1], __func__));
}

static void kma_engine_starts_with_sampling(struct kunit *test)
{
	struct kma_load load = kma_small;

	load.text[KMA_SETTING_sample_bytes] = "4K";
	kma_probe_restart(test, &load);
	KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 1 << KMA_SHIFT_MIN);
	kfree(kma_site_size(KMA_CERTAIN_BYTES));
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_size", KMA_COUNT_samples), 1);
	/* The next start does not use the previous value. */
	kma_engine_stop();
	KUNIT_ASSERT_EQ(test, kma_engine_start(kma_small.text), 0);
	KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 0);
}

static struct kunit_case kma_sampling_cases[] = {
	KUNIT_CASE(kma_probe_follows_frees_across_sampling_changes),
	KUNIT_CASE(kma_probe_samples_kmem_caches),
	KUNIT_CASE(kma_probe_takes_stacks),
	KUNIT_CASE(kma_engine_starts_with_sampling),
	{}
};

struct kunit_suite kma_sampling_suite = {
	.name = "kmemacct_sampling",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_sampling_cases,
};
