/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the suites of the record path share.  The suites have tables of their own.
 * Events, objects and call sites are made up, and caches are sizes of kmalloc.
 */
#ifndef KMA_KUNIT_RECORD_UTIL_H
#define KMA_KUNIT_RECORD_UTIL_H

#include "util.h"

#define KMA_TEST_SITE	0xffffffff81234560UL
#define KMA_TEST_PTR	0xffff888001230000UL

/* live_max of the live table. */
#define KMA_TEST_LIVE	2000

/* The tables. */
extern struct kma_core kma_record_core;
#define kma_c (&kma_record_core)

/* For struct kunit_suite: make the tables and clear all counters; destroy the tables. */
int kma_record_init_test(struct kunit *test);
void kma_record_exit_test(struct kunit *test);

/* Record an allocation from the cache of @size bytes, which requests four bytes less. */
static inline void kma_alloc_node(unsigned long site, unsigned long ptr, u32 size,
				  int node)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = size - 4,
		.node = node,
	};

	kma_fake_alloc(kma_c, &ev);
}

/* Like kma_alloc_node(), on any node. */
static inline void kma_alloc(unsigned long site, unsigned long ptr, u32 size)
{
	kma_alloc_node(site, ptr, size, NUMA_NO_NODE);
}

/* Record an object of a bulk allocation. */
static inline void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
{
	kma_fake_bulk(kma_c, site, ptr, size);
}

static inline void kma_free(unsigned long ptr)
{
	kma_fake_free(kma_c, ptr);
}

/* Remove all stale entries. */
void kma_record_sweep_all(void);

/* Record that pages are freed, and remove the entries of objects that were left on them. */
static inline void kma_free_pages(unsigned long page, unsigned int order)
{
	preempt_disable();
	kma_record_pages_free(kma_c, page, order);
	preempt_enable();
	kma_record_sweep_all();
}

/* Find or make a row. Return: its number. */
static inline u32 kma_row_id(unsigned long site, u32 size)
{
	return kma_sitetab_get(&kma_c->sites, site, size)->id;
}

/* Check that every row counts as many live objects as the live table has of it. */
void kma_expect_invariant(struct kunit *test);

#define KMA_OUTCOME_ROWS	3

/**
 * struct kma_outcome - state of the tables that a test case expects after its events
 * @rows: all rows in use, with all counters; the first one with a size of 0 ends the array
 * @live: number of objects in the live table
 * @stat: all counters of the module: see kma_expect_stats()
 */
struct kma_outcome {
	struct {
		unsigned long site;
		u32 size;
		struct kma_row row;
	} rows[KMA_OUTCOME_ROWS];
	u64 live;
	u64 stat[KMA_STAT_NR];
};

/* Check the state of the tables, that there are no other rows, and kma_expect_invariant(). */
void kma_expect_outcome(struct kunit *test, const struct kma_outcome *expect);

#endif /* KMA_KUNIT_RECORD_UTIL_H */
