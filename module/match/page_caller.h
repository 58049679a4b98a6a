/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the call site of a page allocation: kma_env_page_site() of core/env.h.
 *
 * Between the page allocator and the code that needs the pages, there are functions that only
 * allocate pages for their callers, such as alloc_pages_exact(), folio_alloc() and vmalloc().
 * The patterns of skip.h match the names of these functions.  The call site is the first
 * return address on the stack that is not in such a function.
 *
 *	stack --> return address --> addrcache: skip it, or it is the call site
 *
 * Unwinding is expensive.  So each CPU has a cache of paths, similar to the cache of stacks
 * (resolve/stack.h).  A path is a call site and the trail that leads to it (resolve/trail.h).
 *
 * Probes call kma_env_page_site() in any context, NMI included.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_MATCH_PAGE_CALLER_H
#define KMA_MATCH_PAGE_CALLER_H

#include <linux/types.h>

/* Bytes that kma_page_caller_start() would take now; 0 if there are caches already. */
u64 kma_page_caller_forecast(void);

/* Allocate the caches of kma_env_page_site().  Calls nest.  Returns 0 or -ENOMEM. */
int kma_page_caller_start(void);

/* Undo kma_page_caller_start(), when no probe calls kma_env_page_site() for the caller any more. */
void kma_page_caller_stop(void);

/*
 * Forget the call sites and the stacks found so far.  Call this when code is loaded or unloaded,
 * and when the patterns of skip.h change.  Context: any.
 */
void kma_page_caller_forget(void);

#endif /* KMA_MATCH_PAGE_CALLER_H */
