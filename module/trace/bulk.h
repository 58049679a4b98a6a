/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following functions that allocate and free objects without a tracepoint.
 *
 * kmem_cache_free_bulk() frees the objects of kfree_rcu(), kvfree_rcu() and
 * kfree_bulk(), and many of the network's; kmem_cache_alloc_bulk() allocates many of
 * those.  A tool that uses tracepoints alone reports the first kind as leaks and does not
 * know the second.
 *
 * Frees are followed by ftrace, which misses no call.  Allocations are followed by a
 * kretprobe, because the objects are known only on return; it misses calls from
 * interrupts that come while another kprobe is handled.  Missed calls are counted; their
 * objects are not recorded, like those allocated before the module was loaded.
 *
 * It is no error if a function cannot be followed.  Without the frees, any object in the
 * table of live objects may have been freed.
 */
#ifndef KMA_TRACE_BULK_H
#define KMA_TRACE_BULK_H

#include <linux/types.h>

/**
 * kma_bulk_start() - follow the functions, as far as possible
 *
 * With bulk=off, only kmem_cache_destroy() is followed, and kmem_cache_free() where its
 * tracepoint comes too late.
 *
 * Context: process, may sleep; the tables are allocated.
 */
void kma_bulk_start(void);

/**
 * kma_bulk_stop() - undo kma_bulk_start()
 *
 * On return, none of its handlers still runs.
 *
 * Context: process, may sleep.
 */
void kma_bulk_stop(void);

/**
 * kma_bulk_frees_followed() - whether frees of objects in bulk are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_frees_followed(void);

/**
 * kma_bulk_allocs_followed() - whether allocations of objects in bulk are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_allocs_followed(void);

/**
 * kma_bulk_allocs_missed() - number of bulk allocations that were not seen
 *
 * Context: any.
 * Return: calls, since load.
 */
unsigned long kma_bulk_allocs_missed(void);

#endif /* KMA_TRACE_BULK_H */
