/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: an event comes in, the tables are updated.
 *
 *	allocation: site --> row: count --> live table: put
 *	free:       live table: take --> row number --> row: count
 *	page freed: its generation ends: what is recorded on it becomes stale
 *
 * While objects are sampled (sample.h):
 *
 *	allocation: a sample point? --> origin --> row: count --> filter: add --> put
 *	free:       in the filter? --> take --> filter: remove --> row: count
 *
 * A hit is counted before its entry is published, and a free after it took
 * the entry, so that whoever sums frees first and hits after never finds more
 * frees than hits (kma_sitetab_sum()).
 *
 * Everything that happens to a simple event is inlined here; what is rare is
 * in the .c files.
 */
#ifndef KMA_CORE_RECORD_H
#define KMA_CORE_RECORD_H

#include "env.h"
#include "event.h"
#include "livefilter.h"
#include "objtab.h"
#include "sample.h"
#include "sitetab.h"
#include "stat.h"

/**
 * struct kma_core - all that events change
 * @obj: the live objects
 * @sites: the call sites and caches
 */
struct kma_core {
	struct kma_objtab obj;
	struct kma_sitetab sites;
};

/**
 * kma_core_bytes() - memory that the tables take
 * @live_max: objects
 * @sites_max: call sites
 * @nr_cpus: possible CPUs
 * @pfns: page frames
 *
 * Context: any. Return: bytes.
 */
u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus, u64 pfns);

/**
 * kma_core_init() - make empty tables
 * @c: the tables
 * @live_max: objects, see kma_objtab_init()
 * @sites_max: call sites, see kma_sitetab_init()
 * @pfns: page frames, see kma_pagegen_init()
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max, u64 pfns);

/**
 * kma_core_destroy() - free the tables
 * @c: the tables; zeroed memory will do
 *
 * Context: process, may sleep; no event comes any more.
 */
void kma_core_destroy(struct kma_core *c);

/* An object whose slot is taken, or whose home has spilled. */
void kma_record_put_slow(struct kma_core *c, u32 row, unsigned long ptr,
			 u32 bytes_req);

/* A free whose object is not in its slot. */
void kma_record_free_slow(struct kma_core *c, unsigned long ptr);

/* Several pages, or one that held objects. */
void kma_record_pages_slow(struct kma_core *c, unsigned long page,
			   unsigned int order);

/**
 * kma_record_livefilter_start() - let frees be looked up by the filter from now on
 * @c: the tables
 *
 * To be called when what is allocated is added to the filter everywhere, and
 * frees are not filtered yet: what was recorded before is added there.
 *
 * Context: process, may sleep.
 */
void kma_record_livefilter_start(struct kma_core *c);

/* The opposite: frees are not filtered any more. Context: any. */
void kma_record_livefilter_stop(void);

/**
 * kma_record_sweep() - remove stale entries and count them as repaired
 * @c: the tables
 * @b: from which bucket; from all of them, before counters are read
 *
 * Context: any; runs beside probes.
 */
void kma_record_sweep(struct kma_core *c, struct kma_bucket *b);

/*
 * A hit whose site is in neither slot that it should be in, by its members, in the order
 * of a probe's arguments: then they are where they are needed, for nothing.
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
			kma_env_cpu(), kma_entry_where(gen, 0));
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

/* What both kinds of allocations are, once their row is known. */
static __always_inline void kma_record_object(struct kma_core *c,
					      const struct kma_site_slot *slot,
					      const struct kma_event *ev,
					      bool bulk)
{
	/* As long as an index: or the compiler would have it in two registers. */
	const unsigned long id = READ_ONCE(slot->id);
	struct kma_row __percpu *row = c->sites.row[id];

	if (bulk)
		this_cpu_inc(row->bulk);
	else
		this_cpu_inc(row->hits);
	if (ev->kmalloc)
		this_cpu_add(row->bytes_req, ev->bytes_req);
	if (unlikely(ev->node != NUMA_NO_NODE) && ev->node != kma_env_node())
		this_cpu_inc(row->cross_node);

	if (unlikely(!kma_record_put(c, id, ev)))
		kma_record_put_slow(c, id, ev->ptr, ev->bytes_req);
}

/**
 * kma_record_alloc() - an allocation returned memory
 * @c: the tables
 * @ev: the event
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_alloc(struct kma_core *c,
					     const struct kma_event *ev)
{
	const struct kma_site_slot *slot;

	/* Whatever is called is called last, so that no register is saved. */
	if (likely(kma_sitetab_near(&c->sites, ev->site, ev->cache, &slot)))
		kma_record_object(c, slot, ev, false);
	else
		kma_record_hit_slow(c, ev->site, ev->ptr, ev->bytes_req,
				    ev->cache, ev->node);
}

/**
 * kma_record_bulk() - a bulk allocation returned an object
 * @c: the tables
 * @ev: as if there had been an event for it alone
 *
 * Context: a hook, any context that does not migrate.
 */
void kma_record_bulk(struct kma_core *c, const struct kma_event *ev);

/* An object was freed that came from @cpu. */
static __always_inline void kma_record_freed(struct kma_row __percpu *row, u16 cpu)
{
	this_cpu_inc(row->frees);
	if (unlikely(cpu != kma_env_cpu()))
		this_cpu_inc(row->pingpong);
}

static __always_inline bool kma_record_free_own(struct kma_core *c,
						struct kma_bucket *home,
						unsigned long i, unsigned long ptr)
{
	const struct kma_entry *e = &home->entry[i];
	struct kma_row __percpu *row;
	u16 cpu;

	/* Or the compiler would work out where it is once more for each member. */
	kma_env_hide(e);
	if (!kma_objtab_is_own(&c->obj, e, ptr))
		return false;
	/* Nobody writes to it. */
	row = c->sites.row[e->row];
	cpu = e->cpu;
	kma_bucket_empty(home, i);
	kma_record_freed(row, cpu);
	return true;
}

/**
 * kma_record_free() - an object is about to be freed
 * @c: the tables
 * @ptr: the object; never NULL or ZERO_SIZE_PTR
 * @early: it is not free for others before this returns
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
			kma_record_free_slow(c, ptr);
		else
			kma_stat_inc(free_unmatched);
	} else if (!early || !kma_record_free_own(c, home, i, ptr)) {
		kma_record_free_slow(c, ptr);
	}
}

/* What kma_record_at_point() has to know besides, in one register. */
struct kma_at_point {
	u32 bytes;
	s16 node;
	u8 point;
	bool bulk;
};

static_assert(sizeof(struct kma_at_point) == 8);

/* An allocation on which there may be a sample point, by its members, likewise. */
void kma_record_at_point(struct kma_core *c, unsigned long site, unsigned long ptr,
			 unsigned long bytes_req, unsigned long cache,
		       struct kma_at_point m);

/**
 * kma_record_sampled() - an allocation returned memory, while objects are sampled
 * @c: the tables
 * @ev: the event
 * @bytes: bytes that the object takes
 * @bulk: it is of a bulk allocation
 *
 * It has been counted as alloc_unsampled, or in an event's word of that: what it is
 * instead takes that back.
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

/* A free of an object that may be recorded. */
void kma_record_found(struct kma_core *c, unsigned long ptr);

/**
 * kma_record_free_sampled() - an object is about to be freed, while frees are filtered
 * @c: the tables
 * @ptr: the object; never NULL or ZERO_SIZE_PTR
 *
 * It has been counted as free_unmatched, likewise.
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_free_sampled(struct kma_core *c,
						    unsigned long ptr)
{
	if (likely(!kma_livefilter_has(ptr)))
		return;
	kma_stat_dec(free_unmatched);
	kma_record_found(c, ptr);
}

/**
 * kma_record_pages_free() - pages are about to be freed
 * @c: the tables
 * @page: address of the first, aligned to all of them
 * @order: binary logarithm of their number
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
