/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmemacct_nolock's call sites of kmalloc_nolock(), and an exact record of their objects.
 *
 * Each function that allocates or frees also counts what kmemacct should report for the call
 * site, from the pointer, ksize() and the current context.
 */
#ifndef KMA_NOLOCK_OBJECTS_H
#define KMA_NOLOCK_OBJECTS_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * The call sites: X(name, allocation).  For each row nolock_objects.c defines a function
 * truth_NAME(), which only makes the allocation:
 *
 * truth_plain() truth_constant() truth_zeroed() truth_charged() truth_on_node() truth_locked()
 * truth_softirq() truth_hardirq() truth_nmi() truth_each_cpu() truth_to_nolock()
 * truth_to_kfree() truth_to_rcu() truth_to_rcu_nolock() truth_to_other_cpu() truth_kmalloc()
 * truth_fallen() truth_churn()
 */
#define TRUTH_SITES(X)							\
	X(plain, kmalloc_nolock(size, 0, NUMA_NO_NODE))			\
	X(constant, kmalloc_nolock(96, 0, NUMA_NO_NODE))		\
	X(zeroed, kmalloc_nolock(size, __GFP_ZERO, NUMA_NO_NODE))	\
	X(charged, kmalloc_nolock(size, __GFP_ACCOUNT, NUMA_NO_NODE))	\
	X(on_node, kmalloc_nolock(size, 0, truth_node))			\
	X(locked, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(softirq, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(hardirq, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(nmi, kmalloc_nolock(size, 0, NUMA_NO_NODE))			\
	X(each_cpu, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_nolock, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_kfree, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_rcu, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_rcu_nolock, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_other_cpu, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(kmalloc, kmalloc(size, GFP_ATOMIC))				\
	X(fallen, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(churn, kmalloc_nolock(size, 0, NUMA_NO_NODE))

enum truth_site_id {
#define X(name, allocation) TRUTH_##name,
	TRUTH_SITES(X)
#undef X
	TRUTH_NR
};

/**
 * struct truth_site - a call site and its true counters
 * @name: name of the function that allocates
 * @alloc: the function; returns an object of @size bytes, or NULL
 * @objs: objects allocated
 * @bytes_req: the sum of the sizes that were asked for, in bytes
 * @bytes_alloc: the sum of the sizes of the slab objects, in bytes
 * @frees: objects freed
 * @bytes_freed: the sum of the sizes of the freed slab objects, in bytes
 * @pingpong: objects freed on another CPU than they were allocated on
 */
struct truth_site {
	const char *name;
	void *(*alloc)(size_t size);
	atomic64_t objs;
	atomic64_t bytes_req;
	atomic64_t bytes_alloc;
	atomic64_t frees;
	atomic64_t bytes_freed;
	atomic64_t pingpong;
};

extern struct truth_site truth_site[TRUTH_NR];

/* The online node with the highest number; it may have no CPUs. */
extern int truth_node;

/**
 * struct truth_object - an object that is live, or has been freed
 * @ptr: the object; NULL once it is freed.  The caller of truth_free() whose xchg()
 *	returns the pointer frees the object.
 * @site: its call site, an enum truth_site_id
 * @cpu: the CPU that allocated it
 * @bytes_req: the size that was asked for
 * @bytes_alloc: the size of the slab object, from ksize()
 * @pid: process ID of the task that allocated it; 0 in an interrupt or NMI
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

#define TRUTH_OBJECTS	16384

extern struct truth_object truth_object[TRUTH_OBJECTS];

/* Number of entries used since the last drop; briefly too high while the table is full. */
extern atomic_t truth_nr;

/* Allocations that returned NULL. */
extern atomic_t truth_failed;

static inline int truth_used(void)
{
	return min(atomic_read(&truth_nr), TRUTH_OBJECTS);
}

/* Count an allocation.  Context: any, NMI included. */
void truth_count(enum truth_site_id id, size_t size, size_t bytes);

/* Count a free; @here: on the CPU that allocated the object.  Context: any, NMI included. */
void truth_count_free(enum truth_site_id id, size_t bytes, bool here);

/* Context: any, NMI included.  Return: index of the object, or an error. */
int truth_make_one(enum truth_site_id id, size_t size);

/* Allocate @nr objects that stay live.  Return: 0, -ENOMEM, or -ENOSPC if the table is full. */
int truth_make(enum truth_site_id id, size_t size, int nr);

/* The function that frees an object. */
enum truth_freefn {
	TRUTH_KFREE_NOLOCK,
	TRUTH_KFREE,
	TRUTH_KFREE_RCU,
	TRUTH_KFREE_RCU_NOLOCK,
};

/* Does nothing if the object is already freed.  Context: any that @freefn allows. */
void truth_free(int at, enum truth_freefn freefn);

/* Free up to @nr objects, from index @from on. */
void truth_free_since(int from, int nr, enum truth_freefn freefn);

/* Allocate five objects and free three of them; two stay live.  Return: as truth_make(). */
int truth_some(enum truth_site_id id, size_t size);

#endif /* KMA_NOLOCK_OBJECTS_H */
