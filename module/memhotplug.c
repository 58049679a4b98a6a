// SPDX-License-Identifier: GPL-2.0
/*
 * The page frames there are.
 *
 * The map of page frames is as large as the RAM that is there at load, rounded
 * up to a power of two.  Memory that is added beyond it takes the second net
 * away (core/pagegen.h), which the log and `stats` say.  Memory that is removed
 * needs nothing: all of its pages have been freed before.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>

#include "kmemacct.h"

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
