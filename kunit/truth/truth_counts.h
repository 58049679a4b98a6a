/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The true counters of call sites.  What kmemacct must report for a site is counted from the
 * pointer that the allocator returned, ksize(), and the current context.
 */
#ifndef KMA_TRUTH_COUNTS_H
#define KMA_TRUTH_COUNTS_H

#include <linux/percpu.h>
#include <linux/types.h>

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

/* Allocate the counters. Return: 0 or -ENOMEM. */
int truth_counts_create(void);
void truth_counts_destroy(void);

/* Add up the counters of a site over all CPUs. */
void truth_counts_sum(enum truth_site_id id, struct truth_counts *sum);

/*
 * Allocate an object and describe it in @o.
 * Context: any that the site allows.  Return: false if there was no memory.
 */
bool truth_make_at(struct truth_object *o, enum truth_site_id id, size_t size,
		   int node);

/* Count a free of an object on @cpu.  Context: any, NMI included. */
void truth_count_free(const struct truth_object *o, int cpu);

#endif /* KMA_TRUTH_COUNTS_H */
