// SPDX-License-Identifier: GPL-2.0
/* All CPUs allocate and free at the same time; afterwards the counters must add up. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "probe_util.h"

/* ---- sums ----------------------------------------------------------------- */

#define KMA_STORM_ROUNDS	500

static void kma_storm(void *arg, int nr)
{
	void *object[16] = {};
	u64 random = nr;
	int i, k;

	for (i = 0; i < KMA_STORM_ROUNDS; i++) {
		k = kma_random_below(&random, ARRAY_SIZE(object));
		kfree(object[k]);
		object[k] = kma_site_storm(8 << kma_random_below(&random, 12));
		cond_resched();
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kfree(object[i]);
}

/* While no probe and no ftrace_hook is attached, counters do not change, and must add up. */
static void kma_expect_sums(struct kunit *test)
{
	struct kma_row row, sum = {};
	struct kma_stats stats;
	const u64 *v = stats.v;
	u32 id;

	kma_stats_sum(&stats);
	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &row);
		KUNIT_EXPECT_EQ(test, kma_row_live(&row),
				kma_objtab_count_row(&kma_core.obj, id));
		kma_row_add(&sum, &row);
	}
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kmalloc] +
			v[KMA_STAT_events_kmem_cache_alloc] + v[KMA_STAT_bulk_allocs] +
			v[KMA_STAT_nolock_allocs],
			sum.hits + sum.bulk + v[KMA_STAT_alloc_failed] +
			v[KMA_STAT_alloc_zero_size] + v[KMA_STAT_alloc_off] +
			v[KMA_STAT_alloc_filtered] + v[KMA_STAT_alloc_unsampled] +
			v[KMA_STAT_double_fired] + v[KMA_STAT_dropped_sites_full]);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kfree] +
			v[KMA_STAT_events_kmem_cache_free] + v[KMA_STAT_bulk_frees] +
			v[KMA_STAT_rcu_pending] + v[KMA_STAT_nolock_frees],
			sum.frees + v[KMA_STAT_free_null] +
			v[KMA_STAT_free_zero_size] + v[KMA_STAT_free_unmatched]);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_replaced] + v[KMA_STAT_page_freed],
			sum.repaired);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_dropped_live_full], sum.no_entry);
}

static void kma_storm_and_check_as(struct kunit *test, void (*storm)(void *arg, int nr),
				   void *arg)
{
	/* One thread more than CPUs if the first one does not allocate. */
	int nr = kma_crew_size() + (storm != kma_storm);

	KUNIT_ASSERT_EQ(test, kma_crew_run(storm, arg, nr), 0);
	kma_setting_write(KMA_SETTING_enabled, "0");
	kma_slab_stop();
	kma_page_stop();
	kma_bulk_stop();
	kma_expect_sums(test);
	kma_bulk_start();
	KUNIT_ASSERT_EQ(test, kma_page_start(), 0);
	KUNIT_ASSERT_EQ(test, kma_slab_start(), 0);
}

static void kma_storm_and_check(struct kunit *test)
{
	kma_storm_and_check_as(test, kma_storm, NULL);
}

static void kma_probe_loses_nothing_in_a_storm(struct kunit *test)
{
	const u64 hits = kma_crew_size() * KMA_STORM_ROUNDS;
	struct kma_site_expect expect = { .hits = hits, .frees = hits };

	kma_storm_and_check(test);
	/* The sizes are random, and threads may migrate. */
	expect.bytes_req = kma_count_of("kma_site_storm", KMA_COUNT_bytes_req);
	expect.pingpong = kma_count_of("kma_site_storm", KMA_COUNT_pingpong);
	kma_expect_site(test, "kma_site_storm", &expect);
}

#define KMA_SWITCHES	24

/* One thread changes sample_bytes; all others allocate and free until it is done. */
static void kma_switched_storm(void *arg, int nr)
{
	static const u64 bytes[] = { 1 << 12, 0, 1 << 20, 1 << 14, 0, 1 << 26 };
	bool *done = arg;
	int i;

	if (nr) {
		do {
			kma_storm(NULL, nr);
		} while (!READ_ONCE(*done));
		return;
	}
	for (i = 0; i < KMA_SWITCHES; i++) {
		kma_test_sample_bytes(bytes[i % ARRAY_SIZE(bytes)]);
		schedule_timeout_uninterruptible(1);
	}
	WRITE_ONCE(*done, true);
}

/* At the end, objects are sampled: the livefilter must know all objects of either mode. */
static void kma_probe_loses_nothing_while_sampling_is_switched(struct kunit *test)
{
	struct kma_site_counts counts;
	bool done = false;

	kma_storm_and_check_as(test, kma_switched_storm, &done);
	counts = kma_site_counts_of("kma_site_storm");
	KUNIT_EXPECT_GT(test, counts.v[KMA_COUNT_samples], 0);
	KUNIT_EXPECT_GT(test, kma_stat_now(alloc_unsampled), 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_samples], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_no_entry], 0);
}

/* Make more pairs of call site and size, and more live objects, than the tables hold. */
static void kma_flood(struct kunit *test)
{
	static void *(*const sites[])(size_t size) = {
		kma_site_size, kma_site_node, kma_site_zalloc, kma_site_array,
		kma_site_storm, kma_site_kv,
	};
	const u32 slots = kma_objtab_buckets(&kma_core.obj) * KMA_SLOTS;
	void **object = kvcalloc(slots, sizeof(*object), GFP_KERNEL);
	u32 i, k;

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (i = 0; i < ARRAY_SIZE(sites); i++)
		for (k = 0; k < 12; k++)
			kvfree(sites[i](8 << k));
	for (i = 0; i < slots; i++)
		object[i] = kma_site_storm(8);
	for (i = 0; i < slots; i++)
		kfree(object[i]);
	kvfree(object);
}

/* The tables are much too small, but everything that is lost is counted. */
static void kma_probe_adds_up_when_tables_are_full(struct kunit *test)
{
	const struct kma_load tiny = {
		.text = {
			[KMA_SETTING_live_max] = "1",
			[KMA_SETTING_sites_max] = "64",
			[KMA_SETTING_budget_pct] = "0",
		},
	};
	struct kma_row sum;
	u64 hits = 0;
	u32 id;

	kma_probe_restart(test, &tiny);
	kma_flood(test);
	kma_storm_and_check(test);
	for (id = KMA_SITES_MIN; id < kma_sitetab_rows(&kma_core.sites); id++) {
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		hits += sum.hits + sum.bulk;
	}
	KUNIT_EXPECT_GT(test, hits, 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(other_sites), hits);
	KUNIT_EXPECT_GT(test, kma_stat_now(dropped_live_full), 0);
}

static struct kunit_case kma_storm_cases[] = {
	KUNIT_CASE(kma_probe_loses_nothing_in_a_storm),
	KUNIT_CASE(kma_probe_loses_nothing_while_sampling_is_switched),
	KUNIT_CASE(kma_probe_adds_up_when_tables_are_full),
	{}
};

struct kunit_suite kma_storm_suite = {
	.name = "kmemacct_storm",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_storm_cases,
};
