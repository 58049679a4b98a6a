/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the scenarios that free many objects at once. */
#ifndef KMA_TRUTH_BULK_H
#define KMA_TRUTH_BULK_H

#include <linux/types.h>

struct kmem_cache;

/* Number of objects that each of these scenarios allocates. */
#define TRUTH_BULK_OBJS	10000

/* State of the sequence of random numbers of these scenarios: see truth_random(). */
extern u32 truth_bulk_seed;

/*
 * Free the @nr most recently allocated objects that are live, in batches of random
 * length; @cache and @with_kfree as for truth_free_bulk().
 */
void truth_drop_bulk(int nr, struct kmem_cache *cache, bool with_kfree);

#endif /* KMA_TRUTH_BULK_H */
