/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the name and the slot size in a struct kmem_cache.
 *
 * kmem_cache_size() returns the size that was asked for, not the bytes an object takes in
 * its slab (the slot size).  No exported function returns the name, and since 6.8 the
 * struct is private to mm/.  So at load the module creates two caches with known names and
 * object sizes.  It finds their slot sizes by allocating objects until a slab is full: in a
 * full slab, neighbours are one slot apart.  Then it searches both structs for the offset of
 * the name and the offset of the slot size.  If it does not find both, or if several offsets
 * fit the slot size, the module uses object sizes and calls every cache [unnamed]; the first
 * line of each table says so.
 */
#ifndef KMA_RESOLVE_CACHEINFO_H
#define KMA_RESOLVE_CACHEINFO_H

#include <linux/types.h>

#include "../core/event.h"

/**
 * kma_cacheinfo_init() - find the offsets of name and slot size in a struct kmem_cache
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM, which has been explained in the kernel log.
 */
int kma_cacheinfo_init(void);

/**
 * kma_cacheinfo_exact() - whether names and slot sizes are known
 *
 * Context: any.
 * Return: true if so; false if object sizes are used instead.
 */
bool kma_cacheinfo_exact(void);

/*
 * Offset in a struct kmem_cache of the bytes that kma_cacheinfo_bytes() returns: the slot
 * size, or the object size if kma_cacheinfo_exact() is false; negative if unknown.
 */
extern int kma_cacheinfo_bytes_offset;

/**
 * kma_cacheinfo_has_bytes() - whether kma_cacheinfo_bytes_offset is known
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_cacheinfo_has_bytes(void);

/**
 * kma_cacheinfo_bytes() - bytes that an object of a cache takes
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
 * kma_cacheinfo_has_slab() - whether kma_cacheinfo_object() can be used
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_cacheinfo_has_slab(void);

/**
 * kma_cacheinfo_object() - bytes that an object of kmalloc takes
 * @object: the object, which is not freed meanwhile
 *
 * Context: any, NMI included; kma_cacheinfo_has_slab() is true.
 * Return: bytes, as bytes_alloc of a kmalloc event.
 */
unsigned long kma_cacheinfo_object(const void *object);

/**
 * kma_event_bytes() - bytes that the object of an event takes
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
