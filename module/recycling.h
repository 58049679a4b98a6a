/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When rows of call sites and numbers of caches are recycled (core/recycle.h), and which of them.
 *
 * Rows are recycled at `reset` and when they run short.  A row without live objects is recycled if
 * it is retired or is of another sampling rate, and also:
 *
 *	at `reset`		if it has a stack
 *	when rows run short	if it has counted nothing since a search last read it
 *
 * The number of a destroyed cache is recycled at `reset`, and when numbers run short, together with
 * its rows.
 *
 * Rows run short when seven eighths of them are in use, or seven eighths of those that may have a
 * stack.  Numbers run short when seven eighths of them are in use.  Until then, the call sites of a
 * module that was unloaded, and caches that were destroyed, keep their names and counts.
 *
 * The rows are searched at most once in eight turns of a second.  After each search that recycles
 * nothing, the pause before the next one doubles, up to 4,096 turns, which are 68 minutes.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_RECYCLING_H
#define KMA_RECYCLING_H

#include <linux/types.h>

#include "sitecount.h"

/* There are two sums of caches whose numbers were recycled: exact objects, and samples. */
#define KMA_RECYCLING_GONE	2

/**
 * struct kma_recycling_gone - what caches whose numbers were recycled have counted
 * @counts: the sums since the last reset, as tables show them
 * @row: these sums in records: a sample counts as one
 * @sampled: true for samples, false for exact objects
 */
struct kma_recycling_gone {
	struct kma_site_counts counts;
	struct kma_row row;
	bool sampled;
};

/* Begin with nothing recycled.  Context: process; the tables are allocated. */
void kma_recycling_start(void);

/*
 * Sweep the live table if the next turn searches for rows to recycle.  Otherwise the objects of
 * stale entries would count as live, and their rows would stay.  Context: process, may sleep;
 * kma_lock is not held.
 */
void kma_recycling_sweep(void);

/* Recycle rows and numbers of caches if they run short.  Call this about once a second. */
void kma_recycling_turn(void);

/* Recycle rows and numbers of caches after a reset.  The baseline is new. */
void kma_recycling_reset(void);

/* Sum @i, below KMA_RECYCLING_GONE, of caches whose numbers were recycled; since the last reset. */
const struct kma_recycling_gone *kma_recycling_gone(u32 i);

/* Counts of numbers of caches, and of rows, that were recycled since load. */
u64 kma_recycling_caches(void);
u64 kma_recycling_rows(void);

#endif /* KMA_RECYCLING_H */
