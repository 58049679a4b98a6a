/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following functions that allocate and free objects without a tracepoint.
 *
 * kmem_cache_free_bulk() frees the objects of kfree_rcu(), kvfree_rcu() and kfree_bulk(),
 * and many objects of the network stack.  kmem_cache_alloc_bulk() allocates many objects of
 * the network stack.  A tool that uses only tracepoints reports objects that are freed in
 * bulk as leaks, and never sees objects that are allocated in bulk.
 *
 * Frees are followed with ftrace, which misses no call.  Allocations are followed with a
 * kretprobe, because the objects are known only on return.  The kretprobe misses calls from
 * interrupts that arrive while another kprobe is handled.  Missed calls are counted, but their
 * objects are not recorded: the module treats them like objects allocated before it was
 * loaded.
 *
 * The module works even if a function cannot be followed.  But if a function that frees is
 * not followed, any object in the live table may have been freed already.
 */
#ifndef KMA_TRACE_BULK_H
#define KMA_TRACE_BULK_H

#include <linux/types.h>

#include "ftrace_hook.h"

/* Follows kmem_cache_free_bulk(). */
extern struct kma_ftrace_hook kma_ftrace_hook_free_bulk;

/**
 * kma_bulk_forecast() - memory that kma_bulk_start() takes at most
 *
 * Context: process; kma_config is complete.
 * Return: bytes.
 */
u64 kma_bulk_forecast(void);

/**
 * kma_bulk_start() - follow as many of the functions as possible
 *
 * With bulk=off, this follows only kmem_cache_destroy() and, on kernels whose tracepoint
 * kmem_cache_free fires after the free, kmem_cache_free().
 *
 * Context: process, may sleep; the tables are allocated.
 */
void kma_bulk_start(void);

/**
 * kma_bulk_stop() - undo kma_bulk_start()
 *
 * On return, no handler of a followed function still runs.
 *
 * Context: process, may sleep.
 */
void kma_bulk_stop(void);

/**
 * kma_bulk_allocs_stop() - stop following bulk allocations
 *
 * Context: process, may sleep; between kma_bulk_start() and kma_bulk_stop().
 */
void kma_bulk_allocs_stop(void);

/**
 * kma_bulk_frees_distrust() - act as if bulk frees could not be followed
 *
 * Any object in the live table may have been freed already, and bulk allocations are not followed
 * any more.  The frees that the hooks do see are still recorded.
 *
 * Context: process, may sleep; between kma_bulk_start() and kma_bulk_stop().
 */
void kma_bulk_frees_distrust(void);

/**
 * kma_bulk_frees_followed() - whether bulk frees of objects are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_frees_followed(void);

/**
 * kma_bulk_allocs_followed() - whether bulk allocations of objects are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_bulk_allocs_followed(void);

/**
 * kma_bulk_allocs_missed() - number of bulk allocations that were not seen
 *
 * Context: any.
 * Return: number of calls since load.
 */
unsigned long kma_bulk_allocs_missed(void);

#endif /* KMA_TRACE_BULK_H */
