/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When rows of countmaps are recycled (core/countmap_recycle.h), and which rows.
 *
 * Rows of a countmap are recycled when seven eighths of those before the reserve are in use, while
 * events are recorded.  First, rows leave whose process has ended, whose cgroup was removed or
 * whose module was unloaded, and rows of stalls whose shrinker has no row any more.  If rows are
 * still short, idle ones leave.
 *
 * A turn is a second.  If rows are still short in the turn after one that has recycled rows, they
 * are searched again.  After a search of all rows that has found none, the next one comes eight
 * turns later, then sixteen, up to 64.  A search for idle rows begins at most once in eight turns,
 * and may take several turns.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_COUNTMAP_RECYCLING_H
#define KMA_COUNTMAP_RECYCLING_H

#include <linux/types.h>

/* Forget earlier turns.  Context: process; calls of this file do not run concurrently. */
void kma_countmap_recycling_start(void);

/* Recycle rows of the countmaps whose rows run short.  Call this about once a second. */
void kma_countmap_recycling_turn(void);

/* Number of rows of countmaps that were recycled since load. */
u64 kma_countmap_recycling_rows(void);

#endif /* KMA_COUNTMAP_RECYCLING_H */
