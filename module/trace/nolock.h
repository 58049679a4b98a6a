/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following kmalloc_nolock() and the frees of its objects, which have no tracepoints.
 *
 * BPF allocates with kmalloc_nolock(), which may be called in any context: with any lock
 * held, and in NMI.  Such an object is freed by kfree_nolock() or kfree_rcu_nolock(),
 * which have no event either, or by kfree() and kfree_rcu().
 *
 * As in bulk.h, frees are followed with ftrace, which misses no call, and allocations with a
 * kretprobe.  While the kernel handles a kprobe, it runs no kretprobe on the same CPU.  So
 * the kretprobe misses calls from an NMI that arrives then, and calls from a BPF program
 * that is attached to a kprobe.  Missed calls are counted, but their objects are not
 * recorded: the module treats them like objects allocated before it was loaded.
 *
 * The slab allocator also allocates objects for itself without a lock, but not through the
 * function that is followed here.  The module sees only the frees of these objects.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_NOLOCK_H
#define KMA_TRACE_NOLOCK_H

#include <linux/types.h>

#include "../compat.h"
#include "ftrace_hook.h"

#ifdef KMA_HAVE_KMALLOC_NOLOCK
/* Follows kfree_nolock(). */
extern struct kma_ftrace_hook kma_ftrace_hook_free_nolock;
#endif
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
/* Follows kfree_call_rcu_nolock(), which kfree_rcu_nolock() calls. */
extern struct kma_ftrace_hook kma_ftrace_hook_free_rcu_nolock;
#endif

/* Bytes that kma_nolock_start() takes at most.  kma_config is complete. */
u64 kma_nolock_forecast(void);

/*
 * Follow kmalloc_nolock(), if the kernel has it and bulk=auto, and if all frees of its objects are
 * followed.  Failure is explained in the kernel log.  Call this after kma_bulk_start() and
 * kma_cacheinfo_init().
 */
void kma_nolock_start(bool frees_followed);

/* Undo kma_nolock_start(), before kma_bulk_stop().  A second call does nothing. */
void kma_nolock_stop(void);

/* Whether allocations by kmalloc_nolock() are recorded.  Context: any. */
bool kma_nolock_allocs_followed(void);

/* Number of calls of kmalloc_nolock() since load that were not seen.  Context: any. */
unsigned long kma_nolock_allocs_missed(void);

#endif /* KMA_TRACE_NOLOCK_H */
