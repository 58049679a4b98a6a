/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shrinkers, told apart by instance.
 *
 * Each mounted file system has a shrinker of its own, and all of these call the same function,
 * super_cache_scan().  So a row of the countmap of shrinkers stands for a struct shrinker, its
 * function and, for such a shrinker, the type and device of its file system.  The row is made when
 * the shrinker is first seen, while the kernel is calling it: so neither can go away.
 *
 * A row is referred to by a word, which may be kept for as long as a phase lasts.  The countmap
 * may be emptied meanwhile; then the word refers to no row any more.
 */
#ifndef KMA_RESOLVE_SHRINKER_H
#define KMA_RESOLVE_SHRINKER_H

#include <linux/types.h>

#include "../core/countmap.h"

struct shrinker;

/* Index of the word of a key that is an address in the function that scans: the second byte. */
#define KMA_SHRINKER_SCAN	1

/**
 * kma_shrinker_start() - find out what the shrinker of a file system looks like
 *
 * Context: process.
 */
void kma_shrinker_start(void);

/**
 * kma_shrinker_get() - find or make the row of a shrinker
 * @shrinker: the shrinker, which the kernel is calling
 *
 * Context: a probe, in a task; under rcu_read_lock().
 * Return: a word that refers to the row.
 */
u64 kma_shrinker_get(const struct shrinker *shrinker);

/**
 * kma_shrinker_row() - the row that a word refers to
 * @t: the countmap of shrinkers
 * @word: the word, or 0
 *
 * Context: any; under rcu_read_lock() or kma_lock.
 * Return: number of the row; KMA_COUNTMAP_OTHER if it is not there any more.
 */
u32 kma_shrinker_row(const struct kma_countmap *t, u64 word);

/**
 * kma_shrinker_forget() - all rows are about to be removed
 *
 * Context: process; kma_lock is held, and no probe uses the countmap.
 */
void kma_shrinker_forget(void);

/**
 * kma_shrinker_name() - the name of a row
 * @t: the countmap of shrinkers
 * @id: number of the row
 * @buf: the result
 * @size: its size in bytes
 *
 * Context: process; kma_lock is held.
 */
void kma_shrinker_name(const struct kma_countmap *t, u32 id, char *buf, size_t size);

#endif /* KMA_RESOLVE_SHRINKER_H */
