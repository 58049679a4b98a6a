/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of kmemacct_truth that stay live.  Each function here that allocates or frees
 * an object also counts it: see truth_counts.h.
 */
#ifndef KMA_TRUTH_OBJECTS_H
#define KMA_TRUTH_OBJECTS_H

#include <linux/numa.h>
#include <linux/types.h>

#include "truth_counts.h"
#include "truth_env.h"
#include "truth_sites.h"

#define TRUTH_LIVE_MAX	16384

/* The objects that stay live, the most recently allocated last.  Protected by truth_lock. */
extern struct truth_object truth_live[TRUTH_LIVE_MAX];
extern unsigned int truth_nr_live;

/*
 * Free the object that @o describes; @o may lie in the object itself.
 * @with_kfree: use kfree() even if the object came from a kmem_cache.
 */
void truth_free(const struct truth_object *o, bool with_kfree);

/*
 * Free @nr objects by one call; @o is an array of their descriptions.  They are from
 * @cache, or from any cache if that is NULL.
 * @with_kfree: use kfree_bulk(), which takes no cache.
 */
void truth_free_bulk(const struct truth_object *o, int nr, struct kmem_cache *cache,
		     bool with_kfree);

/* Allocate @nr objects that stay live. Return: 0, -ENOMEM, or -ENOSPC if too many are live. */
int truth_make(enum truth_site_id id, size_t size, int node, int nr);

/* Like truth_make(), by one call of the bulk allocator. */
int truth_make_bulk(enum truth_site_id id, int nr);

/* Free the @nr most recently allocated objects that are live. */
void truth_drop(int nr);

/* Allocate five objects and free three of them; two stay live. Return: as truth_make(). */
int truth_some(enum truth_site_id id, size_t size, int node);

/* The next number, of 24 bits, of a sequence that is the same in every run. */
static inline u32 truth_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

#endif /* KMA_TRUTH_OBJECTS_H */
