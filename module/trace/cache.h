/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destroyed caches.  A new kmem_cache may get the address of a destroyed one.  So once a
 * cache is destroyed, no look-up by its address may find its rows any more.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_CACHE_H
#define KMA_TRACE_CACHE_H

#include <linux/slab.h>
#include <linux/types.h>

#include "ftrace_hook.h"

/* Follows kmem_cache_destroy(). */
extern struct kma_ftrace_hook kma_ftrace_hook_cache_destroy;

/* Whether kmem_cache_destroy() is followed.  Context: any. */
bool kma_cache_destroy_followed(void);

/* Destroy a cache without objects; return whether the hook has seen that.  Calls do not overlap. */
bool kma_cache_destroy_watched(struct kmem_cache *cache);

#endif /* KMA_TRACE_CACHE_H */
