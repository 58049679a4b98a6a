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
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
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

/* Allocate the cache, unless it exists.  Without memory for it, nothing else fails. */
void kma_namecache_start(void);

/* Free the cache.  kma_lock is held, or no other function is called any more. */
void kma_namecache_stop(void);

/* The name of an address, valid until the next call; NULL if it is not in the cache. */
const char *kma_namecache_find(unsigned long addr);

/* Add the name of an address that kma_namecache_find() does not find. */
void kma_namecache_add(unsigned long addr, const char *name);

/* Remove the names of all addresses in a module.  Also called in the module notifier. */
void kma_namecache_forget(const struct module *mod);

#endif /* KMA_RESOLVE_NAMECACHE_H */
