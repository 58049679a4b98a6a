/* SPDX-License-Identifier: GPL-2.0 */
/* What the scenarios that free many objects at once share. */
#ifndef KMA_TRUTH_BULK_H
#define KMA_TRUTH_BULK_H

#include <linux/types.h>

struct kmem_cache;

/* Objects that each of these scenarios makes. */
#define TRUTH_BULK_OBJS	10000

/* Where the sequence of random numbers of these scenarios is: see truth_random(). */
extern u32 truth_bulk_seed;

/*
 * Free the youngest @nr that stayed live, in batches of varied length; @cache
 * and @with_kfree as for truth_free_bulk().
 */
void truth_drop_bulk(int nr, struct kmem_cache *cache, bool with_kfree);

#endif /* KMA_TRUTH_BULK_H */
