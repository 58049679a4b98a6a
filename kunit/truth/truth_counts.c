// SPDX-License-Identifier: GPL-2.0
/* The counters of call sites: see truth_counts.h. */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "truth_counts.h"
#include "truth_env.h"

struct truth_counts __percpu *truth_counts;

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

/* Objects without a trace event count like those of a bulk allocation. */
static void truth_count(const struct truth_object *o)
{
	if (truth_sites[o->site].cache == TRUTH_NOLOCK) {
		truth_add(o->site, bulk_objs, 1);
		truth_add(o->site, bulk_bytes, o->bytes_alloc);
		return;
	}
	truth_add(o->site, hits, 1);
	truth_add(o->site, bytes_req, o->bytes_req);
	truth_add(o->site, bytes_alloc, o->bytes_alloc);
}

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
		truth_count(o);
		if (node != NUMA_NO_NODE && node != cpu_to_node(cpu))
			truth_add(id, cross_node, 1);
	}
	truth_put_cpu();
	return o->ptr;
}

void truth_count_free(const struct truth_object *o, int cpu)
{
	truth_add(o->site, frees, 1);
	truth_add(o->site, bytes_freed, o->bytes_alloc);
	if (o->cpu != cpu)
		truth_add(o->site, pingpong, 1);
}
