// SPDX-License-Identifier: GPL-2.0
/* Recycling rows of the table of call sites.  See the overview in recycle.h. */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "recycle.h"

static size_t kma_past_bytes(const struct kma_sitetab *t)
{
	return t->caches.nr * KMA_PAST_SHIFTS * sizeof(t->past[0]);
}

u64 kma_recycle_bytes(const struct kma_sitetab *t)
{
	return t->past ? kma_past_bytes(t) : 0;
}

static struct kma_row *kma_past_row(const struct kma_sitetab *t, int cache, int shift)
{
	return &t->past[cache * KMA_PAST_SHIFTS +
			(shift == KMA_SHIFT_EXACT ? 0 : shift - KMA_SHIFT_MIN + 1)];
}

const struct kma_row *kma_recycle_past(const struct kma_sitetab *t, int cache, int shift)
{
	static const struct kma_row none;

	return t->past ? kma_past_row(t, cache, shift) : &none;
}

static void kma_past_forget(struct kma_sitetab *t, int cache)
{
	memset(&t->past[cache * KMA_PAST_SHIFTS], 0, KMA_PAST_SHIFTS * sizeof(t->past[0]));
}

void kma_recycle_forget(struct kma_sitetab *t)
{
	int cache;

	for (cache = 0; t->past && cache < t->caches.nr; cache++) {
		kma_past_forget(t, cache);
		cond_resched();
	}
}

/*
 * Whether a row has live objects or, in a table of page allocations, live pages.  The first page of
 * an allocation may be freed before the others.
 */
static bool kma_recycle_live(const struct kma_sitetab *t, u32 id, const struct kma_row *sum)
{
	unsigned int order;

	if (kma_row_live(sum) || !t->pages)
		return kma_row_live(sum);
	order = kma_class_order(t->caches.info[t->info[id].cache].class);
	return (sum->hits + sum->bulk - sum->no_entry) << order != kma_row_pages_gone(sum);
}

/* ---- mark and unmap ---------------------------------------------------------- */

/* Rows of a whole class are never recycled, because pagealloc.h relies on their slots. */
static bool kma_recycle_is_class(const struct kma_sitetab *t, const struct kma_site_info *info)
{
	return t->pages && (info->site == KMA_CLASS_WHOLE || info->site == KMA_CLASS_SAMPLED);
}

/* Whether a row is LEAVING now, or becomes so by this call. */
static bool kma_recycle_mark_row(struct kma_sitetab *t, u32 id, const struct kma_recycle *r)
{
	struct kma_site_info *info = &t->info[id];
	int state = READ_ONCE(info->state);
	struct kma_row sum;

	if (state == KMA_SITE_LEAVING)
		return true;
	if (state == KMA_SITE_UNUSED || state == KMA_SITE_AGAIN || kma_recycle_is_class(t, info))
		return false;
	kma_sitetab_sum(t, id, &sum);
	/* A row that has counted nothing was made just now. */
	if (!sum.hits && !sum.bulk)
		return false;
	if (kma_recycle_live(t, id, &sum) || !r->wanted(r->arg, id, &sum) ||
	    cmpxchg(&info->state, state, KMA_SITE_LEAVING) != state)
		return false;
	if (state == KMA_SITE_LIVE)
		atomic_inc(&t->retired);
	return true;
}

/* Whether the row [other] of a cache has live objects. */
static bool kma_recycle_other_live(const struct kma_sitetab *t, int cache)
{
	struct kma_row sum;

	if (!kma_sitetab_info(t, t->sites_max + cache))
		return false;
	kma_sitetab_sum(t, t->sites_max + cache, &sum);
	return kma_row_live(&sum);
}

/* Whether any row of a cache stays, because it is not LEAVING. */
static bool kma_recycle_row_stays(const struct kma_sitetab *t, int cache)
{
	/* Pairs with the cmpxchg in kma_sitetab_enlist(). */
	u32 next = smp_load_acquire(&t->first[cache]);

	for (; next; next = READ_ONCE(t->info[next - 1].next)) {
		if (READ_ONCE(t->info[next - 1].state) != KMA_SITE_LEAVING)
			return true;
		cond_resched();
	}
	return false;
}

/* Whether the number of a retired cache becomes LEAVING by this call. */
static bool kma_recycle_mark_cache(struct kma_sitetab *t, int cache)
{
	return kma_cachetab_state(&t->caches, cache) == KMA_CACHE_RETIRED &&
	       !kma_recycle_other_live(t, cache) && !kma_recycle_row_stays(t, cache) &&
	       cmpxchg(&t->caches.state[cache], KMA_CACHE_RETIRED, KMA_CACHE_LEAVING) ==
		KMA_CACHE_RETIRED;
}

static bool kma_recycle_mark(struct kma_sitetab *t, const struct kma_recycle *r)
{
	bool any = false;
	int cache;
	u32 id;

	for (id = 0; id < t->sites_max; id++) {
		any |= kma_recycle_mark_row(t, id, r);
		cond_resched();
	}
	for (cache = 0; r->caches && cache < KMA_CACHES_MAX; cache++) {
		any |= kma_recycle_mark_cache(t, cache);
		cond_resched();
	}
	return any;
}

static u32 kma_recycle_slots(const struct kma_sitetab *t)
{
	return t->map_mask / sizeof(t->map[0]) + 1;
}

/*
 * Take the slots that lead to rows that are LEAVING out of use.  They become free only at the end
 * of recycling, because a probe that has found such a slot may not have read its @id yet.
 */
static void kma_recycle_unmap(struct kma_sitetab *t)
{
	struct kma_site_slot *slot;
	unsigned long site;
	u32 i;

	/*
	 * The states are stored before the slots are read.  A probe that is publishing a slot now
	 * tests the state of the row afterwards.  So either this CPU sees the slot, or the probe
	 * sees the state, and takes the slot out of use itself.  Pairs with the smp_mb() in
	 * kma_site_fill() and in kma_site_park().
	 */
	smp_mb();
	for (i = 0; i < kma_recycle_slots(t); i++) {
		slot = &t->map[i];
		/* Pairs with the releases in kma_site_fill() and kma_site_park(). */
		site = smp_load_acquire(&slot->site);
		/* The special values are the lowest ones. */
		if (site > KMA_SITE_LEFT &&
		    READ_ONCE(t->info[READ_ONCE(slot->id)].state) == KMA_SITE_LEAVING)
			cmpxchg(&slot->site, site, KMA_SITE_LEFT);
		cond_resched();
	}
}

/* Free the slots that were taken out of use: no probe uses them now. */
static void kma_recycle_free_slots(struct kma_sitetab *t)
{
	u32 i;

	for (i = 0; i < kma_recycle_slots(t); i++) {
		if (READ_ONCE(t->map[i].site) == KMA_SITE_LEFT)
			/* Pairs with the cmpxchg in kma_site_claim(). */
			smp_store_release(&t->map[i].site, KMA_SITE_FREE);
		cond_resched();
	}
}

/* ---- test ---------------------------------------------------------------------- */

/* Whether a row that is LEAVING has no live objects.  If so, it becomes EMPTY. */
static bool kma_recycle_test(struct kma_sitetab *t, u32 id)
{
	struct kma_row sum;

	if (READ_ONCE(t->info[id].state) != KMA_SITE_LEAVING)
		return false;
	kma_sitetab_sum(t, id, &sum);
	if (kma_recycle_live(t, id, &sum))
		return false;
	WRITE_ONCE(t->info[id].state, KMA_SITE_EMPTY);
	return true;
}

/*
 * Remove EMPTY rows from the list of a cache.  Probes may read the list, and add rows at its
 * beginning, at the same time.
 */
static void kma_recycle_unlist(struct kma_sitetab *t, int cache)
{
	u32 *link = &t->first[cache];
	u32 id, next;

	while ((id = smp_load_acquire(link))) {	/* pairs with the cmpxchg in kma_sitetab_enlist() */
		struct kma_site_info *info = &t->info[id - 1];

		cond_resched();
		next = READ_ONCE(info->next);
		if (READ_ONCE(info->state) != KMA_SITE_EMPTY)
			link = &info->next;
		else if (cmpxchg(link, id, next) != id)
			/* Rows were added at the beginning: begin again with these. */
			link = &t->first[cache];
	}
}

static void kma_recycle_test_rows(struct kma_sitetab *t)
{
	bool any = false;
	int cache;
	u32 id;

	for (id = 0; id < t->sites_max; id++) {
		any |= kma_recycle_test(t, id);
		cond_resched();
	}
	for (cache = 0; any && cache < t->caches.nr; cache++)
		kma_recycle_unlist(t, cache);
}

/*
 * Whether a number is LEAVING, and has neither rows in its list nor live objects in its [other].
 * If it is LEAVING but has any, it becomes RETIRED again.
 */
static bool kma_recycle_test_cache(struct kma_sitetab *t, int cache)
{
	if (kma_cachetab_state(&t->caches, cache) != KMA_CACHE_LEAVING)
		return false;
	if (!READ_ONCE(t->first[cache]) && !kma_recycle_other_live(t, cache))
		return true;
	WRITE_ONCE(t->caches.state[cache], KMA_CACHE_RETIRED);
	return false;
}

static void kma_recycle_test_all(struct kma_sitetab *t)
{
	int cache;

	kma_recycle_test_rows(t);
	for (cache = 0; cache < KMA_CACHES_MAX; cache++) {
		kma_recycle_test_cache(t, cache);
		cond_resched();
	}
}

/* ---- give ---------------------------------------------------------------------- */

/* Add what a row has counted to the past of its cache, and set its counters to 0. */
static void kma_recycle_move(struct kma_sitetab *t, u32 id, struct kma_row *sum,
			     const struct kma_recycle *r)
{
	const struct kma_site_info *info = &t->info[id];
	int cpu;

	r->leaves(r->arg, id, sum);
	kma_row_add(kma_past_row(t, info->cache, info->shift), sum);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(t->row[id], cpu), 0, sizeof(struct kma_row));
}

/* Give back an EMPTY row.  Return: false if it has got an object, and is LEAVING again. */
static bool kma_recycle_give(struct kma_sitetab *t, u32 id, const struct kma_recycle *r)
{
	struct kma_site_info *info = &t->info[id];
	struct kma_row sum;

	kma_sitetab_sum(t, id, &sum);
	if (kma_recycle_live(t, id, &sum)) {
		WRITE_ONCE(info->state, KMA_SITE_LEAVING);
		kma_sitetab_enlist(t, id);
		return false;
	}
	kma_recycle_move(t, id, &sum, r);
	if (info->nr_frames)
		atomic_dec(&t->stacks);
	atomic_dec(&t->retired);
	info->counted = 0;
	WRITE_ONCE(info->state, KMA_SITE_UNUSED);
	kma_spare_give(&t->spare, id);
	return true;
}

/* Reset the row [other] of a cache whose number is recycled. */
static void kma_recycle_other(struct kma_sitetab *t, int cache, const struct kma_recycle *r)
{
	const u32 id = t->sites_max + cache;
	struct kma_site_info *info = &t->info[id];
	struct kma_row sum;

	if (!kma_sitetab_info(t, id))
		return;
	kma_sitetab_sum(t, id, &sum);
	kma_recycle_move(t, id, &sum, r);
	WRITE_ONCE(info->state, KMA_SITE_UNUSED);
	WRITE_ONCE(info->shift, KMA_SHIFT_NONE);
}

/* Give back a number.  Return: false if it is not LEAVING, or if a row of it has got an object. */
static bool kma_recycle_give_cache(struct kma_sitetab *t, int cache, const struct kma_recycle *r)
{
	if (!kma_recycle_test_cache(t, cache))
		return false;
	kma_recycle_other(t, cache, r);
	r->cache_leaves(r->arg, cache);
	kma_past_forget(t, cache);
	WRITE_ONCE(t->caches.state[cache], KMA_CACHE_UNUSED);
	kma_spare_give(&t->caches.spare, cache);
	return true;
}

bool kma_recycle_begin(struct kma_sitetab *t, const struct kma_recycle *r)
{
	if (!t->past)
		t->past = kma_env_zalloc(kma_past_bytes(t));
	if (!t->past || !kma_recycle_mark(t, r))
		return false;
	kma_recycle_unmap(t);
	return true;
}

struct kma_recycled kma_recycle_finish(struct kma_sitetab *t, const struct kma_recycle *r)
{
	struct kma_recycled nr = {};
	int cache;
	u32 id;

	kma_env_wait_for_probes();
	kma_recycle_test_all(t);
	kma_env_wait_for_probes();
	kma_recycle_free_slots(t);
	for (id = 0; id < t->sites_max; id++) {
		if (READ_ONCE(t->info[id].state) == KMA_SITE_EMPTY)
			nr.rows += kma_recycle_give(t, id, r);
		cond_resched();
	}
	for (cache = 0; cache < KMA_CACHES_MAX; cache++) {
		nr.caches += kma_recycle_give_cache(t, cache, r);
		cond_resched();
	}
	return nr;
}
