/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the suites of the site table share.  The table does not access the memory
 * at the address of a site, so sites are made up.  Most caches are sizes of kmalloc.
 */
#ifndef KMA_KUNIT_SITETAB_UTIL_H
#define KMA_KUNIT_SITETAB_UTIL_H

#include "util.h"

#define KMA_TEST_SITE	0xffffffff81234560UL
#define KMA_TEST_SITES_MAX	KMA_SITES_MIN
#define KMA_TEST_SITES		KMA_PAIRS_MAX(KMA_TEST_SITES_MAX)

extern struct kma_sitetab kma_sites;

/* For struct kunit_suite: make the table and clear all counters; destroy the table. */
int kma_sitetab_init_suite(struct kunit_suite *suite);
int kma_sitetab_init_test(struct kunit *test);
void kma_sitetab_exit_test(struct kunit *test);

static inline const struct kma_site_slot *kma_get(unsigned long site,
						  unsigned long cache)
{
	return kma_sitetab_get(&kma_sites, site, cache);
}

/* Find or make a row. Return: its number. */
static inline u32 kma_row_id(unsigned long site, unsigned long cache)
{
	return kma_get(site, cache)->id;
}

static inline void kma_hit(unsigned long site, unsigned long cache)
{
	this_cpu_inc(kma_sites.row[kma_row_id(site, cache)]->hits);
}

static inline u64 kma_hits(u32 id)
{
	struct kma_row sum;

	kma_sitetab_sum(&kma_sites, id, &sum);
	return sum.hits;
}

static inline int kma_state(u32 id)
{
	return kma_sites.info[id].state;
}

/**
 * struct kma_usage - state of the table that a test case expects
 * @used: number of rows handed out
 * @retired: number of retired rows
 * @stacks: number of rows that have a stack
 * @sampled: there is a row of samples
 * @no_cache: a row was retired because its cache was destroyed
 * @stat: all counters of the module: see kma_expect_stats()
 */
struct kma_usage {
	int used;
	int retired;
	int stacks;
	bool sampled;
	bool no_cache;
	u64 stat[KMA_STAT_NR];
};

void kma_expect_usage(struct kunit *test, const struct kma_usage *expect);

#endif /* KMA_KUNIT_SITETAB_UTIL_H */
