// SPDX-License-Identifier: GPL-2.0
/* Functions of env.h for process context: memory for tables, and waiting. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/math64.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pfn.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "env.h"

/* Switched by trace/owner.c. */
DEFINE_STATIC_KEY_FALSE(kma_owners_on);

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

/* The memory of the array of pointers to the pages of an area. */
static u64 kma_area_pointers(u64 pages)
{
	u64 all = 0;

	/* An array that is larger than a page is itself an area, as /proc/vmallocinfo shows. */
	for (;;) {
		pages = DIV_ROUND_UP_ULL(pages * sizeof(struct page *), PAGE_SIZE);
		if (pages <= 1)
			return all << PAGE_SHIFT;
		all += pages;
	}
}

/*
 * Count an area, and note its size in its first page.  The end of an area cannot be found by
 * vmalloc_to_page(): before 5.13, it warns where a page table is missing.
 */
static void *kma_area_count(void *mem, size_t bytes)
{
	const u64 pages = PFN_UP(bytes);
	const unsigned long all = (pages << PAGE_SHIFT) + kma_area_pointers(pages);

	if (mem) {
		set_page_private(vmalloc_to_page(mem), all);
		atomic64_add(all, &kma_env_areas);
	}
	return mem;
}

static void kma_area_uncount(const void *mem)
{
	struct page *first = vmalloc_to_page(mem);

	atomic64_sub(page_private(first), &kma_env_areas);
	set_page_private(first, 0);
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

void kma_env_free(void *mem)
{
	if (mem)
		kma_area_uncount(mem);
	vfree(mem);
}

static int kma_cpu_node(unsigned int cpu)
{
	return cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* ---- memory by node -------------------------------------------------------- */

/*
 * vmalloc() allocates all pages on one node.  So these functions allocate single pages, and map
 * them with vmap().
 */
static struct page *kma_page_zalloc(int node)
{
	cond_resched();
	return alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				__GFP_RETRY_MAYFAIL, 0);
}

/* Free the first @nr pages, and the array of pointers to them. */
static void *kma_pages_put(struct page **page, unsigned int nr)
{
	while (nr--)
		__free_page(page[nr]);
	kvfree(page);
	return NULL;
}

/* Map pages.  The mapping owns a reference to each page, and the array: vfree() frees both. */
static void *kma_pages_map(struct page **page, unsigned int nr)
{
	void *mem = vmap(page, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);

	return mem ?: kma_pages_put(page, nr);
}

/* Allocate the array as vmalloc() does: kma_area_pointers() depends on this. */
static struct page **kma_pages_alloc(unsigned int nr)
{
	const size_t bytes = nr * sizeof(struct page *);

	return bytes > PAGE_SIZE ? vzalloc(bytes) : kzalloc(bytes, GFP_KERNEL);
}

void *kma_env_zalloc_spread(size_t bytes)
{
	const unsigned int nr = PFN_UP(bytes);
	struct page **page = kma_pages_alloc(nr);
	unsigned int i;

	if (!page)
		return NULL;
	for (i = 0; i < nr; i++) {
		page[i] = kma_page_zalloc(kma_cpu_node((u64)i * nr_cpu_ids / nr));
		if (!page[i])
			return kma_pages_put(page, i);
	}
	return kma_area_count(kma_pages_map(page, nr), bytes);
}

/*
 * The kernel handles memory in pieces of this many page frames, each of which is either present
 * or missing as a whole.  So it is enough to look at one page of each piece.
 */
#define KMA_PFNS_STEP	512UL

int kma_env_pfns_node(unsigned long pfn, unsigned long nr, int otherwise)
{
	const unsigned long end = pfn + nr;
	const struct page *page;

	for (; pfn < end; pfn += KMA_PFNS_STEP) {
		page = pfn_to_online_page(pfn);
		if (page)
			return page_to_nid(page);
	}
	return otherwise;
}

void *kma_env_zalloc_near(size_t bytes, unsigned long pfn, unsigned long nr, int node)
{
	const unsigned int nr_pages = PFN_UP(bytes);
	const unsigned long step = nr / nr_pages;
	struct page **page = kma_pages_alloc(nr_pages);
	unsigned int i;

	if (!page)
		return NULL;
	for (i = 0; i < nr_pages; i++) {
		page[i] = kma_page_zalloc(kma_env_pfns_node(pfn + i * step, step, node));
		if (!page[i])
			return kma_pages_put(page, i);
	}
	return kma_area_count(kma_pages_map(page, nr_pages), bytes);
}

/* ---- arrays of page frames ------------------------------------------------- */

/*
 * The mapping of an array has one page for each part.  One more page follows, which all parts
 * without RAM share: so the shared page is easy to find.
 */

static unsigned long kma_part_pfns(size_t size)
{
	return PAGE_SIZE / size;
}

static unsigned int kma_parts(u64 nr, size_t size)
{
	return PFN_UP(nr * size);
}

/* The number of the page at which the direct map begins. */
static unsigned long kma_part_origin(void)
{
	return (unsigned long)__va(0) >> PAGE_SHIFT;
}

/* The first page frame that part @i describes. */
static unsigned long kma_part_first(unsigned int i, u64 nr, size_t size)
{
	return (i * kma_part_pfns(size) - kma_part_origin()) & (nr - 1);
}

static int kma_part_node(unsigned int i, u64 nr, size_t size)
{
	return kma_env_pfns_node(kma_part_first(i, nr, size), min_t(u64, kma_part_pfns(size), nr),
				 KMA_NODE_NONE);
}

static struct page *kma_part_page(void *array, unsigned int i)
{
	return vmalloc_to_page(array + (size_t)i * PAGE_SIZE);
}

/* The number of pages of an array: the page that parts share counts once. */
static u64 kma_parts_used(void *array, unsigned int parts)
{
	const struct page *shared = kma_part_page(array, parts);
	unsigned int i;
	u64 used = 1;

	for (i = 0; i < parts; i++) {
		used += kma_part_page(array, i) != shared;
		cond_resched();
	}
	return used;
}

static s64 kma_pfns_all(void *array, unsigned int parts)
{
	return (kma_parts_used(array, parts) << PAGE_SHIFT) + kma_area_pointers(parts + 1);
}

/* Map the pages of the parts, and the shared page after them. */
static void *kma_parts_map(struct page **page, unsigned int parts)
{
	void *array = kma_pages_map(page, parts + 1);

	if (array)
		atomic64_add(kma_pfns_all(array, parts), &kma_env_areas);
	return array;
}

static struct page *kma_part_alloc(int node, u64 fill)
{
	struct page *page = kma_page_zalloc(node);

	if (page)
		memset64(page_address(page), fill, PAGE_SIZE / sizeof(fill));
	return page;
}

static struct page *kma_page_share(struct page *page)
{
	cond_resched();
	get_page(page);
	return page;
}

void *kma_env_pfns_alloc(u64 nr, size_t size, u64 fill)
{
	const unsigned int parts = kma_parts(nr, size);
	struct page **page = kma_pages_alloc(parts + 1);
	struct page *shared = page ? kma_part_alloc(NUMA_NO_NODE, fill) : NULL;
	unsigned int i;
	int node;

	if (!shared)
		return kma_pages_put(page, 0);
	for (i = 0; i < parts; i++) {
		node = kma_part_node(i, nr, size);
		page[i] = node == KMA_NODE_NONE ? kma_page_share(shared) :
						  kma_part_alloc(node, fill);
		if (!page[i]) {
			__free_page(shared);
			return kma_pages_put(page, i);
		}
	}
	page[parts] = shared;
	return kma_parts_map(page, parts);
}

void *kma_env_pfns_repeat(void *array, u64 nr, u64 more, size_t size)
{
	const unsigned int parts = kma_parts(nr, size), all = kma_parts(more, size);
	struct page **page = kma_pages_alloc(all + 1);
	unsigned int i;

	if (!page)
		return NULL;
	for (i = 0; i < all; i++)
		page[i] = kma_page_share(kma_part_page(array, i % parts));
	page[all] = kma_page_share(kma_part_page(array, parts));
	return kma_parts_map(page, all);
}

/* Whether no part describes page frames on both sides of the end of the array. */
static bool kma_parts_are_even(u64 nr, size_t size)
{
	return nr >= kma_part_pfns(size) && !(kma_part_origin() % kma_part_pfns(size));
}

bool kma_env_pfns_missing(void *array, u64 nr, size_t size, unsigned long pfn,
			  unsigned long added)
{
	const unsigned long step = kma_part_pfns(size), end = pfn + added;
	const struct page *shared = kma_part_page(array, kma_parts(nr, size));

	if (!kma_parts_are_even(nr, size))
		return true;
	for (pfn = round_down(pfn, step); pfn < end; pfn += step) {
		if (kma_part_page(array, ((pfn + kma_part_origin()) & (nr - 1)) / step) == shared)
			return true;
		cond_resched();
	}
	return false;
}

void *kma_env_pfns_extend(void *array, u64 nr, u64 more, size_t size, u64 fill,
			  unsigned long pfn, unsigned long added, int node)
{
	const unsigned int parts = kma_parts(nr, size), all = kma_parts(more, size);
	const unsigned long step = kma_part_pfns(size);
	struct page *shared = kma_part_page(array, parts);
	struct page **page;
	unsigned long first;
	unsigned int i;

	if (!kma_parts_are_even(nr, size))
		return NULL;
	page = kma_pages_alloc(all + 1);
	if (!page)
		return NULL;
	for (i = 0; i < all; i++) {
		first = kma_part_first(i, more, size);
		page[i] = first < nr ? kma_part_page(array, i % parts) : shared;
		if (page[i] == shared && first < pfn + added && first + step > pfn)
			page[i] = kma_part_alloc(node, fill);
		else
			kma_page_share(page[i]);
		if (!page[i])
			return kma_pages_put(page, i);
	}
	page[all] = kma_page_share(shared);
	return kma_parts_map(page, all);
}

u64 kma_env_pfns_forecast(u64 nr, size_t size)
{
	unsigned int i, used = 1;

	for (i = 0; i < kma_parts(nr, size); i++) {
		used += kma_part_node(i, nr, size) != KMA_NODE_NONE;
		cond_resched();
	}
	return (u64)used * PAGE_SIZE;
}

u64 kma_env_pfns_bytes(void *array, u64 nr, size_t size)
{
	return kma_parts_used(array, kma_parts(nr, size)) << PAGE_SHIFT;
}

void kma_env_pfns_free(void *array, u64 nr, size_t size)
{
	if (array)
		atomic64_sub(kma_pfns_all(array, kma_parts(nr, size)), &kma_env_areas);
	vfree(array);
}

/* ---- other memory ---------------------------------------------------------- */

void kma_env_no_scan(void *mem)
{
	kmemleak_no_scan(mem);
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
