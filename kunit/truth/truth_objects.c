// SPDX-License-Identifier: GPL-2.0
/* The objects of kmemacct_truth, and their counters: see truth_objects.h. */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "truth_objects.h"

struct truth_counts __percpu *truth_counts;

/* See truth_objects.h for what it protects. */
DEFINE_MUTEX(truth_lock);
struct truth_object truth_live[TRUTH_LIVE_MAX];
unsigned int truth_nr_live;

/* ---- counting ------------------------------------------------------------- */

int __init truth_counts_create(void)
{
	truth_counts = __alloc_percpu(TRUTH_NR * sizeof(*truth_counts),
				      __alignof__(*truth_counts));
	return truth_counts ? 0 : -ENOMEM;
}

void truth_counts_destroy(void)
{
	free_percpu(truth_counts);
}

void truth_counts_sum(enum truth_site_id id, struct truth_counts *sum)
{
	struct truth_counts *c;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&truth_counts[id], cpu);
		sum->hits += READ_ONCE(c->hits);
		sum->bytes_req += READ_ONCE(c->bytes_req);
		sum->bytes_alloc += READ_ONCE(c->bytes_alloc);
		sum->frees += READ_ONCE(c->frees);
		sum->bytes_freed += READ_ONCE(c->bytes_freed);
		sum->pingpong += READ_ONCE(c->pingpong);
		sum->cross_node += READ_ONCE(c->cross_node);
		sum->bulk_objs += READ_ONCE(c->bulk_objs);
		sum->bulk_bytes += READ_ONCE(c->bulk_bytes);
		sum->handed += READ_ONCE(c->handed);
	}
}

/* Bytes that an object takes; ksize() may return another number. */
static u32 truth_slot(enum truth_site_id id, const void *ptr, size_t size)
{
	/* A KFENCE object has a page to itself; what counts is the slot size of its cache. */
	if (is_kfence_address(ptr))
		return ALIGN(size, sizeof(void *));
	/* In this cache, the pointer that links free slots comes after the object. */
	if (truth_sites[id].cache == TRUTH_CACHE_TYPESAFE)
		return ksize(ptr) + sizeof(void *);
	return ksize(ptr);
}

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

void truth_count_free(const struct truth_object *o, int cpu)
{
	truth_add(o->site, frees, 1);
	truth_add(o->site, bytes_freed, o->bytes_alloc);
	if (o->cpu != cpu)
		truth_add(o->site, pingpong, 1);
}

/* ---- one object ----------------------------------------------------------- */

bool truth_make_at(struct truth_object *o, enum truth_site_id id, size_t size,
		   int node)
{
	int cpu = truth_get_cpu();

	o->before = jiffies;
	o->ptr = truth_sites[id].alloc(size, node);
	o->after = jiffies;
	if (o->ptr) {
		o->site = id;
		o->cpu = cpu;
		o->bytes_req = size;
		o->bytes_alloc = truth_slot(id, o->ptr, size);
		o->pid = in_task() ? current->tgid : 0;
		o->node = page_to_nid(virt_to_page(o->ptr));
		truth_add(id, hits, 1);
		truth_add(id, bytes_req, o->bytes_req);
		truth_add(id, bytes_alloc, o->bytes_alloc);
		if (node != NUMA_NO_NODE && node != cpu_to_node(cpu))
			truth_add(id, cross_node, 1);
	}
	truth_put_cpu();
	return o->ptr;
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
