// SPDX-License-Identifier: GPL-2.0
/* Scenarios: frees that kmemacct sees through an unusual event, or only in part. */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "truth_objects.h"
#include "truth_scenarios.h"

/* kfree() of objects of a kmem_cache, and the reverse: both are legal. */
int truth_run_crossed(void)
{
	struct kmem_cache *cache =
		kmalloc_caches[KMALLOC_NORMAL][kmalloc_index(64)];
	struct truth_object *o;
	int ret;

	ret = truth_make(TRUTH_cache_kfree, 311, NUMA_NO_NODE, 5) ?:
	      truth_make(TRUTH_crossed, 64, NUMA_NO_NODE, 5);
	if (ret)
		return ret;
	while (truth_live[truth_nr_live - 1].site == TRUTH_crossed) {
		o = &truth_live[--truth_nr_live];
		truth_count_free(o, truth_get_cpu());
		kmem_cache_free(cache, o->ptr);
		truth_put_cpu();
	}
	for (ret = 0; ret < 5; ret++)
		truth_free(&truth_live[--truth_nr_live], true);
	return 0;
}

#define TRUTH_TYPESAFE_OBJS	1000

unsigned long truth_typesafe_kept;

/* Count the freed objects whose slab page still waits for an RCU grace period. */
int truth_run_typesafe(void)
{
	int i, had = truth_nr_live;
	int ret = truth_make(TRUTH_typesafe, 423, NUMA_NO_NODE,
			     TRUTH_TYPESAFE_OBJS);

	truth_typesafe_kept = 0;
	rcu_read_lock();
	truth_drop(truth_nr_live - had);
	/* truth_live still has the descriptions, until another object is allocated. */
	for (i = had; !ret && i < had + TRUTH_TYPESAFE_OBJS; i++)
		truth_typesafe_kept +=
			PageSlab(virt_to_head_page(truth_live[i].ptr));
	rcu_read_unlock();
	return ret ?: truth_some(TRUTH_typesafe, 423, NUMA_NO_NODE);
}

#define TRUTH_KFENCE_OBJS	20
#define TRUTH_KFENCE_S		60

/* Allocate objects until enough are from KFENCE's pool; free all others. */
static int truth_make_guarded(enum truth_site_id id, size_t size)
{
	unsigned long end = jiffies + TRUTH_KFENCE_S * HZ;
	int ret, nr = 0;

	while (nr < TRUTH_KFENCE_OBJS) {
		if (!IS_ENABLED(CONFIG_KFENCE) || time_after(jiffies, end))
			return -ETIME;
		ret = truth_make(id, size, NUMA_NO_NODE, 1);
		if (ret)
			return ret;
		if (is_kfence_address(truth_live[truth_nr_live - 1].ptr))
			nr++;
		else
			truth_drop(1);
		cond_resched();
	}
	/* Free some of them one by one, and some in bulk. */
	truth_drop(TRUTH_KFENCE_OBJS / 4);
	truth_free_bulk(&truth_live[truth_nr_live -= 3], 3, NULL, false);
	return 0;
}

/* For both sizes, truth_slot() returns the size of a slot of the cache. */
int truth_run_kfence(void)
{
	return truth_make_guarded(TRUTH_guarded, 64) ?:
	       truth_make_guarded(TRUTH_guarded_cache, 1234);
}

int truth_count_guarded(void)
{
	int i, nr = 0;

	for (i = 0; i < truth_nr_live; i++)
		nr += is_kfence_address(truth_live[i].ptr);
	return nr;
}
