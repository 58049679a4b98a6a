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
 *
 * Context, unless a function says otherwise: process, may sleep; from kma_bulk_start() to
 * kma_bulk_stop().
 */
#ifndef KMA_TRACE_BULK_H
#define KMA_TRACE_BULK_H

#include <linux/types.h>

#include "ftrace_hook.h"

/* Follows kmem_cache_free_bulk(). */
extern struct kma_ftrace_hook kma_ftrace_hook_free_bulk;

/* Bytes that kma_bulk_start() takes at most.  Context: process; kma_config is complete. */
u64 kma_bulk_forecast(void);

/*
 * Follow as many of the functions as possible.  With bulk=off, this follows only
 * kmem_cache_destroy() and, on kernels whose tracepoint kmem_cache_free fires after the free,
 * kmem_cache_free().  The tables are allocated.
 */
void kma_bulk_start(void);

/* Undo kma_bulk_start().  On return, no handler of a followed function still runs. */
void kma_bulk_stop(void);

void kma_bulk_allocs_stop(void);

/*
 * Act as if bulk frees could not be followed: any object in the live table may have been freed
 * already, and bulk allocations are not followed any more.  The frees that the hooks do see are
 * still recorded.
 */
void kma_bulk_frees_distrust(void);

/* Whether all functions that free without a tracepoint are followed.  Context: any. */
bool kma_bulk_hooks_attached(void);

/* Whether bulk frees, and bulk allocations, of objects are recorded.  Context of both: any. */
bool kma_bulk_frees_followed(void);
bool kma_bulk_allocs_followed(void);

/* Number of bulk allocations since load that were not seen.  Context: any. */
unsigned long kma_bulk_allocs_missed(void);

#endif /* KMA_TRACE_BULK_H */
