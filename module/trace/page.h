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
 * mm_page_free is attached for as long as the module is loaded; mm_page_alloc only
 * while pages are tracked (page_track.h).
 *
 * Since 7.0 these events come in NMI as well.
 */
#ifndef KMA_TRACE_PAGE_H
#define KMA_TRACE_PAGE_H

#include "../core/pagealloc.h"

/**
 * kma_page_start() - attach the probe of mm_page_free
 *
 * Context: process, may sleep; the tables of objects are allocated.
 * Return: as for kma_tracepoints_attach().
 */
int kma_page_start(void);

/**
 * kma_page_stop() - undo kma_page_start()
 *
 * On return, none of the probes that were detached before is under way either.
 *
 * Context: process, may sleep.
 */
void kma_page_stop(void);

/**
 * kma_page_track() - attach the probe of mm_page_alloc, and follow frees
 *
 * Nothing is recorded until kma_page_switch().
 *
 * Context: process, may sleep; the tables of pages are allocated.
 * Return: as for kma_tracepoints_attach().
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
 * @mode: the mode; KMA_PAGES_OFF: count them in page_off
 *
 * To be called again when a filter is set or removed.  Probes that are under way may
 * still be in the old mode.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_page_switch(enum kma_pages_mode mode);

/**
 * kma_page_mode() - the mode of kma_page_switch()
 *
 * Context: any.
 * Return: the mode.
 */
enum kma_pages_mode kma_page_mode(void);

/**
 * kma_page_record_bulk() - record an allocation without an event
 * @f: the record of its page; NULL if there is none
 * @ev: the allocation
 * @mode: of kma_page_mode()
 *
 * Context: any context that does not migrate, NMI included.
 */
void kma_page_record_bulk(struct kma_pfn *f, const struct kma_page_event *ev,
			  enum kma_pages_mode mode);

#endif /* KMA_TRACE_PAGE_H */
