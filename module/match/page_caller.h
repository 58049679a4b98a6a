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
 * All of this may run in any context, NMI included.
 */
#ifndef KMA_MATCH_PAGE_CALLER_H
#define KMA_MATCH_PAGE_CALLER_H

#include <linux/types.h>

/**
 * kma_page_caller_forecast() - memory that kma_page_caller_start() would take now
 *
 * Context: process; kma_lock is held.
 * Return: bytes; 0 if there are caches already.
 */
u64 kma_page_caller_forecast(void);

/**
 * kma_page_caller_start() - allocate the caches of kma_env_page_site()
 *
 * Calls nest: the last kma_page_caller_stop() frees the caches.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0 or -ENOMEM.
 */
int kma_page_caller_start(void);

/**
 * kma_page_caller_stop() - undo kma_page_caller_start()
 *
 * Context: process, may sleep; kma_lock is held; the caller has waited until no probe calls
 * kma_env_page_site() on its behalf any more.
 */
void kma_page_caller_stop(void);

/**
 * kma_page_caller_forget() - forget the call sites and the stacks found so far
 *
 * Call this when code is loaded or unloaded, and when the patterns of skip.h change.
 *
 * Context: any.
 */
void kma_page_caller_forget(void);

#endif /* KMA_MATCH_PAGE_CALLER_H */
