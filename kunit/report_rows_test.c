// SPDX-License-Identifier: GPL-2.0
/* The rows of tables: their order, and how they are made from recorded events. */
#include <linux/slab.h>

#include "table_util.h"

/* ---- order ---------------------------------------------------------------- */

#define KMA_ROW(_live_bytes, _live_objs, _hits, _req, _alloc) {	\
	[KMA_COUNT_live_bytes] = (_live_bytes),			\
	[KMA_COUNT_live_objs] = (_live_objs),			\
	[KMA_COUNT_hits] = (_hits),				\
	[KMA_COUNT_bytes_req] = (_req),				\
	[KMA_COUNT_bytes_alloc] = (_alloc),			\
}

/* Numbers descend, and labels ascend. */
static void kma_report_sorts_by_keys(struct kunit *test)
{
	static const struct kma_site_counts unsorted[] = {
		{ .v = KMA_ROW(10, 2, 7, 8, 10), .label = "c" },
		{ .v = KMA_ROW(10, 1, U64_MAX, 10, 10), .label = "a" },
		{ .v = KMA_ROW(30, 1, 0, 1, 10), .label = "e" },
		{ .v = KMA_ROW(10, 2, 9, 5, 10), .label = "b" },
		{ .v = KMA_ROW(1ULL << 40, 1, 3, 9, 10), .label = "d" },
	};
	static const struct {
		struct kma_sort sort;
		const char *labels;
	} known[] = {
		{ { .key = { KMA_COUNT_hits }, .nr = 1 }, "abcde" },
		{ { .key = { KMA_COUNT_NR }, .nr = 1 }, "abcde" },
		/* a computed column */
		{ { .key = { KMA_COUNT_frag_pct }, .nr = 1 }, "ebcda" },
		{ { .key = { KMA_COUNT_live_bytes, KMA_COUNT_live_objs, KMA_COUNT_NR }, .nr = 3 },
		  "debca" },
		/* Without a key, the order stays as it is. */
		{ {}, "caebd" },
	};
	/* Static, because the rows are too large for the stack. */
	static struct kma_site_counts rows[ARRAY_SIZE(unsorted)];
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_callers, rows, 5);
	char got[6] = "";
	int i, k;

	for (k = 0; k < ARRAY_SIZE(known); k++) {
		memcpy(rows, unsorted, sizeof(rows));
		kma_snapshot_sort(&snap, &known[k].sort);
		for (i = 0; i < 5; i++)
			got[i] = rows[i].label[0];
		KUNIT_EXPECT_STREQ(test, got, known[k].labels);
	}
}

static void kma_report_sorts_allocs_oldest_first(struct kunit *test)
{
	const struct kma_entry entries[] = {
		{ .time = kma_env_now() - 2 },
		{ .time = kma_env_now() - 9 },
		{ .time = kma_env_now() },
		{ .time = kma_env_now() - 5 },
	};
	int column = kma_table_column(&kma_table_allocs, "age_ms");
	struct kma_snapshot *snap;
	struct kma_entry unused;
	u64 age, before = U64_MAX;
	int i;

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_free(KMA_TEST_PTR);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		kma_objtab_put(&kma_core.obj, KMA_TEST_PTR + 64 * i, &entries[i], &unused);
	snap = kma_table_open(test, &kma_table_allocs);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, ARRAY_SIZE(entries));
	for (i = 0; i < snap->nr_rows; i++, before = age) {
		age = snap->table->ops->value(snap, snap->rows + i * snap->table->ops->row_size,
					 column);
		KUNIT_EXPECT_LT(test, age, before);
	}
}

/* ---- rows of recorded events ---------------------------------------------- */

/* A call site that allocates from two caches is one row of `callers`, and two of `caches`. */
static void kma_report_merges_rows_of_one_name(struct kunit *test)
{
	const struct kma_known_row caches[] = {
		kma_known("kmalloc-64", 64, 1, 2, 1), kma_known("kmalloc-96", 96, 1, 1, 0),
	};
	struct kma_known_row caller = kma_known("kfree+0x1", 64, 1, 2, 1);

	kma_known_add(&caller, &caches[1]);
	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64, 60);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 128, 96, 90);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	kma_expect_table(test, &caller, 1, &kma_table_callers);
	kma_expect_table(test, caches, ARRAY_SIZE(caches), &kma_table_caches);
}

/* Count @nr bulk objects of 64 bytes in a row. */
static void kma_known_add_bulk(struct kma_known_row *row, u64 nr)
{
	row->v[KMA_COUNT_bulk_objs] += nr;
	row->v[KMA_COUNT_bulk_bytes] += 64 * nr;
}

static void kma_report_counts_bulk_objects(struct kunit *test)
{
	struct kma_known_row expect[] = {
		kma_known("kfree+0x1", 64, 2, 1, 2),
		/* This call site has only bulk allocations. */
		kma_known("kfree+0x2", 64, 1, 0, 0),
	};

	kma_known_add_bulk(&expect[0], 3);
	kma_known_add_bulk(&expect[1], 1);
	migrate_disable();
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);
	kma_bulk(KMA_TEST_SITE, KMA_TEST_PTR + 128, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 192, 64, 60);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64);
	migrate_enable();
	kma_expect_table(test, expect, 1, &kma_table_callers);

	kma_bulk(KMA_TEST_SITE + 1, KMA_TEST_PTR, 64);
	kma_expect_table(test, expect, 2, &kma_table_callers);
}

/* Check both rows, with these confirmed bytes. */
static void kma_expect_confirmed(struct kunit *test, struct kma_known_row expect[2], u64 first,
				 u64 second)
{
	expect[0].v[KMA_COUNT_confirmed_bytes] = first;
	expect[1].v[KMA_COUNT_confirmed_bytes] = second;
	kma_expect_table(test, expect, 2, &kma_table_callers);
}

/*
 * The live bytes of a row are confirmed unless a free of the row is known to be missing, or
 * not all functions are hooked.
 */
static void kma_report_tells_what_is_confirmed(struct kunit *test)
{
	const struct kma_known_row other_cache = kma_known("", 96, 1, 1, 0);
	struct kma_known_row expect[] = {
		kma_known("kfree+0x1", 64, 2, 2, 0), kma_known("kfree+0x2", 64, 1, 0, 0),
	};

	kma_known_add(&expect[0], &other_cache);
	kma_known_add_bulk(&expect[1], 1);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64, 60);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 128, 96, 90);
	kma_bulk(KMA_TEST_SITE + 1, KMA_TEST_PTR + 192, 64);
	kma_expect_confirmed(test, expect, 0, 0);
	kma_bulk_start();
	kma_expect_confirmed(test, expect, 64 + 64 + 96, 64);

	/*
	 * An address of the first site is allocated again, by the second site, so a free was
	 * missed: the row of the first site is suspect.
	 */
	expect[0].v[KMA_COUNT_live_bytes] -= 64;
	expect[0].v[KMA_COUNT_live_objs]--;
	expect[1] = kma_known("kfree+0x2", 64, 2, 1, 0);
	kma_known_add_bulk(&expect[1], 1);
	kma_alloc(KMA_TEST_SITE + 1, KMA_TEST_PTR, 64, 60);
	kma_expect_confirmed(test, expect, 96, 64 + 64);
	kma_bulk_stop();
	kma_expect_confirmed(test, expect, 0, 0);
}

/* As if a module had been unloaded, and another one had a function of the same name. */
static void kma_report_merges_rows_of_retired_sites(struct kunit *test)
{
	const struct kma_known_row expect = kma_known("kfree+0x1", 64, 2, 2, 0);

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64, 60);
	kma_sitetab_retire(&kma_core.sites, 0);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64, 60);

	kma_expect_table(test, &expect, 1, &kma_table_callers);
}

static void kma_report_names_sizes_of_kmalloc(struct kunit *test)
{
	static const struct {
		u32 size;
		const char *name;
	} known[] = {
		{ 8, "kmalloc-8" },
		{ 96, "kmalloc-96" },
		{ 1024, "kmalloc-1k" },
		{ 1025, "kmalloc-1025" },
		{ 8192, "kmalloc-8k" },
		{ 16384, "kmalloc-large-16k" },
		{ 4 << 20, "kmalloc-large-4096k" },
	};
	struct kma_snapshot *snap;
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64 * i,
			  known[i].size, known[i].size);
	snap = kma_table_open(test, &kma_table_caches);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, ARRAY_SIZE(known));
	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, kma_row_labelled(snap, known[i].name),
					  "%s", known[i].name);
}

/* An object of a kmem_cache requests the object size of the cache. */
static void kma_report_takes_sizes_from_a_kmem_cache(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("kma-test-report", 1234, 0,
						     SLAB_NO_MERGE, NULL);
	const struct kma_event ev = {
		.site = KMA_TEST_SITE,
		.ptr = KMA_TEST_PTR,
		.cache = (unsigned long)cache,
		.node = NUMA_NO_NODE,
	};
	struct kma_known_row expect = {
		.label = "kma-test-report",
		.v = {
			[KMA_COUNT_live_objs] = 1,
			[KMA_COUNT_hits] = 1,
			[KMA_COUNT_bytes_req] = 1234,
		},
	};
	struct kma_snapshot *snap;
	u64 size;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	kma_record(&ev);
	kma_sitetab_retire_cache(&kma_core.sites, ev.cache);
	kmem_cache_destroy(cache);

	size = kma_core.sites.caches.info[0].size;
	KUNIT_EXPECT_GE(test, size, 1234);
	expect.v[KMA_COUNT_bytes_alloc] = size;
	expect.v[KMA_COUNT_live_bytes] = size;
	expect.v[KMA_COUNT_frag_pct] = kma_frag_milli(1234, size);
	kma_expect_table(test, &expect, 1, &kma_table_caches);
	snap = kma_table_open(test, &kma_table_allocs);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, snap->table->ops->value(snap, snap->rows, 1), 1234);
	KUNIT_EXPECT_EQ(test, snap->table->ops->value(snap, snap->rows, 2), size);
}

static struct kunit_case kma_report_rows_cases[] = {
	KUNIT_CASE(kma_report_sorts_by_keys),
	KUNIT_CASE(kma_report_sorts_allocs_oldest_first),
	KUNIT_CASE(kma_report_merges_rows_of_one_name),
	KUNIT_CASE(kma_report_counts_bulk_objects),
	KUNIT_CASE(kma_report_tells_what_is_confirmed),
	KUNIT_CASE(kma_report_merges_rows_of_retired_sites),
	KUNIT_CASE(kma_report_names_sizes_of_kmalloc),
	KUNIT_CASE(kma_report_takes_sizes_from_a_kmem_cache),
	{}
};

struct kunit_suite kma_report_rows_suite = {
	.name = "kmemacct_report_rows",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_rows_cases,
};
