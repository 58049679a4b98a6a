/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which rows of call sites and numbers of caches are recycled (core/recycle.h), and when.
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
 * @row: the same in records: a sample counts as one
 * @sampled: true for samples, false for exact objects
 */
struct kma_recycling_gone {
	struct kma_site_counts counts;
	struct kma_row row;
	bool sampled;
};

/**
 * kma_recycling_start() - begin with nothing recycled
 *
 * Context: process; the tables are allocated.
 */
void kma_recycling_start(void);

/**
 * kma_recycling_sweep() - sweep the live table if the next turn searches for rows to recycle
 *
 * Without this, the objects of stale entries would count as live, and their rows would stay.
 *
 * Context: process, may sleep; kma_lock is not held.
 */
void kma_recycling_sweep(void);

/**
 * kma_recycling_turn() - recycle rows and numbers of caches if they run short
 *
 * Call this about once a second.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_recycling_turn(void);

/**
 * kma_recycling_reset() - recycle rows and numbers of caches after a reset
 *
 * Context: process, may sleep; kma_lock is held; the baseline is new.
 */
void kma_recycling_reset(void);

/**
 * kma_recycling_gone() - what caches whose numbers were recycled have counted since the last reset
 * @i: a number below KMA_RECYCLING_GONE
 *
 * Context: process; kma_lock is held.
 * Return: the sums.
 */
const struct kma_recycling_gone *kma_recycling_gone(u32 i);

/**
 * kma_recycling_caches() - count of cache numbers that were recycled since load
 *
 * Context: process; kma_lock is held.
 * Return: the number.
 */
u64 kma_recycling_caches(void);

/**
 * kma_recycling_rows() - number of rows that were recycled since load
 *
 * Context: process; kma_lock is held.
 * Return: the number.
 */
u64 kma_recycling_rows(void);

#endif /* KMA_RECYCLING_H */
