// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes: on which nodes the tables of kmemacct lie that describe pages.
 *
 * insmod reads page generations and page records through the module's own functions.  It compares
 * the node of each part of a table with the node of the pages that the part describes, and leaves
 * the result in its parameters.  Root finds the addresses of the tables in /proc/kallsyms.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/nodemask.h>

#include "../../module/core/pagealloc.h"
#include "../../module/core/record.h"

static ulong core;
module_param(core, ulong, 0400);
MODULE_PARM_DESC(core, "address of kma_core");

static ulong pagealloc;
module_param(pagealloc, ulong, 0400);
MODULE_PARM_DESC(pagealloc, "address of kma_pagealloc; 0 if pages are not tracked");

/*
 * Numbers of generations and records that are on the node of the pages that they describe, or on
 * another node; and of pages that have none of their own: several pages share one that is not used.
 */
static uint gens_near, gens_far, gens_missing, records_near, records_far, records_missing;
module_param(gens_near, uint, 0400);
module_param(gens_far, uint, 0400);
module_param(gens_missing, uint, 0400);
module_param(records_near, uint, 0400);
module_param(records_far, uint, 0400);
module_param(records_missing, uint, 0400);

/* Number of page frames whose records fill a page.  A page has more generations than records. */
#define NODES_STEP	(PAGE_SIZE / sizeof(struct kma_pfn))

static void nodes_count(const struct page *place, const struct page *page, uint *near, uint *far)
{
	if (page_to_nid(place) == page_to_nid(page))
		++*near;
	else
		++*far;
}

static void nodes_look_gens(const struct kma_pagegen *m, const struct page *page)
{
	const kma_gen *at = kma_pagegen_at(m, (unsigned long)page_to_virt(page));
	/* All parts without RAM share the page after the last part. */
	const struct page *shared = vmalloc_to_page(m->gen + m->mask + 1);

	gens_missing += vmalloc_to_page(at) == shared;
	nodes_count(vmalloc_to_page(at), page, &gens_near, &gens_far);
}

static void nodes_look_records(const struct kma_pfntab *t, unsigned long pfn,
			       const struct page *page)
{
	const struct kma_pfn *at = kma_pfntab_at(t, pfn);

	records_missing += !kma_pfntab_find(t, pfn);
	nodes_count(vmalloc_to_page(at), page, &records_near, &records_far);
}

static void nodes_look(unsigned long pfn)
{
	const struct kma_core *c = (void *)core;
	const struct kma_pagealloc *b = (void *)pagealloc;
	struct page *page = pfn_to_online_page(pfn);

	if (!page)
		return;
	nodes_look_gens(&c->obj.pages, page);
	if (b)
		nodes_look_records(&b->pfns, pfn, page);
}

static int __init nodes_init(void)
{
	unsigned long pfn;
	int nid;

	if (!core)
		return -EINVAL;
	for_each_online_node(nid)
		for (pfn = node_start_pfn(nid); pfn < node_end_pfn(nid); pfn += NODES_STEP)
			nodes_look(pfn);
	return 0;
}

static void __exit nodes_exit(void)
{
}

module_init(nodes_init);
module_exit(nodes_exit);

MODULE_DESCRIPTION("Test module for kmemacct: on which node its tables of pages lie");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
