// SPDX-License-Identifier: GPL-2.0
/* Marks of the history, and changes in tables.  Tests move its beginning into the past. */
#include <linux/slab.h>

#include "../module/marks.h"
#include "table_util.h"

/* The label of KMA_TEST_SITE. */
#define KMA_TEST_LABEL	"kfree+0x1"
#define KMA_TEST_BYTES	4096

static int kma_marks_init_test(struct kunit *test)
{
	int ret = kma_control_init_test(test);

	return ret ?: kma_marks_start();
}

static void kma_marks_exit_test(struct kunit *test)
{
	kma_marks_stop();
	kma_control_exit_test(test);
}

/* Let time pass, with the turns of the worker that set marks. */
static void kma_pass(u32 seconds)
{
	for (; seconds; seconds -= 10) {
		kma_marks_began -= 10;
		kma_marks_sweep();
		kma_lock_take(KMA_LOCK_WORKER);
		kma_marks_turn();
		kma_lock_release();
	}
}

static void kma_alloc_some(u32 first, u32 nr)
{
	for (; nr; nr--, first++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + KMA_TEST_BYTES * first, KMA_TEST_BYTES,
			  KMA_TEST_BYTES);
}

static void kma_free_some(u32 first, u32 nr)
{
	for (; nr; nr--, first++)
		kma_free(KMA_TEST_PTR + KMA_TEST_BYTES * first);
}

/* Check the change of a row of `callers` in a window, in objects of KMA_TEST_BYTES. */
static void kma_expect_change(struct kunit *test, const char *label, const char *column, s64 objs)
{
	const struct kma_snapshot *snap = kma_table_open(test, &kma_table_callers);
	const struct kma_site_counts *row = kma_row_labelled(snap, label);
	const int at = kma_table_column(snap->table, column);

	KUNIT_ASSERT_NOT_NULL_MSG(test, row, "no row %s", label);
	KUNIT_EXPECT_EQ_MSG(test, (s64)kma_rows_site_value(snap, row, at),
			    objs == KMA_UNKNOWN ? KMA_UNKNOWN : objs * KMA_TEST_BYTES,
			    "%s of %s", column, label);
}

static void kma_marks_tell_changes(struct kunit *test)
{
	kma_alloc_some(0, 16);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", KMA_UNKNOWN);
	kma_pass(60);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", 16);
	kma_pass(60);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", 0);
	kma_free_some(0, 5);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", -5);
	kma_expect_change(test, KMA_TEST_LABEL, "change_10m", KMA_UNKNOWN);
	kma_pass(480);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", 0);
	kma_expect_change(test, KMA_TEST_LABEL, "change_10m", 11);
	kma_expect_change(test, KMA_TEST_LABEL, "change_10m_se", 0);
	kma_pass(60);
	kma_expect_change(test, KMA_TEST_LABEL, "change_10m", -5);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1h", KMA_UNKNOWN);
	kma_pass(3600);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1h", 0);
}

/* A reset does not change what is live, and so no change of it. */
static void kma_marks_stay_at_a_reset(struct kunit *test)
{
	kma_alloc_some(0, 16);
	kma_pass(60);
	kma_free_some(0, 16);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	kma_pass(10);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", -16);
	kma_alloc_some(0, 1);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", -15);
	kma_pass(50);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", -15);
}

/* Objects of stale entries do not count as live at a mark. */
static void kma_marks_sweep_stale_entries(struct kunit *test)
{
	u32 i;

	/* Together, these take one of the KiB in which the history counts. */
	for (i = 0; i < 16; i++)
		kma_leave_stale(KMA_TEST_PTR + PAGE_SIZE * i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), 0);
	kma_pass(10);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), 16);
	kma_pass(60);
	kma_expect_change(test, KMA_TEST_LABEL, "change_1m", 0);
}

/* The history of a row that is recycled becomes that of [other], and the row can be empty. */
static void kma_marks_keep_what_leaves(struct kunit *test)
{
	kma_alloc_some(0, 16);
	kma_pass(60);
	kma_free_some(0, 16);
	kma_sitetab_retire(&kma_core.sites, 0);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "reset"), 0);
	KUNIT_EXPECT_NULL(test, kma_sitetab_info(&kma_core.sites, 0));
	kma_pass(50);
	kma_expect_change(test, "[other]", "change_1m", -16);
	kma_pass(60);
	/* Then nothing of it is left to show. */
	KUNIT_EXPECT_EQ(test, kma_table_open(test, &kma_table_callers)->nr_rows, 0);
}

#define KMA_TEST_PAIR	"kmalloc-4k;" KMA_TEST_LABEL "\n"

static void kma_expect_history(struct kunit *test, const char *rows)
{
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, kma_table_open(test, &kma_table_history)),
			   rows);
}

static void kma_marks_are_listed(struct kunit *test)
{
	kma_expect_history(test, "");
	kma_alloc_some(0, 16);
	kma_pass(10);
	kma_expect_history(test, "64 0,64 0 0 0 0,0 0 0 " KMA_TEST_PAIR);
	kma_free_some(0, 4);
	kma_pass(50);
	kma_expect_history(test, "48 0,64,48,48,48,48,48 0,48 0 0 0,0,0,0,0,0,0 0,0 0 "
			   KMA_TEST_PAIR);
	/* It has changed, so that it has more than the last 8 marks. */
	kma_pass(40);
	kma_expect_history(test,
			   "48 0,64,48,48,48,48,48,48,48,48,48 0,48 0 0 0,0,0,0,0,0,0,0,0,0,0 0,0 0 "
			   KMA_TEST_PAIR);
}

/* Check a column of the newest mark of a series. */
static void kma_expect_mark(struct kunit *test, u64 series_s, const char *column, u64 value)
{
	const struct kma_snapshot *snap = kma_table_open(test, &kma_table_marks);
	const int series = kma_table_column(snap->table, "series_s");
	const int at = kma_table_column(snap->table, column);
	const struct kma_table_ops *ops = snap->table->ops;
	const char *row = snap->rows;
	size_t i;

	for (i = 0; i < snap->nr_rows; i++, row += ops->row_size) {
		if (ops->value(snap, row, series) != series_s)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ops->value(snap, row, at), value, "%s", column);
		return;
	}
	KUNIT_FAIL(test, "no mark of %llu s", series_s);
}

static void kma_marks_of_the_machine(struct kunit *test)
{
	kma_pass(60);
	/* Pages are not tracked. */
	kma_expect_mark(test, 10, "unmovable_kb", KMA_NO_ID);
	kma_expect_mark(test, 60, "failed", 0);
	kma_expect_mark(test, 3600, "stalled_us", KMA_NO_ID);
	KUNIT_EXPECT_EQ(test, kma_table_open(test, &kma_table_marks)->nr_rows, 7 + 2 + 1);
	kma_pass(7200);
	KUNIT_EXPECT_EQ(test, kma_table_open(test, &kma_table_marks)->nr_rows, 60 + 60 + 3);
}

static struct kunit_case kma_marks_cases[] = {
	KUNIT_CASE(kma_marks_tell_changes),
	KUNIT_CASE(kma_marks_stay_at_a_reset),
	KUNIT_CASE(kma_marks_sweep_stale_entries),
	KUNIT_CASE(kma_marks_keep_what_leaves),
	KUNIT_CASE(kma_marks_are_listed),
	KUNIT_CASE(kma_marks_of_the_machine),
	{}
};

struct kunit_suite kma_marks_suite = {
	.name = "kmemacct_marks",
	.suite_init = kma_table_init_suite,
	.init = kma_marks_init_test,
	.exit = kma_marks_exit_test,
	.test_cases = kma_marks_cases,
};
