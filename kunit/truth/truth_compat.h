/* SPDX-License-Identifier: GPL-2.0 */
/* The differences between kernel versions that only the truth modules need to know. */
#ifndef KMA_TRUTH_COMPAT_H
#define KMA_TRUTH_COMPAT_H

#include <linux/version.h>

#include "../../module/compat.h"

/* The bulk page allocator can also put its pages on a list. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define KMA_HAVE_ALLOC_PAGES_LIST
#endif

/* KFENCE: some objects come from its pool, with guard pages around each object. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define KMA_HAVE_KFENCE
#endif

/* hrtimer_setup() sets both the clock and the function of a timer. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define KMA_HAVE_HRTIMER_SETUP
#endif

/* A shrinker says how many pages it has freed. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define mm_account_reclaimed_pages(pages)				\
	do {								\
		if (current->reclaim_state)				\
			current->reclaim_state->reclaimed_slab += (pages); \
	} while (0)
#endif

/* A shrinker that is not allocated (KMA_HAVE_SHRINKER_ALLOC) has a name since 6.0. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define kma_register_shrinker(shrinker) register_shrinker(shrinker, KBUILD_MODNAME)
#else
#define kma_register_shrinker(shrinker) register_shrinker(shrinker)
/* The lists of a list_lru for a memory cgroup exist before its first object. */
struct list_lru;
static inline void *kmem_cache_alloc_lru(struct kmem_cache *cache, struct list_lru *lru, gfp_t gfp)
{
	return kmem_cache_alloc(cache, gfp);
}
#endif

/* These functions find the node and the memory cgroup of an object. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define list_lru_add_obj(lru, item) list_lru_add(lru, item)
#define list_lru_del_obj(lru, item) list_lru_del(lru, item)
#endif

#endif /* KMA_TRUTH_COMPAT_H */
