/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Name and slot size of a struct kmem_cache.
 *
 * kmem_cache_size() returns the size an object was asked to have, not what it takes in
 * its slab, and no exported function returns the name; since 6.8 the struct is private
 * to mm/.  So at load the module creates two caches with known names, object sizes
 * and slot sizes.  (It finds the slot size by allocating objects until a slab is full:
 * neighbours are one slot apart.)  It then searches the struct for the one offset at
 * which both caches have their name, and the one at which both have their slot size.
 * Unless exactly one offset fits, the module uses the object size and calls the cache
 * [unnamed]; each table says so in its first line.
 */
#ifndef KMA_RESOLVE_CACHEINFO_H
#define KMA_RESOLVE_CACHEINFO_H

#include <linux/types.h>

#include "../core/event.h"

/**
 * kma_cacheinfo_init() - find out where a kmem_cache keeps its name and slot size
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM, which has been explained in the kernel log.
 */
int kma_cacheinfo_init(void);

/**
 * kma_cacheinfo_exact() - whether names and slot sizes are known
 *
 * Context: any.
 * Return: true if so; false if object sizes have to do.
 */
bool kma_cacheinfo_exact(void);

/* Offset in a struct kmem_cache of the bytes an object takes; negative if unknown. */
extern int kma_cacheinfo_bytes_offset;

/**
 * kma_cacheinfo_has_bytes() - whether that offset is known
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_cacheinfo_has_bytes(void);

/**
 * kma_cacheinfo_bytes() - bytes an object of a cache takes
 * @cache: address of the kmem_cache, which is in use
 *
 * Context: any; kma_cacheinfo_has_bytes() is true.
 * Return: bytes.
 */
static __always_inline u32 kma_cacheinfo_bytes(unsigned long cache)
{
	return *(u32 *)(cache + kma_cacheinfo_bytes_offset);
}

/**
 * kma_event_bytes() - bytes the object of an event takes
 * @ev: an allocation that returned memory
 *
 * Context: any; kma_cacheinfo_has_bytes() is true.
 * Return: bytes.
 */
static __always_inline unsigned long kma_event_bytes(const struct kma_event *ev)
{
	return ev->kmalloc ? ev->cache : kma_cacheinfo_bytes(ev->cache);
}

#endif /* KMA_RESOLVE_CACHEINFO_H */
