/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: an event comes in, the tables are updated.
 *
 *	allocation: site --> row: count --> live table: put
 *	free:       live table: take --> row number --> row: count
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
#include "objtab.h"
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
 *
 * Context: any. Return: bytes.
 */
u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus);

/**
 * kma_core_init() - make empty tables
 * @c: the tables
 * @live_max: objects, see kma_objtab_init()
 * @sites_max: call sites, see kma_sitetab_init()
 * @nr_cpus: possible CPUs
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max,
		  unsigned int nr_cpus);

/**
 * kma_core_destroy() - free the tables
 * @c: the tables; zeroed memory will do
 *
 * Context: process, may sleep; no event comes any more.
 */
void kma_core_destroy(struct kma_core *c);

/* An object whose home is crowded, or was taken. */
void kma_record_put_slow(struct kma_core *c, const struct kma_site_slot *slot,
			 unsigned long ptr, u32 bytes_req);

/* A free whose object is not in its home. */
void kma_record_free_slow(struct kma_core *c, unsigned long ptr);

static __always_inline struct kma_entry
kma_record_entry(const struct kma_site_slot *slot, u32 bytes_req)
{
	return (struct kma_entry) {
		.bytes_req = bytes_req,
		.time = kma_env_now(),
		.tgid = kma_env_tgid(),
		.row = slot->id,
		.cpu = kma_env_cpu(),
	};
}

static __always_inline bool kma_record_put(struct kma_core *c,
					   const struct kma_site_slot *slot,
					   const struct kma_event *ev)
{
	const struct kma_entry entry = kma_record_entry(slot, ev->bytes_req);

	return kma_objtab_put_home(kma_objtab_home(&c->obj, ev->ptr), ev->ptr,
				   &entry);
}

/* What both kinds of allocations are; @bulk is a constant. */
static __always_inline void kma_record_object(struct kma_core *c,
					      const struct kma_event *ev,
					      bool bulk)
{
	const struct kma_site_slot *slot =
		kma_sitetab_first(&c->sites, ev->site, ev->cache);

	if (unlikely(!kma_site_slot_is(slot, ev->site, ev->cache))) {
		slot = kma_sitetab_get_slow(&c->sites, ev->site, ev->cache);
		if (!slot)
			return;
	}
	if (bulk)
		this_cpu_inc(slot->row->bulk);
	else
		this_cpu_inc(slot->row->hits);
	if (ev->kmalloc)
		this_cpu_add(slot->row->bytes_req, ev->bytes_req);
	if (unlikely(ev->node != NUMA_NO_NODE) && ev->node != kma_env_node())
		this_cpu_inc(slot->row->cross_node);

	if (unlikely(!kma_record_put(c, slot, ev)))
		kma_record_put_slow(c, slot, ev->ptr, ev->bytes_req);
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
	kma_record_object(c, ev, false);
}

/**
 * kma_record_bulk() - a bulk allocation returned an object
 * @c: the tables
 * @ev: as if there had been an event for it alone
 *
 * Context: a hook, any context that does not migrate.
 */
static __always_inline void kma_record_bulk(struct kma_core *c,
					    const struct kma_event *ev)
{
	kma_record_object(c, ev, true);
}

static __always_inline void kma_record_freed(struct kma_core *c,
					     const struct kma_entry *entry)
{
	struct kma_row __percpu *row = c->sites.row[entry->row];

	this_cpu_inc(row->frees);
	if (unlikely(entry->cpu != kma_env_cpu()))
		this_cpu_inc(row->pingpong);
}

/**
 * kma_record_free() - an object is about to be freed
 * @c: the tables
 * @ptr: the object; never NULL or ZERO_SIZE_PTR
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_record_free(struct kma_core *c,
					    unsigned long ptr)
{
	struct kma_bucket *home = kma_objtab_home(&c->obj, ptr);
	/* Initialised, or the compiler would give it a place in memory. */
	struct kma_entry entry = {};

	if (likely(kma_objtab_take_home(home, ptr, &entry)))
		kma_record_freed(c, &entry);
	else if (kma_bucket_spilled(home))
		kma_record_free_slow(c, ptr);
	else
		kma_stat_inc(free_unmatched);
}

#endif /* KMA_CORE_RECORD_H */
