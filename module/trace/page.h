/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of the page allocator: mm_page_alloc and mm_page_free.
 *
 *	mm_page_alloc --> the function of the current mode (enum kma_pages_mode)
 *	                  --> match/filter.h, if a filter is set
 *	                  --> core/pagealloc.h
 *	mm_page_free  --> objects that are still recorded on the page (core/record.h)
 *	                  --> while pages are tracked: core/pagealloc.h
 *
 * The probe of mm_page_free is attached as long as the module is loaded, the probe of
 * mm_page_alloc only while pages are tracked (page_track.h).
 *
 * These events also occur in NMI: this was seen on 7.2.  Up to 6.12, it cannot happen.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_PAGE_H
#define KMA_TRACE_PAGE_H

#include "../core/pagealloc.h"

/*
 * Attach the probe of mm_page_free; the tables of objects are allocated.  Returns 0, or an error
 * that has been explained in the kernel log; then the probe is not attached.
 */
int kma_page_start(void);

/* Undo kma_page_start().  On return, no probe of pages still runs, even if detached earlier. */
void kma_page_stop(void);

/*
 * Attach the probe of mm_page_alloc, and follow frees of pages; the tables of pages are allocated.
 * Nothing is recorded until kma_page_switch().  Returns 0, or an error that has been explained in
 * the kernel log; then the probe is not attached.
 */
int kma_page_track(void);

/* Undo kma_page_track().  On return, no probe uses the tables of pages. */
void kma_page_untrack(void);

/*
 * Record allocations in another mode; KMA_PAGES_OFF only counts allocations in page_off.  Call
 * this again when a filter is set or removed.  On return, a probe may still be running in the old
 * mode.  kma_lock is held.
 */
void kma_page_switch(enum kma_pages_mode mode);

/*
 * Pass the page allocations of the current task to a function; only one task may listen at a time.
 * In KMA_PAGES_OFF, @heard is called from probes, with any lock held, for each page allocation of
 * this task in task context that succeeded; @f is the record of its first page, or NULL if there
 * is none.  These allocations count in page_off, as all others do in this mode.  If @heard itself
 * is NULL, no allocation is passed on any more.
 */
void kma_page_listen(void (*heard)(const struct kma_pfn *f, const struct kma_page_event *ev));

/* The mode that kma_page_switch() has set.  Context: any. */
enum kma_pages_mode kma_page_mode(void);

/*
 * Record a page allocation that has no event, in the @mode from kma_page_mode().  @f is the record
 * of its page; NULL if there is none.  Context: any context that does not migrate, NMI included.
 */
void kma_page_record_bulk(struct kma_pfn *f, const struct kma_page_event *ev,
			  enum kma_pages_mode mode);

#endif /* KMA_TRACE_PAGE_H */
