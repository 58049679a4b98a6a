// SPDX-License-Identifier: GPL-2.0
/* Starting and stopping the whole module, and timing its probes. */
#include <linux/debugfs.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../module/core/recycle.h"
#include "probe_util.h"

/* ---- starting and stopping ------------------------------------------------ */

static bool kma_files_exist(void)
{
	struct dentry *dir = debugfs_lookup(KMA_NAME, NULL);

	dput(dir);
	return dir;
}

static void kma_engine_refuses_bad_settings(struct kunit *test)
{
	static const struct {
		enum kma_setting_nr setting;
		const char *text;
		int error;
	} bad[] = {
		{ KMA_SETTING_live_max, "1073741825", -EINVAL },
		{ KMA_SETTING_live_max, "18446744073709551615", -EINVAL },
		{ KMA_SETTING_live_max, "18446744073709551616", -EINVAL },
		{ KMA_SETTING_live_max, "-1", -EINVAL },
		{ KMA_SETTING_live_max, "", -EINVAL },
		{ KMA_SETTING_sites_max, "1", -EINVAL },
		{ KMA_SETTING_sites_max, "63", -EINVAL },
		{ KMA_SETTING_sites_max, "-1", -EINVAL },
		{ KMA_SETTING_sites_max, "64001", -EINVAL },
		{ KMA_SETTING_sites_max, "4294967295", -EINVAL },
		/* valid, but more than 1/16 of the RAM of this machine */
		{ KMA_SETTING_live_max, "1073741824", -ENOMEM },
		{ KMA_SETTING_bulk, "", -EINVAL },
		{ KMA_SETTING_bulk, "on", -EINVAL },
		{ KMA_SETTING_bulk, "1", -EINVAL },
		{ KMA_SETTING_bulk, "Auto", -EINVAL },
		{ KMA_SETTING_bulk, "autos", -EINVAL },
		{ KMA_SETTING_bulk, "auto x", -EINVAL },
		{ KMA_SETTING_bulk, "of", -EINVAL },
	};
	int i;

	static_assert(KMA_LIVE_MAX == 1073741824 && KMA_SITES_MIN == 64 && KMA_SITES_MAX == 64000);
	kma_engine_stop();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kma_load load = {
			.text = {
				[KMA_SETTING_live_max] = "1000",
				[KMA_SETTING_sites_max] = "1024",
			},
		};

		load.text[bad[i].setting] = bad[i].text;
		KUNIT_EXPECT_EQ_MSG(test, kma_engine_start(load.text), bad[i].error,
				    "%s, row %d", bad[i].text, i);
		KUNIT_EXPECT_FALSE(test, kma_files_exist());
		KUNIT_EXPECT_NULL(test, kma_core.obj.bucket);
		KUNIT_EXPECT_NULL(test, kma_core.sites.map);
	}
	/* The failed starts left nothing that prevents another start. */
	KUNIT_ASSERT_EQ(test, kma_engine_start(kma_small.text), 0);
	KUNIT_EXPECT_TRUE(test, kma_files_exist());
}

/* Bytes of rows for call sites, and of their history. */
static u64 kma_sites_bytes(u32 sites, unsigned int cpus)
{
	return kma_sitetab_bytes(sites, cpus) + kma_history_bytes(sites);
}

/* Whether a default of sites_max is right: it fits into 1/64 of the RAM, and the next does not. */
static bool kma_sites_are_most(u32 sites, u64 ram, unsigned int cpus)
{
	if (sites % KMA_ROWS_PER_CHUNK || sites < KMA_SITES_DEFAULT_MIN ||
	    sites > KMA_SITES_DEFAULT_MAX)
		return false;
	return (sites == KMA_SITES_DEFAULT_MIN || kma_sites_bytes(sites, cpus) <= ram / 64) &&
	       (sites == KMA_SITES_DEFAULT_MAX ||
		kma_sites_bytes(sites + KMA_ROWS_PER_CHUNK, cpus) > ram / 64);
}

/* The defaults follow the RAM, and that of sites_max follows the number of CPUs as well. */
static void kma_engine_defaults_follow_the_machine(struct kunit *test)
{
	static const unsigned int cpus[] = { 1, 2, 64, 240, 1024 };
	u64 ram, live, bytes;
	u32 sites;
	int i;

	for (ram = 64ULL << 20; ram <= 64ULL << 40; ram *= 2) {
		for (i = 0; i < ARRAY_SIZE(cpus); i++) {
			sites = kma_state_sites_default(ram, cpus[i]);
			KUNIT_EXPECT_TRUE_MSG(test, kma_sites_are_most(sites, ram, cpus[i]),
					      "%u rows for %u CPUs and %llu MiB", sites, cpus[i],
					      ram >> 20);
		}
		live = kma_state_live_default(ram);
		bytes = kma_objtab_bytes(live, 0);
		if (live > KMA_LIVE_DEFAULT_MIN && live < KMA_LIVE_MAX) {
			/* The table has a few buckets more than its objects need. */
			KUNIT_EXPECT_LE(test, bytes, ram / 128 + (64 << 10));
			KUNIT_EXPECT_GE(test, bytes, ram / 128 / 100 * 99);
		}
	}
	/* A common machine, one of 240 possible CPUs with little RAM, and a large one */
	KUNIT_EXPECT_EQ(test, kma_state_sites_default(1ULL << 30, 2), KMA_SITES_DEFAULT_MAX);
	KUNIT_EXPECT_LT(test, kma_state_sites_default(2ULL << 30, 240), KMA_SITES_DEFAULT_MAX);
	KUNIT_EXPECT_EQ(test, kma_state_sites_default(2ULL << 40, 1024), KMA_SITES_DEFAULT_MAX);
	KUNIT_EXPECT_EQ(test, kma_state_live_default(64ULL << 20), KMA_LIVE_DEFAULT_MIN);
	KUNIT_EXPECT_GT(test, kma_state_live_default(2ULL << 40), 200ULL << 20);
	KUNIT_EXPECT_EQ(test, kma_state_live_default(16ULL << 40), KMA_LIVE_MAX);
}

/* bulk=off: bulk functions are not hooked, and no live byte is confirmed. */
static void kma_engine_leaves_bulk_functions_alone(struct kunit *test)
{
	const struct kma_site_expect expect = { .hits = 1, .bytes_req = 100, .live_objs = 1 };
	struct kma_load load = kma_small;
	void *object[2], *ptr;

	load.text[KMA_SETTING_bulk] = "off";
	kma_probe_restart(test, &load);
	KUNIT_EXPECT_FALSE(test, kma_bulk_frees_followed());

	kma_probe_cache_create(test, "kma-test-off", 1234);
	KUNIT_EXPECT_EQ(test, kma_site_bulk(2, object), 2);
	kmem_cache_free_bulk(kma_probe_cache, 2, object);
	kmem_cache_destroy(kma_probe_cache);
	KUNIT_EXPECT_EQ(test, kma_stat_now(bulk_allocs), 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(bulk_frees), 0);

	ptr = kma_site_const();
	kma_expect_site(test, "kma_site_const", &expect);
	KUNIT_EXPECT_GT(test, kma_count_of("kma_site_const", KMA_COUNT_live_bytes), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_const", KMA_COUNT_confirmed_bytes), 0);
	kfree(ptr);
}

/*
 * Objects that are freed without an event are removed when their pages are freed.  After
 * that, the row of their call site is suspect.
 */
static void kma_engine_finds_what_is_left_on_pages(struct kunit *test)
{
	enum { OBJECTS = 20 };
	struct kma_load load = kma_small;
	struct kma_site_expect expect = {
		.hits = OBJECTS,
		.bytes_req = OBJECTS * 1234,
		.frees = 1,
		.live_objs = OBJECTS - 1,
	};
	void *object[OBJECTS];
	int i;

	load.text[KMA_SETTING_bulk] = "off";
	kma_probe_restart(test, &load);

	expect.slot = kma_probe_cache_create(test, "kma-test-left", 1234);
	migrate_disable();
	for (i = 0; i < OBJECTS; i++)
		object[i] = kma_site_cache();
	kmem_cache_free(kma_probe_cache, object[0]);
	migrate_enable();
	kmem_cache_free_bulk(kma_probe_cache, OBJECTS - 1, object + 1);
	kma_expect_site(test, "kma_site_cache", &expect);

	expect.live_objs = 0;
	kmem_cache_destroy(kma_probe_cache);
	kma_expect_site(test, "kma_site_cache", &expect);
	KUNIT_EXPECT_GE(test, kma_stat_now(page_freed), OBJECTS - 1);
}

static void kma_engine_takes_the_limits(struct kunit *test)
{
	static const struct {
		struct kma_load load;
		bool enabled;
		u64 live_max;
	} good[] = {
		{
			.load.text = {
				[KMA_SETTING_enabled] = "0",
				[KMA_SETTING_live_max] = "1",
				[KMA_SETTING_sites_max] = "64",
			},
			.live_max = 1,
		}, {
			.load.text = { [KMA_SETTING_bulk] = "off" },
			.enabled = true,
		},
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		kma_engine_stop();
		KUNIT_ASSERT_EQ(test, kma_engine_start(good[i].load.text), 0);
		KUNIT_EXPECT_EQ(test, kma_slab_recording(), good[i].enabled);
		KUNIT_EXPECT_GE(test, kma_config.live_max, good[i].live_max);
	}
	KUNIT_EXPECT_GE(test, kma_config.live_max, KMA_LIVE_DEFAULT_MIN);
	KUNIT_EXPECT_LE(test, kma_config.live_max, KMA_LIVE_MAX);
	KUNIT_EXPECT_GE(test, kma_config.sites_max, KMA_SITES_DEFAULT_MIN);
	KUNIT_EXPECT_LE(test, kma_config.sites_max, KMA_SITES_DEFAULT_MAX);
}

/*
 * The memory that is neither in areas nor of bulk allocations: the per-CPU memory of the tables of
 * objects, and of the caches of stacks and of paths; and the countmap of failures and the kretprobe
 * on the slow path, which exist with any settings.
 */
static u64 kma_engine_fixed(void)
{
	const u64 chunks = DIV_ROUND_UP(kma_sitetab_rows(&kma_core.sites), KMA_ROWS_PER_CHUNK);

	return chunks * KMA_PERCPU_CHUNK_BYTES * num_possible_cpus() + kma_stack_forecast() +
	       kma_caller_forecast() - 2 * KMA_ADDRCACHE_BYTES + kma_slow_path_forecast() +
	       kma_kmalloc_bytes(sizeof(struct kma_countmap));
}

/*
 * All memory is counted, with and without kretprobes, and with a baseline and the counters of
 * recycled rows.  In the end, all of it is freed.
 */
static void kma_engine_counts_its_memory(struct kunit *test)
{
	const u64 pages = PAGE_ALIGN(sizeof(struct kma_row) *
				     kma_sitetab_rows(&kma_core.sites));
	struct kma_load load = kma_small;
	char reset[] = "reset";
	u64 before, areas, more;

	load.text[KMA_SETTING_latency] = "off";
	kma_probe_restart(test, &load);
	KUNIT_EXPECT_TRUE(test, kma_bulk_allocs_followed());
	KUNIT_EXPECT_EQ(test, kma_state_bytes() - kma_env_memory_areas(),
			kma_engine_fixed() + kma_bulk_forecast() + kma_nolock_forecast());
	load.text[KMA_SETTING_bulk] = "off";
	kma_probe_restart(test, &load);
	before = kma_state_bytes();
	areas = kma_env_memory_areas();
	KUNIT_EXPECT_EQ(test, before - areas, kma_engine_fixed());
	KUNIT_EXPECT_EQ(test, kma_control_run(reset), 0);
	more = pages + PAGE_ALIGN(kma_recycle_bytes(&kma_core.sites));
	KUNIT_EXPECT_EQ(test, kma_env_memory_areas() - areas, more);
	KUNIT_EXPECT_EQ(test, kma_state_bytes() - before, more);
	kma_engine_stop();
	KUNIT_EXPECT_EQ(test, kma_state_bytes(), 0);
	KUNIT_EXPECT_EQ(test, kma_env_memory_areas(), 0);
	/* The memory that other parts are going to allocate counts against the limit. */
	KUNIT_EXPECT_EQ(test, kma_state_init(kma_memhotplug_pfns(), kma_state_bytes_max()),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, kma_state_bytes(), 0);
	KUNIT_ASSERT_EQ(test, kma_engine_start(kma_small.text), 0);
}

static void kma_engine_forgets_between_runs(struct kunit *test)
{
	const struct kma_site_expect none = {};
	char reset[] = "reset";
	void *ptr = kma_site_const();

	KUNIT_EXPECT_EQ(test, kma_control_run(reset), 0);
	kma_engine_stop();
	KUNIT_EXPECT_FALSE(test, kma_files_exist());
	KUNIT_ASSERT_EQ(test, kma_engine_start(kma_small.text), 0);
	KUNIT_EXPECT_NULL(test, kma_baseline.row);
	kma_expect_site(test, "kma_site_const", &none);
	/* The object was allocated before the restart, so its free is unmatched. */
	kfree(ptr);
	kma_expect_site(test, "kma_site_const", &none);
}

static void kma_engine_starts_and_stops_again(struct kunit *test)
{
	const struct kma_site_expect expect = { .hits = 1, .bytes_req = 100, .frees = 1 };
	int i;

	for (i = 0; i < 20; i++) {
		kma_engine_stop();
		KUNIT_ASSERT_EQ(test, kma_engine_start(kma_small.text), 0);
		migrate_disable();
		kfree(kma_site_const());
		migrate_enable();
		kma_expect_site(test, "kma_site_const", &expect);
	}
}

/* ---- timing of events ----------------------------------------------------- */

/* Get the number of countdowns that have ended, from the value of a counter of events. */
static u64 kma_countdowns_of(u64 word)
{
	return ((s64)word >> 16) - ((s64)KMA_EVENTS_NONE >> 16);
}

/* Each time a countdown ended, an event was timed; no countdown may exceed KMA_TIMED. */
static bool kma_timed_add_up(u64 *timed)
{
	struct kma_stats sum;
	u64 word, countdowns = 0;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < KMA_STAT_WORDS; i++) {
			if (!kma_stat_is_events(i))
				continue;
			word = READ_ONCE(per_cpu(kma_stats, cpu).v[i]);
			countdowns += kma_countdowns_of(word);
			if ((u16)word < 0x8000 || (u16)word > 0x8000 + KMA_TIMED)
				return false;
		}
	}
	kma_stats_sum(&sum);
	*timed = sum.v[KMA_STAT_timed_events] + sum.v[KMA_STAT_timed_long];
	return countdowns == *timed;
}

static void kma_times_some(struct kunit *test, const struct kma_load *load)
{
	u64 timed = 0;
	int i;

	/* A restart also resets the countdowns. */
	kma_probe_restart(test, load);
	for (i = 0; i < 8 * KMA_TIMED; i++)
		kfree(kma_site_size(64));
	/* Other tasks have events, too: retry until there is none while summing. */
	for (i = 0; i < 1000 && !kma_timed_add_up(&timed); i++)
		cond_resched();
	KUNIT_EXPECT_LT(test, i, 1000);
	/*
	 * Each of the 8 * KMA_TIMED rounds has two events, and one event in KMA_TIMED is
	 * timed, except that the last countdowns on each CPU have not ended.
	 */
	KUNIT_EXPECT_GE(test, timed, 2 * 8 - 2 * num_possible_cpus());
}

static void kma_engine_times_some(struct kunit *test)
{
	struct kma_load sampled = kma_small;

	kma_times_some(test, &kma_small);
	/* There should be few samples: one may take so long that it counts in timed_long. */
	sampled.text[KMA_SETTING_sample_bytes] = "64M";
	kma_times_some(test, &sampled);
}

static struct kunit_case kma_engine_cases[] = {
	KUNIT_CASE(kma_engine_refuses_bad_settings),
	KUNIT_CASE(kma_engine_leaves_bulk_functions_alone),
	KUNIT_CASE(kma_engine_finds_what_is_left_on_pages),
	KUNIT_CASE(kma_engine_takes_the_limits),
	KUNIT_CASE(kma_engine_counts_its_memory),
	KUNIT_CASE(kma_engine_defaults_follow_the_machine),
	KUNIT_CASE(kma_engine_forgets_between_runs),
	KUNIT_CASE(kma_engine_starts_and_stops_again),
	KUNIT_CASE(kma_engine_times_some),
	{}
};

struct kunit_suite kma_engine_suite = {
	.name = "kmemacct_engine",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_engine_cases,
};
