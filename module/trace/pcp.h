/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of free lists: those of the zones, under the zone lock, and the per-CPU lists in
 * front of them.
 *
 *	mm_page_alloc_zone_locked	pages leave a zone's lists: to refill a per-CPU
 *					list, or straight for an allocation
 *	mm_page_pcpu_drain		pages go back from a per-CPU list
 *	mm_page_free_batched		a page is freed along with others
 *	mm_page_alloc_extfrag		the lists of a migrate type are empty, and pages
 *					of another type are used (a fallback)
 *
 * Pages move in bursts, for each of which the zone lock is taken once.  A burst is a
 * series of refills, or of drains, with no other event of pages on this CPU in between,
 * except fallbacks, which come while the lock is held.  No event marks the end of a burst:
 * the next refill or drain compares the counters of all other events with their values at
 * the previous refill or drain.
 *
 * All events but mm_page_free_batched come with interrupts off, except on PREEMPT_RT.
 */
#ifndef KMA_TRACE_PCP_H
#define KMA_TRACE_PCP_H

#include <linux/types.h>

/**
 * enum kma_list_counter - counters of a row of KMA_COUNTMAP_PCPU
 * @KMA_LIST_REFILL_PAGES: pages that refilled the list of a CPU
 * @KMA_LIST_REFILLS: bursts of refills
 * @KMA_LIST_DRAIN_PAGES: pages that went back from the list of a CPU
 * @KMA_LIST_DRAINS: bursts of drains
 * @KMA_LIST_DIRECT_PAGES: pages allocated straight from the lists of a zone
 * @KMA_LIST_DIRECTS: allocations of these
 * @KMA_LIST_BATCHED: pages freed along with others
 */
enum kma_list_counter {
	KMA_LIST_REFILL_PAGES,
	KMA_LIST_REFILLS,
	KMA_LIST_DRAIN_PAGES,
	KMA_LIST_DRAINS,
	KMA_LIST_DIRECT_PAGES,
	KMA_LIST_DIRECTS,
	KMA_LIST_BATCHED,
};

/**
 * enum kma_fallback_counter - counters of a row of KMA_COUNTMAP_EXTFRAG
 * @KMA_FALLBACK_ALL: all fallbacks
 * @KMA_FALLBACK_FRAGMENTING: those to pages of an order below that of a pageblock
 * @KMA_FALLBACK_SEVERE: of the fragmenting ones, those of KMA_SEVERE_ORDER (pcp.c) or below
 * @KMA_FALLBACK_CHANGED: those after which the pageblock has the type of the allocation
 */
enum kma_fallback_counter {
	KMA_FALLBACK_ALL,
	KMA_FALLBACK_FRAGMENTING,
	KMA_FALLBACK_SEVERE,
	KMA_FALLBACK_CHANGED,
};

/* The words of a key of KMA_COUNTMAP_EXTFRAG: the call site, and kma_fallback_key(). */
#define KMA_FALLBACK_SITE	0
#define KMA_FALLBACK_KEY	1

/**
 * kma_fallback_key() - pack the orders and migrate types of a fallback into one word
 * @alloc_order: order of the allocation
 * @order: order of the pages used
 * @alloc_type: migrate type of the allocation
 * @type: migrate type of the pages used
 *
 * Context: any.
 * Return: one byte for each argument, the first in the lowest byte.
 */
static inline u64 kma_fallback_key(u8 alloc_order, u8 order, u8 alloc_type, u8 type)
{
	return alloc_order | order << 8 | alloc_type << 16 | (u64)type << 24;
}

/**
 * kma_pcp_start() - attach the probes
 *
 * Calls nest: the last kma_pcp_stop() detaches them.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error that has been explained in the kernel log; then none of the
 * probes is attached.
 */
int kma_pcp_start(void);

/**
 * kma_pcp_stop() - undo kma_pcp_start()
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_pcp_stop(void);

/**
 * kma_pcp_find_sites() - count fallbacks by call site, or without call sites
 * @on: by call site, which needs kma_page_caller_start()
 *
 * Context: process; kma_lock is held.
 */
void kma_pcp_find_sites(bool on);

/**
 * kma_pcp_event() - note an event that ends a burst on this CPU
 *
 * For events that no other counter of the module counts.
 *
 * Context: a probe, any context.
 */
void kma_pcp_event(void);

#endif /* KMA_TRACE_PCP_H */
