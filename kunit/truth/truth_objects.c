// SPDX-License-Identifier: GPL-2.0
/* The objects of kmemacct_truth: see truth_objects.h. */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "truth_objects.h"

struct truth_object truth_live[TRUTH_LIVE_MAX];
unsigned int truth_nr_live;

/* Count an object from a bulk allocation, which has no hits, and describe it in @o. */
static void truth_count_bulk(enum truth_site_id id, struct truth_object *o,
			     void *ptr, int cpu)
{
	*o = (struct truth_object) {
		.ptr = ptr,
		.site = id,
		.cpu = cpu,
		.bytes_req = truth_caches[truth_sites[id].cache].size,
		.bytes_alloc = ksize(ptr),
		.pid = current->tgid,
		.node = page_to_nid(virt_to_page(ptr)),
	};
	truth_add(id, bulk_objs, 1);
	truth_add(id, bulk_bytes, o->bytes_alloc);
}

void truth_free(const struct truth_object *o, bool with_kfree)
{
	enum truth_cache_id cache = truth_sites[o->site].cache;
	int cpu = truth_get_cpu();

	truth_count_free(o, cpu);
	if (cache == TRUTH_KMALLOC || with_kfree)
		kfree(o->ptr);
	else
		kmem_cache_free(truth_caches[cache].cache, o->ptr);
	truth_put_cpu();
}

int truth_make(enum truth_site_id id, size_t size, int node, int nr)
{
	while (nr--) {
		if (truth_nr_live == TRUTH_LIVE_MAX)
			return -ENOSPC;
		if (!truth_make_at(&truth_live[truth_nr_live], id, size, node))
			return -ENOMEM;
		truth_nr_live++;
	}
	return 0;
}

void truth_drop(int nr)
{
	while (nr-- && truth_nr_live)
		truth_free(&truth_live[--truth_nr_live], false);
}

int truth_some(enum truth_site_id id, size_t size, int node)
{
	int ret = truth_make(id, size, node, 5);

	truth_drop(3);
	return ret;
}

/* ---- many objects by one call --------------------------------------------- */

int truth_make_bulk(enum truth_site_id id, int nr)
{
	struct truth_object *o = &truth_live[truth_nr_live];
	unsigned long before, after;
	int i, cpu;
	void *made;

	if (nr > TRUTH_LIVE_MAX - truth_nr_live)
		return -ENOSPC;
	cpu = truth_get_cpu();
	before = jiffies;
	made = truth_sites[id].alloc(nr, NUMA_NO_NODE);
	after = jiffies;
	for (i = 0; made && i < nr; i++) {
		truth_count_bulk(id, &o[i], truth_batch[i], cpu);
		o[i].before = before;
		o[i].after = after;
		truth_nr_live++;
	}
	truth_put_cpu();
	return made ? 0 : -ENOMEM;
}

void truth_free_bulk(const struct truth_object *o, int nr, struct kmem_cache *cache,
		     bool with_kfree)
{
	int i, cpu = truth_get_cpu();

	for (i = 0; i < nr; i++) {
		truth_count_free(&o[i], cpu);
		truth_batch[i] = o[i].ptr;
	}
	if (with_kfree)
		kfree_bulk(nr, truth_batch);
	else
		kmem_cache_free_bulk(cache, nr, truth_batch);
	truth_put_cpu();
}
