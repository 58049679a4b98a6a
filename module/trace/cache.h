/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destroyed caches.  A new kmem_cache may get the address of a destroyed one.  So once a
 * cache is destroyed, no look-up by its address may find its rows any more.
 */
#ifndef KMA_TRACE_CACHE_H
#define KMA_TRACE_CACHE_H

#include <linux/slab.h>
#include <linux/types.h>

#include "ftrace_hook.h"

/* Follows kmem_cache_destroy(). */
extern struct kma_ftrace_hook kma_ftrace_hook_cache_destroy;

/**
 * kma_cache_destroy_followed() - whether kmem_cache_destroy() is followed
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_cache_destroy_followed(void);

/**
 * kma_cache_destroy_watched() - destroy a cache, and test whether the hook sees that
 * @cache: the cache, which has no objects
 *
 * Context: process, may sleep; calls do not run concurrently.
 * Return: true if the hook has seen that.
 */
bool kma_cache_destroy_watched(struct kmem_cache *cache);

#endif /* KMA_TRACE_CACHE_H */
