// SPDX-License-Identifier: GPL-2.0
/*
 * The probes, with real allocations.  Functions that only allocate make a known number of
 * allocations, and the tests check their rows.
 */
#include <linux/irq_work.h>
#include <linux/mmzone.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../module/baseline.h"
#include "../module/core/stall.h"
#include "../module/countmaps.h"
#include "../module/trace/wakers.h"
#include "probe_util.h"

/* ---- exact counts --------------------------------------------------------- */

/* Number of call sites that are inside the allocation functions of the kernel. */
static int kma_sites_in_allocator(void)
{
	static const char * const names[] = {
		"__kmalloc_noprof", "__kmalloc_node_noprof",
		"__kmalloc_node_track_caller_noprof", "__do_kmalloc_node",
		"__kmalloc_large_noprof", "__kmalloc_large_node_noprof",
	};
	int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		nr += kma_count_of(names[i], KMA_COUNT_hits) != 0;
	return nr;
}

static void kma_probe_counts_kmalloc(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 10,
		.bytes_req = 1000,
		.frees = 9,
		.live_objs = 1,
	};
	void *last = NULL;
	int i;

	migrate_disable();
	for (i = 0; i < 10; i++) {
		kfree(last);
		last = kma_site_const();
	}
	kma_expect_site(test, "kma_site_const", &expect);
	kfree(last);
	migrate_enable();
}

/* All sizes, through all entry points.  On some kernels, a large size makes two events. */
static void kma_probe_counts_every_entry_point(struct kunit *test)
{
	static const struct {
		const char *name;
		void *(*alloc)(size_t size);
	} sites[] = {
		{ "kma_site_size", kma_site_size },
		{ "kma_site_node", kma_site_node },
		{ "kma_site_zalloc", kma_site_zalloc },
		{ "kma_site_array", kma_site_array },
		{ "kma_site_track", kma_site_track },
	};
	static const size_t sizes[] = {
		8, 24, 64, 100, 192, 1000, 4096, 8192, 8196, 16384, 100000, 1 << 20,
	};
	int i, k;

	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		struct kma_site_expect expect = {};

		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			void *ptr = sites[i].alloc(sizes[k]);

			KUNIT_EXPECT_NOT_NULL(test, ptr);
			expect.hits++;
			expect.frees++;
			expect.bytes_req += sizes[k];
			kfree(ptr);
		}
		kma_expect_site(test, sites[i].name, &expect);
	}
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kma_sites_in_allocator(), 0);
}

/*
 * A helper of the kernel allocates for its caller.  A large object must count once, at that caller,
 * and not at a call site inside the allocator.
 */
static void kma_probe_counts_no_large_object_twice(struct kunit *test)
{
	u64 replaced = kma_stat_now(replaced);
	u64 before, after;
	void *ptr[3];
	int i;

	ptr[0] = kma_site_memdup(64);
	ptr[1] = kma_site_kv(64);
	for (i = 0; i < 2; i++)
		kvfree(ptr[i]);
	before = kma_count_of("kma_site_kv", KMA_COUNT_hits);
	ptr[0] = kma_site_memdup(PAGE_SIZE);
	ptr[1] = kma_site_kv(3 * PAGE_SIZE);
	ptr[2] = kma_site_realloc(NULL, 3 * PAGE_SIZE);
	after = kma_count_of("kma_site_kv", KMA_COUNT_hits);
	for (i = 0; i < 3; i++)
		kvfree(ptr[i]);

	KUNIT_EXPECT_EQ(test, after - before, 1);
	KUNIT_EXPECT_EQ(test, kma_sites_in_allocator(), 0);
	/* If a second event were taken for a new object, the first one would be `replaced`. */
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), replaced);
}

static void kma_probe_counts_large_constant_sizes(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 2,
		.bytes_req = 2 * 16384,
		.frees = 1,
		.live_objs = 1,
		.confirmed_objs = 1,
		.slot = 16384,
	};
	void *first, *second;

	migrate_disable();
	first = kma_site_large_const();
	second = kma_site_large_const();
	kfree(first);
	kma_expect_site(test, "kma_site_large_const", &expect);
	kfree(second);
	migrate_enable();
}

static void kma_probe_counts_a_kmem_cache(struct kunit *test)
{
	struct kma_site_expect expect = {
		.hits = 20,
		.bytes_req = 20 * 1234,
		.frees = 15,
		.live_objs = 5,
		.confirmed_objs = 5,
	};
	void *object[20];
	int i;

	expect.slot = kma_probe_cache_create(test, "kma-test-probe", 1234);
	migrate_disable();
	for (i = 0; i < 20; i++)
		object[i] = kma_site_cache();
	for (i = 0; i < 15; i++)
		kmem_cache_free(kma_probe_cache, object[i]);
	kma_expect_site(test, "kma_site_cache", &expect);

	expect.frees = 20;
	expect.live_objs = 0;
	expect.confirmed_objs = 0;
	/* kfree() of such an object is legal, and makes another event. */
	for (; i < 20; i++)
		kfree(object[i]);
	migrate_enable();
	kma_expect_site(test, "kma_site_cache", &expect);
	kmem_cache_destroy(kma_probe_cache);
}

/* Bulk functions, which have no tracepoint, and other frees of their objects. */
static void kma_probe_follows_bulk_functions(struct kunit *test)
{
	enum { OBJECTS = 20, FREED = 16 };
	struct kma_site_expect expect = {
		.bulk_objs = OBJECTS,
		.frees = FREED,
		.live_objs = OBJECTS - FREED,
		.confirmed_objs = OBJECTS - FREED,
	};
	void *object[OBJECTS];

	expect.slot = kma_probe_cache_create(test, "kma-test-bulk", 1234);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, kma_site_bulk(OBJECTS, object), OBJECTS);
	kmem_cache_free_bulk(kma_probe_cache, 10, object);
	kfree_bulk(5, object + 10);
	kmem_cache_free(kma_probe_cache, object[15]);
	kma_expect_site(test, "kma_site_bulk", &expect);

	expect.frees = OBJECTS;
	expect.live_objs = 0;
	expect.confirmed_objs = 0;
	kmem_cache_free_bulk(kma_probe_cache, OBJECTS - FREED, object + FREED);
	migrate_enable();
	kma_expect_site(test, "kma_site_bulk", &expect);
	kmem_cache_destroy(kma_probe_cache);
}

/* As for kmalloc_nolock(), which this kernel may lack: an object without a trace event. */
static void kma_probe_counts_what_has_no_event(struct kunit *test)
{
	const unsigned long site = (unsigned long)kma_site_array + 1;
	void *seen = kma_site_size(100), *object;
	struct kma_site_counts counts;
	u64 each, failed, zero;

	KUNIT_ASSERT_TRUE(test, kma_cacheinfo_has_slab());
	each = kma_count_of("kma_site_size", KMA_COUNT_bytes_alloc);
	kfree(seen);
	kma_setting_write(KMA_SETTING_enabled, "0");
	object = kma_site_size(100);
	KUNIT_ASSERT_NOT_NULL(test, object);
	kma_setting_write(KMA_SETTING_enabled, "1");
	failed = kma_stat_now(alloc_failed);
	zero = kma_stat_now(alloc_zero_size);

	migrate_disable();
	preempt_disable();
	kma_slab_nolock_alloc(site, object, 90, GFP_KERNEL);
	kma_slab_nolock_alloc(site, NULL, 90, GFP_KERNEL);
	kma_slab_nolock_alloc(site, ZERO_SIZE_PTR, 0, GFP_KERNEL);
	preempt_enable();
	counts = kma_site_counts_of("kma_site_array");
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_hits], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bytes_req], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bulk_objs], 1);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bulk_bytes], each);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_bytes], each);
	KUNIT_EXPECT_EQ(test, kma_stat_now(alloc_zero_size), zero + 1);
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_failed), failed + 1);
	kfree(object);
	counts = kma_site_counts_of("kma_site_array");
	migrate_enable();
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_frees], 1);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], 0);
}

/* Objects of kmalloc(), from several caches and from the page allocator. */
static void kma_probe_follows_kfree_bulk(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 3,
		.bytes_req = 100 + 20000 + 1000,
		.frees = 3,
	};
	void *object[3];

	migrate_disable();
	object[0] = kma_site_size(100);
	object[1] = kma_site_size(20000);
	object[2] = kma_site_size(1000);
	kfree_bulk(ARRAY_SIZE(object), object);
	migrate_enable();
	kma_expect_site(test, "kma_site_size", &expect);
}

/* The kprobe on kmem_cache_destroy() retires a cache, whose address may be used again. */
static void kma_probe_notices_a_cache_destroyed(struct kunit *test)
{
	static const char * const names[] = {
		"kma-test-first", "kma-test-second", "kma-test-first",
	};
	const struct kma_site_info *info;
	u32 id, rows = 0, hits = 0;
	struct kma_row sum;
	int i;

	for (i = 0; i < 3; i++) {
		kma_probe_cache = kmem_cache_create(names[i], 500, 0, SLAB_NO_MERGE, NULL);
		KUNIT_ASSERT_NOT_NULL(test, kma_probe_cache);
		kmem_cache_free(kma_probe_cache, kma_site_cache());
		kmem_cache_destroy(kma_probe_cache);
	}
	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info || strcmp(kma_core.sites.caches.info[info->cache].name,
				    "kma-test-first"))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		hits += sum.hits;
		rows++;
		KUNIT_EXPECT_EQ(test, info->state, KMA_SITE_NO_CACHE);
	}
	KUNIT_EXPECT_EQ(test, rows, 1);
	KUNIT_EXPECT_EQ(test, hits, 2);
}

static void kma_probe_counts_null_and_failures(struct kunit *test)
{
	const struct kma_site_expect expect = {};
	u64 null = kma_stat_now(free_null);
	u64 zero = kma_stat_now(free_zero_size);
	u64 failed = kma_stat_now(alloc_failed);
	void *ptr = NULL;
	int i;

	OPTIMIZER_HIDE_VAR(ptr);
	for (i = 0; i < 100; i++) {
		kfree(ptr);
		kfree(kma_site_size(0));
	}
	KUNIT_EXPECT_GE(test, kma_stat_now(free_null) - null, 100);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_zero_size) - zero, 100);
	kma_expect_site(test, "kma_site_size", &expect);

	KUNIT_EXPECT_NULL(test, kma_site_fails(2 * KMALLOC_MAX_SIZE));
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_failed) - failed, 1);
	kma_expect_site(test, "kma_site_fails", &expect);
}

/*
 * Only objects of some sizes pass a filter, whether objects are sampled or not.  The range
 * of sizes allows for a red zone.
 */
static void kma_probe_filters(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 1,
		.bytes_req = 96,
		.frees = 1,
	};
	u64 filtered;

	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter,
						"module kmemacct_kunit;size 64-256"), 0);
	filtered = kma_stat_now(alloc_filtered);
	migrate_disable();
	kfree(kma_site_size(96));
	kfree(kma_site_size(8));
	kfree(kma_site_size(1000));
	kma_expect_site(test, "kma_site_size", &expect);
	migrate_enable();
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_filtered), filtered + 2);
	KUNIT_EXPECT_EQ(test, kma_test_sample_bytes(4096), 0);
	kfree(kma_site_size(1 << 20));
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, "size 1M"), 0);
	/* This object is much larger than N, so it is sampled. */
	kfree(kma_site_size(1 << 20));
	KUNIT_EXPECT_EQ(test, kma_test_sample_bytes(0), 0);
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, "off"), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_size", KMA_COUNT_hits), 2);
}

static void kma_probe_follows_krealloc(struct kunit *test)
{
	/* 50 bytes, grown in place to 60, moved to 1000, freed by size 0. */
	const struct kma_site_expect expect = {
		.hits = 2,
		.bytes_req = 1050,
		.frees = 2,
	};
	void *ptr;

	migrate_disable();
	ptr = kma_site_realloc(NULL, 50);
	ptr = kma_site_realloc(ptr, 60);
	ptr = kma_site_realloc(ptr, 1000);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_realloc", KMA_COUNT_live_objs), 1);
	kma_site_realloc(ptr, 0);
	migrate_enable();
	kma_expect_site(test, "kma_site_realloc", &expect);
}

static void kma_kfree(void *ptr)
{
	kfree(ptr);
}

static void kma_probe_counts_pingpong(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 2,
		.bytes_req = 200,
		.frees = 2,
		.pingpong = 1,
	};
	int other;

	migrate_disable();
	other = kma_other_cpu(test);
	smp_call_function_single(other, kma_kfree, kma_site_const(), 1);
	kfree(kma_site_const());
	migrate_enable();
	kma_expect_site(test, "kma_site_const", &expect);
}

static void *kma_atomic_object;

static void kma_alloc_in_irq(struct irq_work *work)
{
	kma_atomic_object = kma_site_atomic();
}

static void kma_probe_counts_in_interrupts(struct kunit *test)
{
	const struct kma_site_expect expect = {
		.hits = 5,
		.bytes_req = 500,
		.frees = 5,
	};
	struct irq_work work = IRQ_WORK_INIT_HARD(kma_alloc_in_irq);
	int i;

	migrate_disable();
	for (i = 0; i < 5; i++) {
		irq_work_queue(&work);
		irq_work_sync(&work);
		kfree(kma_atomic_object);
	}
	migrate_enable();
	kma_expect_site(test, "kma_site_atomic", &expect);
}

/* bytes_alloc of a kmalloc event is the distance between neighbouring objects. */
static void kma_probe_knows_what_kmalloc_takes(struct kunit *test)
{
	static const size_t sizes[] = { 8, 33, 100, 200, 500, 1025, 3000, 8192 };
	const int nr = 200;
	void **object = kunit_kcalloc(test, nr, sizeof(*object), GFP_KERNEL);
	u64 before, after;
	unsigned long smallest;
	int i, k, size;

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (size = 0; size < ARRAY_SIZE(sizes); size++) {
		before = kma_count_of("kma_site_size", KMA_COUNT_bytes_alloc);
		smallest = ULONG_MAX;
		for (i = 0; i < nr; i++) {
			object[i] = kma_site_size(sizes[size]);
			for (k = 0; k < i; k++)
				smallest = min_t(unsigned long, smallest,
						 abs(object[i] - object[k]));
		}
		for (i = 0; i < nr; i++)
			kfree(object[i]);
		after = kma_count_of("kma_site_size", KMA_COUNT_bytes_alloc);
		KUNIT_EXPECT_EQ_MSG(test, after - before, nr * smallest,
				    "kmalloc(%zu)", sizes[size]);
	}
}

/* ---- enabled=0 ------------------------------------------------------------ */

/* While recording is off, allocations are not recorded, but frees still are. */
static void kma_probe_follows_frees_while_disabled(struct kunit *test)
{
	const struct kma_site_expect before = { .hits = 1, .bytes_req = 100, .live_objs = 1 };
	const struct kma_site_expect after = { .hits = 1, .bytes_req = 100, .frees = 1 };
	u64 off = kma_stat_now(alloc_off);
	void *seen, *unseen;

	migrate_disable();
	seen = kma_site_const();
	kma_setting_write(KMA_SETTING_enabled, "0");
	unseen = kma_site_const();
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_off) - off, 1);
	kma_expect_site(test, "kma_site_const", &before);
	kfree(seen);
	kfree(unseen);
	kma_expect_site(test, "kma_site_const", &after);
	migrate_enable();
}

/* ---- attaching ------------------------------------------------------------ */

/*
 * Fake probes, which log their calls: kma_attach_a() and kma_detach_a() of row a, and such
 * functions of rows b, c and d.  kma_attach_c() fails.
 */
static char kma_attach_log[32];

#define KMA_FAKE_PROBE(letter, ret)					\
static int kma_attach_##letter(void)					\
{									\
	strlcat(kma_attach_log, "+" #letter, sizeof(kma_attach_log));	\
	return ret;							\
}									\
									\
static void kma_detach_##letter(void)					\
{									\
	strlcat(kma_attach_log, "-" #letter, sizeof(kma_attach_log));	\
}

KMA_FAKE_PROBE(a, 0)
KMA_FAKE_PROBE(b, 0)
KMA_FAKE_PROBE(c, -ENODEV)
KMA_FAKE_PROBE(d, 0)

#define KMA_FAKE_ROW(letter) { #letter, kma_attach_##letter, kma_detach_##letter }

/* All probes are attached or none, and they are detached in reverse. */
static void kma_probe_attaches_all_or_none(struct kunit *test)
{
	static const struct kma_tracepoint probes[] = {
		KMA_FAKE_ROW(a), KMA_FAKE_ROW(b), KMA_FAKE_ROW(c), KMA_FAKE_ROW(d),
	};

	kma_attach_log[0] = '\0';
	KUNIT_EXPECT_EQ(test, kma_tracepoints_attach(probes, 4), -ENODEV);
	KUNIT_EXPECT_STREQ(test, kma_attach_log, "+a+b+c-b-a");
	kma_attach_log[0] = '\0';
	KUNIT_EXPECT_EQ(test, kma_tracepoints_attach(probes, 2), 0);
	kma_tracepoints_detach(probes, 2);
	KUNIT_EXPECT_STREQ(test, kma_attach_log, "+a+b-b-a");
}

/*
 * Five tracepoints of objects and pages, two of owners, 23 of reclaim and compaction, and that of
 * the OOM killer.
 */
static void kma_probe_attaches_to_tracepoints(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_tracepoints_attached(), 5 + 2 + 23 + 1);
}

/* On an unknown kernel, the argument may not be a shrinker, or not even an address. */
static void kma_probe_reads_shrinkers_safely(struct kunit *test)
{
	static const unsigned long no_shrinker[] = { 0, 0xcc0, 0x7fffffff0000, 1UL << 62, -16UL };
	const unsigned long shrinker = (unsigned long)current;
	const u64 before = kma_stat_now(shrinker_unreadable);
	int i;

	for (i = 0; i < ARRAY_SIZE(no_shrinker); i++)
		KUNIT_EXPECT_NULL(test, kma_function_shrinker(no_shrinker[i]));
	KUNIT_EXPECT_PTR_EQ(test, (const void *)kma_function_shrinker(shrinker),
			    (const void *)shrinker);
	KUNIT_EXPECT_EQ(test, kma_stat_now(shrinker_unreadable) - before,
			ARRAY_SIZE(no_shrinker));
}

/* ---- wakers ---------------------------------------------------------------- */

/* While this test runs, memory is not short, so that kswapd itself sleeps. */
static const struct kma_waking kma_test_waking = { KMA_DAEMON_KSWAPD, 0, 5, ZONE_NORMAL };

static void kma_test_begin(void)
{
	kma_wakers_begin(&kma_test_waking);
}

static void kma_test_end(void)
{
	kma_wakers_end(KMA_DAEMON_KSWAPD, 0);
}

/* Check the wake-ups and runs of rows with a call site, and the runs without a waker. */
static void kma_expect_wakers(struct kunit *test, u64 wakeups, u64 runs, u64 unknown)
{
	struct kma_countmap_sum sum[2] = {};
	const struct kma_countmap_info *info;
	struct kma_countmap *t;
	u32 id;

	kma_lock_take(KMA_LOCK_COMMAND);
	t = kma_countmap_locked(KMA_COUNTMAP_WAKERS);
	for (id = 0; id < t->rows; id++) {
		info = kma_countmap_info(t, id);
		kma_countmap_sum(t, id, &sum[info && !info->key.word[KMA_WAKER_SITE]]);
	}
	kma_lock_release();
	KUNIT_EXPECT_EQ(test, sum[0].v[KMA_WAKER_WAKEUPS], wakeups);
	KUNIT_EXPECT_EQ(test, sum[0].v[KMA_WAKER_RUNS], runs);
	KUNIT_EXPECT_EQ(test, sum[1].v[KMA_WAKER_WAKEUPS], 0);
	KUNIT_EXPECT_EQ(test, sum[1].v[KMA_WAKER_RUNS], unknown);
}

static void kma_probe_finds_wakers(struct kunit *test)
{
	const struct kma_waking proactive = { KMA_DAEMON_KSWAPD, 0, KMA_ORDER_NONE, ZONE_NORMAL };

	/* An end without a beginning is no run.  A run without a wake-up has no waker. */
	kma_test_end();
	kma_expect_wakers(test, 0, 0, 0);
	kma_test_begin();
	kma_test_end();
	kma_expect_wakers(test, 0, 0, 1);
	/* A second beginning belongs to the same run, and so does a wake-up before it. */
	kma_wakers_wake(&kma_test_waking);
	kma_test_begin();
	kma_wakers_wake(&kma_test_waking);
	kma_test_begin();
	kma_test_end();
	kma_expect_wakers(test, 2, 1, 1);
	kma_test_begin();
	/* A wake-up just before the end is that of the next run. */
	kma_wakers_wake(&kma_test_waking);
	kma_test_end();
	kma_expect_wakers(test, 3, 1, 2);
	kma_test_begin();
	kma_test_end();
	kma_expect_wakers(test, 3, 2, 2);
	/* Proactive compaction begins no run. */
	kma_wakers_wake(&proactive);
	kma_test_begin();
	kma_test_end();
	kma_expect_wakers(test, 4, 2, 3);
}

static void kma_probe_forgets_wakers(struct kunit *test)
{
	/* A reset forgets the waker of a run. */
	kma_wakers_wake(&kma_test_waking);
	kma_test_begin();
	kma_lock_take(KMA_LOCK_COMMAND);
	KUNIT_EXPECT_EQ(test, kma_baseline_reset(), 0);
	kma_lock_release();
	kma_test_end();
	kma_expect_wakers(test, 0, 0, 1);
	/* While `enabled` is 0, no run begins, but one that has begun is counted. */
	kma_wakers_wake(&kma_test_waking);
	kma_test_begin();
	WRITE_ONCE(kma_countmaps_on, false);
	kma_wakers_wake(&kma_test_waking);
	kma_test_end();
	kma_test_begin();
	kma_test_end();
	WRITE_ONCE(kma_countmaps_on, true);
	kma_expect_wakers(test, 1, 1, 1);
}

/* ---- functions that are followed -------------------------------------------- */

static int kma_probe_fires(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* The first function in the list that this kernel has is followed, and none after it. */
static void kma_probe_follows_the_newest_name(struct kunit *test)
{
	static const char *const newer[] = {
		"kma_no_function", "ksize", "kmem_cache_shrink", NULL
	};
	static const char *const only[] = { "kmem_cache_shrink", NULL };
	static const char *const none[] = { "kma_no_function", "kma_no_other", NULL };
	/* This function exists, and cannot be followed. */
	static const char *const hidden[] = { "kprobe_ftrace_handler", "ksize", NULL };
	struct kretprobe rp = { .handler = kma_probe_fires };
	const s64 bytes = kma_state_bytes();

	KUNIT_ASSERT_TRUE(test, kma_kretprobe_register_first(&rp, newer, KMA_KRETPROBE_FEW));
	KUNIT_EXPECT_STREQ(test, rp.kp.symbol_name, "ksize");
	KUNIT_EXPECT_GT(test, (s64)kma_state_bytes(), bytes);
	kma_kretprobe_unregister(&rp);
	KUNIT_ASSERT_TRUE(test, kma_kretprobe_register_first(&rp, only, KMA_KRETPROBE_FEW));
	KUNIT_EXPECT_STREQ(test, rp.kp.symbol_name, "kmem_cache_shrink");
	kma_kretprobe_unregister(&rp);
	KUNIT_EXPECT_FALSE(test, kma_kretprobe_register_first(&rp, none, KMA_KRETPROBE_FEW));
	KUNIT_EXPECT_FALSE(test, kma_kretprobe_register_first(&rp, hidden, KMA_KRETPROBE_FEW));
	KUNIT_EXPECT_EQ(test, (s64)kma_state_bytes(), bytes);
}

static struct kunit_case kma_probe_cases[] = {
	KUNIT_CASE(kma_probe_counts_kmalloc),
	KUNIT_CASE(kma_probe_counts_every_entry_point),
	KUNIT_CASE(kma_probe_counts_no_large_object_twice),
	KUNIT_CASE(kma_probe_counts_large_constant_sizes),
	KUNIT_CASE(kma_probe_counts_a_kmem_cache),
	KUNIT_CASE(kma_probe_follows_bulk_functions),
	KUNIT_CASE(kma_probe_counts_what_has_no_event),
	KUNIT_CASE(kma_probe_follows_kfree_bulk),
	KUNIT_CASE(kma_probe_notices_a_cache_destroyed),
	KUNIT_CASE(kma_probe_counts_null_and_failures),
	KUNIT_CASE(kma_probe_filters),
	KUNIT_CASE(kma_probe_follows_krealloc),
	KUNIT_CASE(kma_probe_counts_pingpong),
	KUNIT_CASE(kma_probe_counts_in_interrupts),
	KUNIT_CASE(kma_probe_knows_what_kmalloc_takes),
	KUNIT_CASE(kma_probe_follows_frees_while_disabled),
	KUNIT_CASE(kma_probe_attaches_all_or_none),
	KUNIT_CASE(kma_probe_attaches_to_tracepoints),
	KUNIT_CASE(kma_probe_reads_shrinkers_safely),
	KUNIT_CASE(kma_probe_finds_wakers),
	KUNIT_CASE(kma_probe_forgets_wakers),
	KUNIT_CASE(kma_probe_follows_the_newest_name),
	{}
};

struct kunit_suite kma_probe_suite = {
	.name = "kmemacct_probe",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_probe_cases,
};
