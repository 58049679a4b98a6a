/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the call site of a page allocation: kma_env_page_site() of core/env.h.
 *
 * Between the page allocator and the code that wants the pages there are functions that
 * only hand pages on: alloc_pages_exact(), folio_alloc(), vmalloc().  Patterns of names say
 * which functions these are (skip.h).  The call site is the first return address on the
 * stack that is in no such function.
 *
 *	stack --> return address --> addrcache: skip it, or it is the call site
 *
 * Unwinding costs some 450 instructions for each stack frame, so each CPU remembers paths,
 * as it remembers stacks (resolve/stack.h): the return addresses that led to a call site,
 * and where on the stack they were.  If they are still there, seen from the same stack
 * frame, the call site is the same.
 *
 * All of this may run in any context, NMI included.
 */
#ifndef KMA_MATCH_PAGE_CALLER_H
#define KMA_MATCH_PAGE_CALLER_H

/**
 * kma_page_caller_start() - allocate what kma_env_page_site() needs
 *
 * Calls nest: the last kma_page_caller_stop() frees it.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0 or -ENOMEM.
 */
int kma_page_caller_start(void);

/**
 * kma_page_caller_stop() - undo kma_page_caller_start()
 *
 * Context: process, may sleep; kma_lock is held; no probe still runs that the caller
 * has started.
 */
void kma_page_caller_stop(void);

/**
 * kma_page_caller_forget() - forget the call sites found so far
 *
 * To be called when code is loaded or unloaded, and when patterns change.
 *
 * Context: any.
 */
void kma_page_caller_forget(void);

#endif /* KMA_MATCH_PAGE_CALLER_H */
