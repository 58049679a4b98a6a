// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the values that the record path gets from the kernel: time, process, CPU, node and stack of
 * an event. tools/test/core tests the record path itself.
 */
#include <linux/irq_work.h>
#include <linux/sched.h>

#include "table_util.h"

/* Take the entry of an object, and check who allocated it and when. */
static void kma_expect_taken(struct kunit *test, unsigned long ptr, u32 tgid, u32 before)
{
	struct kma_entry e = {};

	KUNIT_EXPECT_TRUE(test, kma_objtab_take(&kma_core.obj, ptr, &e));
	KUNIT_EXPECT_EQ(test, e.bytes_req, 60);
	KUNIT_EXPECT_EQ(test, e.row, 0);
	KUNIT_EXPECT_EQ(test, kma_entry_tgid(&e), tgid);
	KUNIT_EXPECT_EQ(test, e.cpu, raw_smp_processor_id());
	/* Any time between the two readings of the clock is right. */
	KUNIT_EXPECT_EQ(test, e.time, clamp(e.time, before, kma_env_now()));
}

static void kma_alloc_in_irq(struct irq_work *work)
{
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
}

static void kma_record_notes_who_and_when(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(kma_alloc_in_irq);
	const u32 before = kma_env_now();

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_expect_taken(test, KMA_TEST_PTR, current->tgid, before);
	/* An interrupt has no process. */
	irq_work_queue(&work);
	irq_work_sync(&work);
	kma_expect_taken(test, KMA_TEST_PTR, 0, before);
	migrate_enable();
}

/* Three objects of 64 bytes; the sample point is in the third. */
static void kma_record_samples_what_has_a_point(struct kunit *test)
{
	const u32 before = kma_env_now();
	const struct kma_site_info *info;
	struct kma_event ev;
	int i;

	migrate_disable();
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 64 + 64 + 10, KMA_SHIFT_MIN);
	for (i = 0; i < 3; i++) {
		ev = kma_test_event(KMA_TEST_PTR, KMA_TEST_PTR + 64 * i, 64, 60);
		kma_sample(&ev);
	}
	KUNIT_EXPECT_EQ(test, kma_stat_now(alloc_unsampled), 2);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_core.obj), 1);
	kma_expect_taken(test, KMA_TEST_PTR + 128, current->tgid, before);
	migrate_enable();

	info = kma_sitetab_info(&kma_core.sites, 0);
	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_EXPECT_EQ(test, info->site, KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, info->state, KMA_SITE_LIVE);
	/* The shift of this sample point, not of the next. */
	KUNIT_EXPECT_EQ(test, info->shift, KMA_SHIFT_MIN);
	/* The site is made up, so unwinding does not find it on the stack. */
	KUNIT_EXPECT_EQ(test, info->nr_frames, 0);
}

/* As perf kmem defines it: the event requested a node that is not the CPU's own. */
static void kma_record_counts_cross_node(struct kunit *test)
{
	static const struct kma_row expect = { .hits = 3, .bytes_req = 180, .cross_node = 1 };
	struct kma_event ev;
	struct kma_row sum;
	int i;

	migrate_disable();
	for (i = 0; i < 3; i++) {
		ev = kma_test_event(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64, 60);
		ev.node = i ? numa_node_id() + i - 1 : NUMA_NO_NODE;
		kma_record(&ev);
	}
	migrate_enable();
	kma_sitetab_sum(&kma_core.sites, 0, &sum);
	KUNIT_EXPECT_MEMEQ(test, &sum, &expect, sizeof(sum));
}

static void kma_env_ages_are_milliseconds(struct kunit *test)
{
	const u32 unit_ms = (MSEC_PER_SEC << KMA_TIME_SHIFT) / HZ;
	const struct {
		u32 now, then;
		u64 age_ms;
	} known[] = {
		{ 7, 7, 0 },
		{ 107, 7, 100 * unit_ms },
		/* the clock has wrapped */
		{ 5, U32_MAX - 4, 10 * unit_ms },
		/* the longest time */
		{ U32_MAX, 0, (u64)U32_MAX * unit_ms },
	};
	int i;

	KUNIT_EXPECT_GE(test, unit_ms, 10);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ_MSG(test, kma_env_age_ms(known[i].now, known[i].then),
				    known[i].age_ms, "from %u to %u", known[i].then,
				    known[i].now);
}

static struct kunit_case kma_record_cases[] = {
	KUNIT_CASE(kma_record_notes_who_and_when),
	KUNIT_CASE(kma_record_samples_what_has_a_point),
	KUNIT_CASE(kma_record_counts_cross_node),
	KUNIT_CASE(kma_env_ages_are_milliseconds),
	{}
};

struct kunit_suite kma_record_suite = {
	.name = "kmemacct_record",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_record_cases,
};
