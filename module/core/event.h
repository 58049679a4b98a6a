/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocation events, in one form for all tracepoints.
 *
 * A probe fills a struct kma_event from the arguments of its tracepoint and passes it
 * to kma_record_alloc().  All of this is inlined, so the struct never exists in memory.
 * A free event has no such struct: only its pointer is used.  Whether the event is kfree or
 * kmem_cache_free does not show how the object was allocated, because kfree() may be called
 * for an object of a kmem_cache.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_CORE_EVENT_H
#define KMA_CORE_EVENT_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "env.h"

#define KMA_PAGE_SHIFT	12
#define KMA_PAGE_SIZE	4096UL

/*
 * The cache word identifies the cache that an object is from.  It is the address of the
 * kmem_cache or, because kmalloc events do not have the kmem_cache, the number of bytes that
 * kmalloc allocated for the object.  The two cannot be confused: no kernel address is as small
 * as a number of bytes, which is at most KMA_CACHE_BYTES_MAX.
 */
#define KMA_CACHE_BYTES_MAX	0x80000000UL

/* Whether a cache word is a number of bytes, not the address of a kmem_cache. */
static __always_inline bool kma_cache_is_kmalloc(unsigned long cache)
{
	return cache <= KMA_CACHE_BYTES_MAX;
}

/*
 * A page allocation has a class where an object has a cache word.  The class combines what
 * the tracepoint reports about the page allocation: order, migrate type and gfp flags.  Page
 * allocations have tables of their own, so it does not matter that a class may have the same
 * value as a cache word.  A class has these fields, shown with the number of their lowest bit:
 *
 *	gfp	kind	order	type
 *	  9	7	3	0
 *
 * A row that counts one call site has a class of the kind KMA_CLASS_SITE.  The other two kinds
 * are for rows that count the page allocations of all call sites; see pagealloc.h.
 */
#define KMA_CLASS_KIND		0x180UL
#define KMA_CLASS_SITE		0x080UL
#define KMA_CLASS_SAMPLED	0x100UL
#define KMA_CLASS_WHOLE		0x180UL
#define KMA_CLASS_GFP_SHIFT	9

/* Stands for gfp flags that are not known.  No allocation has all of these flags. */
#define KMA_CLASS_GFP_OTHER	U32_MAX

/* The class, of the kind KMA_CLASS_SITE, with an order below 16 and a migrate type below 8. */
static __always_inline unsigned long kma_class(unsigned int order, unsigned int type,
					       u32 gfp)
{
	unsigned long word = gfp;

	/*
	 * Hide the word from the compiler.  Otherwise the compiler emits two moves of the
	 * word, because it does not know that the upper half is 0.
	 */
	OPTIMIZER_HIDE_VAR(word);
	return (word << KMA_CLASS_GFP_SHIFT) + (order * 8 + type) + KMA_CLASS_SITE;
}

/* Change the kind of @class from KMA_CLASS_SITE to @kind, one of the three kinds above. */
static __always_inline unsigned long kma_class_kind(unsigned long class,
						    unsigned long kind)
{
	return class + kind - KMA_CLASS_SITE;
}

static __always_inline unsigned int kma_class_order(unsigned long class)
{
	return class >> 3 & 15;
}

/* The migrate type. */
static __always_inline unsigned int kma_class_type(unsigned long class)
{
	return class & 7;
}

static __always_inline u32 kma_class_gfp(unsigned long class)
{
	return class >> KMA_CLASS_GFP_SHIFT;
}

/**
 * struct kma_event - one allocation that returned memory
 * @site: the call site: return address of the call that allocated
 * @ptr: the object's address; never NULL or ZERO_SIZE_PTR
 * @cache: the cache word: address of the kmem_cache, or number of bytes that kmalloc allocated
 * @kmalloc: whether @cache is a number of bytes
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache, whose size
 *	kma_env_cache_info() reads; trace/slab.c also has it for an allocation that failed
 * @node: NUMA node that was requested, or NUMA_NO_NODE
 * @gfp: gfp flags; used only while a filter is set, and of allocations that failed
 * @charge: KMA_CHARGE if the gfp flags ask to charge the object to a cgroup (owner.h), otherwise 0
 */
struct kma_event {
	unsigned long site;
	unsigned long ptr;
	unsigned long cache;
	bool kmalloc;
	unsigned long bytes_req;
	int node;
	u32 gfp;
	unsigned long charge;
};

#endif /* KMA_CORE_EVENT_H */
