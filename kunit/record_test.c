// SPDX-License-Identifier: GPL-2.0
/* The record path: allocations and frees, one after the other. */
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "record_util.h"

/* ---- objects that are allocated and freed --------------------------------- */

static void kma_record_counts_an_allocation(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = { { KMA_TEST_SITE, 64, { .hits = 1, .bytes_req = 60 } } },
		.live = 1,
	};

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);

	kma_expect_outcome(test, &expect);
}

static void kma_record_counts_a_free(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64, { .hits = 2, .bytes_req = 120, .frees = 1 } },
		},
		.live = 1,
	};

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

static void kma_record_counts_an_unknown_free(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.stat = { [KMA_STAT_free_unmatched] = 1 },
	};

	kma_free(KMA_TEST_PTR);

	kma_expect_outcome(test, &expect);
}

static void kma_record_counts_a_second_free_as_unknown(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64, { .hits = 1, .bytes_req = 60, .frees = 1 } },
		},
		.stat = { [KMA_STAT_free_unmatched] = 1 },
	};

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

/* An address is allocated again, so the free of the first object was not seen. */
static void kma_record_repairs_a_free_that_was_not_seen(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 1, .bytes_req = 60, .repaired = 1 } },
			{ KMA_TEST_SITE + 16, 32,
			  { .hits = 1, .bytes_req = 28, .frees = 1 } },
		},
		.stat = { [KMA_STAT_replaced] = 1 },
	};

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 32);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

/*
 * Objects that find no room in the live table are counted, and their frees are unmatched.
 * Nothing else is lost.  Their number depends on the addresses of the other objects.
 */
static void kma_record_counts_what_found_no_room(struct kunit *test)
{
	const u32 slots = kma_objtab_buckets(&kma_c->obj) * KMA_SLOTS;
	struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 2 * slots, .bytes_req = 2 * slots * 60 } },
		},
	};
	struct kma_row *row = &expect.rows[0].row;
	u32 i;

	migrate_disable();
	for (i = 0; i < 2 * slots; i++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	row->no_entry = kma_stat_now(dropped_live_full);
	expect.live = row->hits - row->no_entry;
	expect.stat[KMA_STAT_dropped_live_full] = row->no_entry;
	KUNIT_EXPECT_GE(test, row->no_entry, slots);
	kma_expect_outcome(test, &expect);

	for (i = 0; i < 2 * slots; i++)
		kma_free(KMA_TEST_PTR + 64 * i);
	migrate_enable();
	row->frees = expect.live;
	expect.live = 0;
	expect.stat[KMA_STAT_free_unmatched] = row->no_entry;
	kma_expect_outcome(test, &expect);
}

/* ---- objects of bulk allocations ------------------------------------------ */

static void kma_record_counts_bulk_objects(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 1, .bytes_req = 60, .frees = 2, .bulk = 3 } },
		},
		.live = 2,
	};
	int i;

	migrate_disable();
	for (i = 0; i < 3; i++)
		kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64 * i);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

/* The address of a bulk object is allocated again without a free seen, and vice versa. */
static void kma_record_repairs_bulk_objects(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64, { .bulk = 1, .repaired = 1 } },
			{ KMA_TEST_SITE + 16, 64,
			  { .hits = 1, .bytes_req = 60, .repaired = 1 } },
			{ KMA_TEST_SITE + 32, 64, { .bulk = 1 } },
		},
		.live = 1,
		.stat = { [KMA_STAT_replaced] = 2 },
	};

	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 64);
	kma_bulk(KMA_TEST_SITE + 32, KMA_TEST_PTR, 64);

	kma_expect_outcome(test, &expect);
}

/* All rows are in use, so two objects count in the row [other] of their cache. */
static void kma_record_counts_bulk_objects_without_a_row(struct kunit *test)
{
	const struct kma_row expect = { .bulk = 2, .frees = 1 };
	static const u64 expect_stat[KMA_STAT_NR] = { [KMA_STAT_other_sites] = 2 };
	const u32 other = kma_c->sites.sites_max;
	int i;

	migrate_disable();
	for (i = 1; i <= KMA_PAIRS_MAX(KMA_SITES_MIN); i++)
		kma_alloc(KMA_TEST_SITE + 16 * i, KMA_TEST_PTR + 64 * i, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row_sum(test, &expect, &kma_c->sites,
			   other + kma_cachetab_get(&kma_c->sites.caches, 64));
	kma_expect_stats(test, expect_stat);
	kma_expect_invariant(test);
}

static void kma_record_counts_bulk_objects_without_room(struct kunit *test)
{
	const u32 slots = kma_objtab_buckets(&kma_c->obj) * KMA_SLOTS;
	struct kma_outcome expect = {
		.rows = { { KMA_TEST_SITE, 64, { .bulk = 2 * slots } } },
	};
	struct kma_row *row = &expect.rows[0].row;
	u32 i;

	for (i = 0; i < 2 * slots; i++)
		kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);

	row->no_entry = kma_stat_now(dropped_live_full);
	expect.live = row->bulk - row->no_entry;
	expect.stat[KMA_STAT_dropped_live_full] = row->no_entry;
	KUNIT_EXPECT_GE(test, row->no_entry, slots);
	kma_expect_outcome(test, &expect);
}

/* ---- samples -------------------------------------------------------------- */

static void kma_alloc_sampled(unsigned long ptr, u32 size)
{
	const struct kma_event ev = {
		.site = KMA_TEST_SITE,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = size - 4,
		.node = NUMA_NO_NODE,
	};

	kma_fake_sampled(kma_c, &ev);
}

static void kma_free_sampled(unsigned long ptr)
{
	preempt_disable();
	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(kma_c, ptr);
	preempt_enable();
}

/* Three objects of 64 bytes; the sample point is in the third. */
static void kma_record_samples_what_has_a_point(struct kunit *test)
{
	static const u64 expect_stat[KMA_STAT_NR] = { [KMA_STAT_alloc_unsampled] = 2 };
	const struct kma_site_info expect_site = {
		.site = KMA_TEST_SITE,
		.state = KMA_SITE_LIVE,
		/* The shift of this sample point, not of the next. */
		.shift = KMA_SHIFT_MIN,
		/* The site is made up, so unwinding does not find it on the stack. */
		.nr_frames = 0,
	};
	struct kma_entry e, expect = { .bytes_req = 60, .tgid = current->tgid };
	int i;

	migrate_disable();
	expect.cpu = raw_smp_processor_id();
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 64 + 64 + 10, KMA_SHIFT_MIN);
	for (i = 0; i < 3; i++)
		kma_alloc_sampled(KMA_TEST_PTR + 64 * i, 64);
	migrate_enable();

	kma_expect_stats(test, expect_stat);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 1);
	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR + 128, &e));
	/* kma_record_notes_who_and_when() tests the time. */
	expect.time = e.time;
	kma_expect_entry(test, &expect, &e);
	KUNIT_ASSERT_NOT_NULL(test, kma_sitetab_info(&kma_c->sites, e.row));
	kma_expect_site_info(test, &expect_site, kma_sitetab_info(&kma_c->sites, e.row));
}

/* A sample point in an event that is not counted is lost. */
static void kma_record_samples_no_inner_event(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.stat = {
			[KMA_STAT_alloc_unsampled] = 1,
			[KMA_STAT_double_fired] = 1,
		},
	};

	kma_c->sites.internal[0] = KMA_TEST_SITE;
	kma_c->sites.nr_internal = 1;
	migrate_disable();
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 100, KMA_SHIFT_MIN);
	kma_alloc_sampled(KMA_TEST_PTR, 64);
	kma_alloc_sampled(KMA_TEST_PTR, 64);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

/*
 * The livefilter passes the frees of objects that were recorded before sampling began, and
 * of samples, but not of other objects.
 */
static void kma_record_follows_frees_while_sampling(struct kunit *test)
{
	const struct kma_row expect = { .hits = 1, .bytes_req = 60, .frees = 1 };
	static const u64 expect_stat[KMA_STAT_NR] = { [KMA_STAT_free_unmatched] = 3 };
	const unsigned long before = KMA_TEST_PTR, sampled = before + KMA_LIVEFILTER_STEP,
			    unknown = sampled + KMA_LIVEFILTER_STEP;

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, before, 64);
	kma_record_livefilter_start(kma_c);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 0, KMA_SHIFT_MIN);
	kma_alloc_sampled(sampled, 64);
	KUNIT_EXPECT_TRUE(test, kma_livefilter_has(&kma_c->livefilter, before));
	KUNIT_EXPECT_TRUE(test, kma_livefilter_has(&kma_c->livefilter, sampled));
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(&kma_c->livefilter, unknown));

	kma_free_sampled(before);
	kma_free_sampled(sampled);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 0);
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(&kma_c->livefilter, before));
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(&kma_c->livefilter, sampled));
	kma_free_sampled(before);
	kma_free_sampled(sampled);
	kma_free_sampled(unknown);
	migrate_enable();

	kma_expect_stats(test, expect_stat);
	kma_expect_row_sum(test, &expect, &kma_c->sites, kma_row_id(KMA_TEST_SITE, 64));
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
	kma_expect_invariant(test);
}

/* ---- events that are not hits --------------------------------------------- */

static void kma_record_counts_a_cache_without_a_number(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 8 * (KMA_CACHES_MAX + 1),
			  { .hits = 1, .bytes_req = 8 * (KMA_CACHES_MAX + 1) - 4 } },
		},
		.live = 1,
		.stat = { [KMA_STAT_other_caches] = 1 },
	};
	u32 i;

	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_cachetab_get(&kma_c->sites.caches, 8 * (i + 1));
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 8 * (KMA_CACHES_MAX + 1));

	kma_expect_outcome(test, &expect);
}

static void kma_record_moves_a_double_fired_object_to_the_outer_site(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE + 16, 16384,
			  { .hits = 1, .bytes_req = 16380, .frees = 1 } },
		},
		.stat = { [KMA_STAT_double_fired] = 1 },
	};

	kma_c->sites.internal[0] = KMA_TEST_SITE;
	kma_c->sites.nr_internal = 1;
	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 16384);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 16384);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

/* ---- where and when an object was allocated ------------------------------- */

/* As perf kmem defines it: the event requested a node that is not the CPU's own. */
static void kma_record_counts_cross_node(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 3, .bytes_req = 180, .cross_node = 1 } },
		},
		.live = 3,
	};

	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR, 64, NUMA_NO_NODE);
	migrate_disable();
	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64, numa_node_id());
	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR + 128, 64, numa_node_id() + 1);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

static void kma_free_here(void *unused)
{
	kma_free(KMA_TEST_PTR);
}

static void kma_record_counts_pingpong(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 2, .bytes_req = 120, .frees = 2, .pingpong = 1 } },
		},
	};
	int other;

	migrate_disable();
	other = kma_other_cpu(test);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(other, kma_free_here, NULL, 1), 0);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_outcome(test, &expect);
}

static void kma_record_notes_who_and_when(struct kunit *test)
{
	struct kma_entry e, expect = { .bytes_req = 60, .tgid = current->tgid };
	u32 before = kma_env_now();

	migrate_disable();
	expect.cpu = raw_smp_processor_id();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	migrate_enable();

	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR, &e));
	expect.row = kma_row_id(KMA_TEST_SITE, 64);
	/* Any time between the two readings of the clock is right. */
	expect.time = clamp(e.time, before, kma_env_now());
	kma_expect_entry(test, &expect, &e);
}

static void kma_alloc_in_irq(struct irq_work *work)
{
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
}

static void kma_record_blames_no_process_for_an_interrupt(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(kma_alloc_in_irq);
	struct kma_entry e, expect = { .bytes_req = 60, .tgid = 0 };

	migrate_disable();
	expect.cpu = raw_smp_processor_id();
	irq_work_queue(&work);
	irq_work_sync(&work);
	migrate_enable();

	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR, &e));
	expect.row = kma_row_id(KMA_TEST_SITE, 64);
	expect.time = e.time;
	kma_expect_entry(test, &expect, &e);
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
	KUNIT_CASE(kma_record_counts_an_allocation),
	KUNIT_CASE(kma_record_counts_a_free),
	KUNIT_CASE(kma_record_counts_an_unknown_free),
	KUNIT_CASE(kma_record_counts_a_second_free_as_unknown),
	KUNIT_CASE(kma_record_repairs_a_free_that_was_not_seen),
	KUNIT_CASE(kma_record_counts_what_found_no_room),
	KUNIT_CASE(kma_record_counts_bulk_objects),
	KUNIT_CASE(kma_record_repairs_bulk_objects),
	KUNIT_CASE(kma_record_counts_bulk_objects_without_a_row),
	KUNIT_CASE(kma_record_counts_bulk_objects_without_room),
	KUNIT_CASE(kma_record_samples_what_has_a_point),
	KUNIT_CASE(kma_record_samples_no_inner_event),
	KUNIT_CASE(kma_record_follows_frees_while_sampling),
	KUNIT_CASE(kma_record_counts_a_cache_without_a_number),
	KUNIT_CASE(kma_record_moves_a_double_fired_object_to_the_outer_site),
	KUNIT_CASE(kma_record_counts_cross_node),
	KUNIT_CASE(kma_record_counts_pingpong),
	KUNIT_CASE(kma_record_notes_who_and_when),
	KUNIT_CASE(kma_record_blames_no_process_for_an_interrupt),
	KUNIT_CASE(kma_env_ages_are_milliseconds),
	{}
};

struct kunit_suite kma_record_suite = {
	.name = "kmemacct_record",
	.init = kma_record_init_test,
	.exit = kma_record_exit_test,
	.test_cases = kma_record_cases,
};
