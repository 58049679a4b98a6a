// SPDX-License-Identifier: GPL-2.0
/* The kmem_caches of kmemacct_truth. */
#include <linux/init.h>

#include "truth_caches.h"

static void truth_ctor(void *object)
{
	*(char *)object = 1;
}

struct truth_cache truth_caches[TRUTH_CACHES] = {
	[TRUTH_CACHE_ODD]     = { KBUILD_MODNAME "_odd", 75 },
	[TRUTH_CACHE_CTOR]    = { KBUILD_MODNAME "_ctor", 131, 0, truth_ctor },
	[TRUTH_CACHE_ALIGN]   = { KBUILD_MODNAME "_align", 200, SLAB_HWCACHE_ALIGN },
	[TRUTH_CACHE_NODE]    = { KBUILD_MODNAME "_node", 1234 },
	[TRUTH_CACHE_KFREE]   = { KBUILD_MODNAME "_kfree", 311 },
	[TRUTH_CACHE_RCU]     = { KBUILD_MODNAME "_rcu", 411 },
	[TRUTH_CACHE_MERGE_A] = { KBUILD_MODNAME "_merge_a", 5000, .merge = true },
	[TRUTH_CACHE_MERGE_B] = { KBUILD_MODNAME "_merge_b", 5000, .merge = true },
	[TRUTH_CACHE_TYPESAFE] = { KBUILD_MODNAME "_typesafe", 423, SLAB_TYPESAFE_BY_RCU },
	[TRUTH_CACHE_STORM]   = { KBUILD_MODNAME "_storm", 91 },
};

struct kmem_cache *truth_cache_create(const char *name, unsigned int size,
				      slab_flags_t flags,
				      void (*ctor)(void *object))
{
	/* SLUB does not merge a cache whose objects may be copied to user space. */
	return kmem_cache_create_usercopy(name, size, 0, flags, 0, size, ctor);
}

void truth_cache_destroy(enum truth_cache_id id)
{
	kmem_cache_destroy(truth_caches[id].cache);
	truth_caches[id].cache = NULL;
}

void truth_caches_destroy(void)
{
	int i;

	for (i = 0; i < TRUTH_CACHES; i++)
		kmem_cache_destroy(truth_caches[i].cache);
}

int __init truth_caches_create(void)
{
	struct truth_cache *c;

	for (c = truth_caches; c < truth_caches + TRUTH_CACHES; c++) {
		if (!c->name)
			continue;
		c->cache = c->merge ?
			kmem_cache_create(c->name, c->size, 0, c->flags, c->ctor) :
			truth_cache_create(c->name, c->size, c->flags, c->ctor);
		if (!c->cache) {
			truth_caches_destroy();
			return -ENOMEM;
		}
	}
	return 0;
}
