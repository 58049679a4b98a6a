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
 *
 * Context, unless a function says otherwise: a probe, any context, NMI included; for functions
 * that size, allocate or free the tables: process, may sleep.
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

/* Bytes that the tables take.  The arguments are as in kma_core_init(). */
u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus, u64 pfns);

/*
 * Allocate empty tables.  @live_max is as for kma_objtab_init(), @sites_max as for
 * kma_sitetab_init(), and @pfns as for kma_pagegen_init().  Returns 0 or -ENOMEM.
 */
int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max, u64 pfns);

/* Free @c, which may be zeroed memory.  No probe runs any more. */
void kma_core_destroy(struct kma_core *c);

/*
 * Put an object if its own slot is taken, or objects of its home bucket have spilled, or the home
 * bucket is being swept, so that kma_objtab_claim_home() cannot claim the slot.  @bytes_req is 0
 * for an object of a kmem_cache.  Also call this if no memo has the owner.  @memo is as for
 * kma_owner_find().
 */
void kma_record_put_slow(struct kma_core *c, u32 row, unsigned long ptr,
			 u32 bytes_req, unsigned long memo);

/* Record a free that has to claim the object's entry or look for it. */
void kma_record_free_slow(struct kma_core *c, unsigned long ptr);

/* Record a free of an object outside its own slot, if kma_bucket_spilled() is true for @home. */
void kma_record_free_spilled(struct kma_core *c, const struct kma_bucket *home,
			     unsigned long ptr);

/*
 * End the generations of 2^@order pages that are about to be freed.  @page, the address of the
 * first one, is aligned to the size of all of them.
 */
void kma_record_pages_slow(struct kma_core *c, unsigned long page,
			   unsigned int order);

/*
 * Add the objects in the live table to the livefilter.  Call this once all CPUs add the objects
 * that they record to the filter, and before any free relies on the filter.  From then on, each
 * removal of an entry also updates the filter.  Context: process, may sleep.
 */
void kma_record_livefilter_start(struct kma_core *c);

/* Stop updating the livefilter, when no free relies on it any more.  Context: any. */
void kma_record_livefilter_stop(void);

/*
 * Remove the stale entries of a bucket, and count them as repaired, while probes run.  Call this
 * for all buckets before counters are read.  Context: any, with preemption off.
 */
void kma_record_sweep(struct kma_core *c, struct kma_bucket *b);

/**
 * struct kma_hit_more - more arguments of kma_record_hit_slow(), in one register
 * @node: NUMA node that was requested, or NUMA_NO_NODE
 * @charge: as in struct kma_event
 */
struct kma_hit_more {
	s16 node;
	u8 charge;
};

/**
 * kma_record_hit_slow() - record a hit for which kma_sitetab_near() has found no row
 * @c: the tables
 * @site: the call site
 * @ptr: the object's address
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 * @cache: the cache word, see event.h
 * @m: more arguments
 *
 * The members of the event are passed unpacked, in the order of a probe's arguments, so
 * that no register has to move.
 */
void kma_record_hit_slow(struct kma_core *c, unsigned long site, unsigned long ptr,
			 unsigned long bytes_req, unsigned long cache,
			 struct kma_hit_more m);

/*
 * Put the object into its own slot.  If @owned, its owner is that of the memo that kma_owner_find()
 * finds by *@memo.  Returns false if there is no such memo, or if the slot cannot be claimed.
 */
static __always_inline bool kma_record_put_own(struct kma_core *c, u32 row,
					       const struct kma_event *ev,
					       bool owned, unsigned long *memo)
{
	struct kma_bucket *home = kma_objtab_home(&c->obj, ev->ptr);
	unsigned long i = kma_objtab_slot(ev->ptr);
	struct kma_entry *e;
	u32 gen;

	if (unlikely((owned && !kma_owner_find(memo)) || !kma_objtab_claim_home(home, i)))
		return false;
	gen = kma_pagegen_enter(&c->obj.pages, ev->ptr);
	e = kma_bucket_begin(home, i);
	kma_entry_write(e, ev->bytes_req, kma_env_now(),
			owned ? kma_owner_memo_tgid(*memo) : kma_env_tgid(), row,
			raw_smp_processor_id(),
			owned ? gen | kma_owner_memo_owner(memo) : gen);
	kma_bucket_publish(home, i, ev->ptr);
	return true;
}

static __always_inline bool kma_record_put(struct kma_core *c, u32 row,
					   const struct kma_event *ev,
					   unsigned long *memo)
{
	bool done;

	if (unlikely(!kma_env_owners_on()))
		return kma_record_put_own(c, row, ev, false, memo);
	kma_env_stay();
	done = kma_record_put_own(c, row, ev, true, memo);
	kma_env_leave();
	return done;
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
	/* For kmalloc, only the gfp flags decide. */
	unsigned long memo = ev->kmalloc ? ev->charge :
				     READ_ONCE(slot->charge) | ev->charge;

	if (bulk)
		this_cpu_inc(row->bulk);
	else
		this_cpu_inc(row->hits);
	/* Tables compare bytes_req with bytes_alloc, which does not include bulk objects. */
	if (!bulk && ev->kmalloc)
		this_cpu_add(row->bytes_req, ev->bytes_req);
	if (unlikely(ev->node != NUMA_NO_NODE) && ev->node != numa_node_id())
		this_cpu_inc(row->cross_node);

	if (unlikely(!kma_record_put(c, id, ev, &memo)))
		kma_record_put_slow(c, id, ev->ptr, ev->bytes_req, memo);
}

/* Record an allocation that returned memory. */
static __always_inline void kma_record_alloc(struct kma_core *c,
					     const struct kma_event *ev)
{
	const struct kma_site_slot *slot;

	/* Function calls come last, so that the probe does not have to save registers. */
	if (likely(kma_sitetab_near(&c->sites, ev->site, ev->cache, &slot)))
		kma_record_object(c, slot, ev, false);
	else
		kma_record_hit_slow(c, ev->site, ev->ptr, ev->bytes_req, ev->cache,
				    (struct kma_hit_more) { ev->node, ev->charge });
}

/*
 * Record an object of a bulk allocation, described as if it had an event of its own.  Context: the
 * kretprobe of the bulk allocation, any context that does not migrate.
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
 * Record the free of an object in its own slot, without a locked instruction.  Returns
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

/*
 * Record that an object, never NULL or ZERO_SIZE_PTR, is about to be freed.  @early is true if the
 * allocator cannot hand out the object again before this returns.
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
 * struct kma_sampled_hit - more arguments of kma_record_sampled_hit(), in one register
 * @bytes: bytes that the object takes
 * @node: NUMA node that was requested, or NUMA_NO_NODE
 * @point: as set by kma_sample_count()
 * @bulk: true if the object is from a bulk allocation
 * @charge: as in struct kma_event
 */
struct kma_sampled_hit {
	u32 bytes;
	s16 node;
	u8 point;
	u8 bulk:1, charge:7;
};

static_assert(KMA_CHARGE < 1 << 7);

static_assert(sizeof(struct kma_sampled_hit) == 8);

/* Record an object if a sample point is on it.  The arguments are as in kma_record_hit_slow(). */
void kma_record_sampled_hit(struct kma_core *c, unsigned long site, unsigned long ptr,
			    unsigned long bytes_req, unsigned long cache,
			    struct kma_sampled_hit m);

/*
 * Record an allocation of @bytes while objects are sampled.  The caller has counted the event as
 * alloc_unsampled, either directly or in the combined counter of its tracepoint (stat.h).  If a
 * sample point may be on the object, this decrements alloc_unsampled, and kma_record_sampled_hit()
 * counts the event as what it turns out to be.
 */
static __always_inline void kma_record_sampled(struct kma_core *c,
					       const struct kma_event *ev,
					       unsigned long bytes, bool bulk)
{
	u8 point;

	if (likely(!kma_sample_count(KMA_SAMPLE_OBJECTS, bytes, &point)))
		return;
	kma_stat_dec(alloc_unsampled);
	kma_record_sampled_hit(c, ev->site, ev->ptr, ev->bytes_req, ev->cache,
			       (struct kma_sampled_hit) {
				.bytes = bytes,
				.node = ev->node,
				.point = point,
				.bulk = bulk,
				.charge = ev->charge,
			    });
}

/* Record the free of an object that may be live, and was counted as free_unmatched. */
void kma_record_found(struct kma_core *c, unsigned long ptr);

/*
 * Record that an object, never NULL or ZERO_SIZE_PTR, is about to be freed, during sampling.  The
 * caller has counted the event as free_unmatched, either directly or in the combined counter of
 * its tracepoint (stat.h).  If the object is in the live table, kma_record_found() decrements
 * free_unmatched, and counts the free in the object's row.
 */
static __always_inline void kma_record_free_sampled(struct kma_core *c,
						    unsigned long ptr)
{
	if (unlikely(kma_livefilter_used(&c->livefilter, ptr)))
		kma_record_found(c, ptr);
}

/* Record that 2^@order pages are about to be freed, as in kma_record_pages_slow(). */
static __always_inline void kma_record_pages_free(struct kma_core *c,
						  unsigned long page,
						  unsigned int order)
{
	if (unlikely(order || kma_pagegen_used(&c->obj.pages, page)))
		kma_record_pages_slow(c, page, order);
}

#endif /* KMA_CORE_RECORD_H */
