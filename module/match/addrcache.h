/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache of a per-address predicate: true or false for a return address, depending on the name
 * of the function there.  A miss costs a kallsyms lookup, about 10,000 instructions.
 *
 * An entry is one word.  The word is the address, except for the highest bit.  That bit is set
 * in all kernel addresses, but in the word it is the value of the predicate.  Words are kept in
 * sets of one cache line each.  If a set is full, a new word replaces an old one, whose address
 * is then looked up again when it is needed.  There is no lock: two contexts that look up the
 * same address write the same word.
 *
 * The cache may be used in any context, NMI included.
 */
#ifndef KMA_MATCH_ADDRCACHE_H
#define KMA_MATCH_ADDRCACHE_H

#include <linux/types.h>

/* The memory of a cache. */
#define KMA_ADDRCACHE_BYTES	65536

/**
 * struct kma_addrcache - a cache
 * @classify: the predicate; @name is the name of the function at an address, `symbol` or
 *	`symbol [module]`, and may be modified; called in any context, NMI included
 * @word: the words; NULL if they are not allocated
 */
struct kma_addrcache {
	bool (*classify)(const struct kma_addrcache *c, char *name);
	unsigned long *word;
};

/**
 * kma_addrcache_init() - allocate an empty cache
 * @c: the cache; its @classify is already set
 *
 * Context: process, may sleep.
 * Return: 0, with @c->word set, or -ENOMEM.
 */
int kma_addrcache_init(struct kma_addrcache *c);

/**
 * kma_addrcache_destroy() - free a cache
 * @c: the cache, which no probe uses any more
 *
 * Context: process, may sleep.
 */
void kma_addrcache_destroy(struct kma_addrcache *c);

/**
 * kma_addrcache_clear() - remove all entries
 * @c: the cache, which may be in use
 *
 * Call this when code is loaded or unloaded, because another function may then be at an address.
 *
 * Context: any.
 */
void kma_addrcache_clear(const struct kma_addrcache *c);

/**
 * kma_addrcache_get() - get the value of the predicate for an address
 * @c: the cache
 * @addr: a kernel address
 *
 * Context: any, NMI included.
 * Return: the cached value or, on a miss, what @c->classify() returns for the name at @addr.
 */
bool kma_addrcache_get(const struct kma_addrcache *c, unsigned long addr);

#endif /* KMA_MATCH_ADDRCACHE_H */
