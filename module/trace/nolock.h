/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmalloc_nolock() and its frees, which have no tracepoints.
 *
 * BPF allocates by kmalloc_nolock(), which may be called in any context: with any lock
 * held, and in NMI.  Such an object is freed by kfree_nolock() or kfree_rcu_nolock(),
 * which have no event either, or by kfree() and kfree_rcu().
 *
 * As in bulk.h, frees are followed by ftrace, which misses no call, and allocations by a
 * kretprobe.  The kernel runs no kretprobe while it handles a kprobe on the same CPU: it
 * skips the calls of an NMI that comes just then, and those of a BPF program that a
 * kprobe runs.  It counts them; their objects are unknown, as those from before the
 * module was loaded.
 *
 * The slab allocator itself allocates without a lock, too, but not through the function
 * that is followed here.  Of these objects only the frees are seen.
 */
#ifndef KMA_TRACE_NOLOCK_H
#define KMA_TRACE_NOLOCK_H

#include <linux/types.h>

#include "../compat.h"
#include "ftrace_hook.h"

#ifdef KMA_HAVE_KMALLOC_NOLOCK
/* kfree_nolock(). */
extern struct kma_ftrace_hook kma_ftrace_hook_free_nolock;
#endif
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
/* kfree_call_rcu_nolock(). */
extern struct kma_ftrace_hook kma_ftrace_hook_free_rcu_nolock;
#endif

/**
 * kma_nolock_start() - follow kmalloc_nolock(), if the kernel has it and bulk=auto
 *
 * Failure is explained in the kernel log.
 *
 * Context: process, may sleep; after kma_bulk_start() and kma_cacheinfo_init().
 */
void kma_nolock_start(void);

/**
 * kma_nolock_stop() - undo kma_nolock_start()
 *
 * Context: process, may sleep; before kma_bulk_stop().
 */
void kma_nolock_stop(void);

/**
 * kma_nolock_allocs_followed() - whether objects of kmalloc_nolock() are seen
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_nolock_allocs_followed(void);

/**
 * kma_nolock_allocs_missed() - calls of kmalloc_nolock() that were not seen
 *
 * Context: any.
 * Return: calls, since load.
 */
unsigned long kma_nolock_allocs_missed(void);

#endif /* KMA_TRACE_NOLOCK_H */
