/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the callers of helpers: kma_env_page_site() and kma_env_object_site() of core/env.h.
 *
 * Between an allocator and the code that needs the memory, there are functions that only
 * allocate for their callers: alloc_pages_exact(), folio_alloc() and vmalloc() for pages,
 * kasprintf(), kmemdup() and __alloc_skb() for objects.  The patterns of skip.h match the names
 * of these helpers.  The call site is the first return address on the stack that is not in a
 * helper.
 *
 *	stack --> return address --> addrcache: skip it, or it is the call site
 *
 * The call site of a page allocation is always looked for on the stack.  The event of an object has
 * a return address, which is nearly always the call site.  If that address is in a helper, the
 * stack is unwound, and the callers of the helper are searched.
 *
 * Unwinding is expensive.  So each CPU has a cache of paths, similar to the cache of stacks
 * (resolve/stack.h).  A path is a call site and the trail that leads to it (resolve/trail.h).
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_MATCH_CALLER_H
#define KMA_MATCH_CALLER_H

#include <linux/types.h>

/* Bytes that kma_caller_start() takes. */
u64 kma_caller_forecast(void);

/* Allocate the caches.  Returns 0, or -ENOMEM, which the kernel log explains. */
int kma_caller_start(void);

/* Undo kma_caller_start().  No probe runs. */
void kma_caller_stop(void);

/*
 * Forget the call sites and the stacks found so far.  Call this when code is loaded or unloaded.
 * Context: any.
 */
void kma_caller_forget(void);

/*
 * Apply a change of the patterns of skip.h: forget the call sites found with the old patterns, and
 * retire the rows of objects whose call site is in a helper now.  Probes that have found such a row
 * may still count a few events in it.  Context: process, may sleep; kma_lock is held.
 */
void kma_caller_skips_changed(void);

#endif /* KMA_MATCH_CALLER_H */
