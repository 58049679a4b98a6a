// SPDX-License-Identifier: GPL-2.0
/* The witness of the self-test.  See the overview in witness.h. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "compat.h"
#include "state.h"
#include "trace/slab.h"
#include "witness.h"

/* Room for events: a step allocates a few objects, and meanwhile the kernel some for itself. */
#define KMA_WITNESS_EVENTS	64

/**
 * struct kma_witness_event - an allocation event, or an object from kma_witness_put()
 * @ev: the event
 * @bulk: the object has no event of its own
 * @put: the object was put into the live table
 */
struct kma_witness_event {
	struct kma_event ev;
	bool bulk;
	bool put;
};

/*
 * Only one task uses this: the one that loads the module.  @slot: leads to the row.  @paused:
 * events are noted, but not recorded.  @lost: there were too many events to note.
 */
static struct {
	struct kma_site_slot slot;
	bool paused;
	bool lost;
	int nr;
	struct kma_witness_event event[KMA_WITNESS_EVENTS];
} kma_witness;

const char kma_witness_untested[sizeof("not tested")] = "not tested";

static void kma_witness_note(const struct kma_event *ev, bool bulk, bool put)
{
	struct kma_witness_event *e = &kma_witness.event[kma_witness.nr];

	if (kma_witness.nr == KMA_WITNESS_EVENTS) {
		kma_witness.lost = true;
		return;
	}
	*e = (struct kma_witness_event) { .ev = *ev, .bulk = bulk, .put = put };
	kma_witness.nr++;
	if (put)
		kma_record_object(&kma_core, &kma_witness.slot, ev, bulk);
}

void kma_witness_heard(const struct kma_event *ev, bool bulk)
{
	kma_witness_note(ev, bulk, !kma_witness.paused && kma_is_own(ev->site) &&
			 !ZERO_OR_NULL_PTR((void *)ev->ptr));
}

void kma_witness_put(const void *ptr)
{
	const struct kma_event ev = { .ptr = (unsigned long)ptr, .node = NUMA_NO_NODE };

	/* Outside of probes, page generations are used with preemption off: see pagegen.h. */
	preempt_disable();
	kma_witness_note(&ev, false, true);
	preempt_enable();
}

void kma_witness_pause(void)
{
	kma_witness.paused = true;
}

static void kma_witness_sum(struct kma_row *sum)
{
	kma_sitetab_sum(&kma_core.sites, kma_witness.slot.id, sum);
}

const char *kma_witness_once(const void *ptr)
{
	int i, nr = 0;

	if (kma_witness.lost)
		return kma_witness_untested;
	for (i = 0; i < kma_witness.nr; i++)
		if (kma_witness.event[i].ev.ptr == (unsigned long)ptr &&
		    !kma_sitetab_is_inner(&kma_core.sites, kma_witness.event[i].ev.site))
			nr++;
	return !nr ? "the allocation was not seen" :
	       nr > 1 ? "the allocation was seen more than once" : NULL;
}

/* Find the last event of an object that has at least one. */
static const struct kma_witness_event *kma_witness_last(const void *ptr)
{
	const struct kma_witness_event *e = &kma_witness.event[kma_witness.nr - 1];

	while (e->ev.ptr != (unsigned long)ptr)
		e--;
	return e;
}

static bool kma_witness_has_size(const struct kma_event *ev, size_t bytes_req,
				 const struct kmem_cache *cache)
{
	if (cache)
		return !ev->kmalloc && ev->cache == (unsigned long)cache;
	return ev->kmalloc && ev->bytes_req == bytes_req && ev->cache >= bytes_req &&
	       kma_cache_is_kmalloc(ev->cache);
}

const char *kma_witness_allocated(const void *ptr, size_t bytes_req,
				  const struct kmem_cache *cache, bool bulk)
{
	const char *wrong = kma_witness_once(ptr);
	const struct kma_witness_event *e;
	struct kma_row sum;

	if (wrong)
		return wrong;
	e = kma_witness_last(ptr);
	if (e->bulk != bulk)
		return "the allocation was seen by another probe";
	if (!kma_is_own(e->ev.site))
		return "the allocation has the wrong call site";
	if (!kma_witness_has_size(&e->ev, bytes_req, cache))
		return cache ? "the allocation has the wrong cache" :
			       "the allocation has the wrong size";
	kma_witness_sum(&sum);
	return e->put && !sum.no_entry && !sum.repaired ? NULL :
	       "the object is not in the live table";
}

const char *kma_witness_freed(unsigned int nr)
{
	struct kma_row sum;

	kma_witness_sum(&sum);
	return sum.frees < nr ? "the free was not seen" :
	       sum.frees > nr ? "an object was freed too early" :
	       sum.repaired ? "a live object was taken for a freed one" : NULL;
}

const char *kma_witness_stale(const void *ptr)
{
	struct kma_entry entry;
	bool stale;

	preempt_disable();
	stale = kma_objtab_take(&kma_core.obj, (unsigned long)ptr, &entry) &&
		kma_objtab_stale(&kma_core.obj, (unsigned long)ptr, &entry);
	preempt_enable();
	return stale ? NULL : "the free of the pages was not seen";
}

void kma_witness_take(const void *ptr)
{
	struct kma_entry entry;

	kma_objtab_take(&kma_core.obj, (unsigned long)ptr, &entry);
}

/* Remove all objects that are still in the live table.  Return: whether there were any. */
static bool kma_witness_take_all(void)
{
	struct kma_entry entry;
	bool any = false;
	int i;

	for (i = 0; i < kma_witness.nr; i++)
		if (kma_witness.event[i].put)
			any |= kma_objtab_take(&kma_core.obj, kma_witness.event[i].ev.ptr,
					       &entry);
	return any;
}

void kma_witness_clear(void)
{
	struct kma_row sum;
	int cpu;

	/*
	 * The memory of an object whose free was not seen may belong to another task by now.  A
	 * free in that task may be taking the entry just now, and will count in the row.
	 */
	if (kma_witness_take_all())
		kma_env_wait_for_probes();
	kma_witness_sum(&sum);
	/* Outside of the self-test, these objects are not recorded: count their frees as such. */
	kma_stat_add(free_unmatched, sum.frees);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(kma_witness.slot.row, cpu), 0, sizeof(struct kma_row));
	/* A leak detector would take the addresses for references to objects. */
	memset(kma_witness.event, 0, kma_witness.nr * sizeof(kma_witness.event[0]));
	kma_witness.nr = 0;
	kma_witness.paused = false;
	kma_witness.lost = false;
}

void kma_witness_start(void)
{
	const u32 id = kma_core.sites.sites_max;

	kma_witness.slot = (struct kma_site_slot) { .id = id, .row = kma_core.sites.row[id] };
	kma_slab_listen(kma_witness_heard);
}

void kma_witness_stop(void)
{
	kma_slab_listen(NULL);
	kma_witness_clear();
	kma_witness.slot.row = NULL;
}
