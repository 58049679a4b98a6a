// SPDX-License-Identifier: GPL-2.0
/* Memory that is added and removed at run time.  See memhotplug.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "memhotplug.h"
#include "state.h"

static_assert(PAGE_SHIFT == KMA_PAGE_SHIFT);

/* max_pfn is not exported to modules. */
u64 kma_memhotplug_end(void)
{
	u64 end = 0;
	int nid;

	for_each_online_node(nid)
		end = max_t(u64, end, node_end_pfn(nid));
	return end;
}

/* The number of pages of RAM, including pages that a balloon driver has taken. */
static u64 kma_memhotplug_present(void)
{
	u64 pages = 0;
	int nid;

	for_each_online_node(nid)
		pages += node_present_pages(nid);
	return pages;
}

/* The number of page generations for @present pages of RAM that end before page frame @end. */
static u64 kma_memhotplug_room(u64 present, u64 end)
{
	/* Each 8 MiB of a gap take 16 bytes: a pointer to the shared page, and its mapping. */
	return min_t(u64, roundup_pow_of_two(end), roundup_pow_of_two(64 * present));
}

u64 kma_memhotplug_pfns(void)
{
	return kma_memhotplug_room(kma_memhotplug_present(), kma_memhotplug_end());
}

#define KMA_GAPS_TOO_LARGE	"the gaps between the physical addresses of RAM are too large"

void kma_memhotplug_stop_generations(const char *why)
{
	struct kma_pagegen *pages = &kma_core.obj.pages;

	if (pages->fixed)
		return;
	WRITE_ONCE(pages->fixed, true);
	/* Once this returns, no probe ends a generation any more. */
	tracepoint_synchronize_unregister();
	pr_warn("can no longer detect objects on freed pages: %s\n", why);
}

/*
 * Serializes changes of the array of page generations, and adding chunks of page records.  kma_lock
 * cannot do this, because the memory notifier is called with locks of memory hotplug held, and
 * other code takes those under kma_lock.
 */
static DEFINE_MUTEX(kma_pfns_lock);

/* Replace the array of @nr generations by another mapping of the same memory. */
static void kma_memhotplug_replace(struct kma_pagegen *pages, u64 nr, kma_gen *gen)
{
	kma_gen *old = pages->gen;

	WRITE_ONCE(pages->gen, gen);
	kma_env_wait_for_probes();
	kma_env_pfns_free(old, nr, sizeof(kma_gen));
}

/*
 * A probe loads the pointer to the array and the mask without a lock, and may see the old value of
 * one and the new value of the other.  So the two change one at a time, with a wait for all probes
 * in between, and each combination leads to the same memory:
 *
 *	array		mask	generation of page number n
 *	old		old	n & old mask
 *	repeated	old	the same
 *	repeated	new	n & new mask, which is the same memory
 *	extended	new	the same memory, except for page frames that do not exist yet
 */
int kma_memhotplug_add(struct kma_pagegen *pages, u64 pfns, unsigned long pfn,
		       unsigned long nr, int node)
{
	const u64 had = pages->mask + 1;
	kma_gen *repeated = NULL;
	kma_gen *extended = kma_env_pfns_extend(pages->gen, had, pfns, sizeof(kma_gen),
						KMA_GENS_FIRST, pfn, nr, node);

	if (!extended)
		return -ENOMEM;
	if (pfns > had) {
		repeated = kma_env_pfns_repeat(pages->gen, had, pfns, sizeof(kma_gen));
		if (!repeated) {
			kma_env_pfns_free(extended, pfns, sizeof(kma_gen));
			return -ENOMEM;
		}
		kma_memhotplug_replace(pages, had, repeated);
		WRITE_ONCE(pages->mask, pfns - 1);
		kma_env_wait_for_probes();
	}
	kma_memhotplug_replace(pages, pfns, extended);
	return 0;
}

static u64 kma_memhotplug_bytes(const struct kma_pagegen *pages)
{
	return kma_env_pfns_bytes(pages->gen, pages->mask + 1, sizeof(kma_gen));
}

/* The node of memory that is going online.  Its pages have been initialized. */
static int kma_memhotplug_node(const struct memory_notify *mem)
{
	return page_to_nid(pfn_to_page(mem->start_pfn));
}

static bool kma_memhotplug_missing(const struct kma_pagegen *pages,
				   const struct memory_notify *mem)
{
	return kma_env_pfns_missing(pages->gen, pages->mask + 1, sizeof(kma_gen), mem->start_pfn,
				    mem->nr_pages);
}

/*
 * Adding memory maps the whole array anew.  Kernels add large memory in many small blocks, so each
 * time the array gets memory for at least 1/32 of the page frames that there are.
 */
static int kma_memhotplug_grow(struct kma_pagegen *pages, u64 pfns,
			       const struct memory_notify *mem)
{
	const u64 step = rounddown_pow_of_two(max_t(u64, kma_memhotplug_present() / 32,
						    mem->nr_pages));
	const u64 from = round_down((u64)mem->start_pfn, step);
	const u64 to = min(round_up((u64)mem->start_pfn + mem->nr_pages, step), pfns);

	return kma_memhotplug_add(pages, pfns, from, to - from, kma_memhotplug_node(mem));
}

static void kma_memhotplug_online(const struct memory_notify *mem)
{
	struct kma_pagegen *pages = &kma_core.obj.pages;
	const u64 end = (u64)mem->start_pfn + mem->nr_pages;
	const u64 pfns = max_t(u64, pages->mask + 1,
			       kma_memhotplug_room(kma_memhotplug_present() + mem->nr_pages, end));

	if (pages->fixed || (end <= pages->mask + 1 && !kma_memhotplug_missing(pages, mem)))
		return;
	if (end > pfns)
		kma_memhotplug_stop_generations(KMA_GAPS_TOO_LARGE);
	else if (kma_memhotplug_grow(pages, pfns, mem))
		kma_memhotplug_stop_generations("no memory for added memory; reload the module");
}

#define KMA_ADDED_DURING_LOAD	"memory was added during load; reload the module"

/*
 * Memory that began to go online before the notifier was registered has no generations of its own:
 * kma_memhotplug_online() was not called for it.
 */
static void kma_memhotplug_is_online(const struct memory_notify *mem)
{
	const struct kma_pagegen *pages = &kma_core.obj.pages;

	if ((u64)mem->start_pfn + mem->nr_pages > pages->mask + 1 ||
	    kma_memhotplug_missing(pages, mem))
		kma_memhotplug_stop_generations(KMA_ADDED_DURING_LOAD);
}

static int kma_memhotplug_notify(struct notifier_block *nb, unsigned long action,
				 void *arg)
{
	mutex_lock(&kma_pfns_lock);
	/* MEM_GOING_ONLINE is announced before any of the memory can be used. */
	if (action == MEM_GOING_ONLINE)
		kma_memhotplug_online(arg);
	else if (action == MEM_ONLINE)
		kma_memhotplug_is_online(arg);
	mutex_unlock(&kma_pfns_lock);
	return NOTIFY_OK;
}

static struct notifier_block kma_memhotplug_notifier = {
	.notifier_call = kma_memhotplug_notify,
};

/* Memory may have been added after the array was allocated, before the notifier was registered. */
static void kma_memhotplug_check(void)
{
	const struct kma_pagegen *pages = &kma_core.obj.pages;

	if (kma_memhotplug_end() > pages->mask + 1)
		kma_memhotplug_stop_generations(KMA_GAPS_TOO_LARGE);
	else if (kma_pagegen_bytes(pages->mask + 1) > kma_memhotplug_bytes(pages))
		kma_memhotplug_stop_generations(KMA_ADDED_DURING_LOAD);
}

int kma_memhotplug_start(void)
{
	int ret = register_memory_notifier(&kma_memhotplug_notifier);

	if (ret) {
		pr_err("cannot register the memory hotplug notifier: error %d\n", ret);
		return ret;
	}
	mutex_lock(&kma_pfns_lock);
	kma_memhotplug_check();
	mutex_unlock(&kma_pfns_lock);
	return 0;
}

void kma_memhotplug_stop(void)
{
	unregister_memory_notifier(&kma_memhotplug_notifier);
}

/* ---- records of pages ----------------------------------------------------- */

/*
 * There is room for memory that is added later: for four times the present page frames, and at
 * least for 1 TiB, which is this many chunks.
 */
#define KMA_CHUNKS_LEAST	(1ULL << (40 - PAGE_SHIFT - KMA_CHUNK_SHIFT))

u64 kma_memhotplug_chunks(void)
{
	return max_t(u64, KMA_CHUNKS_LEAST,
		     4 * DIV_ROUND_UP_ULL(kma_memhotplug_end(), KMA_CHUNK_PFNS));
}

static int kma_pfns_add(unsigned long pfn, unsigned long nr, int node)
{
	const u64 end = min_t(u64, kma_pagealloc.pfns.nr_chunks,
			      DIV_ROUND_UP_ULL(pfn + nr, KMA_CHUNK_PFNS));
	u64 i;
	int ret = 0;

	mutex_lock(&kma_pfns_lock);
	for (i = pfn / KMA_CHUNK_PFNS; !ret && i < end; i++)
		ret = kma_pfntab_add(&kma_pagealloc.pfns, i, node);
	mutex_unlock(&kma_pfns_lock);
	return ret;
}

static int kma_pfns_notify(struct notifier_block *nb, unsigned long action, void *arg)
{
	const struct memory_notify *mem = arg;

	/* MEM_GOING_ONLINE is announced before any of the memory can be used. */
	if (action == MEM_GOING_ONLINE && kma_pfns_add(mem->start_pfn, mem->nr_pages,
						       kma_memhotplug_node(mem)))
		pr_warn("not enough memory to track the pages of hotplugged memory\n");
	return NOTIFY_OK;
}

static struct notifier_block kma_pfns_notifier = {
	.notifier_call = kma_pfns_notify,
};

static bool kma_pfns_any(unsigned long pfn)
{
	return kma_env_pfns_node(pfn, KMA_CHUNK_PFNS, KMA_NODE_NONE) != KMA_NODE_NONE;
}

static int kma_pfns_add_all(void)
{
	unsigned long pfn;
	int ret = 0;

	for (pfn = 0; !ret && pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS) {
		if (kma_pfns_any(pfn))
			ret = kma_pfns_add(pfn, KMA_CHUNK_PFNS, NUMA_NO_NODE);
		cond_resched();
	}
	return ret;
}

u64 kma_memhotplug_pages_forecast(void)
{
	u64 pfn, chunks = 0;

	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS) {
		chunks += kma_pfns_any(pfn);
		cond_resched();
	}
	return kma_pagealloc_bytes(kma_memhotplug_chunks(), chunks, kma_config.sites_max,
				num_possible_cpus());
}

int kma_memhotplug_pages_start(void)
{
	/*
	 * Register the notifier first, so that memory that is added in the meantime is not
	 * missed.  Adding a chunk twice is harmless.
	 */
	int ret = register_memory_notifier(&kma_pfns_notifier);

	if (ret)
		return ret;
	ret = kma_pfns_add_all();
	if (ret)
		kma_memhotplug_pages_stop();
	return ret;
}

void kma_memhotplug_pages_stop(void)
{
	unregister_memory_notifier(&kma_pfns_notifier);
}
