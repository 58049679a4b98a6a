// SPDX-License-Identifier: GPL-2.0
/* The self-test, with paths that misbehave and with hooks that do not work. */
#include <linux/slab.h>
#include <linux/string.h>

#include "probe_util.h"

/* ---- paths that misbehave --------------------------------------------------- */

static const char kma_fake_object[2][64];
static int kma_fake_lost;

static void kma_fake_lose(void)
{
	kma_fake_lost++;
}

/*
 * The events that the self-test is given for an object of 100 bytes: the right event, or one that
 * differs from it.
 */
enum kma_fake_heard {
	KMA_HEARD_NOTHING,
	KMA_HEARD_RIGHT,
	KMA_HEARD_BULK,			/* an event of a bulk allocation */
	KMA_HEARD_ELSEWHERE,		/* another call site */
	KMA_HEARD_INNER,		/* a call site inside the allocator */
	KMA_HEARD_LARGER,
	KMA_HEARD_SMALLER,
	KMA_HEARD_OTHER,		/* another object */
	KMA_HEARD_OTHER_ELSEWHERE,
	KMA_HEARD_OTHER_BULK,
};

#define KMA_FAKE_INNER	12345

static void kma_fake_hear(enum kma_fake_heard heard)
{
	static const unsigned long sites[] = {
		[KMA_HEARD_ELSEWHERE] = (unsigned long)kmem_cache_destroy,
		[KMA_HEARD_INNER] = KMA_FAKE_INNER,
		[KMA_HEARD_OTHER_ELSEWHERE] = (unsigned long)kmem_cache_destroy,
		[KMA_HEARD_OTHER_BULK] = (unsigned long)kmem_cache_destroy,
	};
	const struct kma_event ev = {
		.site = sites[heard] ?: (unsigned long)kma_fake_lose,
		.ptr = (unsigned long)kma_fake_object[heard >= KMA_HEARD_OTHER],
		.cache = heard == KMA_HEARD_SMALLER ? 99 : 128,
		.kmalloc = true,
		.bytes_req = heard == KMA_HEARD_LARGER ? 101 : 100,
		.node = NUMA_NO_NODE,
	};

	kma_witness_heard(&ev, heard == KMA_HEARD_BULK || heard == KMA_HEARD_OTHER_BULK);
}

static const char *kma_fake_by_hand(void)
{
	kma_witness_put(kma_fake_object[0]);
	kma_witness_put(kma_fake_object[1]);
	kma_slab_free(kma_fake_object[0]);
	return kma_witness_freed(1);
}

static const char *kma_fake_other_cache(void)
{
	static struct kmem_cache *const cache = (void *)0xffff888000001000UL;
	const struct kma_event ev = {
		.site = (unsigned long)kma_fake_lose,
		.ptr = (unsigned long)kma_fake_object[0],
		.cache = (unsigned long)cache + 256,
		.bytes_req = 100,
		.node = NUMA_NO_NODE,
	};

	kma_witness_heard(&ev, false);
	return kma_witness_allocated(kma_fake_object[0], 0, cache, false);
}

static const char *kma_fake_early(void)
{
	kma_slab_free(kma_fake_object[0]);
	return kma_witness_freed(0);
}

static const char *kma_fake_page(void)
{
	kma_witness_put(kma_fake_object[0]);
	return kma_witness_stale(kma_fake_object[0]);
}

static const char *kma_fake_untested(void)
{
	return kma_witness_untested;
}

static const struct kma_fake_path {
	bool pause;				/* nothing is recorded */
	bool crowd;				/* too many events to note */
	enum kma_fake_heard heard[4];
	int frees;				/* a second free of an object is not counted */
	const char *(*run)(void);		/* instead of an allocation and its frees */
	const char *wrong;			/* NULL: the path is right */
} kma_fake_paths[] = {
	{ .heard = { KMA_HEARD_RIGHT }, .frees = 1 },
	/* Events of other objects change nothing. */
	{ .heard = { KMA_HEARD_OTHER_ELSEWHERE, KMA_HEARD_RIGHT, KMA_HEARD_OTHER_BULK },
	  .frees = 2 },
	{ .heard = { KMA_HEARD_INNER, KMA_HEARD_RIGHT }, .frees = 1 },
	{ .pause = true, .run = kma_fake_by_hand },
	{ .heard = { KMA_HEARD_OTHER }, .frees = 1, .wrong = "the allocation was not seen" },
	{ .heard = { KMA_HEARD_RIGHT, KMA_HEARD_RIGHT }, .frees = 1,
	  .wrong = "the allocation was seen more than once" },
	{ .heard = { KMA_HEARD_ELSEWHERE, KMA_HEARD_RIGHT }, .frees = 1,
	  .wrong = "the allocation was seen more than once" },
	{ .heard = { KMA_HEARD_BULK }, .frees = 1,
	  .wrong = "the allocation was seen by another probe" },
	{ .heard = { KMA_HEARD_ELSEWHERE }, .wrong = "the allocation has the wrong call site" },
	{ .heard = { KMA_HEARD_LARGER }, .frees = 1, .wrong = "the allocation has the wrong size" },
	{ .heard = { KMA_HEARD_SMALLER }, .frees = 1,
	  .wrong = "the allocation has the wrong size" },
	{ .run = kma_fake_other_cache, .wrong = "the allocation has the wrong cache" },
	{ .pause = true, .heard = { KMA_HEARD_RIGHT }, .frees = 1,
	  .wrong = "the object is not in the live table" },
	{ .heard = { KMA_HEARD_RIGHT }, .wrong = "the free was not seen" },
	{ .heard = { KMA_HEARD_RIGHT }, .run = kma_fake_early,
	  .wrong = "an object was freed too early" },
	{ .pause = true, .run = kma_fake_page, .wrong = "the free of the pages was not seen" },
	{ .pause = true, .crowd = true, .heard = { KMA_HEARD_RIGHT }, .frees = 1,
	  .wrong = kma_witness_untested },
	{ .run = kma_fake_untested, .wrong = kma_witness_untested },
}, *kma_fake;

static const char *kma_fake_steps(void)
{
	const char *wrong;
	int i;

	if (kma_fake->pause)
		kma_witness_pause();
	for (i = 0; kma_fake->crowd && i < 1000; i++)
		kma_fake_hear(KMA_HEARD_OTHER);
	for (i = 0; kma_fake->heard[i]; i++)
		kma_fake_hear(kma_fake->heard[i]);
	if (kma_fake->run)
		return kma_fake->run();
	wrong = kma_witness_allocated(kma_fake_object[0], 100, NULL, false);
	for (i = 0; i < kma_fake->frees; i++)
		kma_slab_free(kma_fake_object[0]);
	return wrong ?: kma_witness_freed(1);
}

/* Run the path kma_fake. */
static const char *kma_fake_run(void)
{
	const char *wrong;

	/*
	 * The array has room for one more: it is larger than the number of inner sites of any
	 * kernel.
	 */
	kma_core.sites.internal[kma_core.sites.nr_internal++] = KMA_FAKE_INNER;
	wrong = kma_fake_steps();
	kma_core.sites.nr_internal--;
	return wrong;
}

/* Start without recording.  Nothing else is in the tables then. */
static void kma_selftest_start(struct kunit *test, const char *pages)
{
	struct kma_load load = kma_small;

	load.text[KMA_SETTING_enabled] = "0";
	load.text[KMA_SETTING_pages] = pages;
	kma_probe_restart(test, &load);
}

/* Nothing of the self-test is left. */
static void kma_expect_no_trace(struct kunit *test)
{
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_row sum, none = {};

	kma_sitetab_sum(t, t->sites_max, &sum);
	KUNIT_EXPECT_EQ(test, memcmp(&sum, &none, sizeof(sum)), 0);
	KUNIT_EXPECT_NULL(test, kma_sitetab_info(t, t->sites_max));
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_core.obj), 0);
	KUNIT_EXPECT_EQ(test, kma_sitetab_used(t), 0);
	KUNIT_EXPECT_EQ(test, kma_cachetab_used(&t->caches), 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_in), kma_stat_now(spill_out));
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_live_full), 0);
}

static void kma_selftest_judges_paths(struct kunit *test)
{
	struct kma_path path = {
		.name = "path_fake", .run = kma_fake_run, .lose = kma_fake_lose, .loss = "a test",
	};
	enum kma_path_result expected;
	const char *wrong;
	int i, lost;

	kma_selftest_start(test, "off");
	kma_witness_start();
	for (i = 0; i < ARRAY_SIZE(kma_fake_paths); i++) {
		kma_fake = &kma_fake_paths[i];
		wrong = kma_fake_run();
		kma_witness_clear();
		KUNIT_EXPECT_EQ_MSG(test, !wrong, !kma_fake->wrong, "path %d", i);
		KUNIT_EXPECT_STREQ_MSG(test, wrong ?: "", kma_fake->wrong ?: "", "path %d", i);
		expected = !wrong ? KMA_PATH_GOOD :
			   wrong == kma_witness_untested ? KMA_PATH_UNTESTED : KMA_PATH_FAILED;
		lost = kma_fake_lost;
		KUNIT_EXPECT_EQ_MSG(test, kma_selftest_try(&path), expected, "path %d", i);
		KUNIT_EXPECT_EQ_MSG(test, kma_fake_lost - lost, expected == KMA_PATH_FAILED,
				    "path %d", i);
		kma_witness_clear();
		kma_expect_no_trace(test);
	}
	kma_witness_stop();
}

/* ---- the paths of this kernel ------------------------------------------------ */

static void kma_expect_results(struct kunit *test, const enum kma_path_result *expected)
{
	const char *name;
	int nr;

	for (nr = 0; nr < KMA_PATH_NR; nr++) {
		const enum kma_path_result result = kma_selftest_result(nr, &name);

		KUNIT_EXPECT_EQ_MSG(test, result, expected[nr], "%s", name);
	}
}

/* The results if all paths are right. */
static void kma_results_good(enum kma_path_result *result, bool pages)
{
	int nr;

	for (nr = 0; nr < KMA_PATH_NR; nr++)
		result[nr] = nr >= KMA_PATH_pages && !pages ? KMA_PATH_UNTESTED : KMA_PATH_GOOD;
#ifndef KMA_HAVE_KMALLOC_NOLOCK
	result[KMA_PATH_kmalloc_nolock] = KMA_PATH_UNTESTED;
	result[KMA_PATH_kfree_nolock] = KMA_PATH_UNTESTED;
#endif
#ifndef KMA_HAVE_KFREE_RCU_NOLOCK
	result[KMA_PATH_kfree_rcu_nolock] = KMA_PATH_UNTESTED;
#endif
#ifndef KMA_ALLOC_PAGES_BULK
	result[KMA_PATH_page_bulk] = KMA_PATH_UNTESTED;
#endif
}

static void kma_selftest_leaves_nothing(struct kunit *test)
{
	enum kma_path_result good[KMA_PATH_NR];
	struct kma_row sum, none = {};

	kma_selftest_start(test, "off");
	kma_results_good(good, false);
	kma_expect_results(test, good);
	kma_expect_no_trace(test);
	KUNIT_EXPECT_TRUE(test, kma_bulk_frees_followed());
	KUNIT_EXPECT_EQ(test, kma_selftest_failed(), 0);
	KUNIT_EXPECT_FALSE(test, kma_selftest_doubts());
	KUNIT_EXPECT_GT(test, kma_selftest_us(), 0);
	/* The baseline is everything that was counted until now. */
	KUNIT_EXPECT_GE(test, kma_baseline.stats.v[KMA_STAT_bulk_allocs], 4);
	KUNIT_EXPECT_GE(test, kma_baseline.stats.v[KMA_STAT_bulk_frees], 8);

	kma_selftest_start(test, "sites");
	kma_results_good(good, true);
	kma_expect_results(test, good);
	kma_sitetab_sum(&kma_pagealloc.sites, kma_pagealloc.sites.sites_max, &sum);
	KUNIT_EXPECT_EQ(test, memcmp(&sum, &none, sizeof(sum)), 0);
	KUNIT_EXPECT_EQ(test, kma_sitetab_used(&kma_pagealloc.sites), 0);
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_pages, "off"), 0);
	kma_results_good(good, false);
	kma_expect_results(test, good);
}

static void kma_deaf(unsigned long parent_ip, struct ftrace_regs *regs)
{
}

/* Restart with a hook that does nothing, and repair the hook after the self-test. */
static void kma_selftest_start_deaf(struct kunit *test, struct kma_ftrace_hook *hook)
{
	void (*const entered)(unsigned long, struct ftrace_regs *) = hook->entered;

	hook->entered = kma_deaf;
	kma_selftest_start(test, "off");
	hook->entered = entered;
}

static void kma_selftest_finds_missed_frees(struct kunit *test)
{
	enum kma_path_result expected[KMA_PATH_NR];

	kma_selftest_start_deaf(test, &kma_ftrace_hook_free_bulk);
	kma_results_good(expected, false);
	expected[KMA_PATH_free_bulk] = KMA_PATH_FAILED;
	/*
	 * The module does not follow these functions, and does not test them, if bulk frees are not
	 * followed.
	 */
	expected[KMA_PATH_kfree_rcu] = KMA_PATH_UNTESTED;
	expected[KMA_PATH_kfree_nolock] = KMA_PATH_UNTESTED;
	expected[KMA_PATH_kfree_rcu_nolock] = KMA_PATH_UNTESTED;
	expected[KMA_PATH_alloc_bulk] = KMA_PATH_UNTESTED;
	expected[KMA_PATH_kmalloc_nolock] = KMA_PATH_UNTESTED;
	kma_expect_results(test, expected);
	KUNIT_EXPECT_EQ(test, kma_selftest_failed(), 1);
	KUNIT_EXPECT_FALSE(test, kma_bulk_frees_followed());
	KUNIT_EXPECT_FALSE(test, kma_bulk_allocs_followed());
	KUNIT_EXPECT_FALSE(test, kma_nolock_allocs_followed());
	kma_expect_no_trace(test);

	/* After the next start, all of them are followed again. */
	kma_selftest_start(test, "off");
	KUNIT_EXPECT_TRUE(test, kma_bulk_frees_followed());
	KUNIT_EXPECT_TRUE(test, kma_bulk_allocs_followed());
	KUNIT_EXPECT_EQ(test, kma_selftest_failed(), 0);
}

static void kma_selftest_finds_missed_ends_of_caches(struct kunit *test)
{
	enum kma_path_result expected[KMA_PATH_NR];

	kma_selftest_start_deaf(test, &kma_ftrace_hook_cache_destroy);
	kma_results_good(expected, false);
	expected[KMA_PATH_cache_destroy] = KMA_PATH_FAILED;
	kma_expect_results(test, expected);
	KUNIT_EXPECT_TRUE(test, kma_bulk_frees_followed());
}

/* If a probe of objects is not attached, nothing is confirmed. */
static void kma_selftest_doubts_what_is_live(struct kunit *test)
{
	struct kma_site_expect expect = { .hits = 1, .bytes_req = 100, .live_objs = 1 };
	struct kma_load load = kma_small;
	void *ptr;

	kma_probe_restart(test, &load);
	ptr = kma_site_const();
	KUNIT_EXPECT_GT(test, kma_count_of("kma_site_const", KMA_COUNT_confirmed_bytes), 0);
	kfree(ptr);

	/* kfree() is not seen while the free probes are detached. */
	kma_probe_restart(test, &load);
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_slab_record(false);
	kma_lock_release();
	kma_slab_stop();
	tracepoint_synchronize_unregister();
	kma_selftest_objects();
	KUNIT_EXPECT_TRUE(test, kma_selftest_doubts());
	KUNIT_EXPECT_EQ(test, kma_slab_start(), 0);
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_slab_record(true);
	kma_lock_release();
	ptr = kma_site_const();
	kma_expect_site(test, "kma_site_const", &expect);
	KUNIT_EXPECT_GT(test, kma_count_of("kma_site_const", KMA_COUNT_live_bytes), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_const", KMA_COUNT_confirmed_bytes), 0);
	kfree(ptr);
}

/* The equations hold for the baseline, even if a probe has counted only half of an event. */
static void kma_selftest_balances_the_baseline(struct kunit *test)
{
	struct kma_stats stats = {};
	u64 *v = stats.v;
	int i;

	for (i = 0; i < KMA_STAT_NR; i++)
		v[i] = 1000 + i * i;
	kma_stats_balance(&stats);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kmalloc] + v[KMA_STAT_events_kmem_cache_alloc] +
			v[KMA_STAT_bulk_allocs] + v[KMA_STAT_nolock_allocs],
			v[KMA_STAT_alloc_failed] + v[KMA_STAT_alloc_zero_size] +
			v[KMA_STAT_alloc_off] + v[KMA_STAT_alloc_filtered] +
			v[KMA_STAT_alloc_unsampled] + v[KMA_STAT_double_fired] +
			v[KMA_STAT_dropped_sites_full]);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kfree] + v[KMA_STAT_events_kmem_cache_free] +
			v[KMA_STAT_bulk_frees] + v[KMA_STAT_rcu_pending] +
			v[KMA_STAT_nolock_frees],
			v[KMA_STAT_free_null] + v[KMA_STAT_free_zero_size] +
			v[KMA_STAT_free_unmatched]);
}

static struct kunit_case kma_selftest_cases[] = {
	KUNIT_CASE(kma_selftest_judges_paths),
	KUNIT_CASE(kma_selftest_leaves_nothing),
	KUNIT_CASE(kma_selftest_finds_missed_frees),
	KUNIT_CASE(kma_selftest_finds_missed_ends_of_caches),
	KUNIT_CASE(kma_selftest_doubts_what_is_live),
	KUNIT_CASE(kma_selftest_balances_the_baseline),
	{}
};

struct kunit_suite kma_selftest_suite = {
	.name = "kmemacct_selftest",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_selftest_cases,
};
