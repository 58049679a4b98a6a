// SPDX-License-Identifier: GPL-2.0
/* The record path: a page is freed on which there is an object whose free was not seen. */
#include <linux/mm.h>

#include "record_util.h"

static void kma_record_removes_what_is_left_on_a_page(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 4, .bytes_req = 240, .frees = 1, .repaired = 2 } },
		},
		.live = 1,
		.stat = { [KMA_STAT_page_freed] = 2 },
	};

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 1024, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + PAGE_SIZE - 64, 64);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + PAGE_SIZE, 64);
	kma_free(KMA_TEST_PTR + 1024);
	migrate_enable();
	kma_free_pages(KMA_TEST_PTR, 0);

	kma_expect_outcome(test, &expect);
}

/* Entries are removed from all pages of an allocation, and not from its neighbours. */
static void kma_record_removes_what_is_left_on_pages(struct kunit *test)
{
	/* Two objects stay: one before the pages, one behind them. */
	struct kma_outcome expect = {
		.rows = { { KMA_TEST_SITE, 64, { .hits = 2, .bytes_req = 120 } } },
		.live = 2,
	};
	struct kma_row *row = &expect.rows[0].row;
	unsigned long size, i;
	unsigned int order;

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR - 64, 64);
	for (order = 0; order < 5; order++) {
		row->hits += 4 << order;
		row->bytes_req += 60 * (4 << order);
		row->repaired += 4 << order;
		expect.stat[KMA_STAT_page_freed] = row->repaired;

		size = PAGE_SIZE << order;
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + size, 64);
		for (i = 0; i < size; i += PAGE_SIZE / 4)
			kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + i, 64);
		kma_free_pages(KMA_TEST_PTR, order);
		kma_expect_outcome(test, &expect);

		/* The next allocation includes this page; another object will be behind it. */
		kma_free_pages(KMA_TEST_PTR + size, 0);
		row->repaired++;
		row->hits++;
		row->bytes_req += 60;
	}
}

/* When the generation of a page wraps, the buckets of the page are searched. */
static void kma_record_never_sees_a_generation_again(struct kunit *test)
{
	enum { GENS = KMA_GEN_LAST / 2 + 1 };
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 1 + GENS + 1, .bytes_req = 60 * (1 + GENS + 1),
			    .frees = GENS, .repaired = 1 } },
		},
		.live = 1,
		.stat = { [KMA_STAT_page_freed] = 1 },
	};
	int i;

	migrate_disable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	for (i = 0; i < GENS; i++) {
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);
		kma_free(KMA_TEST_PTR + 64);
		kma_record_pages_free(kma_c, KMA_TEST_PTR, 0);
	}
	migrate_enable();
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 64, 64);

	kma_expect_outcome(test, &expect);
}

/* A stale entry with the address of a new object counts as page_freed, not as replaced. */
static void kma_record_replaces_what_is_stale(struct kunit *test)
{
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 64,
			  { .hits = 1, .bytes_req = 60, .repaired = 1 } },
			{ KMA_TEST_SITE + 16, 64, { .hits = 1, .bytes_req = 60 } },
		},
		.live = 1,
		.stat = { [KMA_STAT_page_freed] = 1 },
	};

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR, 64);
	kma_record_pages_free(kma_c, KMA_TEST_PTR, 0);
	kma_alloc(KMA_TEST_SITE + 16, KMA_TEST_PTR, 64);

	kma_expect_outcome(test, &expect);
}

/* So many objects on the pages that some have spilled to other buckets. */
static void kma_record_removes_what_has_spilled(struct kunit *test)
{
	enum { OBJECTS = 1900 };
	static const struct kma_outcome expect = {
		.rows = {
			{ KMA_TEST_SITE, 8,
			  { .hits = OBJECTS, .bytes_req = 4 * OBJECTS,
			    .repaired = OBJECTS } },
		},
		.stat = { [KMA_STAT_page_freed] = OBJECTS },
	};
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + 8 * i, 8);
	KUNIT_EXPECT_GT(test, kma_stat_now(spill_in), 0);
	kma_free_pages(KMA_TEST_PTR, 2);

	kma_expect_outcome(test, &expect);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_out), kma_stat_now(spill_in));
}

static struct kunit_case kma_record_pages_cases[] = {
	KUNIT_CASE(kma_record_removes_what_is_left_on_a_page),
	KUNIT_CASE(kma_record_removes_what_is_left_on_pages),
	KUNIT_CASE(kma_record_never_sees_a_generation_again),
	KUNIT_CASE(kma_record_replaces_what_is_stale),
	KUNIT_CASE(kma_record_removes_what_has_spilled),
	{}
};

struct kunit_suite kma_record_pages_suite = {
	.name = "kmemacct_record_pages",
	.init = kma_record_init_test,
	.exit = kma_record_exit_test,
	.test_cases = kma_record_pages_cases,
};
