// SPDX-License-Identifier: GPL-2.0
/* Retire the rows of a kmem_cache that is about to be destroyed.  See cache.h. */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../state.h"
#include "cache.h"

/* The cache that the self-test destroys, and whether the hook has seen that. */
static unsigned long kma_cache_watched;
static bool kma_cache_seen;

/* Runs at the entry of kmem_cache_destroy(), when the cache has no objects left. */
static void notrace kma_cache_destroyed(unsigned long parent_ip,
					struct ftrace_regs *regs)
{
	unsigned long cache = kma_ftrace_hook_arg(regs, 0);

	if (!cache)
		return;
	if (cache == READ_ONCE(kma_cache_watched))
		WRITE_ONCE(kma_cache_seen, true);
	/*
	 * This reads all rows of the cache: one for each call site, or for each sampled stack.  The
	 * task may be preempted meanwhile, but no row may be recycled.  Pairs with
	 * kma_env_wait_for_probes().
	 */
	rcu_read_lock();
	kma_sitetab_retire_cache(&kma_core.sites, cache);
	rcu_read_unlock();
}

static_assert(kma_ftrace_hook_fits(kmem_cache_destroy, void, struct kmem_cache *s));

struct kma_ftrace_hook kma_ftrace_hook_cache_destroy = {
	.function = kmem_cache_destroy,
	.entered = kma_cache_destroyed,
	.loss = "kmem_cache_destroy() cannot be followed: a new cache may count as a destroyed one",
};

bool kma_cache_destroy_watched(struct kmem_cache *cache)
{
	WRITE_ONCE(kma_cache_seen, false);
	WRITE_ONCE(kma_cache_watched, (unsigned long)cache);
	kmem_cache_destroy(cache);
	WRITE_ONCE(kma_cache_watched, 0);
	return READ_ONCE(kma_cache_seen);
}

bool kma_cache_destroy_followed(void)
{
	return kma_ftrace_hook_cache_destroy.attached;
}
