// SPDX-License-Identifier: GPL-2.0
/* The call sites and objects of kmemacct_nolock. */
#include <linux/gfp.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "nolock_objects.h"
/* An object file cannot be a part of two modules. */
#include "truth_caches.c"
#include "truth_counts.c"

/* ---- the call sites ------------------------------------------------------- */

int truth_node;

/* Without the barrier the call would be a tail call, whose return address is elsewhere. */
#define X(name, _cache, allocation)					\
static noinline void *truth_##name(size_t size, int node)		\
{									\
	void *ptr = allocation;						\
									\
	barrier();							\
	return ptr;							\
}

TRUTH_SITES(X)
#undef X

struct truth_site truth_sites[TRUTH_NR] = {
#define X(_name, _cache, ...) { "truth_" #_name, TRUTH_##_cache, truth_##_name },
	TRUTH_SITES(X)
#undef X
};

/* ---- objects -------------------------------------------------------------- */

struct truth_object nolock_object[NOLOCK_OBJECTS];

atomic_t nolock_nr, nolock_failed;

int nolock_make_one(enum truth_site_id id, size_t size)
{
	const int at = atomic_inc_return(&nolock_nr) - 1;
	struct truth_object o;
	void *ptr;

	if (at >= NOLOCK_OBJECTS) {
		atomic_dec(&nolock_nr);
		return -ENOSPC;
	}
	if (!truth_make_at(&o, id, size, NUMA_NO_NODE)) {
		atomic_inc(&nolock_failed);
		return -ENOMEM;
	}
	ptr = o.ptr;
	o.ptr = NULL;
	nolock_object[at] = o;
	/* Publishes the other fields.  Pairs with the xchg() in nolock_free(). */
	smp_store_release(&nolock_object[at].ptr, ptr);
	return at;
}

int nolock_make(enum truth_site_id id, size_t size, int nr)
{
	int ret = 0;

	while (nr-- && ret >= 0)
		ret = nolock_make_one(id, size);
	return ret < 0 ? ret : 0;
}

/* The head that RCU keeps in an object while the free waits for a grace period. */
struct nolock_rcu {
	union {
		struct rcu_head rcu;
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		struct kvfree_rcu_head nolock;
#endif
	};
};

/* Kernels without kfree_rcu_nolock() use kfree_nolock() in its place. */
static void nolock_call_free(void *ptr, enum nolock_freefn freefn)
{
	struct nolock_rcu *object = ptr;

	switch (freefn) {
	case NOLOCK_KFREE:
		kfree(ptr);
		break;
	case NOLOCK_KFREE_RCU:
		kfree_rcu(object, rcu);
		break;
	case NOLOCK_KFREE_RCU_NOLOCK:
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		kfree_rcu_nolock(object, nolock);
		break;
#endif
	default:
		kfree_nolock(ptr);
	}
}

void nolock_free(int at, enum nolock_freefn freefn)
{
	struct truth_object *o = &nolock_object[at];
	void *ptr = xchg(&o->ptr, NULL);

	if (!ptr)
		return;
	truth_count_free(o, get_cpu());
	nolock_call_free(ptr, freefn);
	put_cpu();
}

void nolock_free_since(int from, int nr, enum nolock_freefn freefn)
{
	const int end = min(from + nr, nolock_used());

	while (from < end)
		nolock_free(from++, freefn);
}

int nolock_some(enum truth_site_id id, size_t size)
{
	const int from = nolock_used();
	int ret = nolock_make(id, size, 5);

	nolock_free_since(from, 3, NOLOCK_KFREE_NOLOCK);
	return ret;
}
