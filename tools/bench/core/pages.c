// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long a free of pages takes: the generations of the pages, and their records.
 *
 * On kernels before 7.0, tracepoints disable preemption while a probe runs.  So the times of the
 * largest orders are also times without preemption.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "probes.h"
#include "../../../module/core/pagealloc.h"

#define KMA_PAGES_ROUNDS	201U
#define KMA_PAGES_FREES		512U
#define KMA_PAGES_PTR		0xffff888000000000UL
#define KMA_PAGES_SITE		0xffffffff81000000UL
/* A folio of 1 GiB. */
#define KMA_PAGES_ORDER_MAX	18

static struct kma_pagealloc kma_pagealloc;

static noinline void kma_pages_free_objects(unsigned int order)
{
	kma_record_pages_free(&kma_core, KMA_PAGES_PTR, order);
}

static noinline void kma_pages_free_records(unsigned int order)
{
	kma_pagealloc_free(&kma_pagealloc, 0, order);
}

/* One free in a round is enough for large orders. */
static u32 kma_pages_frees(unsigned int order)
{
	return max_t(u32, 1, KMA_PAGES_FREES >> order);
}

/* Time of a free of pages on which nothing is recorded, in ns. */
static double kma_pages_empty(unsigned int order, void (*free_pages)(unsigned int order))
{
	const u32 frees = kma_pages_frees(order);
	double ns[KMA_PAGES_ROUNDS];
	u64 start;
	u32 i, k;

	for (i = 0; i < KMA_PAGES_ROUNDS; i++) {
		start = kma_measure_ns();
		for (k = 0; k < frees; k++)
			free_pages(order);
		ns[i] = (double)(kma_measure_ns() - start) / frees;
	}
	return kma_measure_median(ns, KMA_PAGES_ROUNDS);
}

/* Time of a free of pages that all have a record, in ns. */
static double kma_pages_recorded(unsigned int order)
{
	const struct kma_page_event ev = {
		.order = order,
		.class = kma_class(order, 0, 0),
	};
	double ns[KMA_PAGES_ROUNDS];
	u64 start;
	u32 i;

	for (i = 0; i < KMA_PAGES_ROUNDS; i++) {
		kma_pagealloc_site(&kma_pagealloc, kma_pfntab_at(&kma_pagealloc.pfns, 0),
				   KMA_PAGES_SITE, &ev);
		start = kma_measure_ns();
		kma_pages_free_records(order);
		ns[i] = kma_measure_ns() - start;
	}
	return kma_measure_median(ns, KMA_PAGES_ROUNDS);
}

/*
 * Time of a free of a folio that is larger than a chunk, so that its records are in several chunks.
 */
static double kma_pages_recorded_folio(void)
{
	const struct kma_page_event ev = { .order = 10, .class = kma_class(10, 0, 0) };
	double ns[KMA_PAGES_ROUNDS];
	unsigned long pfn;
	u64 start;
	u32 i;

	for (i = 0; i < KMA_PAGES_ROUNDS; i++) {
		for (pfn = 0; pfn < 1UL << KMA_PAGES_ORDER_MAX; pfn += 1024)
			kma_pagealloc_site(&kma_pagealloc,
					   kma_pfntab_at(&kma_pagealloc.pfns, pfn),
					   KMA_PAGES_SITE, &ev);
		start = kma_measure_ns();
		kma_pages_free_records(KMA_PAGES_ORDER_MAX);
		ns[i] = kma_measure_ns() - start;
	}
	return kma_measure_median(ns, KMA_PAGES_ROUNDS);
}

int main(void)
{
	static const unsigned int orders[] = { 0, 1, 2, 3, 9, 10, KMA_PAGES_ORDER_MAX };
	u32 i;

	kma_bench_start();
	if (kma_pagealloc_init(&kma_pagealloc, 16, 1024))
		exit(1);
	for (i = 0; i < 16; i++)
		if (kma_pfntab_add(&kma_pagealloc.pfns, i, NUMA_NO_NODE))
			exit(1);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		printf("bench pages_%u_objects_empty %.1f ns\n", orders[i],
		       kma_pages_empty(orders[i], kma_pages_free_objects));
		printf("bench pages_%u_records_empty %.1f ns\n", orders[i],
		       kma_pages_empty(orders[i], kma_pages_free_records));
		printf("bench pages_%u_records_full %.1f ns\n", orders[i],
		       orders[i] <= 10 ? kma_pages_recorded(orders[i]) :
					 kma_pages_recorded_folio());
	}
	return 0;
}
