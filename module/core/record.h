/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path of object events: the probes call these functions to update the tables.
 *
 *	allocation: site --> row: count --> live table: put
 *	free:       live table: take --> row number --> row: count
 *	page freed: the generation of the page ends --> entries of objects on it become stale
 *
 * While objects are sampled (sample.h), the livefilter (livefilter.h) is updated as well:
 *
 *	allocation: a sample point? --> livefilter: add --> row: count --> live table: put
 *	free:       in the livefilter? --> live table: take --> livefilter: remove --> row: count
 *
 * A probe counts a hit before it publishes the entry, and counts a free after it took
 * the entry.  So a reader that sums up the frees first, and then the hits, never finds
 * more frees than hits (kma_sitetab_sum()).
 *
 * The common cases are inlined here; the rare ones are in the .c files.
 */
#ifndef KMA_CORE_RECORD_H
#define KMA_CORE_RECORD_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/types.h>

#include "env.h"
#include "event.h"
#include "livefilter.h"
#include "objtab.h"
#include "sample.h"
#include "sitetab.h"
#include "stat.h"

/**
 * struct kma_core - the tables that object events change
 * @livefilter: the livefilter
 * @obj: the live table
 * @sites: the call sites and caches
 */
struct kma_core {
	struct kma_livefilter livefilter;
	struct kma_objtab obj;
	struct kma_sitetab sites;
};

/*
 * The most buckets that are swept, and the most objects of a bulk free that are recorded, with
 * preemption off.  tools/test/core/longest.c counts the instructions that these take at most.
 */
#define KMA_SWEEP_BUCKETS	16
#define KMA_BULK_PIECE		32

/**
 * kma_core_bytes() - memory that the tables take
 * @live_max: number of objects, see kma_objtab_init()
 * @sites_max: number of call sites, see kma_sitetab_init()
 * @nr_cpus: number of possible CPUs
 * @pfns: number of page frames, see kma_pagegen_init()
 *
 * Context: process, may sleep.
 * Return: bytes.
 */
u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus, u64 pfns);

/**
 * kma_core_init() - allocate empty tables
 * @c: the tables
 * @live_max: number of objects, see kma_objtab_init()
 * @sites_max: number of call sites, see kma_sitetab_init()
 * @pfns: number of page frames, see kma_pagegen_init()
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM with no memory left allocated.
 */
int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max, u64 pfns);

/**
 * kma_core_destroy() - free the tables
 * @c: the tables; may be zeroed memory
 *
 * Context: process, may sleep; no probe runs any more.
 */
void kma_core_destroy(struct kma_core *c);

/**
 * kma_record_put_slow() - put an object if kma_objtab_claim_home() cannot claim its own slot
 * @c: the tables
 * @row: number of the object's row
 * @ptr: the object's address
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 *
 * The own slot is taken, or objects of the home bucket have spilled, or the home bucket is
 * being swept.
 *
 * Context: a probe, any context.
 */
void kma_record_put_slow(struct kma_core *c, u32 row, unsigned long ptr,
			 u32 bytes_req);

/**
 * kma_record_free_slow() - record a free that has to claim the object's entry or look for it
 * @c: the tables
 * @ptr: the object's address
 *
 * Context: a probe, any context.
 */
void kma_record_free_slow(struct kma_core *c, unsigned long ptr);

/**
 * kma_record_free_spilled() - record a free of an object that is not in its own slot
 * @c: the tables
 * @home: the object's home bucket, of which objects have spilled, or which is being swept
 * @ptr: the object's address
 *
 * Context: a probe, any context.
 */
void kma_record_free_spilled(struct kma_core *c, const struct kma_bucket *home,
			     unsigned long ptr);

/**
 * kma_record_pages_slow() - end the generations of pages that are about to be freed
 * @c: the tables
 * @page: address of the first page, aligned to the size of all of them
 * @order: binary logarithm of the number of pages
 *
 * Context: a probe, any context.
 */
void kma_record_pages_slow(struct kma_core *c, unsigned long page,
			   unsigned int order);

/**
 * kma_record_livefilter_start() - add the objects in the live table to the livefilter
 * @c: the tables
 *
 * Call this once all CPUs add the objects that they record to the filter, and before any free
 * relies on the filter.  From then on, each removal of an entry also updates the filter.
 *
 * Context: process, may sleep.
 */
void kma_record_livefilter_start(struct kma_core *c);

/**
 * kma_record_livefilter_stop() - stop updating the livefilter when entries are removed
 *
 * Call this when no free relies on the filter any more.
 *
 * Context: any.
 */
void kma_record_livefilter_stop(void);

/**
 * kma_record_sweep() - remove the stale entries of a bucket and count them as repaired
 * @c: the tables
 * @b: the bucket
 *
 * Call this for all buckets before counters are read.
 *
 * Context: any; runs concurrently with probes.
 */
void kma_record_sweep(struct kma_core *c, struct kma_bucket *b);

/**
 * kma_record_hit_slow() - record a hit for which kma_sitetab_near() has found no row
 * @c: the tables
 * @site: the call site
 * @ptr: the object's address
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 * @cache: the cache word, see event.h
 * @node: NUMA node that was requested, or NUMA_NO_NODE
 *
 * The members of the event are passed unpacked, in the order of a probe's arguments, so
 * that no register has to move.
 *
 * Context: a probe, any context.
 */
void kma_record_hit_slow(struct kma_core *c, unsigned long site, unsigned long ptr,
			 unsigned long bytes_req, unsigned long cache, int node);

static __always_inline void kma_record_fill(struct kma_core *c, u32 row,
					    const struct kma_event *ev,
					    struct kma_bucket *home,
					    unsigned long i)
{
	const u32 gen = kma_pagegen_enter(&c->obj.pages, ev->ptr);
	struct kma_entry *e = kma_bucket_begin(home, i);

	kma_entry_write(e, ev->bytes_req, kma_env_now(), kma_env_tgid(), row,
			raw_smp_processor_id(), kma_entry_where(gen, 0));
	kma_bucket_publish(home, i, ev->ptr);
}

static __always_inline bool kma_record_put(struct kma_core *c, u32 row,
					   const struct kma_event *ev)
{
	struct kma_bucket *home = kma_objtab_home(&c->obj, ev->ptr);
	unsigned long i = kma_objtab_slot(ev->ptr);

	if (unlikely(!kma_objtab_claim_home(home, i)))
		return false;
	kma_record_fill(c, row, ev, home, i);
	return true;
}

/*
 * Count an allocation in its row, and put the object into the live table.  @bulk is true if the
 * object is from a bulk allocation, and so has no event of its own.
 */
static __always_inline void kma_record_object(struct kma_core *c,
					      const struct kma_site_slot *slot,
					      const struct kma_event *ev,
					      bool bulk)
{
	/* As wide as an index of an array: otherwise the compiler keeps it in two registers. */
	const unsigned long id = READ_ONCE(slot->id);
	struct kma_row __percpu *row = c->sites.row[id];

	if (bulk)
		this_cpu_inc(row->bulk);
	else
		this_cpu_inc(row->hits);
	/* Tables compare bytes_req with bytes_alloc, which does not include bulk objects. */
	if (!bulk && ev->kmalloc)
		this_cpu_add(row->bytes_req, ev->bytes_req);
	if (unlikely(ev->node != NUMA_NO_NODE) && ev->node != numa_node_id())
		this_cpu_inc(row->cross_node);

	if (unlikely(!kma_record_put(c, id, ev)))
		kma_record_put_slow(c, id, ev->ptr, ev->bytes_req);
}

/**
 * kma_record_alloc() - record an allocation that returned memory
 * @c: the tables
 * @ev: the event
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_alloc(struct kma_core *c,
					     const struct kma_event *ev)
{
	const struct kma_site_slot *slot;

	/* Function calls come last, so that the probe does not have to save registers. */
	if (likely(kma_sitetab_near(&c->sites, ev->site, ev->cache, &slot)))
		kma_record_object(c, slot, ev, false);
	else
		kma_record_hit_slow(c, ev->site, ev->ptr, ev->bytes_req,
				    ev->cache, ev->node);
}

/**
 * kma_record_bulk() - record an object of a bulk allocation
 * @c: the tables
 * @ev: the object, described as if it had an event of its own
 *
 * Context: the kretprobe of the bulk allocation, any context that does not migrate.
 */
void kma_record_bulk(struct kma_core *c, const struct kma_event *ev);

/* Count the free of an object that was allocated on @cpu. */
static __always_inline void kma_record_freed(struct kma_row __percpu *row, u16 cpu)
{
	this_cpu_inc(row->frees);
	if (unlikely(cpu != (u16)raw_smp_processor_id()))
		this_cpu_inc(row->pingpong);
}

/*
 * Record the free of an object in its own slot, without a locked instruction.  Return:
 * false if another context might remove the entry, too; then nothing was done.
 */
static __always_inline bool kma_record_free_own(struct kma_core *c,
						struct kma_bucket *home,
						unsigned long i, unsigned long ptr)
{
	const struct kma_entry *e = &home->entry[i];
	struct kma_row __percpu *row;
	u16 cpu;

	/*
	 * Hide the pointer from the compiler: otherwise it recomputes the address for
	 * every member.
	 */
	OPTIMIZER_HIDE_VAR(e);
	if (!kma_objtab_is_own(&c->obj, e, ptr))
		return false;
	/* Plain loads are safe: no other context writes to the entry now. */
	row = c->sites.row[e->row];
	cpu = e->cpu;
	kma_bucket_empty(home, i);
	kma_record_freed(row, cpu);
	return true;
}

/**
 * kma_record_free() - record that an object is about to be freed
 * @c: the tables
 * @ptr: the object's address; never NULL or ZERO_SIZE_PTR
 * @early: true if the allocator cannot hand out the object again before this returns
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_free(struct kma_core *c,
					    unsigned long ptr, bool early)
{
	struct kma_bucket *home = kma_objtab_home(&c->obj, ptr);
	unsigned long i = kma_objtab_slot(ptr);

	if (!kma_objtab_in_home(home, i, ptr)) {
		if (kma_bucket_spilled(home))
			kma_record_free_spilled(c, home, ptr);
		else
			kma_stat_inc(free_unmatched);
	} else if (!early || !kma_record_free_own(c, home, i, ptr)) {
		kma_record_free_slow(c, ptr);
	}
}

/**
 * struct kma_at_point - more arguments of kma_record_at_point(), in one register
 * @bytes: bytes that the object takes
 * @node: NUMA node that was requested, or NUMA_NO_NODE
 * @point: as set by kma_sample_count()
 * @bulk: true if the object is from a bulk allocation
 */
struct kma_at_point {
	u32 bytes;
	s16 node;
	u8 point;
	bool bulk;
};

static_assert(sizeof(struct kma_at_point) == 8);

/**
 * kma_record_at_point() - record an object if a sample point is on it
 * @c: the tables
 * @site: the call site
 * @ptr: the object's address
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 * @cache: the cache word, see event.h
 * @m: more arguments
 *
 * The members of the event are passed unpacked, in the order of a probe's arguments, so
 * that no register has to move.
 *
 * Context: a probe, any context.
 */
void kma_record_at_point(struct kma_core *c, unsigned long site, unsigned long ptr,
			 unsigned long bytes_req, unsigned long cache,
			 struct kma_at_point m);

/**
 * kma_record_sampled() - record an allocation while objects are sampled
 * @c: the tables
 * @ev: the event
 * @bytes: bytes that the object takes
 * @bulk: true if the object is from a bulk allocation
 *
 * The caller has counted the event as alloc_unsampled, either directly or in the combined
 * counter of its tracepoint (stat.h).  If a sample point may be on the object, this decrements
 * alloc_unsampled, and kma_record_at_point() counts the event as what it turns out to be.
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_sampled(struct kma_core *c,
					       const struct kma_event *ev,
					       unsigned long bytes, bool bulk)
{
	u8 point;

	if (likely(!kma_sample_count(KMA_SAMPLE_OBJECTS, bytes, &point)))
		return;
	kma_stat_dec(alloc_unsampled);
	kma_record_at_point(c, ev->site, ev->ptr, ev->bytes_req, ev->cache,
			    (struct kma_at_point) {
				.bytes = bytes,
				.node = ev->node,
				.point = point,
				.bulk = bulk,
			    });
}

/**
 * kma_record_found() - record the free of an object that may be in the live table
 * @c: the tables
 * @ptr: the object's address
 *
 * The event was counted as free_unmatched: see kma_record_free_sampled().
 *
 * Context: a probe, any context.
 */
void kma_record_found(struct kma_core *c, unsigned long ptr);

/**
 * kma_record_free_sampled() - record that an object is about to be freed, during sampling
 * @c: the tables
 * @ptr: the object's address; never NULL or ZERO_SIZE_PTR
 *
 * The caller has counted the event as free_unmatched, either directly or in the combined
 * counter of its tracepoint (stat.h).  If the object is in the live table, kma_record_found()
 * decrements free_unmatched, and counts the free in the object's row.
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_free_sampled(struct kma_core *c,
						    unsigned long ptr)
{
	if (unlikely(kma_livefilter_used(&c->livefilter, ptr)))
		kma_record_found(c, ptr);
}

/**
 * kma_record_pages_free() - record that pages are about to be freed
 * @c: the tables
 * @page: address of the first page, aligned to the size of all of them
 * @order: binary logarithm of the number of pages
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_pages_free(struct kma_core *c,
						  unsigned long page,
						  unsigned int order)
{
	if (unlikely(order || kma_pagegen_used(&c->obj.pages, page)))
		kma_record_pages_slow(c, page, order);
}

#endif /* KMA_CORE_RECORD_H */
