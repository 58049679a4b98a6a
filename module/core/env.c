// SPDX-License-Identifier: GPL-2.0
/* What the core needs in process context: memory for tables, and waiting.  See env.h. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "env.h"

void kma_env_wait_for_probes(void)
{
	/* Probes run under RCU, under SRCU (those of tracepoints), or with preemption off. */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/* ---- memory ---------------------------------------------------------------- */

/* Bytes that are allocated now: areas of vmalloc(), and per-CPU chunks. */
static atomic64_t kma_env_areas;
static atomic64_t kma_env_chunks;

u64 kma_env_memory(void)
{
	return atomic64_read(&kma_env_areas) + atomic64_read(&kma_env_chunks);
}

u64 kma_env_memory_areas(void)
{
	return atomic64_read(&kma_env_areas);
}

/*
 * The memory of an area of @pages pages.  The kernel needs an array of pointers to them.  If the
 * array is larger than a page, it is an area of its own, as /proc/vmallocinfo shows.
 */
static s64 kma_area_bytes(u64 pages)
{
	u64 all = 0;

	do {
		all += pages;
		pages = DIV_ROUND_UP_ULL(pages * sizeof(struct page *), PAGE_SIZE);
	} while (pages > 1);
	return all << PAGE_SHIFT;
}

static void *kma_area_count(void *mem, size_t bytes)
{
	if (mem)
		atomic64_add(kma_area_bytes(DIV_ROUND_UP(bytes, PAGE_SIZE)), &kma_env_areas);
	return mem;
}

/* The number of pages of an area: after the last one is a guard page, which is not mapped. */
static u64 kma_area_pages(const void *mem)
{
	u64 pages = 0;

	while (vmalloc_to_page(mem + pages * PAGE_SIZE))
		if (!(++pages % 1024))
			cond_resched();
	return pages;
}

void *kma_env_zalloc(size_t bytes)
{
	return kma_area_count(vzalloc(bytes), bytes);
}

void *kma_env_zalloc_try(size_t bytes)
{
	return kma_area_count(__vmalloc(bytes, GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY |
					__GFP_NOWARN), bytes);
}

static int kma_cpu_node(unsigned int cpu)
{
	return cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* This allocates single pages, because vmalloc() would allocate all pages on one node. */
void *kma_env_zalloc_spread(size_t bytes)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	const unsigned int nr = DIV_ROUND_UP(bytes, PAGE_SIZE);
	const size_t size = nr * sizeof(struct page *);
	/* The kernel frees this array together with the area. */
	struct page **page = size > PAGE_SIZE ? vzalloc(size) : kzalloc(size, GFP_KERNEL);
	unsigned int i;
	void *mem;

	for (i = 0; page && i < nr; i++) {
		page[i] = alloc_pages_node(kma_cpu_node((u64)i * nr_cpu_ids / nr), gfp, 0);
		if (!page[i])
			goto fail;
		cond_resched();
	}
	mem = page ? vmap(page, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL) : NULL;
	if (mem)
		return kma_area_count(mem, bytes);
fail:
	while (i--)
		__free_page(page[i]);
	kvfree(page);
	return NULL;
}

void kma_env_no_scan(void *mem)
{
	kmemleak_no_scan(mem);
}

void kma_env_free(void *mem)
{
	if (mem)
		atomic64_sub(kma_area_bytes(kma_area_pages(mem)), &kma_env_areas);
	vfree(mem);
}

static s64 kma_chunk_bytes(void)
{
	return (s64)num_possible_cpus() * KMA_PERCPU_CHUNK_BYTES;
}

void __percpu *kma_env_zalloc_percpu(size_t align)
{
	void __percpu *chunk = __alloc_percpu(KMA_PERCPU_CHUNK_BYTES, align);

	if (chunk)
		atomic64_add(kma_chunk_bytes(), &kma_env_chunks);
	return chunk;
}

void kma_env_free_percpu(void __percpu *chunk)
{
	if (chunk)
		atomic64_sub(kma_chunk_bytes(), &kma_env_chunks);
	free_percpu(chunk);
}
