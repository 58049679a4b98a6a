// SPDX-License-Identifier: GPL-2.0
/* The command reset: counters start at 0 again, but live objects stay in the tables. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "table_util.h"

/* The label of KMA_TEST_SITE. */
#define KMA_TEST_LABEL	"kfree+0x1"

static void kma_alloc_64(unsigned long ptr)
{
	kma_alloc(KMA_TEST_SITE, ptr, 64, 60);
}

/* ---- counters ------------------------------------------------------------- */

static void kma_control_reset_subtracts(struct kunit *test)
{
	const struct kma_known_row before = kma_known(KMA_TEST_LABEL, 64, 1, 3, 2);
	const struct kma_known_row after = kma_known(KMA_TEST_LABEL, 64, 1, 0, 0);
	const struct kma_known_row later = kma_known(KMA_TEST_LABEL, 64, 1, 1, 1);

	migrate_disable();
	kma_alloc_64(KMA_TEST_PTR);
	kma_alloc_64(KMA_TEST_PTR + 64);
	kma_alloc_64(KMA_TEST_PTR + 128);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64);
	kma_expect_table(test, &before, 1, &kma_table_callers);
	KUNIT_EXPECT_STREQ(test, kma_table_open(test, &kma_table_callers)->since, "load");

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_expect_table(test, &after, 1, &kma_table_callers);
	KUNIT_EXPECT_STREQ(test, kma_table_open(test, &kma_table_callers)->since, "reset");

	/* The free of an object that was allocated before the reset counts. */
	kma_alloc_64(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 128);
	migrate_enable();
	kma_expect_table(test, &later, 1, &kma_table_callers);

	/* A second reset, after the first one. */
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_expect_table(test, &after, 1, &kma_table_callers);
}

static void kma_control_reset_hides_what_has_ended(struct kunit *test)
{
	const struct kma_known_row before = kma_known(KMA_TEST_LABEL, 64, 0, 1, 1);

	migrate_disable();
	kma_alloc_64(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	migrate_enable();
	kma_expect_table(test, &before, 1, &kma_table_callers);

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_expect_table(test, NULL, 0, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, kma_table_open(test, &kma_table_allocs)->nr_rows, 0);
}

static void kma_control_reset_leaves_live_objects(struct kunit *test)
{
	const struct kma_known_row expect = kma_known(KMA_TEST_LABEL, 64, 1, 0, 0);

	kma_alloc_64(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);

	kma_expect_table(test, &expect, 1, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, kma_table_open(test, &kma_table_allocs)->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_core.obj), 1);
}

/* After a reset, `samples` counts new samples, and `live_samples` those that are live. */
static void kma_control_reset_subtracts_samples(struct kunit *test)
{
	/* This object is much larger than N: it is sampled, and its weight is 1. */
	const struct kma_event ev =
		kma_test_event(KMA_TEST_SITE, KMA_TEST_PTR, 1 << 20, 1 << 20);
	static const struct kma_known_row expect = {
		.label = KMA_TEST_LABEL,
		.v = {
			[KMA_COUNT_live_bytes] = 1 << 20,
			[KMA_COUNT_live_objs] = 1,
			[KMA_COUNT_samples] = 0,
			[KMA_COUNT_live_samples] = 1,
		},
	};

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "sample_bytes 4096"), 0);
	kma_sample(&ev);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "sample_bytes 0"), 0);

	kma_expect_table(test, &expect, 1, &kma_table_callers);
}

/* ---- lines of summary and stats ------------------------------------------- */

/* A line of a table of names and values. */
struct kma_known_pair {
	const struct kma_table *table;
	const char *name;
	u64 value;
};

static u64 kma_keyval_value(struct kunit *test, const struct kma_snapshot *snap,
			    const char *name)
{
	const struct kma_keyval *pair = snap->rows;
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		if (!strcmp(pair[i].name, name))
			return pair[i].value;
	KUNIT_FAIL(test, "no line %s", name);
	return 0;
}

static void kma_expect_pairs(struct kunit *test, const struct kma_known_pair *expect,
			     int nr)
{
	const struct kma_snapshot *snap;
	int i;

	for (i = 0; i < nr; i++) {
		snap = kma_table_open(test, expect[i].table);
		KUNIT_EXPECT_EQ_MSG(test, kma_keyval_value(test, snap, expect[i].name),
				    expect[i].value, "%s: %s", expect[i].table->name,
				    expect[i].name);
	}
}

static void kma_control_reset_restarts_stats(struct kunit *test)
{
	static const struct kma_known_pair expect[] = {
		{ &kma_table_stats, "free_unmatched", 1 },
	};

	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_free(KMA_TEST_PTR);

	kma_expect_pairs(test, expect, ARRAY_SIZE(expect));
}

/* Fewer bytes are live than at the reset, so bytes_net is negative, as in perf kmem. */
static void kma_control_reset_allows_less_than_nothing(struct kunit *test)
{
	static const struct kma_known_pair expect[] = {
		{ &kma_table_summary, "bytes_net", -64 },
		{ &kma_table_summary, "bytes_freed", 64 },
		{ &kma_table_summary, "live_bytes", 0 },
		{ &kma_table_summary, "allocs", 0 },
		{ &kma_table_summary, "frag_pct", 0 },
	};

	kma_alloc_64(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_free(KMA_TEST_PTR);

	kma_expect_pairs(test, expect, ARRAY_SIZE(expect));
}

/* ---- stale entries ------------------------------------------------------------ */

static void kma_control_run_reset(struct work_struct *work)
{
	char reset[] = "reset";

	kma_control_run(reset);
}

static DECLARE_WORK(kma_control_reset_work, kma_control_run_reset);

/* Wait until @nr stale entries have been removed. */
static void kma_expect_swept(struct kunit *test, u64 nr)
{
	const unsigned long end = jiffies + 60 * HZ;

	while (kma_stat_now(page_freed) < nr && time_before(jiffies, end))
		usleep_range(100, 200);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), nr);
}

/*
 * A reset removes stale entries while another task has kma_lock.  An entry that becomes stale
 * after that is removed later, and every sum is exact.
 */
static void kma_control_reset_sweeps_without_the_lock(struct kunit *test)
{
	static const struct kma_known_pair expect[] = {
		{ &kma_table_stats, "page_freed", 1 },
		{ &kma_table_stats, "live_objs", 0 },
		{ &kma_table_summary, "live_objs", 0 },
		{ &kma_table_summary, "allocs", 0 },
		{ &kma_table_summary, "frees", 0 },
		{ &kma_table_summary, "bytes_net", 0 },
	};
	static const struct kma_row row = { .hits = 2, .bytes_req = 120, .repaired = 2 };
	struct kma_row sum;

	kma_leave_stale(KMA_TEST_PTR);
	kma_lock_take(KMA_LOCK_COMMAND);
	schedule_work(&kma_control_reset_work);
	kma_expect_swept(test, 1);
	kma_leave_stale(KMA_TEST_PTR + 64);
	kma_lock_release();
	flush_work(&kma_control_reset_work);

	kma_expect_table(test, NULL, 0, &kma_table_callers);
	kma_sitetab_sum(&kma_core.sites, 0, &sum);
	KUNIT_EXPECT_MEMEQ(test, &sum, &row, sizeof(sum));
	kma_expect_pairs(test, expect, ARRAY_SIZE(expect));
}

/* ---- the lock ---------------------------------------------------------------------- */

/* Hold the lock for at least @ms milliseconds. */
static void kma_lock_hold(enum kma_lock_holder holder, unsigned int ms)
{
	kma_lock_take(holder);
	msleep(ms);
	kma_lock_release();
}

static u64 kma_lock_held_us(enum kma_lock_holder holder)
{
	u64 us;

	kma_lock_take(KMA_LOCK_COMMAND);
	us = kma_lock_max_us(holder);
	kma_lock_release();
	return us;
}

/* ---- changes during a reset ------------------------------------------------------ */

static u64 kma_control_resets;
static bool kma_control_met;

/*
 * Take kma_lock again and again, until a reset has begun and not ended, and make a change then.  At
 * that time, the reset has forgotten how long the lock was held to start the module, and is not
 * counted in kma_identity.resets yet.
 */
static void kma_control_meet(struct work_struct *work)
{
	const unsigned long end = jiffies + 60 * HZ;

	while (!kma_control_met && time_before(jiffies, end)) {
		kma_lock_take(KMA_LOCK_COMMAND);
		if (kma_identity.resets == kma_control_resets &&
		    !kma_lock_max_us(KMA_LOCK_START)) {
			kma_control_met = true;
			kma_state_changed();
		}
		kma_lock_release();
		usleep_range(50, 100);
	}
}

static DECLARE_WORK(kma_control_meet_work, kma_control_meet);

/* A reset drops the lock now and then, and begins again after a change by another task. */
static void kma_control_reset_lets_others_make_changes(struct kunit *test)
{
	const struct kma_known_row expect = kma_known(KMA_TEST_LABEL, 64, 1, 0, 0);
	const unsigned long end = jiffies + 60 * HZ;

	kma_control_met = false;
	kma_alloc_64(KMA_TEST_PTR);
	kma_lock_hold(KMA_LOCK_START, 2);
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_control_resets = kma_identity.resets;
	kma_lock_release();
	schedule_work(&kma_control_meet_work);
	while (!READ_ONCE(kma_control_met) && time_before(jiffies, end)) {
		KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
		KUNIT_EXPECT_EQ(test, kma_identity.resets, kma_control_resets + 1);
		kma_lock_hold(KMA_LOCK_START, 2);
		kma_lock_take(KMA_LOCK_COMMAND);
		kma_control_resets = kma_identity.resets;
		kma_lock_release();
	}
	flush_work(&kma_control_meet_work);
	KUNIT_EXPECT_TRUE(test, kma_control_met);
	kma_expect_table(test, &expect, 1, &kma_table_callers);
}

/* ---- how long the lock is held ---------------------------------------------- */

/* `stats` shows for each purpose the longest time since the last reset. */
static void kma_control_reset_forgets_lock_times(struct kunit *test)
{
	static const char *const lines[KMA_LOCK_NR] = {
		"lock_max_us_start", "lock_max_us_command", "lock_max_us_reset",
		"lock_max_us_module", "lock_max_us_table", "lock_max_us_worker",
	};
	static const struct kma_known_pair after[] = {
		{ &kma_table_stats, "lock_max_us_start", 0 },
		{ &kma_table_stats, "lock_max_us_module", 0 },
		{ &kma_table_stats, "lock_max_us_worker", 0 },
	};
	const struct kma_snapshot *snap;
	u64 longest = 0;
	int i;

	kma_lock_hold(KMA_LOCK_MODULE, 5);
	kma_lock_hold(KMA_LOCK_WORKER, 20);
	kma_lock_hold(KMA_LOCK_WORKER, 1);
	snap = kma_table_open(test, &kma_table_stats);
	KUNIT_EXPECT_GE(test, kma_keyval_value(test, snap, "lock_max_us_module"), 5000);
	KUNIT_EXPECT_GE(test, kma_keyval_value(test, snap, "lock_max_us_worker"), 20000);
	for (i = 0; i < KMA_LOCK_NR; i++)
		longest = max(longest, kma_keyval_value(test, snap, lines[i]));
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, snap, "lock_max_us"), longest);

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_expect_pairs(test, after, ARRAY_SIZE(after));
	/* A reset waits for a grace period with the lock held, to empty countmaps. */
	KUNIT_EXPECT_GT(test, kma_lock_held_us(KMA_LOCK_RESET), 0);
}

/* The time for which the lock is held ends at a pause.  The purpose stays the same after it. */
static void kma_control_pauses_count_as_released(struct kunit *test)
{
	kma_lock_take(KMA_LOCK_TABLE);
	kma_lock_forget();
	msleep(20);
	KUNIT_EXPECT_EQ(test, kma_lock_max_us(KMA_LOCK_TABLE), 0);
	kma_lock_pause();
	KUNIT_EXPECT_GE(test, kma_lock_max_us(KMA_LOCK_TABLE), 20000);
	kma_lock_forget();
	msleep(20);
	kma_lock_release();
	KUNIT_EXPECT_GE(test, kma_lock_held_us(KMA_LOCK_TABLE), 20000);
}

static struct kunit_case kma_control_reset_cases[] = {
	KUNIT_CASE(kma_control_reset_subtracts),
	KUNIT_CASE(kma_control_reset_hides_what_has_ended),
	KUNIT_CASE(kma_control_reset_leaves_live_objects),
	KUNIT_CASE(kma_control_reset_restarts_stats),
	KUNIT_CASE(kma_control_reset_subtracts_samples),
	KUNIT_CASE(kma_control_reset_allows_less_than_nothing),
	KUNIT_CASE(kma_control_reset_sweeps_without_the_lock),
	KUNIT_CASE(kma_control_reset_lets_others_make_changes),
	KUNIT_CASE(kma_control_reset_forgets_lock_times),
	KUNIT_CASE(kma_control_pauses_count_as_released),
	{}
};

struct kunit_suite kma_control_reset_suite = {
	.name = "kmemacct_control_reset",
	.suite_init = kma_table_init_suite,
	.init = kma_control_init_test,
	.exit = kma_control_exit_test,
	.test_cases = kma_control_reset_cases,
};
