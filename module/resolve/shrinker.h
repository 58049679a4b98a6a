/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shrinkers, told apart by instance.
 *
 * Each mounted file system has a shrinker of its own, and all of these call the same function,
 * super_cache_scan().  So a row of the countmap of shrinkers stands for a struct shrinker, its
 * function and, for such a shrinker, its file system.  The row is made when the shrinker is first
 * seen, while the kernel is calling it: so neither can go away.
 *
 * A phase, a row of the countmap of stalls and a record of a slow phase have a reference to a row
 * (kma_countmap_ref()).  If the row is recycled, the reference leads to no row any more.
 *
 * When rows run short, the rows of shrinkers that are idle are recycled.  The module does not know
 * which file systems were unmounted: only following the pointer to the super block would show it.
 * The counts of a recycled row move to a row `function [other]`, which stands for all shrinkers of
 * one function.  A shrinker that finds no row of its own counts there, too.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_RESOLVE_SHRINKER_H
#define KMA_RESOLVE_SHRINKER_H

#include <linux/types.h>

#include "../core/countmap_recycle.h"

struct shrinker;

/* Index of the word of a key that is an address in the function that scans: the second byte. */
#define KMA_SHRINKER_SCAN	1

/* Find out what the shrinker of a file system looks like.  Context: process. */
void kma_shrinker_start(void);

/*
 * Find or make the row of a shrinker, which the kernel is calling.  Returns a reference to the
 * row, for kma_countmap_deref().  Context: a probe, in a task; under rcu_read_lock().
 */
u64 kma_shrinker_get(const struct shrinker *shrinker);

/* Decides which rows of shrinkers are recycled, and which rows get their counts. */
extern const struct kma_countmap_policy kma_shrinker_policy;

/* Print the name of row @id of @t, the countmap of shrinkers, into @buf. */
void kma_shrinker_name(const struct kma_countmap *t, u32 id, char *buf, size_t size);

#endif /* KMA_RESOLVE_SHRINKER_H */
