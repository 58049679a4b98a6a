// SPDX-License-Identifier: GPL-2.0
/*
 * Recycling of rows of countmaps: rows of processes, cgroups, shrinkers and stalls.
 *
 * The rows are made up, and so are turns: a test calls kma_countmap_recycling_turn() itself.
 */
#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#include "../module/countmap_recycling.h"
#include "../module/countmaps.h"
#include "../module/resolve/shrinker.h"
#include "../module/trace/acct.h"
#include "../module/trace/phase.h"
#include "table_util.h"

#define KMA_TEST_MAPS								\
	(BIT(KMA_COUNTMAP_TASKS) | BIT(KMA_COUNTMAP_CGROUPS) |			\
	 BIT(KMA_COUNTMAP_SHRINKERS) | BIT(KMA_COUNTMAP_STALLS) |		\
	 BIT(KMA_COUNTMAP_COMM_SITES))

static int kma_countmap_test_init(struct kunit *test)
{
	int ret = kma_table_init_test(test);

	if (ret)
		return ret;
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_countmap_recycling_start();
	ret = kma_countmaps_begin(KMA_TEST_MAPS);
	WRITE_ONCE(kma_countmaps_on, true);
	kma_lock_release();
	if (ret)
		kma_table_exit_test(test);
	return ret;
}

static void kma_countmap_test_exit(struct kunit *test)
{
	kma_lock_take(KMA_LOCK_COMMAND);
	WRITE_ONCE(kma_countmaps_on, false);
	kma_countmaps_end(KMA_TEST_MAPS);
	kma_lock_release();
	kma_table_exit_test(test);
}

static void kma_turns(int nr)
{
	kma_lock_take(KMA_LOCK_COMMAND);
	while (nr--)
		kma_countmap_recycling_turn();
	kma_lock_release();
}

static struct kma_countmap *kma_map(enum kma_countmap_of of)
{
	struct kma_countmap *t;

	kma_lock_take(KMA_LOCK_COMMAND);
	t = kma_countmap_locked(of);
	kma_lock_release();
	return t;
}

/* Count @n for a key. */
static void kma_count_key(struct kma_countmap *t, u64 a, u64 b, u64 n)
{
	const struct kma_countmap_info info = { .key = { { a, b } } };

	kma_countmap_count(t, kma_countmap_get(t, &info), 0, n);
}

static u64 kma_sum_id(struct kma_countmap *t, u32 id)
{
	struct kma_countmap_sum sum = {};

	kma_countmap_sum(t, id, &sum);
	return sum.v[0];
}

/* Get the count of a key; @has is set to whether the key has a row. */
static u64 kma_sum_key(struct kma_countmap *t, u64 a, u64 b, bool *has)
{
	const struct kma_countmap_key key = { { a, b } };
	const u32 id = kma_countmap_find(t, &key);

	*has = id != KMA_COUNTMAP_OTHER;
	return *has ? kma_sum_id(t, id) : 0;
}

static u64 kma_sum_all(struct kma_countmap *t)
{
	u64 sum = 0;
	u32 id;

	for (id = 0; id < t->rows; id++)
		sum += kma_sum_id(t, id);
	return sum;
}

/* The rows before the reserve. */
static u32 kma_common(const struct kma_countmap *t)
{
	return t->rows - t->reserve;
}

/* ---- processes and cgroups -------------------------------------------------- */

static void kma_countmap_tasks_end(struct kunit *test)
{
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_TASKS);
	const u64 start = current->group_leader->start_boottime;
	u64 sum = 0, tgid;
	bool has;

	/*
	 * The first key is that of this process, and the second that of an earlier process with the
	 * same PID. No process has a PID from PID_MAX_LIMIT on.
	 */
	kma_count_key(t, current->tgid, start, 1);
	kma_count_key(t, current->tgid, start - 1, 10);
	kma_count_key(t, 0, 0, 100);
	kma_count_key(t, KMA_ACCT_INTERRUPT, 0, 1000);
	for (tgid = PID_MAX_LIMIT; kma_countmap_used(t) < kma_common(t); tgid++)
		kma_count_key(t, tgid, 1, tgid);
	sum = kma_sum_all(t);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, kma_sum_key(t, current->tgid, start, &has), 1);
	KUNIT_EXPECT_EQ(test, kma_sum_key(t, 0, 0, &has), 100);
	KUNIT_EXPECT_EQ(test, kma_sum_key(t, KMA_ACCT_INTERRUPT, 0, &has), 1000);
	KUNIT_EXPECT_EQ(test, kma_sum_key(t, KMA_ACCT_ENDED, 0, &has), sum - 1101);
	KUNIT_EXPECT_EQ(test, kma_countmap_used(t), 1 + 4);
	KUNIT_EXPECT_EQ(test, kma_sum_id(t, KMA_COUNTMAP_OTHER), 0);
	KUNIT_EXPECT_EQ(test, t->recycled, kma_common(t) - 4);
	KUNIT_EXPECT_EQ(test, kma_countmap_recycling_rows(), t->recycled);
	kma_count_key(t, PID_MAX_LIMIT + tgid, 1, 1);
	kma_sum_key(t, PID_MAX_LIMIT + tgid, 1, &has);
	KUNIT_EXPECT_TRUE(test, has);
}

static void kma_countmap_cgroups_are_removed(struct kunit *test)
{
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_CGROUPS);
	const u64 root = cgroup_id(&cgrp_dfl_root.cgrp);
	u64 id;
	bool has;

	kma_count_key(t, root, 0, 7);
	for (id = root + 1; kma_countmap_used(t) < kma_common(t); id++)
		kma_count_key(t, id, 0, 1);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, t->recycled, 0);
	kma_sum_key(t, root, 0, &has);
	KUNIT_EXPECT_TRUE(test, has);
	/* The next search comes eight turns after one that has found nothing. */
	kma_acct_cgroup_removed(&cgrp_dfl_root.cgrp);
	kma_turns(7);
	KUNIT_EXPECT_EQ(test, t->recycled, 0);
	for (id = root + 1; id < root + 10; id++)
		kma_count_key(t, id, 0, 1);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, kma_sum_key(t, KMA_ACCT_REMOVED, 0, &has), 7);
	kma_sum_key(t, root, 0, &has);
	KUNIT_EXPECT_FALSE(test, has);
	/* All other rows are idle: they leave until a quarter of all rows is free. */
	KUNIT_EXPECT_EQ(test, kma_countmap_used(t), kma_common(t) / 4 * 3 + 1);
	KUNIT_EXPECT_EQ(test, kma_sum_id(t, KMA_COUNTMAP_OTHER), t->recycled - 1);
	KUNIT_EXPECT_EQ(test, kma_sum_all(t), kma_common(t) - 2 + 7 + 9);
	for (id = root + 1; id < root + 10; id++)
		KUNIT_EXPECT_EQ(test, kma_sum_key(t, id, 0, &has), 2);
}

/* While nothing is recorded, rows stay as they are. */
static void kma_countmap_off_keeps_rows(struct kunit *test)
{
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_TASKS);
	u64 tgid;

	for (tgid = PID_MAX_LIMIT; kma_countmap_used(t) < kma_common(t); tgid++)
		kma_count_key(t, tgid, 1, 1);
	WRITE_ONCE(kma_countmaps_on, false);
	kma_turns(100);
	KUNIT_EXPECT_EQ(test, t->recycled, 0);
	WRITE_ONCE(kma_countmaps_on, true);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, t->recycled, kma_common(t) - 1);
}

/* As long as searches find nothing, they become rarer. */
static void kma_countmap_backs_off(struct kunit *test)
{
	static const int pauses[] = { 8, 16, 32, 64, 64 };
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_COMM_SITES);
	u64 key;
	u32 busy;
	int i, turn;

	for (key = 1; kma_countmap_used(t) < t->rows; key++)
		kma_count_key(t, key, 0, 1);
	kma_turns(1);
	for (i = 0; i < ARRAY_SIZE(pauses); i++) {
		/* All rows count something before the search, so it finds no idle one. */
		for (turn = 0; turn < pauses[i] - 1; turn++)
			kma_turns(1);
		for (key = 1; key < t->rows; key++)
			kma_count_key(t, key, 0, 1);
		busy = kma_countmap_used(t);
		kma_turns(1);
		KUNIT_EXPECT_EQ(test, kma_countmap_used(t), busy);
	}
	kma_turns(63);
	KUNIT_EXPECT_EQ(test, t->recycled, 0);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, t->recycled, t->rows / 4);
	KUNIT_EXPECT_EQ(test, kma_sum_all(t), 6 * (t->rows - 1));
	/* After a search that has recycled rows, the next one comes soon again. */
	for (; kma_countmap_used(t) < t->rows; key++)
		kma_count_key(t, key, 0, 1);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, t->recycled, 2 * (t->rows / 4));
}

/* ---- shrinkers and stalls ---------------------------------------------------- */

#define KMA_TEST_SHRINKERS	400

static unsigned long kma_test_scan(struct shrinker *s, struct shrink_control *sc)
{
	return 0;
}

static u64 kma_shrinker_ref(const struct shrinker *shrinker)
{
	u64 ref;

	rcu_read_lock();
	ref = kma_shrinker_get(shrinker);
	rcu_read_unlock();
	return ref;
}

static const char *kma_name_ref(struct kma_countmap *t, u64 ref)
{
	static char name[KMA_SYMBOL_LEN];

	kma_lock_take(KMA_LOCK_COMMAND);
	kma_shrinker_name(t, kma_countmap_deref(t, ref), name, sizeof(name));
	kma_lock_release();
	return name;
}

static u32 kma_stall_row(struct kma_countmap *t, u64 ref)
{
	const struct kma_countmap_info info = {
		.key = { {
			[KMA_STALL_SITE] = (unsigned long)kfree + 1,
			[KMA_STALL_WHAT] = (u64)KMA_PHASE_SHRINKER << 40,
			[KMA_STALL_DETAIL] = ref,
		} },
	};

	return kma_countmap_get_reserved(t, &info);
}

static void kma_countmap_shrinkers_go(struct kunit *test)
{
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_SHRINKERS);
	struct shrinker *s = kvcalloc(KMA_TEST_SHRINKERS, sizeof(*s), GFP_KERNEL);
	const u64 other = kma_stat_sum(KMA_STAT_countmap_other);
	const u32 common = kma_common(t);
	char first[KMA_SYMBOL_LEN];
	u64 ref = 0, last;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < KMA_TEST_SHRINKERS; i++) {
		s[i].scan_objects = kma_test_scan;
		last = kma_shrinker_ref(&s[i]);
		if (i == 1)
			ref = last;
		kma_countmap_add_to(t, kma_countmap_deref(t, last), KMA_SHRINKER_CALLS, 1);
		kma_countmap_raise(t, kma_countmap_deref(t, last), KMA_SHRINKER_MAX_NS, i);
	}
	/* One row of the reserve is in use, for all shrinkers that have no row of their own. */
	KUNIT_EXPECT_EQ(test, kma_countmap_used(t), common + 1);
	KUNIT_EXPECT_EQ(test, kma_stat_sum(KMA_STAT_countmap_other) - other,
			KMA_TEST_SHRINKERS - (common - 1));
	KUNIT_EXPECT_STREQ(test, kma_name_ref(t, last), "kma_test_scan [kmemacct_kunit] [other]");
	strscpy(first, kma_name_ref(t, ref), sizeof(first));
	KUNIT_EXPECT_TRUE(test, strstarts(first, "kma_test_scan [kmemacct_kunit] #"));
	kma_turns(8);
	KUNIT_EXPECT_EQ(test, t->recycled, 0);
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, t->recycled, common + 1 - common / 4 * 3);
	/* A reference to a row that has left leads to no other shrinker. */
	KUNIT_EXPECT_EQ(test, kma_countmap_deref(t, ref), KMA_COUNTMAP_OTHER);
	KUNIT_EXPECT_STREQ(test, kma_name_ref(t, ref), "[other]");
	for (i = 0; i < KMA_TEST_SHRINKERS; i++)
		KUNIT_EXPECT_STRNEQ(test, kma_name_ref(t, kma_shrinker_ref(&s[i])), first);
	KUNIT_EXPECT_EQ(test, kma_sum_all(t), KMA_TEST_SHRINKERS);
	kvfree(s);
}

static void kma_countmap_stalls_of_shrinkers_go(struct kunit *test)
{
	struct kma_countmap *t = kma_map(KMA_COUNTMAP_SHRINKERS);
	struct kma_countmap *stalls = kma_map(KMA_COUNTMAP_STALLS);
	struct shrinker *s = kvcalloc(2, sizeof(*s), GFP_KERNEL);
	struct kma_countmap_info info = {};
	u64 gone, lives;
	u32 row;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s[0].scan_objects = kma_test_scan;
	s[1].scan_objects = kma_test_scan;
	gone = kma_shrinker_ref(&s[0]);
	lives = kma_shrinker_ref(&s[1]);
	kma_countmap_add_to(stalls, kma_stall_row(stalls, gone), KMA_STALLED_COUNT, 5);
	kma_countmap_add_to(stalls, kma_stall_row(stalls, lives), KMA_STALLED_COUNT, 7);
	/* Rows of stalls run short, and the row of one shrinker is recycled. */
	for (info.key.word[KMA_STALL_SITE] = 1;
	     kma_countmap_used(stalls) < kma_common(stalls); info.key.word[KMA_STALL_SITE]++)
		kma_countmap_get(stalls, &info);
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_countmap_retire(t, kma_countmap_deref(t, gone), "what it was");
	KUNIT_EXPECT_EQ(test, kma_countmap_recycle_begin(t, &kma_shrinker_policy, false), 1);
	kma_env_wait_for_probes();
	kma_countmap_recycle_finish(t, &kma_shrinker_policy);
	kma_lock_release();
	kma_turns(1);
	KUNIT_EXPECT_EQ(test, stalls->recycled, 1);
	row = kma_stall_row(stalls, lives);
	KUNIT_EXPECT_EQ(test, kma_sum_id(stalls, row), 7);
	row = kma_stall_row(stalls, 0);
	KUNIT_EXPECT_EQ(test, kma_sum_id(stalls, row), 5);
	kvfree(s);
}

static struct kunit_case kma_countmap_cases[] = {
	KUNIT_CASE(kma_countmap_tasks_end),
	KUNIT_CASE(kma_countmap_cgroups_are_removed),
	KUNIT_CASE(kma_countmap_off_keeps_rows),
	KUNIT_CASE(kma_countmap_backs_off),
	KUNIT_CASE(kma_countmap_shrinkers_go),
	KUNIT_CASE(kma_countmap_stalls_of_shrinkers_go),
	{}
};

struct kunit_suite kma_countmap_suite = {
	.name = "kmemacct_countmap",
	.suite_init = kma_table_init_suite,
	.init = kma_countmap_test_init,
	.exit = kma_countmap_test_exit,
	.test_cases = kma_countmap_cases,
};
