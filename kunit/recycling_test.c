// SPDX-License-Identifier: GPL-2.0
/* Turns of the module's worker: when it searches for rows to recycle. */
#include "table_util.h"

static int kma_recycling_init_test(struct kunit *test)
{
	int ret = kma_control_init_test(test);

	if (!ret)
		kma_recycling_start();
	return ret;
}

/* Pretend that all rows that may have a stack are in use, or that no row is. */
static void kma_rows_run_short(bool are_short)
{
	struct kma_sitetab *t = &kma_core.sites;

	atomic_set(&t->stacks, are_short ? kma_sitetab_stacks_max(t) : 0);
}

/* Run a turn.  Return: whether the module then sweeps, because the next turn searches for rows. */
static bool kma_turn(void)
{
	u64 before, swept;

	kma_lock_take(KMA_LOCK_WORKER);
	kma_recycling_turn();
	kma_lock_release();
	kma_leave_stale(KMA_TEST_PTR);
	before = kma_stat_now(page_freed);
	kma_recycling_sweep();
	swept = kma_stat_now(page_freed) - before;
	kma_state_sweep();
	return swept;
}

static void kma_looks_when_rows_run_short(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, kma_turn());
	kma_rows_run_short(true);
	KUNIT_EXPECT_TRUE(test, kma_turn());
	KUNIT_EXPECT_FALSE(test, kma_turn());
}

/* Once rows are free again, the live table is not swept any more. */
static void kma_looks_no_more_when_rows_are_free(struct kunit *test)
{
	int i;

	kma_rows_run_short(true);
	KUNIT_EXPECT_TRUE(test, kma_turn());
	kma_rows_run_short(false);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_FALSE(test, kma_turn());
	kma_rows_run_short(true);
	KUNIT_EXPECT_TRUE(test, kma_turn());
}

/* After each search that recycles nothing, twice as many turns pass before the next one. */
static void kma_looks_less_often_in_vain(struct kunit *test)
{
	static const int looks[] = { 0, 17, 50, 115 };
	int i, found = 0;

	kma_rows_run_short(true);
	for (i = 0; i < 120; i++) {
		if (!kma_turn())
			continue;
		KUNIT_ASSERT_LT(test, found, ARRAY_SIZE(looks));
		KUNIT_EXPECT_EQ(test, i, looks[found++]);
	}
	KUNIT_EXPECT_EQ(test, found, ARRAY_SIZE(looks));
	/* If rows run short anew, the next turn searches at once. */
	kma_rows_run_short(false);
	KUNIT_EXPECT_FALSE(test, kma_turn());
	kma_rows_run_short(true);
	KUNIT_EXPECT_TRUE(test, kma_turn());
}

static struct kunit_case kma_recycling_cases[] = {
	KUNIT_CASE(kma_looks_when_rows_run_short),
	KUNIT_CASE(kma_looks_no_more_when_rows_are_free),
	KUNIT_CASE(kma_looks_less_often_in_vain),
	{}
};

struct kunit_suite kma_recycling_suite = {
	.name = "kmemacct_recycling",
	.init = kma_recycling_init_test,
	.exit = kma_control_exit_test,
	.test_cases = kma_recycling_cases,
};
