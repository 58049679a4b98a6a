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
 *
 * Context, unless a function says otherwise: any, NMI included.
 */
#ifndef KMA_RESOLVE_CACHEINFO_H
#define KMA_RESOLVE_CACHEINFO_H

#include <linux/types.h>

#include "../core/event.h"

/*
 * Find the offsets of name and slot size in a struct kmem_cache.  Returns 0 or -ENOMEM, which has
 * been explained in the kernel log.  Context: process, may sleep.
 */
int kma_cacheinfo_init(void);

/* Whether names and slot sizes are known; if not, object sizes are used instead. */
bool kma_cacheinfo_exact(void);

/*
 * Offset in a struct kmem_cache of the bytes that kma_cacheinfo_bytes() returns: the slot
 * size, or the object size if kma_cacheinfo_exact() is false; negative if unknown.
 */
extern int kma_cacheinfo_bytes_offset;

/* Whether kma_cacheinfo_bytes_offset is known. */
bool kma_cacheinfo_has_bytes(void);

/* Bytes that an object of a cache in use takes; kma_cacheinfo_has_bytes() is true. */
static __always_inline u32 kma_cacheinfo_bytes(unsigned long cache)
{
	return *(u32 *)(cache + kma_cacheinfo_bytes_offset);
}

/*
 * Whether the offset of the flags is known.  If not, the module does not know which caches have
 * SLAB_ACCOUNT.
 */
bool kma_cacheinfo_has_flags(void);

/* Whether kma_cacheinfo_object() can be used. */
bool kma_cacheinfo_has_slab(void);

/*
 * Bytes that an object of kmalloc takes, as bytes_alloc of a kmalloc event.  The object is not
 * freed meanwhile, and kma_cacheinfo_has_slab() is true.
 */
unsigned long kma_cacheinfo_object(const void *object);

/* Bytes that the object of an event takes; kma_cacheinfo_has_bytes() is true. */
static __always_inline unsigned long kma_event_bytes(const struct kma_event *ev)
{
	return ev->kmalloc ? ev->cache : kma_cacheinfo_bytes(ev->cache);
}

#endif /* KMA_RESOLVE_CACHEINFO_H */
