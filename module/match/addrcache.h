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
 * Context, unless a function says otherwise: any, NMI included; for functions that
 * allocate or free memory: process, may sleep.
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

/* Allocate an empty cache, whose @classify is already set.  Returns 0 or -ENOMEM. */
int kma_addrcache_init(struct kma_addrcache *c);

/* Free a cache, which no probe uses any more. */
void kma_addrcache_destroy(struct kma_addrcache *c);

/*
 * Remove all entries, while probes use the cache.  Call this when code is loaded or unloaded,
 * because another function may then be at an address.
 */
void kma_addrcache_clear(const struct kma_addrcache *c);

/*
 * The value of the predicate for a kernel address: the cached value or, on a miss, what
 * @c->classify() returns for the name at @addr.
 */
bool kma_addrcache_get(const struct kma_addrcache *c, unsigned long addr);

#endif /* KMA_MATCH_ADDRCACHE_H */
