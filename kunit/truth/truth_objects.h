/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of kmemacct_truth.  Each function here that allocates or frees an object
 * also counts, for the object's call site, what kmemacct must report.
 */
#ifndef KMA_TRUTH_OBJECTS_H
#define KMA_TRUTH_OBJECTS_H

#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "truth_env.h"
#include "truth_sites.h"

/**
 * struct truth_counts - the true counters of a call site
 * @hits: allocations that returned memory
 * @bytes_req: bytes that these asked for
 * @bytes_alloc: bytes that their objects take
 * @frees: objects freed
 * @bytes_freed: bytes that the freed objects took
 * @pingpong: objects freed on another CPU than they were allocated on
 * @cross_node: allocations that asked for another node than the CPU's
 * @bulk_objs: objects from bulk allocations, which are not in @hits
 * @bulk_bytes: bytes that these take
 * @handed: objects handed to RCU, which count as freed at once
 */
struct truth_counts {
	u64 hits;
	u64 bytes_req;
	u64 bytes_alloc;
	u64 frees;
	u64 bytes_freed;
	u64 pingpong;
	u64 cross_node;
	u64 bulk_objs;
	u64 bulk_bytes;
	u64 handed;
};

/* Indexed by site.  Allocated, because a module's static per-CPU data is limited to a few KiB. */
extern struct truth_counts __percpu *truth_counts;

#define truth_add(id, counter, by) this_cpu_add(truth_counts[id].counter, by)

/**
 * struct truth_object - a live object
 * @ptr: its address
 * @site: its call site, an enum truth_site_id
 * @cpu: the CPU that allocated it
 * @bytes_req: bytes that were asked for
 * @bytes_alloc: bytes it takes
 * @pid: process ID of the task that allocated it; 0 in an interrupt
 * @node: NUMA node of its memory
 * @before: jiffies just before the allocation
 * @after: jiffies just after the allocation
 */
struct truth_object {
	void *ptr;
	u16 site;
	u16 cpu;
	u32 bytes_req;
	u32 bytes_alloc;
	u32 pid;
	int node;
	unsigned long before;
	unsigned long after;
};

#define TRUTH_LIVE_MAX	16384

/* Protects the live objects and the batch, and serializes scenarios. */
extern struct mutex truth_lock;
/* The objects that stay live, the most recently allocated last. */
extern struct truth_object truth_live[TRUTH_LIVE_MAX];
extern unsigned int truth_nr_live;

/* Allocate the counters. Return: 0 or -ENOMEM. */
int truth_counts_create(void);
void truth_counts_destroy(void);

/* Add up the counters of a site over all CPUs. */
void truth_counts_sum(enum truth_site_id id, struct truth_counts *sum);

/* Allocate an object and describe it in @o. Return: false if there was no memory. */
bool truth_make_at(struct truth_object *o, enum truth_site_id id, size_t size,
		   int node);

/* Count a free of an object on @cpu. */
void truth_count_free(const struct truth_object *o, int cpu);

/*
 * Free the object that @o describes; @o may lie in the object itself.
 * @with_kfree: use kfree() even if the object came from a kmem_cache.
 */
void truth_free(const struct truth_object *o, bool with_kfree);

/*
 * Free @nr objects by one call; @o is an array of their descriptions.  They are from
 * @cache, or from any cache if that is NULL.
 * @with_kfree: use kfree_bulk(), which takes no cache.
 */
void truth_free_bulk(const struct truth_object *o, int nr, struct kmem_cache *cache,
		     bool with_kfree);

/* Allocate @nr objects that stay live. Return: 0, -ENOMEM, or -ENOSPC if too many are live. */
int truth_make(enum truth_site_id id, size_t size, int node, int nr);

/* Like truth_make(), by one call of the bulk allocator. */
int truth_make_bulk(enum truth_site_id id, int nr);

/* Free the @nr most recently allocated objects that are live. */
void truth_drop(int nr);

/* Allocate five objects and free three of them; two stay live. Return: as truth_make(). */
int truth_some(enum truth_site_id id, size_t size, int node);

/* The next number, of 24 bits, of a sequence that is the same in every run. */
static inline u32 truth_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

#endif /* KMA_TRUTH_OBJECTS_H */
