// SPDX-License-Identifier: GPL-2.0
/* Opening a table: everything except making its rows. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../module/resolve/namecache.h"
#include "table_util.h"

/* ---- sweeping ------------------------------------------------------------- */

/* Tables of objects, and no other tables, remove stale entries when they are opened. */
static void kma_open_sweeps_for_tables_of_objects(struct kunit *test)
{
	static const struct kma_table *const of_objects[] = {
		&kma_table_callers, &kma_table_allocs, &kma_table_caches,
		&kma_table_cache_sites, &kma_table_charges, &kma_table_stacks, &kma_table_summary,
		&kma_table_stats,
	};
	u64 swept = 0;
	int i, k;

	for (i = 0; i < kma_nr_tables; i++) {
		kma_leave_stale(KMA_TEST_PTR);
		for (k = 0; k < ARRAY_SIZE(of_objects); k++)
			swept += kma_tables[i] == of_objects[k];
		kma_table_open(test, kma_tables[i]);
		KUNIT_EXPECT_EQ_MSG(test, kma_stat_now(page_freed), swept, "%s",
				    kma_tables[i]->name);
		/* Remove what a table of another kind has left. */
		if (kma_objtab_count(&kma_core.obj)) {
			kma_state_sweep();
			swept++;
		}
	}
	KUNIT_EXPECT_EQ(test, swept, kma_nr_tables);
}

/* ---- changes while a table is opened ---------------------------------------- */

static int kma_open_tries;

static void kma_open_change(struct work_struct *work)
{
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_state_changed();
	kma_lock_release();
}

static DECLARE_WORK(kma_open_change_work, kma_open_change);

/* Make a row with the number of the try.  In the first try, pause until a work makes a change. */
static int kma_open_fill_until_changed(struct kma_snapshot *snap)
{
	const unsigned long end = jiffies + 60 * HZ;
	int ret = kma_snapshot_room(snap, 1);

	if (ret)
		return ret;
	*(int *)kma_snapshot_add(snap) = ++kma_open_tries;
	if (kma_open_tries > 1)
		return 0;
	schedule_work(&kma_open_change_work);
	while (!ret && time_before(jiffies, end))
		ret = kma_snapshot_pause(snap);
	return ret;
}

/* Make a row with the number of the try.  In each try, something changes. */
static int kma_open_fill_changing(struct kma_snapshot *snap)
{
	int i, ret = kma_snapshot_room(snap, 1);

	if (ret)
		return ret;
	*(int *)kma_snapshot_add(snap) = ++kma_open_tries;
	kma_state_changed();
	for (i = 0; !ret && i < 1000; i++)
		ret = kma_snapshot_pause(snap);
	return ret;
}

/* The try that made the only row of the snapshot. */
static int kma_open_try_of(struct kunit *test, const struct kma_table *table)
{
	const struct kma_snapshot *snap;

	kma_open_tries = 0;
	snap = kma_table_open(test, table);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, 1);
	return *(int *)snap->rows;
}

/* Another task gets kma_lock during a pause, and then the snapshot is begun again. */
static void kma_open_lets_others_make_changes(struct kunit *test)
{
	static const struct kma_table_ops ops = {
		.row_size = sizeof(int),
		.pages = true,
		.fill = kma_open_fill_until_changed,
	};
	static const struct kma_table table = { .name = "test", .ops = &ops };

	KUNIT_EXPECT_EQ(test, kma_open_try_of(test, &table), 2);
	flush_work(&kma_open_change_work);
}

/* If changes keep coming, the third try does not let them in. */
static void kma_open_ends_in_spite_of_changes(struct kunit *test)
{
	static const struct kma_table_ops ops = {
		.row_size = sizeof(int),
		.pages = true,
		.fill = kma_open_fill_changing,
	};
	static const struct kma_table table = { .name = "test", .ops = &ops };

	KUNIT_EXPECT_EQ(test, kma_open_try_of(test, &table), 3);
}

/* ---- long files ----------------------------------------------------------- */

enum { KMA_OPEN_ROWS = 1000 };

static struct task_struct *kma_open_other;
static bool kma_open_other_ran;
/* Rows that were printed while the other thread waited for the CPU. */
static int kma_open_rows_before;

static int kma_open_other_run(void *unused)
{
	WRITE_ONCE(kma_open_other_ran, true);
	return 0;
}

static int kma_open_fill_many(struct kma_snapshot *snap)
{
	int i, ret = kma_snapshot_room(snap, KMA_OPEN_ROWS);

	for (i = 0; !ret && i < KMA_OPEN_ROWS; i++)
		kma_snapshot_add(snap);
	return ret;
}

/* Print a row of two bytes.  Until the other thread has run, this takes a millisecond. */
static void kma_open_show_slowly(struct seq_file *seq, const struct kma_snapshot *snap,
				 const void *row)
{
	if (!kma_open_rows_before)
		wake_up_process(kma_open_other);
	if (!READ_ONCE(kma_open_other_ran)) {
		kma_open_rows_before++;
		mdelay(1);
	}
	seq_puts(seq, "x\n");
}

static const struct kma_table_ops kma_open_long_ops = {
	.row_size = 1,
	.pages = true,
	.fill = kma_open_fill_many,
	.show = kma_open_show_slowly,
};

static const struct kma_table kma_open_long = { .name = "test", .ops = &kma_open_long_ops };

/* To read at an offset, seq_file prints all rows before it.  Other threads run meanwhile. */
static void kma_open_seeks_with_pauses(struct kunit *test)
{
	struct file *file = kma_file_open(test, &kma_table_fops, &kma_open_long);
	char buf[2];

	kma_open_other_ran = false;
	kma_open_rows_before = 0;
	migrate_disable();
	kma_open_other = kthread_create_on_cpu(kma_open_other_run, NULL, raw_smp_processor_id(),
					       "kma_open/%u");
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, kma_open_other);
	if (!IS_ERR_OR_NULL(kma_open_other))
		KUNIT_EXPECT_EQ(test, kma_file_read(file, buf, 2, 2 * KMA_OPEN_ROWS), 2);
	migrate_enable();
	KUNIT_EXPECT_GT(test, kma_open_rows_before, 0);
	KUNIT_EXPECT_LT(test, kma_open_rows_before, KMA_OPEN_ROWS / 2);
}

static int kma_open_fill_forever(struct kma_snapshot *snap)
{
	int i, ret = kma_snapshot_room(snap, 1);

	for (i = 0; !ret && i < 1000; i++)
		ret = kma_snapshot_pause(snap);
	return ret;
}

/* If a process is killed, it stops opening or reading a table. */
static void kma_open_ends_when_killed(struct kunit *test)
{
	static const struct kma_table_ops ops = {
		.row_size = 1,
		.pages = true,
		.fill = kma_open_fill_forever,
	};
	static const struct kma_table table = { .name = "test", .ops = &ops };
	struct file *file = kma_file_open(test, &kma_table_fops, &kma_open_long);
	struct kma_snapshot *snap;
	ssize_t ret;
	char buf[2];

	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	snap = kma_snapshot_open(&table, 0);
	ret = kma_file_read(file, buf, 2, 2 * KMA_OPEN_ROWS);
	flush_signals(current);
	disallow_signal(SIGKILL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(snap), -EINTR);
	KUNIT_EXPECT_EQ(test, ret, -EINTR);
}

/* ---- names ---------------------------------------------------------------- */

static const char *kma_names_cached(unsigned long addr)
{
	return kma_namecache_find(addr) ?: "none";
}

/* A name is kept, and printed from then on without looking it up. */
static void kma_names_are_looked_up_once(struct kunit *test)
{
	static char buf[KMA_SYMBOL_LEN];

	kma_lock_take(KMA_LOCK_COMMAND);
	kma_namecache_start();
	KUNIT_EXPECT_STREQ(test, kma_names_cached(KMA_TEST_SITE), "none");
	kma_symbol_print(KMA_TEST_SITE, buf);
	KUNIT_EXPECT_STREQ(test, buf, "kfree+0x1");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(KMA_TEST_SITE), "kfree+0x1");
	kma_namecache_add(KMA_TEST_SITE + 1, "kept+0x1");
	kma_symbol_print(KMA_TEST_SITE + 1, buf);
	KUNIT_EXPECT_STREQ(test, buf, "kept+0x1");
	kma_lock_release();
}

/* An address without a symbol may get one later, without notice. */
static void kma_names_that_are_unknown_are_not_kept(struct kunit *test)
{
	static char buf[KMA_SYMBOL_LEN];

	kma_lock_take(KMA_LOCK_COMMAND);
	kma_namecache_start();
	kma_symbol_print(KMA_TEST_PTR, buf);
	KUNIT_EXPECT_STREQ(test, buf, "[unknown]");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(KMA_TEST_PTR), "none");
	kma_lock_release();
}

/* When a module goes, its names go, and no others; other code may get the same addresses. */
static void kma_names_go_with_their_module(struct kunit *test)
{
	const unsigned long here = (unsigned long)kma_names_go_with_their_module;

	kma_lock_take(KMA_LOCK_COMMAND);
	kma_namecache_start();
	kma_namecache_add(KMA_TEST_SITE, "kfree+0x1");
	kma_namecache_add(here, "before");
	kma_namecache_add(here + 1, "before+0x1");
	kma_symbol_change(THIS_MODULE, MODULE_STATE_GOING);
	KUNIT_EXPECT_STREQ(test, kma_names_cached(KMA_TEST_SITE), "kfree+0x1");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(here), "none");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(here + 1), "none");
	kma_namecache_add(here, "after");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(here), "after");
	KUNIT_EXPECT_STREQ(test, kma_names_cached(KMA_TEST_SITE), "kfree+0x1");
	kma_lock_release();
}

/* Add names for addresses from @first on, and check that each one is found just after. */
static void kma_names_add_many(struct kunit *test, unsigned long first, u32 nr, const char *name)
{
	u32 i, wrong = 0;

	for (i = 0; i < nr; i++) {
		kma_namecache_add(first + i, name);
		wrong += strcmp(kma_names_cached(first + i), name) != 0;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static u32 kma_names_count(unsigned long first, u32 nr)
{
	u32 i, found = 0;

	for (i = 0; i < nr; i++)
		found += !!kma_namecache_find(first + i);
	return found;
}

/* When all slots or all bytes are used, the cache begins anew. */
static void kma_names_begin_anew_when_full(struct kunit *test)
{
	const u32 nr = KMA_NAMECACHE_USED_MAX;
	char *text = kunit_kzalloc(test, KMA_SYMBOL_LEN, GFP_KERNEL);
	const u32 too_many = KMA_NAMECACHE_TEXT / KMA_SYMBOL_LEN + 1;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'a', KMA_SYMBOL_LEN - 1);
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_namecache_start();
	kma_names_add_many(test, KMA_TEST_PTR, nr, "slot");
	KUNIT_EXPECT_EQ(test, kma_names_count(KMA_TEST_PTR, nr), nr);
	kma_names_add_many(test, KMA_TEST_PTR + nr, 1, "slot");
	KUNIT_EXPECT_EQ(test, kma_names_count(KMA_TEST_PTR, nr + 1), 1);
	/* The last of these addresses finds no room for its text. */
	kma_names_add_many(test, KMA_TEST_SITE, too_many, text);
	KUNIT_EXPECT_EQ(test, kma_names_count(KMA_TEST_PTR, nr + 1), 0);
	KUNIT_EXPECT_EQ(test, kma_names_count(KMA_TEST_SITE, too_many), 1);
	kma_lock_release();
}

static struct kunit_case kma_report_open_cases[] = {
	KUNIT_CASE(kma_open_sweeps_for_tables_of_objects),
	KUNIT_CASE(kma_open_lets_others_make_changes),
	KUNIT_CASE(kma_open_ends_in_spite_of_changes),
	KUNIT_CASE(kma_open_seeks_with_pauses),
	KUNIT_CASE(kma_open_ends_when_killed),
	KUNIT_CASE(kma_names_are_looked_up_once),
	KUNIT_CASE(kma_names_that_are_unknown_are_not_kept),
	KUNIT_CASE(kma_names_go_with_their_module),
	KUNIT_CASE(kma_names_begin_anew_when_full),
	{}
};

struct kunit_suite kma_report_open_suite = {
	.name = "kmemacct_report_open",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_open_cases,
};
