/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache of a per-address predicate: yes or no for a return address, decided by the name
 * of the function there.  A miss costs a kallsyms lookup, about 10,000 instructions.
 *
 * There is one word for each address, in sets of one cache line each, and no lock.
 * Two contexts that look up the same address write the same word.  If a set is full,
 * one of its words is replaced, and its address is looked up again later.  The word is
 * the address itself, except for its highest bit, which all kernel addresses have set: in
 * the word it is set only if the answer is yes.
 *
 * The cache may be used in any context, NMI included.
 */
#ifndef KMA_MATCH_ADDRCACHE_H
#define KMA_MATCH_ADDRCACHE_H

#include <linux/types.h>

/**
 * struct kma_addrcache - a cache
 * @classify: the predicate: it gets the name of the function at an address, `symbol` or
 *	`symbol [module]`, which it may modify; called in any context, NMI included
 * @word: the words; NULL if they are not allocated
 */
struct kma_addrcache {
	bool (*classify)(const struct kma_addrcache *c, char *name);
	unsigned long *word;
};

/**
 * kma_addrcache_init() - allocate an empty cache
 * @c: the cache, whose @classify is set
 *
 * Context: process, may sleep.
 * Return: 0, with @c->word set, or -ENOMEM.
 */
int kma_addrcache_init(struct kma_addrcache *c);

/**
 * kma_addrcache_destroy() - free a cache
 * @c: the cache; no probe uses it
 *
 * Context: process, may sleep.
 */
void kma_addrcache_destroy(struct kma_addrcache *c);

/**
 * kma_addrcache_clear() - forget all answers
 * @c: the cache, which may be in use
 *
 * To be called when code is loaded or unloaded: an address may get another function.
 *
 * Context: any.
 */
void kma_addrcache_clear(const struct kma_addrcache *c);

/**
 * kma_addrcache_get() - the answer for an address
 * @c: the cache
 * @addr: a kernel address
 *
 * Context: any, NMI included.
 * Return: what @c->classify() returns, or returned before, for the name at @addr.
 */
bool kma_addrcache_get(const struct kma_addrcache *c, unsigned long addr);

#endif /* KMA_MATCH_ADDRCACHE_H */
