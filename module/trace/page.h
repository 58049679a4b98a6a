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
 */
#ifndef KMA_TRACE_PAGE_H
#define KMA_TRACE_PAGE_H

#include "../core/pagealloc.h"

/**
 * kma_page_start() - attach the probe of mm_page_free
 *
 * Context: process, may sleep; the tables of objects are allocated.
 * Return: 0, or an error that has been explained in the kernel log; then the probe is
 * not attached.
 */
int kma_page_start(void);

/**
 * kma_page_stop() - undo kma_page_start()
 *
 * On return, no probe of the page allocator still runs, not even one detached earlier.
 *
 * Context: process, may sleep.
 */
void kma_page_stop(void);

/**
 * kma_page_track() - attach the probe of mm_page_alloc, and follow frees of pages
 *
 * Nothing is recorded until kma_page_switch().
 *
 * Context: process, may sleep; the tables of pages are allocated.
 * Return: 0, or an error that has been explained in the kernel log; then the probe is
 * not attached.
 */
int kma_page_track(void);

/**
 * kma_page_untrack() - undo kma_page_track()
 *
 * On return, no probe uses the tables of pages.
 *
 * Context: process, may sleep.
 */
void kma_page_untrack(void);

/**
 * kma_page_switch() - record allocations in another mode
 * @mode: the mode; KMA_PAGES_OFF only counts allocations in page_off
 *
 * Call this again when a filter is set or removed.  On return, a probe may still be running
 * in the old mode.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_page_switch(enum kma_pages_mode mode);

/**
 * kma_page_listen() - pass the page allocations of the current task to a function
 * @heard: called in KMA_PAGES_OFF, for each page allocation of this task in task context that
 *	succeeded; @f is the record of its first page, or NULL if there is none.  If @heard itself
 *	is NULL, no allocation is passed on any more.
 *
 * These allocations count in page_off, as all others do in this mode.
 *
 * Context: process; only one task may listen at a time.  @heard is called from probes, with any
 * lock held.
 */
void kma_page_listen(void (*heard)(const struct kma_pfn *f, const struct kma_page_event *ev));

/**
 * kma_page_mode() - the mode that kma_page_switch() has set
 *
 * Context: any.
 * Return: the mode.
 */
enum kma_pages_mode kma_page_mode(void);

/**
 * kma_page_record_bulk() - record a page allocation that has no event
 * @f: the record of its page; NULL if there is none
 * @ev: the allocation
 * @mode: the mode, from kma_page_mode()
 *
 * Context: any context that does not migrate, NMI included.
 */
void kma_page_record_bulk(struct kma_pfn *f, const struct kma_page_event *ev,
			  enum kma_pages_mode mode);

#endif /* KMA_TRACE_PAGE_H */
