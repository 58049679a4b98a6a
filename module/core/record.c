// SPDX-License-Identifier: GPL-2.0
/* Recording object events: the rare cases.  See the overview in record.h. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>

#include "record.h"

/*
 * The number of page frames that determines the size of the livefilter: it follows the amount of
 * RAM, so large gaps between page frames do not count.
 */
static u64 kma_core_livefilter_pfns(u64 pfns)
{
	const u64 ram = kma_pagegen_bytes(pfns) / sizeof(kma_gen);

	return min_t(u64, pfns, roundup_pow_of_two(4 * ram));
}

u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus, u64 pfns)
{
	return kma_livefilter_bytes(kma_core_livefilter_pfns(pfns)) +
	       kma_objtab_bytes(live_max, pfns) +
	       kma_sitetab_bytes(sites_max, nr_cpus);
}

int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max, u64 pfns)
{
	int ret = kma_livefilter_init(&c->livefilter, kma_core_livefilter_pfns(pfns));

	if (ret)
		return ret;
	ret = kma_objtab_init(&c->obj, live_max, pfns);
	if (ret)
		goto livefilter;
	ret = kma_sitetab_init(&c->sites, sites_max);
	if (!ret)
		return 0;
	kma_objtab_destroy(&c->obj);
livefilter:
	kma_livefilter_destroy(&c->livefilter);
	return ret;
}

void kma_core_destroy(struct kma_core *c)
{
	kma_sitetab_destroy(&c->sites);
	kma_objtab_destroy(&c->obj);
	kma_livefilter_destroy(&c->livefilter);
}

/* ---- the livefilter -------------------------------------------------------- */

/* True once the livefilter has all objects of the live table, so that removals update it. */
static bool kma_filtered;

/**
 * struct kma_removal - the removal of one or more entries
 * @core: the tables
 * @filtered: kma_filtered when the removal began
 *
 * kma_record_livefilter_start() adds the objects in the live table to the livefilter while
 * other contexts remove entries.  A context may remove an entry before its object has been added
 * to the livefilter.  That context must not remove the object from the livefilter.  So each
 * removal reads kma_filtered before it takes an entry.  If kma_filtered is true, the livefilter
 * has every object that the removal takes.
 */
struct kma_removal {
	struct kma_core *core;
	bool filtered;
};

static struct kma_removal kma_removal_begin(struct kma_core *c)
{
	/* Pairs with the release in kma_record_livefilter_start(). */
	return (struct kma_removal) { c, smp_load_acquire(&kma_filtered) };
}

static void kma_removal_livefilter(const struct kma_removal *r, unsigned long ptr)
{
	if (r->filtered)
		kma_livefilter_remove(&r->core->livefilter, ptr);
}

/*
 * Add the objects of a bucket to the livefilter.  An object that was recorded without sampling
 * was put before sampling began, so it is not in the livefilter yet.  Entries do not move, so
 * each of these objects is added exactly once.  A sample is in the livefilter if its probe has
 * added it since sampling began, but not if it is left from an earlier period of sampling.  To
 * be right in both cases, its cell is kept from becoming 0.
 */
static void kma_record_known(struct kma_core *c, const struct kma_bucket *b)
{
	struct kma_entry entry;
	unsigned long ptr;
	int i;

	for (i = 0; i < KMA_SLOTS; i++) {
		ptr = kma_objtab_read(b, i, &entry);
		if (!ptr)
			continue;
		if (kma_sitetab_is_sampled(&c->sites, entry.row))
			kma_livefilter_keep(&c->livefilter, ptr);
		else
			kma_livefilter_add(&c->livefilter, ptr);
	}
}

void kma_record_livefilter_start(struct kma_core *c)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&c->obj); i++) {
		kma_record_known(c, kma_objtab_bucket(&c->obj, i));
		cond_resched();
	}
	/* Pairs with the acquire in kma_removal_begin(). */
	smp_store_release(&kma_filtered, true);
}

void kma_record_livefilter_stop(void)
{
	WRITE_ONCE(kma_filtered, false);
}

/* ---- the rare cases -------------------------------------------------------- */

/* Account for a stale entry that was removed.  This is a kma_removed function. */
static void kma_record_left(void *removal, unsigned long ptr,
			    const struct kma_entry *entry)
{
	const struct kma_removal *r = removal;

	kma_removal_livefilter(r, ptr);
	this_cpu_inc(r->core->sites.row[entry->row]->repaired);
	kma_stat_inc(page_freed);
}

/* Account for an entry that was removed because its address was allocated again. */
static void kma_record_replaced(struct kma_removal *r, unsigned long ptr,
				const struct kma_entry *old)
{
	if (kma_objtab_stale(&r->core->obj, ptr, old)) {
		kma_record_left(r, ptr, old);
		return;
	}
	kma_removal_livefilter(r, ptr);
	this_cpu_inc(r->core->sites.row[old->row]->repaired);
	kma_stat_inc(replaced);
}

static struct kma_entry kma_record_entry(u32 row, u32 bytes_req, unsigned long memo)
{
	struct kma_owned o;

	kma_owner_now(memo, &o);
	return (struct kma_entry) {
		.bytes_req = bytes_req,
		.time = kma_env_now(),
		.tgid_depth = o.tgid,
		.row = row,
		.cpu = raw_smp_processor_id(),
		.gen_owner = o.owner,
	};
}

void kma_record_put_slow(struct kma_core *c, u32 row, unsigned long ptr,
			 u32 bytes_req, unsigned long memo)
{
	const struct kma_entry entry = kma_record_entry(row, bytes_req, memo);
	struct kma_bucket *home = kma_objtab_home(&c->obj, ptr);
	const unsigned long i = kma_objtab_slot(ptr);
	struct kma_removal r;
	struct kma_entry old;
	enum kma_put put;

	/* If only the owner was missing, the object's own slot can be claimed. */
	if (kma_objtab_claim_home(home, i)) {
		kma_bucket_fill(home, i, ptr, &entry, kma_pagegen_enter(&c->obj.pages, ptr), 0);
		return;
	}
	r = kma_removal_begin(c);
	put = kma_objtab_put(&c->obj, ptr, &entry, &old);

	if (put == KMA_PUT_REPLACED || put == KMA_PUT_REPLACED_FULL)
		kma_record_replaced(&r, ptr, &old);
	if (put == KMA_PUT_NEW || put == KMA_PUT_REPLACED)
		return;
	if (kma_objtab_make_room(&c->obj, ptr, kma_record_left, &r) &&
	    kma_objtab_put_again(&c->obj, ptr, &entry, &old) == KMA_PUT_NEW)
		return;
	kma_removal_livefilter(&r, ptr);
	this_cpu_inc(c->sites.row[row]->no_entry);
	kma_stat_inc(dropped_live_full);
}

static struct kma_event kma_record_event(unsigned long site, unsigned long ptr,
					 unsigned long bytes_req,
					 unsigned long cache, int node, u8 charge)
{
	return (struct kma_event) {
		.site = site,
		.ptr = ptr,
		.cache = cache,
		.kmalloc = kma_cache_is_kmalloc(cache),
		.bytes_req = bytes_req,
		.node = node,
		.charge = charge,
	};
}

/*
 * Find or make the row of an event whose pair is in no slot.  It may be the row of the caller of a
 * helper.  Returns as kma_record_far().
 */
static noinline const struct kma_site_slot *
kma_record_new(struct kma_core *c, unsigned long site, unsigned long cache)
{
	unsigned long caller;

	if (kma_sitetab_is_inner(&c->sites, site)) {
		kma_stat_inc(double_fired);
		return NULL;
	}
	caller = kma_env_object_site(site);
	if (caller == site)
		return kma_sitetab_new(&c->sites, site, cache);
	return caller ? kma_sitetab_get(&c->sites, caller, cache) :
			kma_sitetab_helper(&c->sites, site, cache);
}

/*
 * Find or make the row of an event for which kma_sitetab_near() has found no row.  Return: its
 * slot; NULL if no row counts the event, which has then been counted as double_fired or dropped
 * (stat.h).
 */
static const struct kma_site_slot *kma_record_far(struct kma_core *c, unsigned long site,
						  unsigned long cache)
{
	return kma_sitetab_far(&c->sites, site, cache) ?: kma_record_new(c, site, cache);
}

void kma_record_hit_slow(struct kma_core *c, unsigned long site, unsigned long ptr,
			 unsigned long bytes_req, unsigned long cache,
			 struct kma_hit_more m)
{
	const struct kma_event ev = kma_record_event(site, ptr, bytes_req, cache, m.node,
						     m.charge);
	const struct kma_site_slot *slot = kma_record_far(c, site, cache);

	if (slot)
		kma_record_object(c, slot, &ev, false);
}

void kma_record_bulk(struct kma_core *c, const struct kma_event *ev)
{
	const struct kma_site_slot *slot;

	if (!kma_sitetab_near(&c->sites, ev->site, ev->cache, &slot))
		slot = kma_record_far(c, ev->site, ev->cache);
	if (slot)
		kma_record_object(c, slot, ev, true);
}

/* Recording a sample takes less than this, in ns, unless it is interrupted. */
#define KMA_SAMPLE_NS_MAX	1000000

static void kma_record_sample_time(u64 ns)
{
	if (ns > KMA_SAMPLE_NS_MAX)
		kma_stat_inc(timed_long);
	else
		kma_stat_add(sample_ns, ns);
}

static void kma_record_origin(struct kma_core *c, const struct kma_event *ev, int shift,
			      bool bulk, const struct kma_stack *stack)
{
	const struct kma_origin o = { .site = ev->site, .shift = shift, .stack = stack };
	const struct kma_site_slot *slot = kma_sitetab_sample(&c->sites, &o, ev->cache);

	if (!slot)
		return;
	kma_livefilter_add(&c->livefilter, ev->ptr);
	kma_record_object(c, slot, ev, bulk);
}

static noinline void kma_record_unwound(struct kma_core *c, const struct kma_event *ev,
					int shift, bool bulk)
{
	struct kma_stack stack;

	kma_env_unwind(ev->site, &stack);
	kma_record_origin(c, ev, shift, bulk, &stack);
}

static void kma_record_sample(struct kma_core *c, struct kma_event ev, int shift, bool bulk)
{
	const u64 start = kma_env_clock_stay();
	const struct kma_stack *stack;

	ev.site = kma_env_object_site(ev.site) ?: ev.site;
	stack = kma_env_stack(ev.site);
	if (stack) {
		kma_record_origin(c, &ev, shift, bulk, stack);
		kma_env_stack_done(stack);
	} else {
		kma_record_unwound(c, &ev, shift, bulk);
	}
	kma_record_sample_time(kma_env_lap_leave(start));
}

void kma_record_sampled_hit(struct kma_core *c, unsigned long site, unsigned long ptr,
			    unsigned long bytes_req, unsigned long cache,
			    struct kma_sampled_hit m)
{
	const struct kma_event ev = kma_record_event(site, ptr, bytes_req, cache, m.node,
						     m.charge);
	int shift;

	/*
	 * The object's slot is probably not in the CPU's cache.  Prefetch it now: drawing
	 * the sample point and getting the stack take about as long as the prefetch.
	 */
	kma_objtab_expect(&c->obj, ptr);
	shift = kma_sample_take(KMA_SAMPLE_OBJECTS, m.bytes, m.point);
	/*
	 * The first of two events for one object is not counted, and its sample point is
	 * lost.  This is harmless: distances between sample points have no memory
	 * (sample.h), so the second event is as likely as any other event of its size to
	 * meet the next sample point.
	 */
	if (kma_sitetab_is_inner(&c->sites, site))
		kma_stat_inc(double_fired);
	else if (shift)
		kma_record_sample(c, ev, shift, m.bulk);
	else
		kma_stat_inc(alloc_unsampled);
}

void kma_record_found(struct kma_core *c, unsigned long ptr)
{
	struct kma_removal r;
	struct kma_entry entry;

	if (likely(!kma_livefilter_has(&c->livefilter, ptr)))
		return;
	r = kma_removal_begin(c);
	if (!kma_objtab_take(&c->obj, ptr, &entry))
		return;
	kma_stat_dec(free_unmatched);
	kma_removal_livefilter(&r, ptr);
	kma_record_freed(c->sites.row[entry.row], entry.cpu);
}

void kma_record_free_slow(struct kma_core *c, unsigned long ptr)
{
	struct kma_entry entry;

	if (kma_objtab_take(&c->obj, ptr, &entry))
		kma_record_freed(c->sites.row[entry.row], entry.cpu);
	else
		kma_stat_inc(free_unmatched);
}

void kma_record_free_spilled(struct kma_core *c, const struct kma_bucket *home,
			     unsigned long ptr)
{
	if (unlikely(kma_bucket_may_have(home, ptr)))
		kma_record_free_slow(c, ptr);
	else
		kma_stat_inc(free_unmatched);
}

static void kma_record_page(struct kma_core *c, unsigned long page)
{
	struct kma_removal r;

	if (likely(!kma_pagegen_leave(&c->obj.pages, page)))
		return;
	r = kma_removal_begin(c);
	kma_objtab_sweep_page(&c->obj, page, kma_record_left, &r);
}

/* kma_pagegen_leave() ignores pages whose generation has already ended. */
static noinline void kma_record_each_page(struct kma_core *c, unsigned long page,
					  unsigned int order)
{
	unsigned long end = page + (KMA_PAGE_SIZE << order);

	for (; page < end; page += KMA_PAGE_SIZE)
		kma_record_page(c, page);
}

static __always_inline void kma_record_barrier(void)
{
	/*
	 * Orders the last free of an object on these pages, in kma_bucket_empty(),
	 * before the next put of an object with the same address.  If a sweep saw the
	 * object before it was freed, that put sees the sweep count.  Pairs with
	 * kma_sweep_begin().  The barrier is not needed if nothing was recorded on the
	 * pages in this generation: then no recorded object on them was freed since the
	 * barrier of the previous generation.
	 */
	smp_mb();
}

void kma_record_pages_slow(struct kma_core *c, unsigned long page,
			   unsigned int order)
{
	struct kma_genrange range;

	if (order < 2) {
		/* The second address is in the second page or, with order 0, in the same page. */
		if (!kma_pagegen_used(&c->obj.pages, page) &&
		    !kma_pagegen_used(&c->obj.pages, page + (KMA_PAGE_SIZE << order) / 2))
			return;
		kma_record_barrier();
		kma_record_each_page(c, page, order);
		return;
	}
	range = kma_pagegen_range(&c->obj.pages, page, order);
	if (!kma_genrange_used(&range) || READ_ONCE(c->obj.pages.fixed))
		return;
	kma_record_barrier();
	if (unlikely(!kma_genrange_end(range)))
		kma_record_each_page(c, page, order);
}

void kma_record_sweep(struct kma_core *c, struct kma_bucket *b)
{
	struct kma_removal r = kma_removal_begin(c);

	kma_objtab_sweep(&c->obj, b, kma_record_left, &r);
}
