/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of free lists: the lists of the zones, which the zone lock protects, and the per-CPU
 * lists in front of them.
 *
 *	mm_page_alloc_zone_locked	pages are taken from a zone's lists, to refill a
 *					per-CPU list or directly for an allocation
 *	mm_page_pcpu_drain		pages return from a per-CPU list to the zone's lists
 *	mm_page_free_batched		a page is freed as part of a batch
 *	mm_page_alloc_extfrag		the lists of a migrate type are empty, so pages of
 *					another type are taken (a fallback)
 *
 * Pages move in bursts: the kernel takes the zone lock once for each burst.  A burst is a
 * series of refills, or of drains, with no other page event on the same CPU in between.
 * Fallbacks do not end a burst, because they occur while the lock is held.  No event marks
 * the end of a burst.  So a refill or drain begins a new burst if the previous refill, drain
 * or direct allocation was of another kind, or if the counter of any other page event has
 * changed since then.
 *
 * Without PREEMPT_RT, all these events but mm_page_free_batched occur with interrupts off.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_PCP_H
#define KMA_TRACE_PCP_H

#include <linux/types.h>

/**
 * enum kma_list_counter - counters of a row of KMA_COUNTMAP_PCPU
 * @KMA_LIST_REFILL_PAGES: pages taken from a zone's lists to refill the CPU's list
 * @KMA_LIST_REFILLS: bursts of refills
 * @KMA_LIST_DRAIN_PAGES: pages that returned from the CPU's list to a zone's lists
 * @KMA_LIST_DRAINS: bursts of drains
 * @KMA_LIST_DIRECT_PAGES: pages allocated directly from a zone's lists
 * @KMA_LIST_DIRECTS: allocations that took these pages
 * @KMA_LIST_BATCHED: pages freed as part of a batch
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
 * @KMA_FALLBACK_FRAGMENTING: fallbacks to pages of an order below pageblock_order
 * @KMA_FALLBACK_SEVERE: fragmenting fallbacks to pages of order KMA_SEVERE_ORDER (pcp.c) or
 *	below
 * @KMA_FALLBACK_CHANGED: fallbacks after which the pageblock has the migrate type of the
 *	allocation
 */
enum kma_fallback_counter {
	KMA_FALLBACK_ALL,
	KMA_FALLBACK_FRAGMENTING,
	KMA_FALLBACK_SEVERE,
	KMA_FALLBACK_CHANGED,
};

/*
 * Indices of the words of a key of KMA_COUNTMAP_EXTFRAG: the call site, and the result of
 * kma_fallback_key().
 */
#define KMA_FALLBACK_SITE	0
#define KMA_FALLBACK_KEY	1

/*
 * Pack the orders and migrate types of a fallback, those of the allocation and those of the pages
 * used, into one word: one byte for each argument, the first in the lowest byte.  Context: any.
 */
static inline u64 kma_fallback_key(u8 alloc_order, u8 order, u8 alloc_type, u8 type)
{
	return alloc_order | order << 8 | alloc_type << 16 | (u64)type << 24;
}

/*
 * Attach the probes of free lists.  Calls nest: the last kma_pcp_stop() detaches them.  Returns 0,
 * or an error that has been explained in the kernel log; then none of the probes is attached.
 */
int kma_pcp_start(void);
void kma_pcp_stop(void);

/* Count fallbacks by call site or without call sites. */
void kma_pcp_find_sites(bool on);

/*
 * Note an event that ends a burst on this CPU.  Call this for page events that no other counter of
 * the module counts.  Context: a probe, any context.
 */
void kma_pcp_event(void);

#endif /* KMA_TRACE_PCP_H */
