// SPDX-License-Identifier: GPL-2.0
/* Page generations and page records: their nodes, and memory that is added. */
#include <linux/delay.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "util.h"

/* Page frames whose generations fill a page */
#define KMA_PART	(PAGE_SIZE / sizeof(kma_gen))

static unsigned long kma_page_at(unsigned long pfn)
{
	return (unsigned long)__va(PFN_PHYS(pfn));
}

static struct page *kma_part_of(const struct kma_pagegen *m, unsigned long pfn)
{
	return vmalloc_to_page(kma_pagegen_at(m, kma_page_at(pfn)));
}

static struct page *kma_shared_of(const struct kma_pagegen *m)
{
	return vmalloc_to_page(m->gen + m->mask + 1);
}

static u64 kma_bytes_of(const struct kma_pagegen *m)
{
	return kma_env_pfns_bytes(m->gen, m->mask + 1, sizeof(kma_gen));
}

/* ---- by node -------------------------------------------------------------------- */

/*
 * If all nodes have free memory, each part is on the node of its first page frame.  A chunk of
 * records has a part for each 256 page frames.
 */
static void kma_tables_are_near_their_pages(struct kunit *test)
{
	struct kma_pagegen m;
	struct kma_pfntab t;
	unsigned long pfn;
	struct page *page;
	u64 parts = 0;

	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&m, kma_memhotplug_pfns()), 0);
	KUNIT_EXPECT_EQ(test, kma_bytes_of(&m), kma_pagegen_bytes(m.mask + 1));
	KUNIT_ASSERT_EQ(test, kma_pfntab_init(&t, kma_memhotplug_chunks()), 0);
	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS)
		if (kma_env_pfns_node(pfn, KMA_CHUNK_PFNS, KMA_NODE_NONE) != KMA_NODE_NONE)
			KUNIT_EXPECT_EQ(test, kma_pfntab_add(&t, pfn >> KMA_CHUNK_SHIFT,
							     NUMA_NO_NODE), 0);
	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_PART / 4) {
		page = pfn_to_online_page(pfn);
		if (!page)
			continue;
		KUNIT_EXPECT_EQ(test, page_to_nid(vmalloc_to_page(kma_pfntab_at(&t, pfn))),
				page_to_nid(page));
		KUNIT_EXPECT_PTR_NE(test, kma_part_of(&m, pfn), kma_shared_of(&m));
		if (pfn % KMA_PART)
			continue;
		KUNIT_EXPECT_EQ(test, page_to_nid(kma_part_of(&m, pfn)), page_to_nid(page));
		parts++;
	}
	KUNIT_EXPECT_GE(test, kma_bytes_of(&m), parts * PAGE_SIZE);
	kma_pfntab_destroy(&t);
	kma_pagegen_destroy(&m);
}

/* An array with elements for four times the present page frames takes no more memory. */
static void kma_gaps_take_no_memory(struct kunit *test)
{
	const u64 end = roundup_pow_of_two(kma_memhotplug_end());
	struct kma_pagegen m, large;

	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&m, end), 0);
	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&large, 4 * end), 0);
	KUNIT_EXPECT_EQ(test, kma_bytes_of(&large), kma_bytes_of(&m));
	KUNIT_EXPECT_EQ(test, kma_pagegen_bytes(4 * end), kma_bytes_of(&m));
	KUNIT_EXPECT_LE(test, kma_bytes_of(&m), (end + KMA_PART) * sizeof(kma_gen));
	KUNIT_EXPECT_PTR_EQ(test, kma_part_of(&large, end), kma_shared_of(&large));
	KUNIT_EXPECT_PTR_EQ(test, kma_part_of(&large, 4 * end - 1), kma_shared_of(&large));
	kma_pagegen_destroy(&large);
	kma_pagegen_destroy(&m);
}

/* ---- memory that is added ------------------------------------------------------- */

/* The first array ends here.  Page frames beyond it are taken for memory that is added. */
#define KMA_HAD		(16 * KMA_PART)

/* Begin and end generations: those of page frame @pfn change @pfn % 5 times. */
static void kma_gens_change(struct kma_pagegen *m, unsigned long from, unsigned long to)
{
	unsigned long pfn;
	int i;

	for (pfn = from; pfn < to; pfn += 7)
		for (i = 0; i < pfn % 5; i++)
			if (i % 2)
				kma_pagegen_leave(m, kma_page_at(pfn));
			else
				kma_pagegen_enter(m, kma_page_at(pfn));
}

/* The generation that a page frame has before it is used. */
static kma_gen kma_gen_first(unsigned long pfn)
{
	return 2 * (pfn % 4);
}

static void kma_expect_gens(struct kunit *test, const struct kma_pagegen *m,
			    unsigned long from, unsigned long to)
{
	unsigned long pfn;

	for (pfn = from; pfn < to; pfn++)
		KUNIT_ASSERT_EQ_MSG(test, kma_pagegen_read(m, kma_page_at(pfn)),
				    kma_gen_first(pfn) + ((pfn - from) % 7 ? 0 : pfn % 5),
				    "page frame %lu", pfn);
}

static bool kma_missing(const struct kma_pagegen *m, unsigned long pfn, unsigned long nr)
{
	return kma_env_pfns_missing(m->gen, m->mask + 1, sizeof(kma_gen), pfn, nr);
}

static void kma_generations_stay_when_memory_is_added(struct kunit *test)
{
	static const struct {
		u64 pfns;
		unsigned long pfn;
		unsigned long nr;
	} add[] = {
		{ 2 * KMA_HAD, KMA_HAD, KMA_PART },
		{ 2 * KMA_HAD, KMA_HAD + KMA_PART, 3 * KMA_PART },
		{ 8 * KMA_HAD, 6 * KMA_HAD, 2 * KMA_HAD },
		/* The first half has memory already. */
		{ 8 * KMA_HAD, 6 * KMA_HAD - KMA_PART, 2 * KMA_PART },
		{ 8 * KMA_HAD, 6 * KMA_HAD, KMA_PART },
	};
	static const int parts[] = { 1, 3, 32, 1, 0 };
	struct kma_pagegen m;
	u64 bytes;
	int i, k;

	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&m, KMA_HAD), 0);
	kma_gens_change(&m, 0, KMA_HAD);
	for (i = 0; i < ARRAY_SIZE(add); i++) {
		bytes = kma_bytes_of(&m);
		KUNIT_ASSERT_EQ(test, kma_memhotplug_add(&m, add[i].pfns, add[i].pfn, add[i].nr,
							 NUMA_NO_NODE), 0);
		KUNIT_EXPECT_EQ(test, m.mask, add[i].pfns - 1);
		KUNIT_EXPECT_EQ(test, kma_bytes_of(&m) - bytes, parts[i] * PAGE_SIZE);
		if (i < 3)
			kma_gens_change(&m, add[i].pfn, add[i].pfn + add[i].nr);
		kma_expect_gens(test, &m, 0, KMA_HAD);
		for (k = 0; k <= min(i, 2); k++)
			kma_expect_gens(test, &m, add[k].pfn, add[k].pfn + add[k].nr);
		KUNIT_EXPECT_PTR_NE(test, kma_part_of(&m, add[i].pfn), kma_shared_of(&m));
		KUNIT_EXPECT_FALSE(test, kma_missing(&m, add[i].pfn, add[i].nr));
	}
	KUNIT_EXPECT_TRUE(test, kma_missing(&m, 2 * KMA_HAD - 1, 2));
	KUNIT_EXPECT_TRUE(test, kma_missing(&m, 6 * KMA_HAD - KMA_PART - 1, KMA_PART));
	KUNIT_EXPECT_FALSE(test, kma_missing(&m, 6 * KMA_HAD - KMA_PART, KMA_PART + 1));
	KUNIT_EXPECT_FALSE(test, kma_missing(&m, 8 * KMA_HAD - 1, 1));
	KUNIT_EXPECT_PTR_EQ(test, kma_part_of(&m, 2 * KMA_HAD), kma_shared_of(&m));
	kma_pagegen_destroy(&m);
}

/* Parts of less than a page cannot be repeated. */
static void kma_small_arrays_do_not_grow(struct kunit *test)
{
	struct kma_pagegen m;

	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&m, KMA_PART / 2), 0);
	KUNIT_EXPECT_EQ(test, kma_memhotplug_add(&m, KMA_PART, KMA_PART / 2, KMA_PART / 2,
						 NUMA_NO_NODE), -ENOMEM);
	KUNIT_EXPECT_EQ(test, m.mask, KMA_PART / 2 - 1);
	kma_pagegen_destroy(&m);
}

/**
 * struct kma_growth - an array that grows while other threads change it
 * @m: the array
 * @done: true once it has grown
 * @wrong: how often a generation differed from the one that its only writer had left
 * @changes: number of generations that were begun and ended
 */
struct kma_growth {
	struct kma_pagegen m;
	bool done;
	atomic_t wrong;
	atomic_t changes;
};

#define KMA_GROWTHS	12
#define KMA_CHANGES	100

/* Wait until the other threads have changed some more generations, or for ten seconds. */
static void kma_growth_wait(struct kma_growth *g)
{
	const int before = atomic_read(&g->changes);
	int ms;

	for (ms = 0; ms < 10000 && atomic_read(&g->changes) - before < KMA_CHANGES; ms += 20)
		msleep(20);
}

static void kma_growth_grow(struct kma_growth *g)
{
	int i;

	for (i = 0; i < KMA_GROWTHS; i++) {
		/* One array in three is larger than the one before. */
		const u64 pfns = KMA_HAD << (i / 3 + 1);

		if (kma_memhotplug_add(&g->m, pfns, pfns - (i % 3 + 1) * KMA_PART, KMA_PART,
				       NUMA_NO_NODE))
			atomic_inc(&g->wrong);
		kma_growth_wait(g);
	}
	WRITE_ONCE(g->done, true);
}

/* Thread 0 makes the array grow.  Each other thread changes generations of its own. */
static void kma_growth_run(void *arg, int nr)
{
	struct kma_growth *g = arg;
	kma_gen gen[16];
	int i, k;

	for (i = 0; i < 16; i++)
		gen[i] = kma_gen_first(3 * nr);
	if (!nr) {
		kma_growth_grow(g);
		return;
	}
	for (k = 0; !READ_ONCE(g->done); k++) {
		const unsigned long page = kma_page_at(k % 16 * KMA_PART + 3 * nr);

		i = k % 16;
		/* Like a probe */
		preempt_disable();
		if (kma_pagegen_enter(&g->m, page) != (kma_gen)(gen[i] + 1))
			atomic_inc(&g->wrong);
		kma_pagegen_leave(&g->m, page);
		gen[i] = kma_pagegen_read(&g->m, page);
		preempt_enable();
		atomic_inc(&g->changes);
		cond_resched();
	}
}

static void kma_generations_change_while_memory_is_added(struct kunit *test)
{
	struct kma_growth *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	KUNIT_ASSERT_EQ(test, kma_pagegen_init(&g->m, KMA_HAD), 0);
	KUNIT_EXPECT_EQ(test, kma_crew_run(kma_growth_run, g, kma_crew_size() + 1), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&g->wrong), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&g->changes), KMA_GROWTHS * KMA_CHANGES);
	KUNIT_EXPECT_EQ(test, g->m.mask, (KMA_HAD << ((KMA_GROWTHS - 1) / 3 + 1)) - 1);
	kma_pagegen_destroy(&g->m);
}

static struct kunit_case kma_memhotplug_cases[] = {
	KUNIT_CASE(kma_tables_are_near_their_pages),
	KUNIT_CASE(kma_gaps_take_no_memory),
	KUNIT_CASE(kma_generations_stay_when_memory_is_added),
	KUNIT_CASE(kma_small_arrays_do_not_grow),
	KUNIT_CASE(kma_generations_change_while_memory_is_added),
	{}
};

struct kunit_suite kma_memhotplug_suite = {
	.name = "kmemacct_memhotplug",
	.test_cases = kma_memhotplug_cases,
};
