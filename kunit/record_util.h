/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the record path share: tables of their own, to which events
 * are made up, and so are the objects, the sites and the caches, which are sizes of
 * kmalloc.
 */
#ifndef KMA_KUNIT_RECORD_UTIL_H
#define KMA_KUNIT_RECORD_UTIL_H

#include "util.h"

#define KMA_TEST_SITE	0xffffffff81234560UL
#define KMA_TEST_PTR	0xffff888001230000UL

/* Objects that the live table is made for. */
#define KMA_TEST_LIVE	2000

/* The tables. */
extern struct kma_core kma_record_core;
#define kma_c (&kma_record_core)

/* Make the tables, and let all counters start at 0. For struct kunit_suite. */
int kma_record_init_test(struct kunit *test);
void kma_record_exit_test(struct kunit *test);

/* An allocation of @size bytes that asks for four bytes less, on a node. */
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

/* The same on any node. */
static inline void kma_alloc(unsigned long site, unsigned long ptr, u32 size)
{
	kma_alloc_node(site, ptr, size, NUMA_NO_NODE);
}

/* An object of a bulk allocation. */
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

/* Pages are freed, and what is recorded on them is then found. */
static inline void kma_free_pages(unsigned long page, unsigned int order)
{
	preempt_disable();
	kma_record_pages_free(kma_c, page, order);
	preempt_enable();
	kma_record_sweep_all();
}

/* The number of a row, which is made if it is not there. */
static inline u32 kma_row_id(unsigned long site, u32 size)
{
	return kma_sitetab_get(&kma_c->sites, site, size)->id;
}

/* Check of every row that it counts as live what the live table has of it. */
void kma_expect_invariant(struct kunit *test);

#define KMA_OUTCOME_ROWS	3

/**
 * struct kma_outcome - what a case expects of the tables when it has acted
 * @rows: the rows in use, all their counters; the first one without a size ends them
 * @live: how many objects are in the live table
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

/* Check all of it, that there are no other rows, and kma_expect_invariant(). */
void kma_expect_outcome(struct kunit *test, const struct kma_outcome *expect);

#endif /* KMA_KUNIT_RECORD_UTIL_H */
