// SPDX-License-Identifier: GPL-2.0
/*
 * Ghosts: objects whose frees have no tracepoint.
 *
 * insmod allocates @nr objects on a NUMA node and frees them by kfree_bulk().
 * With bulk=off kmemacct takes them for live from then on, wherever their memory
 * goes.  They are larger than any slab, so that their pages are free again, and
 * free of others.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#define GHOST_BYTES	20000

static int node;
module_param(node, int, 0400);
MODULE_PARM_DESC(node, "where the objects are");

static int nr = 1000;
module_param(nr, int, 0400);
MODULE_PARM_DESC(nr, "how many; after insmod: how many of them were on that node");

static noinline void *ghost_make(void)
{
	void *ptr = kmalloc_node(GHOST_BYTES, GFP_KERNEL, node);

	barrier();
	return ptr;
}

static int __init ghosts_init(void)
{
	int i, there = 0;
	void **ghost;

	ghost = kcalloc(nr, sizeof(*ghost), GFP_KERNEL);
	if (!ghost)
		return -ENOMEM;
	/* All before the first is freed: else it were one again and again. */
	for (i = 0; i < nr; i++) {
		ghost[i] = ghost_make();
		if (!ghost[i])
			break;
		there += page_to_nid(virt_to_page(ghost[i])) == node;
	}
	kfree_bulk(i, ghost);
	kfree(ghost);
	nr = there;
	return 0;
}

static void __exit ghosts_exit(void)
{
}

module_init(ghosts_init);
module_exit(ghosts_exit);

MODULE_DESCRIPTION("Objects that are freed without a tracepoint, to test kmemacct against");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
