// SPDX-License-Identifier: GPL-2.0
/* Scenarios: objects that RCU frees after a grace period. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "truth_bulk.h"
#include "truth_objects.h"
#include "truth_scenarios.h"

/* Start of the objects; the head for RCU is not at offset 0. */
struct truth_rcu {
	u64 other;
	struct rcu_head rcu;
};

/* Count the last live object as freed.  The caller then hands it to RCU. */
static void *truth_hand_over(void)
{
	const struct truth_object *o = &truth_live[--truth_nr_live];

	preempt_disable();
	truth_count_free(o, o->cpu);
	truth_add(o->site, handed, 1);
	preempt_enable();
	return o->ptr;
}

/* A random size; most are below 524 bytes. */
static size_t truth_rcu_size(void)
{
	u32 random = truth_random(&truth_bulk_seed);

	return sizeof(struct truth_rcu) + random % (random % 32 ? 500 : 4000);
}

int truth_run_kfree_rcu(void)
{
	int i, ret = 0, had = truth_nr_live;
	struct truth_rcu *object;
	size_t size;

	for (i = 0; !ret && i < TRUTH_BULK_OBJS; i++) {
		size = truth_rcu_size();
		if (i % 100 == 0)
			ret = truth_make(TRUTH_rcu_large, 8193 + size,
					 NUMA_NO_NODE, 1);
		else if (i % 3 == 0)
			ret = truth_make(TRUTH_rcu_cache, 411, NUMA_NO_NODE, 1);
		else
			ret = truth_make(TRUTH_rcu_kmalloc, size, NUMA_NO_NODE, 1);
	}
	while (truth_nr_live > had) {
		object = truth_hand_over();
		kfree_rcu(object, rcu);
	}
	return ret;
}

/* Objects with a head for RCU, and objects without one: kvfree_rcu() takes both. */
int truth_run_kvfree_rcu(void)
{
	int i, ret = 0, had = truth_nr_live;
	struct truth_rcu *object;
	bool headless;
	size_t size;

	for (i = 0; !ret && i < TRUTH_BULK_OBJS; i++) {
		size = truth_rcu_size();
		if (i & 1)
			ret = truth_make(TRUTH_rcu_headless, size, NUMA_NO_NODE, 1);
		else if (i & 2)
			ret = truth_make(TRUTH_rcu_kvmalloc, min(size, PAGE_SIZE),
					 NUMA_NO_NODE, 1);
		else
			ret = truth_make(TRUTH_rcu_zeroed, size, NUMA_NO_NODE, 1);
	}
	while (truth_nr_live > had) {
		headless = truth_live[truth_nr_live - 1].site == TRUTH_rcu_headless;
		object = truth_hand_over();
		if (headless)
			kvfree_rcu_mightsleep(object);
		else
			kvfree_rcu(object, rcu);
	}
	return ret;
}

/*
 * Wait until RCU has freed all objects.  Kernels without kvfree_rcu_barrier() may free some
 * of them a little later.
 */
int truth_run_settle(void)
{
	static const char name[] = "kvfree_rcu_barrier";
	typeof(rcu_barrier) *wait = __symbol_get(name);

	rcu_barrier();
	if (wait) {
		wait();
		__symbol_put(name);
	}
	return 0;
}
