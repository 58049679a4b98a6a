/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of code addresses that were looked up before.
 *
 * Looking up a name takes 10,000 instructions or more: kallsyms unpacks symbols of the kernel, and
 * reads all symbols of a module.  A table may show thousands of addresses, and a later table
 * shows mostly the same ones.
 *
 * The cache is a hash table of addresses, and a block of text that names are appended to.  It is
 * allocated when it is first needed, and takes about 1.5 MiB from then on.
 * When either part is full, all names are removed, and the cache fills up again.
 *
 * Other code may be at an address after a module is loaded or unloaded.  So the module notifier
 * removes the names in that module, under kma_lock: before the module is freed, and before any code
 * of a new module runs.  Lookups are made under kma_lock, too, so that no name is added after its
 * module was removed.  Code that comes and goes without the notifier must not be added.
 *
 * All functions need kma_lock, except kma_namecache_stop() once no other function is called.
 */
#ifndef KMA_RESOLVE_NAMECACHE_H
#define KMA_RESOLVE_NAMECACHE_H

#include <linux/sizes.h>
#include <linux/types.h>

struct module;

#define KMA_NAMECACHE_SLOTS	SZ_32K		/* a power of two */
/* Some slots have to stay free, so that a search ends soon. */
#define KMA_NAMECACHE_USED_MAX	(KMA_NAMECACHE_SLOTS / 4 * 3)
#define KMA_NAMECACHE_TEXT	SZ_1M

/**
 * kma_namecache_start() - allocate the cache, unless it exists
 *
 * If there is no memory, there is no cache, and nothing else fails.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_namecache_start(void);

/**
 * kma_namecache_stop() - free the cache
 *
 * Context: process, may sleep; kma_lock is held, or no other function is called any more.
 */
void kma_namecache_stop(void);

/**
 * kma_namecache_find() - find the name of an address
 * @addr: the address
 *
 * Context: process; kma_lock is held.
 * Return: the name, until the next call of another function; NULL if it is not in the cache.
 */
const char *kma_namecache_find(unsigned long addr);

/**
 * kma_namecache_add() - add the name of an address
 * @addr: the address, which kma_namecache_find() does not find
 * @name: the name
 *
 * Context: process; kma_lock is held.
 */
void kma_namecache_add(unsigned long addr, const char *name);

/**
 * kma_namecache_forget() - remove the names of all addresses in a module
 * @mod: the module
 *
 * Context: module notifier; kma_lock is held.
 */
void kma_namecache_forget(const struct module *mod);

#endif /* KMA_RESOLVE_NAMECACHE_H */
