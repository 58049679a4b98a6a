/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches that are destroyed.  The address of a struct kmem_cache may be the next
 * cache's, so its rows must not be found by that address any more.
 */
#ifndef KMA_TRACE_CACHE_H
#define KMA_TRACE_CACHE_H

#include <linux/types.h>

#include "ftrace_hook.h"

/* kmem_cache_destroy(). */
extern struct kma_ftrace_hook kma_ftrace_hook_cache_destroy;

/**
 * kma_cache_destroy_followed() - whether the ends of caches are seen
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_cache_destroy_followed(void);

#endif /* KMA_TRACE_CACHE_H */
