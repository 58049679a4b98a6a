/* SPDX-License-Identifier: GPL-2.0 */
/* The kmem_caches of kmemacct_truth. */
#ifndef KMA_TRUTH_CACHES_H
#define KMA_TRUTH_CACHES_H

#include <linux/slab.h>
#include <linux/types.h>

enum truth_cache_id {
	TRUTH_CACHE_ODD,
	TRUTH_CACHE_CTOR,
	TRUTH_CACHE_ALIGN,
	TRUTH_CACHE_NODE,
	TRUTH_CACHE_KFREE,
	TRUTH_CACHE_RCU,
	TRUTH_CACHE_MERGE_A,
	TRUTH_CACHE_MERGE_B,
	TRUTH_CACHE_TYPESAFE,
	TRUTH_CACHE_STORM,
	/* created and destroyed by scenarios: see truth_cycle.c */
	TRUTH_CACHE_CYCLE,
	TRUTH_CACHE_SMALLER,
	TRUTH_CACHE_LARGER,
	TRUTH_CACHE_DOOMED,
	TRUTH_KMALLOC,		/* no cache of this module */
	TRUTH_NOLOCK,		/* kmalloc_nolock(), which has no trace event */
	TRUTH_CACHES
};

/**
 * struct truth_cache - a kmem_cache
 * @name: its name; NULL for a cache that a scenario creates
 * @size: bytes of an object
 * @flags: SLAB_* flags
 * @ctor: its constructor, or NULL
 * @merge: SLUB may merge it with a similar cache
 * @cache: the cache while it exists
 */
struct truth_cache {
	const char *name;
	unsigned int size;
	slab_flags_t flags;
	void (*ctor)(void *object);
	bool merge;
	struct kmem_cache *cache;
};

extern struct truth_cache truth_caches[TRUTH_CACHES];

/* Create a cache that SLUB does not merge. */
struct kmem_cache *truth_cache_create(const char *name, unsigned int size,
				      slab_flags_t flags,
				      void (*ctor)(void *object));

/* Destroy the cache of a scenario. */
void truth_cache_destroy(enum truth_cache_id id);

/* Create the caches that have a name. Return: 0, or -ENOMEM, and then no cache exists. */
int truth_caches_create(void);

/* Destroy all caches that exist. */
void truth_caches_destroy(void);

#endif /* KMA_TRUTH_CACHES_H */
