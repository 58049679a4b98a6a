// SPDX-License-Identifier: GPL-2.0
/* What opening a table does, apart from making its rows. */
#include "table_util.h"

/* ---- sweeping ------------------------------------------------------------- */

/* Record an object, and free its page without an event that the object was freed. */
static void kma_open_leave_stale(void)
{
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_record_pages_free(&kma_core, KMA_TEST_PTR, 0);
}

/* Tables of objects, and no other tables, remove stale entries when they are opened. */
static void kma_open_sweeps_for_tables_of_objects(struct kunit *test)
{
	static struct kma_table *const of_objects[] = {
		&kma_table_callers, &kma_table_allocs, &kma_table_caches,
		&kma_table_stacks, &kma_table_summary, &kma_table_stats,
	};
	u64 swept = 0;
	int i, k;

	for (i = 0; i < kma_nr_tables; i++) {
		kma_open_leave_stale();
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

static struct kunit_case kma_report_open_cases[] = {
	KUNIT_CASE(kma_open_sweeps_for_tables_of_objects),
	{}
};

struct kunit_suite kma_report_open_suite = {
	.name = "kmemacct_report_open",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_open_cases,
};
