/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an allocation event says, in one shape for all tracepoints.
 *
 * A probe fills a struct kma_event from its tracepoint's arguments and hands it
 * to kma_record_alloc(); everything is inlined, so that the struct never
 * exists in memory.  A free event is its pointer alone: whether it came from
 * kfree or kmem_cache_free says nothing about how the object was allocated
 * (kfree() of an object of a kmem_cache is legal).
 */
#ifndef KMA_CORE_EVENT_H
#define KMA_CORE_EVENT_H

#include "env.h"

#define KMA_PAGE_SHIFT	12
#define KMA_PAGE_SIZE	4096UL

/*
 * The cache an object comes from is named by one word: the address of its
 * kmem_cache or, because kmalloc events do not carry one, the number of bytes
 * that kmalloc took for it.  Both fit, since no kernel address is that small.
 */
#define KMA_CACHE_BYTES_MAX	0x80000000UL

/**
 * kma_cache_is_kmalloc() - whether a cache word is a size of kmalloc
 * @cache: the word
 *
 * Context: any. Return: true for a size, false for a kmem_cache.
 */
static __always_inline bool kma_cache_is_kmalloc(unsigned long cache)
{
	return cache <= KMA_CACHE_BYTES_MAX;
}

/*
 * Of a block of pages it is its class instead, what the page allocator says of it.
 * Tables of blocks are not those of objects, so that it need not differ from the two.
 *
 *	  9	7	3	0
 *	gfp	kind	order	type
 *
 * Rows of one call site have classes of the first kind.  The others are of rows that
 * count blocks of all call sites: see pagealloc.h.
 */
#define KMA_CLASS_KIND		0x180UL
#define KMA_CLASS_SITE		0x080UL
#define KMA_CLASS_SHADOW	0x100UL
#define KMA_CLASS_ALONE		0x180UL

/**
 * kma_class() - the class of a block of pages
 * @order: binary logarithm of its pages, below 16
 * @type: migrate type, below 8
 * @gfp: gfp flags
 *
 * Context: any. Return: the word.
 */
static __always_inline unsigned long kma_class(unsigned int order, unsigned int type,
					       u32 gfp)
{
	unsigned long word = gfp;

	/* Or the compiler would move it twice, as it does not know of the upper half. */
	kma_env_hide(word);
	return (word << 9) + (order * 8 + type) + KMA_CLASS_SITE;
}

/* Context: any. Return: the same class, of another kind. */
static __always_inline unsigned long kma_class_kind(unsigned long class,
						    unsigned long kind)
{
	return class + kind - KMA_CLASS_SITE;
}

/* Context: any. Return: what a class was made of. */
static __always_inline unsigned int kma_class_order(unsigned long class)
{
	return class >> 3 & 15;
}

static __always_inline unsigned int kma_class_type(unsigned long class)
{
	return class & 7;
}

static __always_inline u32 kma_class_gfp(unsigned long class)
{
	return class >> 9;
}

/**
 * struct kma_event - one allocation that returned memory
 * @site: return address of the call that allocated
 * @ptr: the object; never NULL or ZERO_SIZE_PTR
 * @cache: address of the kmem_cache, or bytes taken by kmalloc
 * @kmalloc: whether @cache is a number of bytes
 * @bytes_req: bytes asked of kmalloc; 0 for a kmem_cache, whose objects all
 *	have the size that kma_env_cache_info() gives
 * @node: NUMA node asked for, or NUMA_NO_NODE
 * @gfp: gfp flags; looked at only while a filter is set
 */
struct kma_event {
	unsigned long site;
	unsigned long ptr;
	unsigned long cache;
	bool kmalloc;
	unsigned long bytes_req;
	int node;
	u32 gfp;
};

#endif /* KMA_CORE_EVENT_H */
