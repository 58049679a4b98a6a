// SPDX-License-Identifier: GPL-2.0
/* The call sites and objects of kmemacct_nolock. */
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "../../module/compat.h"
#include "nolock_objects.h"

/* ---- the call sites ------------------------------------------------------- */

int truth_node;

/* Without the barrier the call would be a tail call, whose return address is elsewhere. */
#define X(name, allocation)						\
static noinline void *truth_##name(size_t size)				\
{									\
	void *ptr = allocation;						\
									\
	barrier();							\
	return ptr;							\
}

TRUTH_SITES(X)
#undef X

struct truth_site truth_site[TRUTH_NR] = {
#define X(_name, allocation) { .name = "truth_" #_name, .alloc = truth_##_name },
	TRUTH_SITES(X)
#undef X
};

/* ---- objects -------------------------------------------------------------- */

struct truth_object truth_object[TRUTH_OBJECTS];

atomic_t truth_nr, truth_failed;

void truth_count(enum truth_site_id id, size_t size, size_t bytes)
{
	atomic64_inc(&truth_site[id].objs);
	atomic64_add(size, &truth_site[id].bytes_req);
	atomic64_add(bytes, &truth_site[id].bytes_alloc);
}

void truth_count_free(enum truth_site_id id, size_t bytes, bool here)
{
	atomic64_inc(&truth_site[id].frees);
	atomic64_add(bytes, &truth_site[id].bytes_freed);
	if (!here)
		atomic64_inc(&truth_site[id].pingpong);
}

int truth_make_one(enum truth_site_id id, size_t size)
{
	const int at = atomic_inc_return(&truth_nr) - 1;
	struct truth_object *o = &truth_object[at];
	void *ptr;

	if (at >= TRUTH_OBJECTS) {
		atomic_dec(&truth_nr);
		return -ENOSPC;
	}
	o->cpu = get_cpu();
	o->before = jiffies;
	ptr = truth_site[id].alloc(size);
	o->after = jiffies;
	if (ptr) {
		o->site = id;
		o->bytes_req = size;
		o->bytes_alloc = ksize(ptr);
		o->pid = in_task() ? current->tgid : 0;
		o->node = page_to_nid(virt_to_page(ptr));
		truth_count(id, size, o->bytes_alloc);
		/* Publishes the other fields.  Pairs with the xchg() in truth_free(). */
		smp_store_release(&o->ptr, ptr);
	} else {
		atomic_inc(&truth_failed);
	}
	put_cpu();
	return ptr ? at : -ENOMEM;
}

int truth_make(enum truth_site_id id, size_t size, int nr)
{
	int ret = 0;

	while (nr-- && ret >= 0)
		ret = truth_make_one(id, size);
	return ret < 0 ? ret : 0;
}

/* The head that RCU keeps in an object while the free waits for a grace period. */
struct truth_rcu {
	union {
		struct rcu_head rcu;
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		struct kvfree_rcu_head nolock;
#endif
	};
};

/* Kernels without kfree_rcu_nolock() use kfree_nolock() in its place. */
static void truth_call_free(void *ptr, enum truth_freefn freefn)
{
	struct truth_rcu *object = ptr;

	switch (freefn) {
	case TRUTH_KFREE:
		kfree(ptr);
		break;
	case TRUTH_KFREE_RCU:
		kfree_rcu(object, rcu);
		break;
	case TRUTH_KFREE_RCU_NOLOCK:
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		kfree_rcu_nolock(object, nolock);
		break;
#endif
	default:
		kfree_nolock(ptr);
	}
}

void truth_free(int at, enum truth_freefn freefn)
{
	struct truth_object *o = &truth_object[at];
	void *ptr = xchg(&o->ptr, NULL);

	if (!ptr)
		return;
	truth_count_free(o->site, o->bytes_alloc, o->cpu == get_cpu());
	truth_call_free(ptr, freefn);
	put_cpu();
}

void truth_free_since(int from, int nr, enum truth_freefn freefn)
{
	const int end = min(from + nr, truth_used());

	while (from < end)
		truth_free(from++, freefn);
}

int truth_some(enum truth_site_id id, size_t size)
{
	const int from = truth_used();
	int ret = truth_make(id, size, 5);

	truth_free_since(from, 3, TRUTH_KFREE_NOLOCK);
	return ret;
}
