// SPDX-License-Identifier: GPL-2.0
/*
 * Measures whether the cost of an event depends on how full the live table is.
 *
 * There is one table for each fill, and all have the same live_max.  The oldest object is freed,
 * and a new one is allocated, again and again: their addresses are in random order, as on a
 * machine that has been running for long.  The tables are measured in turns in one run, so that
 * the speed of the machine does not matter.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "probes.h"

#define KMA_LIVE_MAX		1000000
#define KMA_LIVE_PFNS		KMA_LIVE_PAGES
#define KMA_LIVE_BYTES		256U
#define KMA_LIVE_SLAB		16U	/* objects of a slab, which is one page */
#define KMA_LIVE_PAIRS		20000U
#define KMA_LIVE_ROUNDS		25U
#define KMA_LIVE_SITE		0xffffffff81234567UL
#define KMA_LIVE_PTR		0xffff888100000000UL
/*
 * Slabs are at random places in the first half of this many pages.  The second half has no objects.
 */
#define KMA_LIVE_PAGES		1048576U

/* A table, and the objects that are live: those from number @first, modulo @nr, on. */
struct kma_live {
	struct kma_core core;
	u32 percent;		/* of live_max */
	u32 live;
	u32 nr;			/* objects, live or not */
	u32 step;		/* from one object in order of allocation to the next */
	u32 oldest;
	u32 next;
	double pair[KMA_LIVE_ROUNDS];
	double unknown[KMA_LIVE_ROUNDS];
};

static struct kma_live kma_live[] = {
	{ .percent = 10 },
	{ .percent = 100 },
	{ .percent = 150 },
	{ .percent = 200 },
	{ .percent = 400 },
};

/* The address of an object.  The multiplier is odd, so no two slabs are at the same place. */
static unsigned long kma_live_ptr(u32 object)
{
	const u32 slab = object / KMA_LIVE_SLAB * 0x9e3779b1U % (KMA_LIVE_PAGES / 2);

	return KMA_LIVE_PTR + (unsigned long)slab * KMA_PAGE_SIZE +
	       object % KMA_LIVE_SLAB * KMA_LIVE_BYTES;
}

static u32 kma_live_after(const struct kma_live *t, u32 object)
{
	const u32 next = object + t->step;

	return next >= t->nr ? next - t->nr : next;
}

static void kma_live_alloc(struct kma_live *t)
{
	kma_bench_kmalloc(KMA_LIVE_SITE, kma_live_ptr(t->next), KMA_LIVE_BYTES,
			  KMA_LIVE_BYTES, NUMA_NO_NODE);
	t->next = kma_live_after(t, t->next);
}

static u32 kma_live_gcd(u32 a, u32 b)
{
	return b ? kma_live_gcd(b, a % b) : a;
}

static void kma_live_fill(struct kma_live *t)
{
	u32 i;

	t->live = KMA_LIVE_MAX / 100 * t->percent;
	t->nr = t->live / 8 * 9;
	/* Objects follow each other at a distance that visits all of them. */
	t->step = t->nr * 0.618;
	while (kma_live_gcd(t->nr, t->step) != 1)
		t->step++;
	if (kma_core_init(&kma_core, KMA_LIVE_MAX, KMA_SITES_MIN, KMA_LIVE_PFNS))
		exit(1);
	for (i = 0; i < t->live; i++) {
		kma_env.now += !(i % KMA_LIVE_PAIRS) * 2;
		kma_live_alloc(t);
	}
	t->core = kma_core;
}

static double kma_live_pairs(struct kma_live *t)
{
	u64 start = kma_measure_ns();
	u32 i;

	for (i = 0; i < KMA_LIVE_PAIRS; i++) {
		kma_bench_kfree(kma_live_ptr(t->oldest));
		t->oldest = kma_live_after(t, t->oldest);
		kma_live_alloc(t);
	}
	return (double)(kma_measure_ns() - start) / KMA_LIVE_PAIRS;
}

/* Frees of addresses that were never allocated, in random order. */
static double kma_live_unknown(void)
{
	u64 start = kma_measure_ns();
	u32 i;

	for (i = 0; i < KMA_LIVE_PAIRS; i++)
		kma_bench_kfree(KMA_LIVE_PTR + (KMA_LIVE_PAGES / 2 +
				i * 0x9e3779b1U % (KMA_LIVE_PAGES / 2)) * KMA_PAGE_SIZE +
				i % KMA_LIVE_SLAB * KMA_LIVE_BYTES);
	return (double)(kma_measure_ns() - start) / KMA_LIVE_PAIRS;
}

static void kma_live_measure(struct kma_live *t, u32 round)
{
	kma_core = t->core;
	/* The time has changed since this table was last used. */
	kma_env.now += 2;
	t->pair[round] = kma_live_pairs(t);
	t->unknown[round] = kma_live_unknown();
	t->core = kma_core;
}

static void kma_live_print(const struct kma_live *t, double pair, double unknown,
			   double pair_base, double unknown_base)
{
	printf("bench scale_live_%u_pair %.0f ns\n", t->percent, pair);
	printf("bench scale_live_%u_unknown_free %.0f ns\n", t->percent, unknown);
	if (t->percent > 100)
		printf("bench scale_live_%u_pair_ratio %.2f ratio\n", t->percent,
		       pair / pair_base);
	if (t->percent > 10)
		printf("bench scale_live_%u_unknown_free_ratio %.2f ratio\n", t->percent,
		       unknown / unknown_base);
}

int main(void)
{
	double pair[ARRAY_SIZE(kma_live)], unknown[ARRAY_SIZE(kma_live)];
	u32 i, round;

	for (i = 0; i < ARRAY_SIZE(kma_live); i++)
		kma_live_fill(&kma_live[i]);
	for (round = 0; round < KMA_LIVE_ROUNDS; round++)
		for (i = 0; i < ARRAY_SIZE(kma_live); i++)
			kma_live_measure(&kma_live[i], round);
	for (i = 0; i < ARRAY_SIZE(kma_live); i++) {
		pair[i] = kma_measure_median(kma_live[i].pair, KMA_LIVE_ROUNDS);
		unknown[i] = kma_measure_median(kma_live[i].unknown, KMA_LIVE_ROUNDS);
	}
	for (i = 0; i < ARRAY_SIZE(kma_live); i++)
		kma_live_print(&kma_live[i], pair[i], unknown[i], pair[1], unknown[0]);
	return 0;
}
