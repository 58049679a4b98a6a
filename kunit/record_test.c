// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path on tables of its own: events are made up, and so are the
 * objects, the sites and the caches, which are sizes of kmalloc.
 */
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "util.h"

#define KMA_TEST_SITE	0xffffffff81234560UL
#define KMA_TEST_PTR	0xffff888001230000UL

static struct kma_core kma_tables_of_test;
#define kma_c (&kma_tables_of_test)

/* ---- helpers -------------------------------------------------------------- */

static void kma_alloc_node(unsigned long site, unsigned long ptr, u32 size, int node)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = size - 4,
		.node = node,
	};

	/* As in a probe: the rest of an event is on one CPU. */
	preempt_disable();
	kma_record_alloc(kma_c, &ev);
	preempt_enable();
}

static void kma_alloc(unsigned long site, unsigned long ptr, u32 size)
{
	kma_alloc_node(site, ptr, size, NUMA_NO_NODE);
}

/* One object of a bulk allocation: it asks for no bytes and for no node. */
static void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.node = NUMA_NO_NODE,
	};

	preempt_disable();
	kma_record_bulk(kma_c, &ev);
	preempt_enable();
}

static void kma_free(unsigned long ptr)
{
	preempt_disable();
	kma_record_free(kma_c, ptr, true);
	preempt_enable();
}

static void kma_test_sweep(void)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&kma_c->obj); i++)
		kma_record_sweep(kma_c, kma_objtab_bucket(&kma_c->obj, i));
}

/* And what is left there is found. */
static void kma_free_pages(unsigned long page, unsigned int order)
{
	preempt_disable();
	kma_record_pages_free(kma_c, page, order);
	preempt_enable();
	kma_test_sweep();
}

static u32 kma_row_id(unsigned long site, u32 size)
{
	return kma_sitetab_get(&kma_c->sites, site, size)->id;
}

/* Of every row: what it counts as live is what is in the live table. */
static void kma_expect_invariant(struct kunit *test)
{
	struct kma_row sum;
	u64 live = 0;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_c->sites); id++) {
		if (!kma_sitetab_info(&kma_c->sites, id))
			continue;
		kma_sitetab_sum(&kma_c->sites, id, &sum);
		live += kma_row_live(&sum);
		KUNIT_EXPECT_EQ_MSG(test, kma_row_live(&sum),
				    kma_objtab_count_row(&kma_c->obj, id), "row %u", id);
	}
	KUNIT_EXPECT_EQ(test, live, kma_objtab_count(&kma_c->obj));
}

static void kma_expect_counters(struct kunit *test, unsigned long site, u32 size,
				const struct kma_row *expected)
{
	struct kma_row sum;

	kma_sitetab_sum(&kma_c->sites, kma_row_id(site, size), &sum);
	KUNIT_EXPECT_MEMEQ(test, &sum, expected, sizeof(sum));
}

static void kma_expect_row(struct kunit *test, unsigned long site, u32 size,
			   const struct kma_row *expected)
{
	kma_expect_counters(test, site, size, expected);
	kma_expect_invariant(test);
}

/* ---- one event after the other -------------------------------------------- */

static void kma_record_counts_an_allocation(struct kunit *test)
{
	const struct kma_row expected = { .hits = 1, .bytes_req = 60 };

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 1);
}

static void kma_record_counts_a_free(struct kunit *test)
{
	const struct kma_row expected = { .hits = 2, .bytes_req = 120, .frees = 1 };

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 1);
}

static void kma_record_counts_an_unknown_free(struct kunit *test)
{
	kma_free(KMA_TEST_PTR);

	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 1);
	kma_expect_invariant(test);
}

static void kma_record_counts_a_second_free_as_unknown(struct kunit *test)
{
	const struct kma_row expected = { .hits = 1, .bytes_req = 60, .frees = 1 };

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 1);
}

/* An address is allocated again: the first object's free was not seen. */
static void kma_record_repairs_a_free_that_was_not_seen(struct kunit *test)
{
	const struct kma_row first = { .hits = 1, .bytes_req = 60, .repaired = 1 };
	const struct kma_row second = { .hits = 1, .bytes_req = 28, .frees = 1 };

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 32);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &first);
	kma_expect_row(test, KMA_TEST_SITE + 16, 32, &second);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), 1);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 0);
}

static void kma_record_counts_what_found_no_room(struct kunit *test)
{
	const u32 slots = kma_objtab_buckets(&kma_c->obj) * KMA_SLOTS;
	struct kma_row sum;
	u32 i;

	migrate_disable();
	for (i = 0; i < 2 * slots; i++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE, 64), &sum);
	KUNIT_EXPECT_EQ(test, sum.hits, 2 * slots);
	KUNIT_EXPECT_EQ(test, sum.bytes_req, 2 * slots * 60);
	KUNIT_EXPECT_GE(test, sum.no_entry, slots);
	KUNIT_EXPECT_EQ(test, sum.no_entry, kma_stat_now(dropped_live_full));
	kma_expect_invariant(test);

	/* What was not recorded is not there to be freed; nothing else is lost. */
	for (i = 0; i < 2 * slots; i++)
		kma_free(KMA_TEST_PTR + 64 * i);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), sum.no_entry);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
	kma_expect_invariant(test);
}

/* ---- objects of bulk allocations ------------------------------------------ */

static void kma_record_counts_bulk_objects(struct kunit *test)
{
	const struct kma_row expected = {
		.hits = 1,
		.bytes_req = 60,
		.frees = 2,
		.bulk = 3,
	};
	int i;

	migrate_disable();
	for (i = 0; i < 3; i++)
		kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64 * i);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 2);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 0);
}

/* Either kind repairs the other. */
static void kma_record_repairs_bulk_objects(struct kunit *test)
{
	const struct kma_row first = { .bulk = 1, .repaired = 1 };
	const struct kma_row second = { .hits = 1, .bytes_req = 60, .repaired = 1 };
	const struct kma_row third = { .bulk = 1 };

	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 64);
	kma_bulk(KMA_TEST_SITE + 32, KMA_TEST_PTR, 64);

	kma_expect_row(test, KMA_TEST_SITE, 64, &first);
	kma_expect_row(test, KMA_TEST_SITE + 16, 64, &second);
	kma_expect_row(test, KMA_TEST_SITE + 32, 64, &third);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), 2);
}

static void kma_record_counts_bulk_objects_without_a_row(struct kunit *test)
{
	const struct kma_row expected = { .bulk = 2, .frees = 1 };
	const u32 other = kma_c->sites.sites_max;
	struct kma_row sum;
	int i;

	migrate_disable();
	for (i = 1; i <= KMA_SITES_MIN; i++)
		kma_alloc(KMA_TEST_SITE + 16 * i, KMA_TEST_PTR + 64 * i, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	KUNIT_EXPECT_EQ(test, kma_stat_now(other_sites), 2);
	kma_sitetab_sum(&kma_c->sites,
			other + kma_cachetab_get(&kma_c->sites.caches, 64), &sum);
	KUNIT_EXPECT_MEMEQ(test, &sum, &expected, sizeof(sum));
	kma_expect_invariant(test);
}

static void kma_record_counts_bulk_objects_without_room(struct kunit *test)
{
	const u32 slots = kma_objtab_buckets(&kma_c->obj) * KMA_SLOTS;
	struct kma_row sum;
	u32 i;

	for (i = 0; i < 2 * slots; i++)
		kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i, 64);
	kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE, 64), &sum);
	KUNIT_EXPECT_EQ(test, sum.hits, 0);
	KUNIT_EXPECT_EQ(test, sum.bulk, 2 * slots);
	KUNIT_EXPECT_GE(test, sum.no_entry, slots);
	KUNIT_EXPECT_EQ(test, sum.no_entry, kma_stat_now(dropped_live_full));
	kma_expect_invariant(test);
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

	preempt_disable();
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(kma_c, &ev, size, false);
	preempt_enable();
}

static void kma_free_filtered(unsigned long ptr)
{
	preempt_disable();
	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(kma_c, ptr);
	preempt_enable();
}

/* Of 64 bytes each, the third has the point. */
static void kma_record_samples_what_has_a_point(struct kunit *test)
{
	const struct kma_site_info *info;
	struct kma_entry e;
	int i;

	migrate_disable();
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 64 + 64 + 10, KMA_SHIFT_MIN);
	for (i = 0; i < 3; i++)
		kma_alloc_sampled(KMA_TEST_PTR + 64 * i, 64);
	migrate_enable();

	KUNIT_EXPECT_EQ(test, kma_stat_now(alloc_unsampled), 2);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 1);
	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR + 128, &e));
	KUNIT_EXPECT_EQ(test, e.bytes_req, 60);
	/* The one that the point was drawn for, not that of the next. */
	info = kma_sitetab_info(&kma_c->sites, e.row);
	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_EXPECT_EQ(test, info->shift, KMA_SHIFT_MIN);
	KUNIT_EXPECT_EQ(test, info->site, KMA_TEST_SITE);
	/* Nobody called from there. */
	KUNIT_EXPECT_EQ(test, info->nr_frames, 0);
}

/* The point of an event that is not counted goes with it. */
static void kma_record_samples_no_inner_event(struct kunit *test)
{
	kma_c->sites.inner[0] = KMA_TEST_SITE;
	kma_c->sites.nr_inner = 1;
	migrate_disable();
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 100, KMA_SHIFT_MIN);
	kma_alloc_sampled(KMA_TEST_PTR, 64);
	kma_alloc_sampled(KMA_TEST_PTR, 64);
	migrate_enable();

	KUNIT_EXPECT_EQ(test, kma_stat_now(alloc_unsampled), 1);
	KUNIT_EXPECT_EQ(test, kma_stat_now(double_fired), 1);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
}

/* What was recorded before is found as well, and what was not is not looked for. */
static void kma_record_follows_filtered_frees(struct kunit *test)
{
	const struct kma_row exact = { .hits = 1, .bytes_req = 60, .frees = 1 };
	const unsigned long before = KMA_TEST_PTR, sampled = before + KMA_LIVEFILTER_STEP,
			    nobody = sampled + KMA_LIVEFILTER_STEP;

	migrate_disable();
	kma_livefilter_clear();
	kma_alloc(KMA_TEST_SITE, before, 64);
	kma_record_livefilter_start(kma_c);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 0, KMA_SHIFT_MIN);
	kma_alloc_sampled(sampled, 64);
	KUNIT_EXPECT_TRUE(test, kma_livefilter_has(before));
	KUNIT_EXPECT_TRUE(test, kma_livefilter_has(sampled));
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(nobody));

	kma_free_filtered(before);
	kma_free_filtered(sampled);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 0);
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(before));
	KUNIT_EXPECT_FALSE(test, kma_livefilter_has(sampled));
	kma_free_filtered(before);
	kma_free_filtered(sampled);
	kma_free_filtered(nobody);
	migrate_enable();

	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 3);
	kma_expect_row(test, KMA_TEST_SITE, 64, &exact);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
}

/* ---- objects on a page that is freed -------------------------------------- */

static void kma_record_removes_what_is_left_on_a_page(struct kunit *test)
{
	const struct kma_row expected = {
		.hits = 4,
		.bytes_req = 240,
		.frees = 1,
		.repaired = 2,
	};

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 1024, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + PAGE_SIZE - 64, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + PAGE_SIZE, 64);
	kma_free(KMA_TEST_PTR + 1024);
	migrate_enable();
	kma_free_pages(KMA_TEST_PTR, 0);

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), 2);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), 0);
}

/* From any frame of a block, and on none of its neighbours. */
static void kma_record_removes_what_is_left_on_pages(struct kunit *test)
{
	struct kma_row expected = { .hits = 2, .bytes_req = 120 };
	unsigned long size, i;
	unsigned int order;

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR - 64, 64);
	for (order = 0; order < 5; order++) {
		size = PAGE_SIZE << order;
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + size, 64);
		for (i = 0; i < size; i += PAGE_SIZE / 4)
			kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + i, 64);
		expected.hits += 4 << order;
		expected.bytes_req += 60 * (4 << order);
		expected.repaired += 4 << order;
		kma_free_pages(KMA_TEST_PTR, order);
		KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), expected.repaired);
		kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
		kma_free_pages(KMA_TEST_PTR + size, 0);
		expected.repaired++;
		expected.hits++;
		expected.bytes_req += 60;
	}
}

/* When the last generation ends the page's buckets are looked at. */
static void kma_record_never_sees_a_generation_again(struct kunit *test)
{
	struct kma_row sum;
	int i;

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	for (i = 0; i <= KMA_GEN_LAST / 2; i++) {
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);
		kma_free(KMA_TEST_PTR + 64);
		kma_record_pages_free(kma_c, KMA_TEST_PTR, 0);
	}
	migrate_enable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);

	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), 1);
	kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE, 64), &sum);
	KUNIT_EXPECT_EQ(test, sum.repaired, 1);
	KUNIT_EXPECT_EQ(test, sum.frees, KMA_GEN_LAST / 2 + 1);
	kma_expect_invariant(test);
}

/* The object that was there is not the one that was replaced. */
static void kma_record_replaces_what_is_stale(struct kunit *test)
{
	const struct kma_row first = { .hits = 1, .bytes_req = 60, .repaired = 1 };

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_record_pages_free(kma_c, KMA_TEST_PTR, 0);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 64);

	kma_expect_row(test, KMA_TEST_SITE, 64, &first);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), 1);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), 0);
}

/* A crowded home: some of its objects are in other buckets. */
static void kma_record_removes_what_has_spilled(struct kunit *test)
{
	struct kma_row sum;
	u32 i;

	for (i = 0; i < 1900; i++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 8 * i, 8);
	KUNIT_EXPECT_GT(test, kma_stat_now(spill_in), 0);
	kma_free_pages(KMA_TEST_PTR, 2);

	kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE, 8), &sum);
	KUNIT_EXPECT_EQ(test, sum.repaired, 1900);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_out), kma_stat_now(spill_in));
	kma_expect_invariant(test);
}

/* ---- what is no hit ------------------------------------------------------- */

static void kma_record_counts_no_cache_as_no_hit(struct kunit *test)
{
	u32 i;

	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_cachetab_get(&kma_c->sites.caches, 8 * (i + 1));
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 8 * (KMA_CACHES_MAX + 1));

	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_caches_full), 1);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_c->obj), 0);
}

static void kma_record_moves_a_double_fired_object_to_the_outer_site(struct kunit *test)
{
	const struct kma_row outer = { .hits = 1, .bytes_req = 16380, .frees = 1 };

	kma_c->sites.inner[0] = KMA_TEST_SITE;
	kma_c->sites.nr_inner = 1;
	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 16384);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 16384);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE + 16, 16384, &outer);
	KUNIT_EXPECT_EQ(test, kma_stat_now(double_fired), 1);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kma_c->sites.used), 1);
}

/* ---- where it happened ---------------------------------------------------- */

/* By perf kmem's definition: a node was asked for, and it is not the CPU's. */
static void kma_record_counts_cross_node(struct kunit *test)
{
	const struct kma_row expected = {
		.hits = 3,
		.bytes_req = 180,
		.cross_node = 1,
	};

	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR, 64, NUMA_NO_NODE);
	migrate_disable();
	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64, numa_node_id());
	kma_alloc_node(KMA_TEST_SITE, KMA_TEST_PTR + 128, 64, numa_node_id() + 1);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
}

static void kma_free_here(void *unused)
{
	kma_record_free(kma_c, KMA_TEST_PTR, true);
}

static void kma_record_counts_pingpong(struct kunit *test)
{
	const struct kma_row expected = {
		.hits = 2,
		.bytes_req = 120,
		.frees = 2,
		.pingpong = 1,
	};
	int other;

	migrate_disable();
	other = kma_other_cpu(test);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(other, kma_free_here, NULL, 1), 0);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_row(test, KMA_TEST_SITE, 64, &expected);
}

static void kma_record_notes_who_and_when(struct kunit *test)
{
	u32 before = kma_env_now();
	struct kma_entry e;
	int cpu;

	migrate_disable();
	cpu = raw_smp_processor_id();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	migrate_enable();

	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR, &e));
	KUNIT_EXPECT_EQ(test, e.bytes_req, 60);
	KUNIT_EXPECT_EQ(test, e.cpu, cpu);
	KUNIT_EXPECT_EQ(test, e.tgid, current->tgid);
	KUNIT_EXPECT_EQ(test, e.row, kma_row_id(KMA_TEST_SITE, 64));
	KUNIT_EXPECT_GE(test, e.time, before);
	KUNIT_EXPECT_LE(test, e.time, kma_env_now());
}

static void kma_alloc_in_irq(struct irq_work *work)
{
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
}

static void kma_record_blames_no_process_for_an_interrupt(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(kma_alloc_in_irq);
	struct kma_entry e;

	irq_work_queue(&work);
	irq_work_sync(&work);

	KUNIT_ASSERT_TRUE(test, kma_objtab_take(&kma_c->obj, KMA_TEST_PTR, &e));
	KUNIT_EXPECT_EQ(test, e.tgid, 0);
}

static void kma_env_ages_are_milliseconds(struct kunit *test)
{
	u32 unit_ms = (MSEC_PER_SEC << KMA_TIME_SHIFT) / HZ;

	KUNIT_EXPECT_GE(test, unit_ms, 10);
	KUNIT_EXPECT_EQ(test, kma_env_age_ms(7, 7), 0);
	KUNIT_EXPECT_EQ(test, kma_env_age_ms(107, 7), 100 * unit_ms);
	/* Also across the wrap. */
	KUNIT_EXPECT_EQ(test, kma_env_age_ms(5, U32_MAX - 4), 10 * unit_ms);
	/* And for as long as the machine runs. */
	KUNIT_EXPECT_EQ(test, kma_env_age_ms(U32_MAX, 0), (u64)U32_MAX * unit_ms);
}

/* ---- random events against a model ---------------------------------------- */

#define KMA_MODEL_PTRS	1500
#define KMA_MODEL_ROWS	40
#define KMA_MODEL_STEPS	60000

struct kma_model {
	struct kma_row row[KMA_MODEL_ROWS];
	int owner[KMA_MODEL_PTRS];	/* row, or -1 */
	u64 unmatched;
	u64 replaced;
	u64 page_freed;
};

static unsigned long kma_model_site(int row)
{
	return KMA_TEST_SITE + 16 * (row / 4);
}

static u32 kma_model_size(int row)
{
	return 64 * (1 + row % 4);
}

static void kma_model_alloc(struct kma_model *m, int i, int row, bool bulk)
{
	unsigned long ptr = KMA_TEST_PTR + 256 * i;
	struct kma_row *r = &m->row[row];

	if (m->owner[i] >= 0) {
		m->row[m->owner[i]].repaired++;
		m->replaced++;
	}
	m->owner[i] = row;
	if (bulk) {
		r->bulk++;
		kma_bulk(kma_model_site(row), ptr, kma_model_size(row));
	} else {
		r->hits++;
		r->bytes_req += kma_model_size(row) - 4;
		kma_alloc(kma_model_site(row), ptr, kma_model_size(row));
	}
}

static void kma_model_free(struct kma_model *m, int i)
{
	if (m->owner[i] >= 0)
		m->row[m->owner[i]].frees++;
	else
		m->unmatched++;
	m->owner[i] = -1;
	kma_free(KMA_TEST_PTR + 256 * i);
}

/* Sixteen objects to a page. */
static void kma_model_free_page(struct kma_model *m, int page)
{
	int i;

	for (i = 16 * page; i < 16 * (page + 1) && i < KMA_MODEL_PTRS; i++) {
		if (m->owner[i] < 0)
			continue;
		m->row[m->owner[i]].repaired++;
		m->page_freed++;
		m->owner[i] = -1;
	}
	kma_free_pages(KMA_TEST_PTR + PAGE_SIZE * page, 0);
}

/* Allocations, frees, unseen and unknown frees at random, within the promise. */
static void kma_record_agrees_with_a_model(struct kunit *test)
{
	struct kma_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u64 random = 1;
	int i, step;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < KMA_MODEL_PTRS; i++)
		m->owner[i] = -1;
	migrate_disable();
	for (step = 0; step < KMA_MODEL_STEPS; step++) {
		i = kma_random_below(&random, KMA_MODEL_PTRS);
		if (kma_random_below(&random, 1000) == 0)
			kma_model_free_page(m, i / 16);
		else if (kma_random_below(&random, 2))
			kma_model_alloc(m, i, kma_random_below(&random, KMA_MODEL_ROWS),
					kma_random_below(&random, 4) == 0);
		else
			kma_model_free(m, i);
	}
	migrate_enable();

	for (i = 0; i < KMA_MODEL_ROWS; i++)
		kma_expect_counters(test, kma_model_site(i), kma_model_size(i),
				    &m->row[i]);
	kma_expect_invariant(test);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), m->unmatched);
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), m->replaced);
	KUNIT_EXPECT_EQ(test, kma_stat_now(page_freed), m->page_freed);
	KUNIT_EXPECT_EQ(test, kma_stat_now(dropped_live_full), 0);
}

/* ---- several at once ------------------------------------------------------ */

#define KMA_CREW_PTRS	2000
#define KMA_CREW_STEPS	20000

struct kma_crowd {
	atomic64_t allocs;
	atomic64_t frees;
	unsigned long *ptr;
};

/* Objects that any CPU allocates, and any other one frees. */
static void kma_crowd_main(void *arg, int nr)
{
	struct kma_crowd *crowd = arg;
	u64 random = nr, allocs = 0, frees = 0;
	unsigned long ptr;
	int i, step;

	for (step = 0; step < KMA_CREW_STEPS; step++) {
		i = kma_random_below(&random, KMA_CREW_PTRS);
		/* Whoever finds it owns it until it puts it back. */
		ptr = xchg(&crowd->ptr[i], 0);
		if (ptr & 1) {
			kma_free(ptr & ~1UL);
			frees++;
			WRITE_ONCE(crowd->ptr[i], ptr & ~1UL);
		} else if (ptr) {
			kma_alloc(KMA_TEST_SITE + 16 * nr, ptr, 64);
			allocs++;
			WRITE_ONCE(crowd->ptr[i], ptr | 1);
		}
		cond_resched();
	}
	atomic64_add(allocs, &crowd->allocs);
	atomic64_add(frees, &crowd->frees);
}

static void kma_record_stands_a_crowd(struct kunit *test)
{
	struct kma_crowd crowd = {
		.ptr = kunit_kcalloc(test, KMA_CREW_PTRS, sizeof(long), GFP_KERNEL),
	};
	struct kma_row row, sum = {};
	int i, nr = kma_crew_size();

	KUNIT_ASSERT_NOT_NULL(test, crowd.ptr);
	for (i = 0; i < KMA_CREW_PTRS; i++)
		crowd.ptr[i] = KMA_TEST_PTR + 64 * i;
	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_crowd_main, &crowd, nr), 0);

	for (i = 0; i < nr; i++) {
		kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE + 16 * i, 64), &row);
		sum.hits += row.hits;
		sum.frees += row.frees;
		sum.repaired += row.repaired;
		sum.no_entry += row.no_entry;
	}
	kma_expect_invariant(test);
	KUNIT_EXPECT_EQ(test, sum.hits, atomic64_read(&crowd.allocs));
	KUNIT_EXPECT_EQ(test, sum.frees, atomic64_read(&crowd.frees));
	KUNIT_EXPECT_EQ(test, sum.repaired, 0);
	KUNIT_EXPECT_EQ(test, sum.no_entry, 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_unmatched), 0);
}

static int kma_record_init_test(struct kunit *test)
{
	kma_stats_clear();
	return kma_core_init(kma_c, KMA_CREW_PTRS, KMA_SITES_MIN,
			     KMA_TEST_PFNS);
}

static void kma_record_exit_test(struct kunit *test)
{
	kma_record_livefilter_stop();
	kma_core_destroy(kma_c);
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
	KUNIT_CASE(kma_record_follows_filtered_frees),
	KUNIT_CASE(kma_record_removes_what_is_left_on_a_page),
	KUNIT_CASE(kma_record_removes_what_is_left_on_pages),
	KUNIT_CASE(kma_record_never_sees_a_generation_again),
	KUNIT_CASE(kma_record_replaces_what_is_stale),
	KUNIT_CASE(kma_record_removes_what_has_spilled),
	KUNIT_CASE(kma_record_counts_no_cache_as_no_hit),
	KUNIT_CASE(kma_record_moves_a_double_fired_object_to_the_outer_site),
	KUNIT_CASE(kma_record_counts_cross_node),
	KUNIT_CASE(kma_record_counts_pingpong),
	KUNIT_CASE(kma_record_notes_who_and_when),
	KUNIT_CASE(kma_record_blames_no_process_for_an_interrupt),
	KUNIT_CASE(kma_env_ages_are_milliseconds),
	KUNIT_CASE(kma_record_agrees_with_a_model),
	KUNIT_CASE(kma_record_stands_a_crowd),
	{}
};

struct kunit_suite kma_record_suite = {
	.name = "kmemacct_record",
	.init = kma_record_init_test,
	.exit = kma_record_exit_test,
	.test_cases = kma_record_cases,
};
