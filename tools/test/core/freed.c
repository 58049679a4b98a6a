// SPDX-License-Identifier: GPL-2.0
/*
 * Frees pages with recorded objects on each subset of them: exactly the objects of the pages that
 * were freed have to be stale afterwards.
 *
 *   freed
 */
#include <linux/kernel.h>
#include <linux/numa.h>

#include "case.h"
#include "../../../module/core/record.h"

#define KMA_PFNS	64
#define KMA_PTR		0xffff888004000000UL
#define KMA_SITE	0xffffffff81234567UL
/* The pages that are freed begin here; those before and after them keep their objects. */
#define KMA_AT		16U
#define KMA_ORDER_MAX	3

static struct kma_core kma_core;

/* An object on a page; on different pages, it is at different places. */
static unsigned long kma_object(u32 page)
{
	return KMA_PTR + page * KMA_PAGE_SIZE + page * 320 % KMA_PAGE_SIZE;
}

static void kma_record(u32 page)
{
	const struct kma_event ev = {
		.site = KMA_SITE, .ptr = kma_object(page), .cache = 64,
		.kmalloc = true, .bytes_req = 64, .node = NUMA_NO_NODE,
	};

	kma_record_alloc(&kma_core, &ev);
}

static void kma_sweep(void)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++)
		kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj, i));
}

static u64 kma_page_freed(void)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[KMA_STAT_page_freed];
}

/* Bit N of @used: an object is recorded on page N of those that are freed. */
static void kma_expect_freed(u32 used, u32 order)
{
	const u64 before = kma_page_freed();
	struct kma_entry entry;
	u32 i;

	kma_record(KMA_AT - 1);
	kma_record(KMA_AT + (1U << order));
	for (i = 0; i < 1U << order; i++)
		if (used >> i & 1)
			kma_record(KMA_AT + i);
	kma_record_pages_free(&kma_core, KMA_PTR + KMA_AT * KMA_PAGE_SIZE, order);
	kma_sweep();
	kma_expect(kma_page_freed() - before == __builtin_popcount(used));
	for (i = 0; i < 1U << order; i++)
		kma_expect(!kma_objtab_take(&kma_core.obj, kma_object(KMA_AT + i), &entry));
	kma_expect(kma_objtab_take(&kma_core.obj, kma_object(KMA_AT - 1), &entry));
	kma_expect(kma_objtab_take(&kma_core.obj, kma_object(KMA_AT + (1U << order)), &entry));
}

static void kma_each_subset(void)
{
	u32 order, used;

	kma_expect(!kma_core_init(&kma_core, 1024, 64, KMA_PFNS));
	for (order = 0; order <= KMA_ORDER_MAX; order++)
		for (used = 0; used < 1U << (1U << order); used++)
			kma_expect_freed(used, order);
	kma_core_destroy(&kma_core);
}

/* Free pages while their generations wrap around: a generation has 16 bits. */
static void kma_each_generation(void)
{
	u32 i;

	kma_expect(!kma_core_init(&kma_core, 1024, 64, KMA_PFNS));
	for (i = 0; i < KMA_GEN_LAST; i++)
		kma_expect_freed(1 + i % 3, 1);
	kma_core_destroy(&kma_core);
}

static const struct kma_case kma_cases[] = {
	{ "objects on each subset of the pages", kma_each_subset },
	{ "each generation of two pages", kma_each_generation },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
