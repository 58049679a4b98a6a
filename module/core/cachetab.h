/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches that objects come from: a small table that probes add caches to.
 *
 * An event identifies a cache by one word, the cache word (event.h).  When a probe sees a new
 * cache word, it gives the cache a number and copies the name and the sizes of the cache.  It
 * has to copy them now: a cache cannot be destroyed while one of its objects is being
 * allocated, but it may be destroyed before anything reads the table.
 *
 *	map: cache word --hash--> number	info[number]: sizes, name
 *
 * When a kmem_cache is destroyed, it is retired: its cache word no longer leads to its number,
 * because the next kmem_cache may get the same address.  If a new cache has the name and the
 * sizes of a retired one, as when a file system is mounted again, it takes over the number of
 * the retired cache.
 *
 * When all numbers are in use, a new cache gets a slot without a number.  A full table is a
 * normal state: from then on, an event of that cache only reads the slot.
 *
 * Two CPUs that see a new cache word at the same time may give it two numbers.  This is
 * harmless: the tables print caches with the same name as one.
 *
 * A table of page allocations has classes (event.h) in place of caches.
 */
#ifndef KMA_CORE_CACHETAB_H
#define KMA_CORE_CACHETAB_H

#include "env.h"

#define KMA_CACHES_MAX		1024
#define KMA_CACHES_MAP		(4 * KMA_CACHES_MAX)
#define KMA_CACHES_PROBES	64
#define KMA_CACHE_NONE		-1

/**
 * struct kma_cache_info - description of a cache
 * @class: page allocations only: the class, as computed by kma_class(); otherwise 0
 * @size: bytes that each object takes
 * @object_size: bytes that were requested for each object; 0 for a size of kmalloc, where each
 *	event has the number of bytes requested
 * @ready: true once all other members, except @retired, are valid and do not change any more
 * @shadow: page allocations only: rows of this class count all call sites, while samples of
 *	the class have rows of their own
 * @retired: 1 from when the cache is destroyed until its number is used again
 * @name: name of a kmem_cache; empty for a size of kmalloc
 */
struct kma_cache_info {
	unsigned long class;
	u32 size;
	u32 object_size;
	bool ready;
	bool shadow;
	int retired;
	char name[KMA_CACHE_NAME_LEN];
};

/**
 * struct kma_cache_slot - a slot of the map: from a cache word to a number
 * @cache: the cache word, or a special value (cachetab.c)
 * @id: number of the cache, or KMA_CACHE_NONE for a cache that got none
 * @reach: for caches whose search begins at this slot: the distance to the farthest slot that
 *	was ever claimed for one of them; it never decreases
 */
struct kma_cache_slot {
	unsigned long cache;
	s16 id;
	u8 reach;
};

static_assert(KMA_CACHES_PROBES <= 256);

/**
 * struct kma_cachetab - the table of caches
 * @map: the slots
 * @info: description of each cache, by its number
 * @used: count of numbers given out; may exceed KMA_CACHES_MAX when CPUs compete for the last
 * @classes: true if cache words are classes of page allocations
 */
struct kma_cachetab {
	struct kma_cache_slot *map;
	struct kma_cache_info *info;
	atomic_t used;
	bool classes;
};

/**
 * kma_cachetab_bytes() - memory that a table takes
 *
 * Context: any.
 * Return: bytes.
 */
size_t kma_cachetab_bytes(void);

/**
 * kma_cachetab_init() - allocate an empty table
 * @t: the table
 * @classes: true if cache words are classes of page allocations
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM with no memory left allocated.
 */
int kma_cachetab_init(struct kma_cachetab *t, bool classes);

/**
 * kma_cachetab_destroy() - free a table
 * @t: the table; may be zeroed memory
 *
 * Context: process, may sleep; no probe and no reader uses the table any more.
 */
void kma_cachetab_destroy(struct kma_cachetab *t);

/**
 * kma_cachetab_get() - find or assign the number of a cache
 * @t: the table
 * @cache: the cache word
 *
 * Context: a probe, any context.
 * Return: a number below KMA_CACHES_MAX, or KMA_CACHE_NONE if the table is full.
 */
int kma_cachetab_get(struct kma_cachetab *t, unsigned long cache);

/**
 * kma_cachetab_has() - test whether a cache is in the table
 * @t: the table
 * @cache: the cache word
 *
 * Context: any.
 * Return: true if it is, with or without a number.
 */
bool kma_cachetab_has(struct kma_cachetab *t, unsigned long cache);

/**
 * kma_cachetab_retire() - retire a kmem_cache that is about to be destroyed
 * @t: the table
 * @cache: address of the kmem_cache
 * @id: if true is returned, a number that the cache had, or KMA_CACHE_NONE
 *
 * Call this until it returns false: a cache may have several numbers.
 *
 * Context: any.  No object of the cache is being allocated, unless @cache is a merged cache
 * and only one of its names goes away: then the next event gives it a number again.
 * Return: true if the cache was in the table.
 */
bool kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache, int *id);

/**
 * kma_cachetab_used() - how many numbers have been given out
 * @t: the table
 *
 * Context: any.
 * Return: the count; all numbers that have been given out are below it.  The description of
 * a number is valid only if its @ready is set.
 */
int kma_cachetab_used(const struct kma_cachetab *t);

#endif /* KMA_CORE_CACHETAB_H */
