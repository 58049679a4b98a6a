// SPDX-License-Identifier: GPL-2.0
/* Scenarios: caches that are created and destroyed. */
#include "truth_bulk.h"
#include "truth_objects.h"
#include "truth_scenarios.h"

/*
 * Number of caches that got the address of one of the 16 caches created before, with another size.
 */
unsigned long truth_cycle_reused;

static void truth_cycle_count(const struct kmem_cache *cache, unsigned int size)
{
	static struct {
		const struct kmem_cache *cache;
		unsigned int size;
	} last[16];
	static unsigned int next;
	bool reused = false;
	int i;

	for (i = 0; i < ARRAY_SIZE(last); i++)
		reused |= last[i].cache == cache && last[i].size != size;
	truth_cycle_reused += reused;
	last[next].cache = cache;
	last[next].size = size;
	next = (next + 1) % ARRAY_SIZE(last);
}

static int truth_cycle_once(const char *name, unsigned int size)
{
	struct kmem_cache **cache = &truth_caches[TRUTH_CACHE_CYCLE].cache;
	int ret;

	*cache = truth_cache_create(name, size, 0, NULL);
	if (!*cache)
		return -ENOMEM;
	truth_cycle_count(*cache, size);
	ret = truth_make(TRUTH_cycle, size, NUMA_NO_NODE, 3);
	truth_drop(3);
	kmem_cache_destroy(*cache);
	*cache = NULL;
	return ret;
}

/* Create and destroy caches; many get the address of an earlier one. */
int truth_run_cycle(void)
{
	int i, ret = 0;

	for (i = 0; !ret && i < 40; i++)
		ret = truth_cycle_once(KBUILD_MODNAME "_cycle_a", 120) ?:
		      truth_cycle_once(KBUILD_MODNAME "_cycle_b", 250) ?:
		      truth_cycle_once(KBUILD_MODNAME "_cycle_b", 1250);
	return ret;
}

/* Two sizes whose objects take the same number of bytes: SLUB may merge the caches. */
#define TRUTH_SMALLER	6001
#define TRUTH_LARGER	6008

static int truth_merge_create(enum truth_cache_id id, const char *name,
			      unsigned int size)
{
	truth_caches[id].cache = kmem_cache_create(name, size, 0, 0, NULL);
	return truth_caches[id].cache ? 0 : -ENOMEM;
}

int truth_run_merge_one(void)
{
	return truth_merge_create(TRUTH_CACHE_SMALLER, KBUILD_MODNAME "_smaller",
				  TRUTH_SMALLER) ?:
	       truth_some(TRUTH_smaller, TRUTH_SMALLER, NUMA_NO_NODE);
}

int truth_run_merge_two(void)
{
	return truth_merge_create(TRUTH_CACHE_LARGER, KBUILD_MODNAME "_larger",
				  TRUTH_LARGER) ?:
	       truth_some(TRUTH_smaller, TRUTH_SMALLER, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_larger, TRUTH_LARGER, NUMA_NO_NODE);
}

/* Destroy the first cache.  If SLUB merged the two, only its name goes away. */
int truth_run_unmerge(void)
{
	truth_drop(truth_nr_live);
	truth_cache_destroy(TRUTH_CACHE_SMALLER);
	return truth_some(TRUTH_larger, TRUTH_LARGER, NUMA_NO_NODE);
}

int truth_run_merge_end(void)
{
	truth_drop(truth_nr_live);
	truth_cache_destroy(TRUTH_CACHE_LARGER);
	return 0;
}

#define TRUTH_DOOMED_OBJS	10000

/* Free all objects of a cache in bulk, then destroy the cache. */
int truth_run_doom(void)
{
	struct kmem_cache **cache = &truth_caches[TRUTH_CACHE_DOOMED].cache;
	int ret, had = truth_nr_live;

	*cache = truth_cache_create(KBUILD_MODNAME "_doomed", 296, 0, NULL);
	if (!*cache)
		return -ENOMEM;
	ret = truth_make(TRUTH_doomed, 296, NUMA_NO_NODE, TRUTH_DOOMED_OBJS);
	truth_drop_bulk(truth_nr_live - had, *cache, false);
	truth_cache_destroy(TRUTH_CACHE_DOOMED);
	return ret;
}
