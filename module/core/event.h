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

/**
 * struct kma_event - one allocation that returned memory
 * @site: return address of the call that allocated
 * @ptr: the object; never NULL or ZERO_SIZE_PTR
 * @cache: address of the kmem_cache, or bytes taken by kmalloc
 * @kmalloc: whether @cache is a number of bytes
 * @bytes_req: bytes asked of kmalloc; 0 for a kmem_cache, whose objects all
 *	have the size that kma_env_cache_info() gives
 * @node: NUMA node asked for, or NUMA_NO_NODE
 */
struct kma_event {
	unsigned long site;
	unsigned long ptr;
	unsigned long cache;
	bool kmalloc;
	unsigned long bytes_req;
	int node;
};

#endif /* KMA_CORE_EVENT_H */
