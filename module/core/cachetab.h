/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches that objects come from: a small table that probes extend.
 *
 * An event names a cache by one word (event.h).  The first event with a new
 * word gives the cache a number, and copies name and sizes at that moment:
 * a cache cannot die while one of its objects is being allocated, but it may
 * before anybody reads the table.
 *
 *	map: word --hash--> number		info[number]: sizes, name
 *
 * A destroyed kmem_cache is retired: its word no longer leads to its number,
 * since the next kmem_cache may get the same address.  If that one has the
 * retired one's name and sizes, as when a file system is mounted again, it
 * gets its number too.
 *
 * Two CPUs that see a new word at the same time may give it two numbers; the
 * tables print caches of one name as one.
 */
#ifndef KMA_CORE_CACHETAB_H
#define KMA_CORE_CACHETAB_H

#include "env.h"

#define KMA_CACHES_MAX		1024
#define KMA_CACHES_MAP		(4 * KMA_CACHES_MAX)
#define KMA_CACHES_PROBES	64
#define KMA_CACHE_NONE		-1

/**
 * struct kma_cache_info - a cache
 * @size: bytes that each of its objects takes
 * @object_size: bytes that each of its objects was asked to have; 0 for a size
 *	of kmalloc, where each event says it
 * @ready: the fields above are valid
 * @retired: destroyed, and not reused yet
 * @class: of blocks of pages: which class it is; otherwise 0
 * @shadow: of blocks: those of all call sites, beside samples
 * @name: of a kmem_cache; empty for a size of kmalloc
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

struct kma_cache_slot {
	unsigned long cache;
	int id;
};

/**
 * struct kma_cachetab - the table
 * @map: the words
 * @info: of each number
 * @used: numbers given out
 * @classes: words are classes of blocks of pages
 */
struct kma_cachetab {
	struct kma_cache_slot *map;
	struct kma_cache_info *info;
	atomic_t used;
	bool classes;
};

/* Context: process. Return: bytes that a table takes. */
size_t kma_cachetab_bytes(void);

/**
 * kma_cachetab_init() - make an empty table
 * @t: the table
 * @classes: of classes of blocks of pages, instead of caches
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_cachetab_init(struct kma_cachetab *t, bool classes);

/**
 * kma_cachetab_destroy() - free a table
 * @t: the table; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the table any more.
 */
void kma_cachetab_destroy(struct kma_cachetab *t);

/**
 * kma_cachetab_get() - the number of a cache, a new one if need be
 * @t: the table
 * @cache: the cache's word
 *
 * Context: a probe, any context. Return: a number below KMA_CACHES_MAX, or
 * KMA_CACHE_NONE where the table is full.
 */
int kma_cachetab_get(struct kma_cachetab *t, unsigned long cache);

/**
 * kma_cachetab_retire() - a kmem_cache is about to be destroyed
 * @t: the table
 * @cache: its address
 *
 * Context: any. No object of it is being allocated, unless it is only one of
 * the names of a merged cache: then the next event gives it a number again.
 */
void kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache);

/**
 * kma_cachetab_used() - how many numbers are in use
 * @t: the table
 *
 * Context: any. Return: all valid numbers are below this; a number is valid
 * if its info is @ready.
 */
int kma_cachetab_used(const struct kma_cachetab *t);

#endif /* KMA_CORE_CACHETAB_H */
