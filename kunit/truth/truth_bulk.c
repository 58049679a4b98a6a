// SPDX-License-Identifier: GPL-2.0
/* Scenarios: bulk allocations and bulk frees. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/workqueue.h>

#include "truth_bulk.h"
#include "truth_objects.h"
#include "truth_scenarios.h"

u32 truth_bulk_seed = 1;

/* From 1 to @max. */
static int truth_random_nr(int max)
{
	return 1 + truth_random(&truth_bulk_seed) % max;
}

void truth_drop_bulk(int nr, struct kmem_cache *cache, bool with_kfree)
{
	int some;

	for (; nr > 0; nr -= some) {
		some = truth_random_nr(min(nr, TRUTH_BATCH_MAX));
		truth_nr_live -= some;
		truth_free_bulk(&truth_live[truth_nr_live], some, cache,
				with_kfree);
	}
}

/* Allocate a batch; free a third of it by one call and a third one by one. */
static int truth_bulk_batch(enum truth_site_id id, int nr)
{
	int ret = truth_make_bulk(id, nr);

	if (ret)
		return ret;
	truth_drop_bulk(nr / 3, truth_caches[truth_sites[id].cache].cache, false);
	truth_drop(nr / 3);
	return 0;
}

int truth_run_bulk_alloc(void)
{
	static const u16 lengths[] = { 1, 2, 3, 15, 16, 17, 32, 64, 100, 499, 500 };
	int made = 0, i, nr, ret = 0;

	for (i = 0; !ret && made < TRUTH_BULK_OBJS; i++, made += nr) {
		nr = i / 2 < ARRAY_SIZE(lengths) ? lengths[i / 2] :
						   truth_random_nr(TRUTH_BATCH_MAX);
		ret = truth_bulk_batch(i & 1 ? TRUTH_bulk_odd : TRUTH_bulk_ctor, nr);
	}
	return ret;
}

/* Allocate an object at one of four sites; most have a random size. */
static int truth_make_mixed(void)
{
	u32 random = truth_random(&truth_bulk_seed);

	switch (random % 64) {
	case 0:
		return truth_make(TRUTH_mixed_large, 8193 + random % 20000,
				  NUMA_NO_NODE, 1);
	case 1 ... 15:
		return truth_make(TRUTH_mixed_align, 200, NUMA_NO_NODE, 1);
	case 16 ... 20:
		return truth_make(TRUTH_mixed_node, 1234, NUMA_NO_NODE, 1);
	case 21:
		return truth_make(TRUTH_mixed_kmalloc, 1 + random % 8192,
				  NUMA_NO_NODE, 1);
	default:
		return truth_make(TRUTH_mixed_kmalloc, 1 + random % 500,
				  NUMA_NO_NODE, 1);
	}
}

static long truth_make_many_mixed(void *nr)
{
	int ret = 0, left = *(int *)nr;

	while (!ret && left--)
		ret = truth_make_mixed();
	return ret;
}

/* Allocate objects one by one on all CPUs, and free them in bulk. */
int truth_run_bulk_free(void)
{
	int nr = TRUTH_BULK_OBJS / 5 * 2 / num_online_cpus();
	struct kmem_cache *align = truth_caches[TRUTH_CACHE_ALIGN].cache;
	int cpu, with_kfree, had = truth_nr_live, ret = 0;

	/* Objects of any cache: kmem_cache_free_bulk() and kfree_bulk() take them. */
	for (with_kfree = 0; with_kfree < 2; with_kfree++) {
		for_each_online_cpu(cpu)
			ret = ret ?: work_on_cpu(cpu, truth_make_many_mixed, &nr);
		if (ret)
			return ret;
		truth_drop_bulk(truth_nr_live - had, NULL, with_kfree);
	}
	/* Objects of one cache. */
	ret = truth_make(TRUTH_mixed_align, 200, NUMA_NO_NODE,
			 TRUTH_BULK_OBJS / 5);
	if (ret)
		return ret;
	truth_drop_bulk(truth_nr_live - had, align, false);
	return 0;
}
