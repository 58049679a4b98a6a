// SPDX-License-Identifier: GPL-2.0
/*
 * Ghosts: objects whose frees have no tracepoint.
 *
 * insmod allocates `nr` objects on a NUMA node and frees them with kfree_bulk().  With
 * bulk=off, kmemacct does not see these frees and counts the objects as live, even if
 * their memory is used for something else.  The objects are too large for a slab, so that
 * their pages hold no other objects and are free afterwards.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#define GHOST_BYTES	20000

static int node;
module_param(node, int, 0400);
MODULE_PARM_DESC(node, "NUMA node to allocate the objects on");

static int nr = 1000;
module_param(nr, int, 0400);
MODULE_PARM_DESC(nr, "number of objects; after insmod: how many of them were on that node");

static noinline void *ghost_make(void)
{
	void *ptr = kmalloc_node(GHOST_BYTES, GFP_KERNEL, node);

	barrier();
	return ptr;
}

static int __init ghosts_init(void)
{
	int i, nr_on_node = 0;
	void **ghost;

	ghost = kcalloc(nr, sizeof(*ghost), GFP_KERNEL);
	if (!ghost)
		return -ENOMEM;
	/* Allocate all before freeing any: otherwise all might get the same address. */
	for (i = 0; i < nr; i++) {
		ghost[i] = ghost_make();
		if (!ghost[i])
			break;
		nr_on_node += page_to_nid(virt_to_page(ghost[i])) == node;
	}
	kfree_bulk(i, ghost);
	kfree(ghost);
	nr = nr_on_node;
	return 0;
}

static void __exit ghosts_exit(void)
{
}

module_init(ghosts_init);
module_exit(ghosts_exit);

MODULE_DESCRIPTION("Test module for kmemacct: frees objects without a trace event");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
