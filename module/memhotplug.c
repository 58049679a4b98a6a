// SPDX-License-Identifier: GPL-2.0
/* Memory that comes and goes.  See memhotplug.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>

#include "memhotplug.h"
#include "state.h"

static_assert(PAGE_SHIFT == KMA_PAGE_SHIFT);

/* One more than the highest page frame number; max_pfn is not for modules. */
u64 kma_memhotplug_end(void)
{
	u64 end = 0;
	int nid;

	for_each_online_node(nid)
		end = max_t(u64, end, node_end_pfn(nid));
	return end;
}

/* A balloon takes nothing away from these. */
static u64 kma_memhotplug_present(void)
{
	u64 pages = 0;
	int nid;

	for_each_online_node(nid)
		pages += node_present_pages(nid);
	return pages;
}

u64 kma_memhotplug_pfns(void)
{
	/* Where RAM is spread thinly over the addresses it would be too much. */
	u64 most = roundup_pow_of_two(4 * kma_memhotplug_present());

	return min_t(u64, roundup_pow_of_two(kma_memhotplug_end()), most);
}

/* From here on there are frames that have no generation of their own. */
static void kma_memhotplug_fix(u64 end, const char *why)
{
	struct kma_pagegen *pages = &kma_core.obj.pages;

	if (end <= pages->mask + 1 || pages->fixed)
		return;
	WRITE_ONCE(pages->fixed, true);
	/* No probe ends a generation any more. */
	tracepoint_synchronize_unregister();
	pr_warn("%s: objects left on pages that are freed are not found\n", why);
}

static int kma_memhotplug_notify(struct notifier_block *nb, unsigned long action,
				 void *arg)
{
	const struct memory_notify *mem = arg;

	/* Before any of it can be used. */
	if (action == MEM_GOING_ONLINE)
		kma_memhotplug_fix((u64)mem->start_pfn + mem->nr_pages,
				   "memory was added: until the module is loaded again");
	return NOTIFY_OK;
}

static struct notifier_block kma_memhotplug_notifier = {
	.notifier_call = kma_memhotplug_notify,
};

int kma_memhotplug_start(void)
{
	int ret = register_memory_notifier(&kma_memhotplug_notifier);

	if (ret)
		pr_err("cannot watch memory come and go: error %d\n", ret);
	else
		/* Or memory was added since the map was made. */
		kma_memhotplug_fix(kma_memhotplug_end(), "RAM is spread too thinly");
	return ret;
}

void kma_memhotplug_stop(void)
{
	unregister_memory_notifier(&kma_memhotplug_notifier);
}

/* ---- records of pages ----------------------------------------------------- */

/* Chunks are added under this one alone: memory hotplug holds locks of its own. */
static DEFINE_MUTEX(kma_pfns_lock);

/* For memory that is added later: four times what there is, and 1 TiB at least. */
#define KMA_CHUNKS_LEAST	(1ULL << (40 - PAGE_SHIFT - KMA_CHUNK_SHIFT))

u64 kma_memhotplug_chunks(void)
{
	return max_t(u64, KMA_CHUNKS_LEAST,
		     4 * DIV_ROUND_UP_ULL(kma_memhotplug_end(), KMA_CHUNK_PFNS));
}

static int kma_pfns_add(unsigned long pfn, unsigned long nr)
{
	const u64 end = min_t(u64, kma_pagealloc.pfns.nr_chunks,
			      DIV_ROUND_UP_ULL(pfn + nr, KMA_CHUNK_PFNS));
	u64 i;
	int ret = 0;

	mutex_lock(&kma_pfns_lock);
	for (i = pfn / KMA_CHUNK_PFNS; !ret && i < end; i++)
		ret = kma_pfntab_add(&kma_pagealloc.pfns, i);
	mutex_unlock(&kma_pfns_lock);
	return ret;
}

static int kma_pfns_notify(struct notifier_block *nb, unsigned long action, void *arg)
{
	const struct memory_notify *mem = arg;

	/* Before any of it can be used. */
	if (action == MEM_GOING_ONLINE && kma_pfns_add(mem->start_pfn, mem->nr_pages))
		pr_warn("no memory to track the pages of memory that was added\n");
	return NOTIFY_OK;
}

static struct notifier_block kma_pfns_notifier = {
	.notifier_call = kma_pfns_notify,
};

/* As memory is described to the kernel, and where a part of it may be missing. */
#define KMA_PFNS_STEP	512UL

static bool kma_pfns_any(u64 pfn)
{
	const u64 end = pfn + KMA_CHUNK_PFNS;

	for (; pfn < end; pfn += KMA_PFNS_STEP)
		if (pfn_to_online_page(pfn))
			return true;
	return false;
}

static int kma_pfns_add_all(void)
{
	unsigned long pfn;
	int ret = 0;

	for (pfn = 0; !ret && pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS)
		if (kma_pfns_any(pfn))
			ret = kma_pfns_add(pfn, KMA_CHUNK_PFNS);
	return ret;
}

/* What it will be, with the memory there is now. */
u64 kma_memhotplug_pages_forecast(void)
{
	u64 pfn, chunks = 0;

	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS)
		chunks += kma_pfns_any(pfn);
	return kma_pagealloc_bytes(kma_memhotplug_chunks(), chunks, kma_config.sites_max,
				nr_cpu_ids);
}

int kma_memhotplug_pages_start(void)
{
	/* The notifier comes first: memory added meanwhile is added twice, not missed. */
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
