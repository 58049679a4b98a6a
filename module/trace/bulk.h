/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that allocate and free without a tracepoint.
 *
 * kmem_cache_free_bulk() frees the objects of kfree_rcu(), kvfree_rcu() and
 * kfree_bulk(), and many of the network's; kmem_cache_alloc_bulk() allocates many of
 * those.  A tool that only listens to tracepoints takes the first kind for leaks and
 * does not know the second.
 *
 * Frees are followed by ftrace, which misses no call.  Allocations are followed by a
 * kretprobe, because the objects are known only on return; it misses calls from
 * interrupts that come while another kprobe is handled.  Missed calls are counted;
 * their objects are unknown, as those from before the module was loaded.
 *
 * A function that cannot be followed is no error.  Without the frees, nothing that is
 * live is certain.
 */
#ifndef KMA_TRACE_BULK_H
#define KMA_TRACE_BULK_H

#include <linux/types.h>

/**
 * kma_bulk_start() - follow the functions, as far as possible
 *
 * With bulk=off, only those whose tracepoint comes too late and kmem_cache_destroy()
 * are followed.
 *
 * Context: process, may sleep; the tables are allocated.
 */
void kma_bulk_start(void);

/**
 * kma_bulk_stop() - undo kma_bulk_start()
 *
 * On return, none of its callbacks runs.
 *
 * Context: process, may sleep.
 */
void kma_bulk_stop(void);

/**
 * kma_bulk_frees_followed() - whether objects freed in bulk are seen
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_frees_followed(void);

/**
 * kma_bulk_allocs_followed() - whether objects allocated in bulk are seen
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_allocs_followed(void);

/**
 * kma_bulk_allocs_missed() - bulk allocations that were not seen
 *
 * Context: any.
 * Return: calls, since load.
 */
unsigned long kma_bulk_allocs_missed(void);

#endif /* KMA_TRACE_BULK_H */
