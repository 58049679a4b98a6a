// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the instructions of the longest pieces of work that the core does with preemption off.
 *
 * A probe of a tracepoint runs with preemption off, and so does each piece of a sweep and of a
 * bulk free.  Here each of these is brought into its worst case, and runs with the trap flag
 * set: the processor traps after every instruction, and the traps are counted.  No piece may have
 * more than KMA_MOST instructions, however full the tables are.
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "../../../module/core/pagealloc.h"
#include "../../../module/core/record.h"
#include "case.h"

#define KMA_MOST	50000
#define KMA_BASE	0xffff888000000000UL
#define KMA_SITE	0xffffffff81000000UL
#define KMA_PFNS	4096U
#define KMA_ORDER	10	/* the largest order of the page allocator */
#define KMA_TRAP_FLAG	0x100

static struct kma_core kma_core;
static struct kma_pagealloc kma_pagealloc;

/* ---- counting ------------------------------------------------------------------- */

static u64 kma_count;

static void kma_count_trap(int sig)
{
	(void)sig;
	kma_count++;
}

static __always_inline void kma_count_begin(void)
{
	kma_count = 0;
	__asm__ __volatile__("pushfq; orq %0, (%%rsp); popfq"
			     : : "i" (KMA_TRAP_FLAG) : "memory", "cc");
}

static __always_inline u64 kma_count_end(void)
{
	__asm__ __volatile__("pushfq; andq %0, (%%rsp); popfq"
			     : : "i" (~KMA_TRAP_FLAG) : "memory", "cc");
	return kma_count;
}

/* The most instructions that work(i) takes, for @i from @first up to @nr - 1. */
static u64 kma_longest(void (*work)(u32 i), u32 first, u32 nr)
{
	u64 most = 0, now;
	u32 i;

	for (i = 0; i < first; i++)
		work(i);
	for (; i < nr; i++) {
		kma_count_begin();
		work(i);
		now = kma_count_end();
		most = max(most, now);
	}
	return most;
}

static void kma_print(const char *what, u64 nr)
{
	printf("longest: %7llu instructions: %s\n", (unsigned long long)nr, what);
	fflush(stdout);
	kma_expect(nr > 10);
	kma_expect(nr <= KMA_MOST);
}

/* ---- objects -------------------------------------------------------------------- */

static void kma_start(u64 live_max, u32 sites_max)
{
	if (kma_core_init(&kma_core, live_max, sites_max, KMA_PFNS))
		abort();
	kma_env.now = 1000;
}

static void kma_end(void)
{
	kma_record_livefilter_stop();
	kma_core_destroy(&kma_core);
}

static struct kma_event kma_event_of(u64 nr, u32 bytes, u32 site)
{
	return (struct kma_event) {
		.site = KMA_SITE + site * 16UL,
		.ptr = KMA_BASE + nr * bytes,
		.cache = bytes,
		.kmalloc = true,
		.bytes_req = bytes,
		.node = NUMA_NO_NODE,
	};
}

static noinline void kma_alloc(const struct kma_event *ev)
{
	kma_record_alloc(&kma_core, ev);
}

static noinline void kma_free(unsigned long ptr)
{
	kma_record_free(&kma_core, ptr, true);
}

/* Fill pages with the smallest objects: their buckets are full, and others have spilled. */
static void kma_fill(u32 pages)
{
	struct kma_event ev;
	u32 i;

	for (i = 0; i < pages * KMA_PAGE_SIZE / 8; i++) {
		ev = kma_event_of(i, 8, 1);
		kma_alloc(&ev);
	}
}

static void kma_work_no_room(u32 i)
{
	const struct kma_event ev = kma_event_of(10000 + i, 8, 1);

	/* The table is not known to be crowded any more. */
	kma_env.now += 4;
	kma_alloc(&ev);
}

static void kma_work_free(u32 i)
{
	kma_free(KMA_BASE + 400 * i);
}

/* With four times as many objects as the table has room for, each one searches all its places. */
static void kma_full_table(void)
{
	u64 most;

	kma_start(512, 64);
	kma_fill(4);
	kma_print("an allocation that finds no room", kma_longest(kma_work_no_room, 50, 55));
	most = kma_longest(kma_work_free, 0, 40);
	kma_print("the free of an object that may have spilled", most);
	kma_print("a piece of a bulk free", KMA_BULK_PIECE * most);
	kma_end();
}

static void kma_work_new_site(u32 i)
{
	const struct kma_event ev = kma_event_of(i, 64, i);

	kma_alloc(&ev);
}

/* Every call site is new, until rows run out. */
static void kma_new_rows(void)
{
	kma_start(100000, 1024);
	kma_print("an allocation at a new call site", kma_longest(kma_work_new_site, 920, 1020));
	kma_end();
}

/* A cache whose objects are allocated at many call sites. */
static const struct kma_env_cache kma_busy_cache[1];
#define KMA_BUSY_SITES	256

static void kma_work_retire(u32 i)
{
	kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)&kma_busy_cache[i]);
}

/*
 * This is the only piece without a limit: it takes time for each row of the cache that is
 * destroyed.
 */
static void kma_destroyed_cache(void)
{
	struct kma_event ev;
	u32 i;

	kma_start(100000, 1024);
	for (i = 0; i < KMA_BUSY_SITES; i++) {
		ev = kma_event_of(i, 64, i);
		ev.cache = (unsigned long)kma_busy_cache;
		ev.kmalloc = false;
		kma_alloc(&ev);
	}
	kma_print("the destruction of a cache with 256 rows", kma_longest(kma_work_retire, 0, 1));
	kma_expect(atomic_read(&kma_core.sites.retired) == KMA_BUSY_SITES);
	kma_end();
}

static void kma_work_new_stack(u32 i)
{
	const struct kma_event ev = kma_event_of(i, 4096, 1);

	kma_env.stack = KMA_SITE + 100000 + 8 * i;
	kma_record_sampled(&kma_core, &ev, 4096, false);
}

/* Each sample has another stack. */
static void kma_new_stacks(void)
{
	kma_start(100000, 1024);
	kma_record_livefilter_start(&kma_core);
	kma_sample_set(KMA_SAMPLE_OBJECTS, 12);
	kma_print("a sample with a new stack, without unwinding it",
		  kma_longest(kma_work_new_stack, 720, 820));
	kma_env.stack = 0;
	kma_end();
}

/* ---- pages of objects ------------------------------------------------------------ */

static noinline void kma_pages_free(u32 page, u32 order)
{
	kma_record_pages_free(&kma_core, KMA_BASE + page * KMA_PAGE_SIZE, order);
}

static void kma_work_sweep(u32 i)
{
	u32 k;

	for (k = 0; k < KMA_SWEEP_BUCKETS; k++)
		kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj,
							      i * KMA_SWEEP_BUCKETS + k));
}

/* A sweep of buckets whose entries are all stale, while frees use the livefilter. */
static void kma_stale_entries(void)
{
	struct kma_stats stats;

	kma_start(512, 64);
	kma_fill(4);
	kma_record_livefilter_start(&kma_core);
	kma_pages_free(0, 2);
	kma_print("a piece of a sweep", kma_longest(kma_work_sweep, 12, 16));
	kma_stats_sum(&stats);
	/* Most slots of these buckets had a stale entry. */
	kma_expect(stats.v[KMA_STAT_page_freed] > 8 * KMA_SWEEP_BUCKETS * KMA_SLOTS);
	kma_end();
}

static void kma_work_pages_free(u32 i)
{
	kma_pages_free(i, KMA_ORDER);
}

static void kma_used_pages(void)
{
	struct kma_event ev;
	u32 i;

	kma_start(10000, 64);
	for (i = 0; i < 1 << KMA_ORDER; i++) {
		ev = kma_event_of(i, KMA_PAGE_SIZE, 1);
		kma_alloc(&ev);
	}
	kma_print("the free of 1,024 pages with objects", kma_longest(kma_work_pages_free, 0, 1));
	kma_end();
}

static void kma_work_slab_free(u32 i)
{
	kma_pages_free(i, 3);
}

/*
 * The generations of the pages of a slab wrap around, two of them in each of four frees.  The slab
 * has the largest order that SLUB uses by default.  All of its objects were freed before, as nearly
 * always.
 */
static void kma_wrapped_pages(void)
{
	struct kma_event ev;
	u64 most = 0;
	u32 i, k;

	kma_start(20000, 64);
	for (i = 0; i < 8; i++)
		*kma_pagegen_at(&kma_core.obj.pages, KMA_BASE + i * KMA_PAGE_SIZE) -= 8;
	for (k = 0; k < 4; k++) {
		for (i = 0; i < 8; i++) {
			ev = kma_event_of(i, KMA_PAGE_SIZE, 1);
			kma_alloc(&ev);
			kma_free(ev.ptr);
		}
		most = max(most, kma_longest(kma_work_slab_free, 0, 1));
	}
	kma_print("the free of eight pages, two generations of which wrap around", most);
	kma_expect(most > 128 * 2 * 50);
	kma_end();
}

/* ---- records of pages ------------------------------------------------------------- */

static noinline void kma_page_alloc(u32 pfn, u32 order, u32 gfp)
{
	const struct kma_page_event ev = {
		.order = order,
		.class = kma_class(order, 0, gfp),
	};

	kma_pagealloc_site(&kma_pagealloc, kma_pfntab_at(&kma_pagealloc.pfns, pfn),
			   KMA_SITE + gfp, &ev);
}

static noinline void kma_page_free(u32 pfn, u32 order)
{
	kma_pagealloc_free(&kma_pagealloc, pfn, order);
}

static void kma_work_page_alloc(u32 i)
{
	kma_page_alloc(i, KMA_ORDER, 0xcc0);
}

static void kma_work_page_free(u32 i)
{
	kma_page_free(i, KMA_ORDER);
}

static void kma_page_records(void)
{
	u32 i;

	if (kma_pagealloc_init(&kma_pagealloc, 1, 1024) ||
	    kma_pfntab_add(&kma_pagealloc.pfns, 0, NUMA_NO_NODE))
		abort();
	kma_print("an allocation of 1,024 pages", kma_longest(kma_work_page_alloc, 0, 1));
	kma_print("their free", kma_longest(kma_work_page_free, 0, 1));
	for (i = 0; i < 1 << KMA_ORDER; i++)
		kma_page_alloc(i, 0, i % 500);
	kma_print("the free of 1,024 pages that were allocated one by one",
		  kma_longest(kma_work_page_free, 0, 1));
	kma_pagealloc_destroy(&kma_pagealloc);
}

static const struct kma_case kma_cases[] = {
	{ "a full table", kma_full_table },
	{ "new rows", kma_new_rows },
	{ "a cache that is destroyed", kma_destroyed_cache },
	{ "new stacks", kma_new_stacks },
	{ "stale entries", kma_stale_entries },
	{ "pages with objects", kma_used_pages },
	{ "pages whose generations wrap around", kma_wrapped_pages },
	{ "records of pages", kma_page_records },
};

int main(void)
{
	signal(SIGTRAP, kma_count_trap);
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
