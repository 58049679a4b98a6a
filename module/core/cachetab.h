/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches that objects come from: a small table to which probes add.
 *
 * An event names a cache by one word (event.h).  The first event with a new word gives
 * the cache a number, and copies its name and sizes at that moment.  A cache cannot be
 * destroyed while one of its objects is being allocated, but it may be destroyed before
 * anything reads the table.
 *
 *	map: word --hash--> number		info[number]: sizes, name
 *
 * When a kmem_cache is destroyed, it is retired: its word no longer leads to its number,
 * because the next kmem_cache may get the same address.  If a new cache has the name and
 * the sizes of a retired one, as when a file system is mounted again, it gets the number
 * of the retired one.
 *
 * Two CPUs that see a new word at the same time may give it two numbers.  The tables
 * print caches of one name as one.
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
 * struct kma_cache_info - what is known of a cache
 * @class: only for page allocations: the class, as kma_class() makes it; otherwise 0
 * @size: bytes that each of its objects takes
 * @object_size: bytes that were asked for each of its objects; 0 for a size of kmalloc,
 *	where each event says it
 * @ready: all other members, except @retired, are valid and do not change
 * @shadow: only for page allocations: rows of this class count all call sites, while
 *	samples of the class have rows of their own
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
 * @cache: the word, or a special value (cachetab.c)
 * @id: number of the cache
 */
struct kma_cache_slot {
	unsigned long cache;
	int id;
};

/**
 * struct kma_cachetab - the table of caches
 * @map: the slots
 * @info: what is known of each cache, by its number
 * @used: numbers given out; may exceed KMA_CACHES_MAX when CPUs compete for the last one
 * @classes: words are classes of page allocations
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
 * kma_cachetab_init() - make an empty table
 * @t: the table
 * @classes: words are classes of page allocations, not caches
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, and then no memory is left allocated.
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
 * kma_cachetab_retire() - retire a kmem_cache that is about to be destroyed
 * @t: the table
 * @cache: address of the kmem_cache
 *
 * Context: any.  No object of the cache is being allocated, unless @cache has been
 * merged and only one of its names goes away: then the next event gives it a number
 * again.
 */
void kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache);

/**
 * kma_cachetab_used() - how many numbers have been given out
 * @t: the table
 *
 * Context: any.
 * Return: the limit; every number in use is below it.  The info of a number is valid
 * only if @ready is set.
 */
int kma_cachetab_used(const struct kma_cachetab *t);

#endif /* KMA_CORE_CACHETAB_H */
