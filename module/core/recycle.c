// SPDX-License-Identifier: GPL-2.0
/* Recycling rows of the table of call sites.  See the overview in recycle.h. */
#include "recycle.h"

static const size_t kma_past_bytes = KMA_CACHES_MAX * KMA_PAST_SHIFTS * sizeof(struct kma_row);

u64 kma_recycle_bytes(const struct kma_sitetab *t)
{
	return t->past ? kma_past_bytes : 0;
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

void kma_recycle_forget(struct kma_sitetab *t)
{
	int cache;

	for (cache = 0; t->past && cache < KMA_CACHES_MAX; cache++) {
		memset(&t->past[cache * KMA_PAST_SHIFTS], 0,
		       KMA_PAST_SHIFTS * sizeof(t->past[0]));
		kma_env_resched();
	}
}

/* Whether a row is LEAVING now, or becomes so by this call. */
static bool kma_recycle_mark_row(struct kma_sitetab *t, u32 id, const struct kma_recycle *r)
{
	struct kma_site_info *info = &t->info[id];
	int state = READ_ONCE(info->state);
	struct kma_row sum;

	if (state == KMA_SITE_LEAVING)
		return true;
	if (state == KMA_SITE_UNUSED || state == KMA_SITE_AGAIN)
		return false;
	kma_sitetab_sum(t, id, &sum);
	/* A row that has counted nothing was made just now. */
	if (!sum.hits && !sum.bulk)
		return false;
	if (kma_row_live(&sum) || !r->wanted(r->arg, id, &sum) ||
	    cmpxchg(&info->state, state, KMA_SITE_LEAVING) != state)
		return false;
	if (state == KMA_SITE_LIVE)
		atomic_inc(&t->retired);
	return true;
}

static bool kma_recycle_mark(struct kma_sitetab *t, const struct kma_recycle *r)
{
	bool any = false;
	u32 id;

	for (id = 0; id < t->sites_max; id++) {
		any |= kma_recycle_mark_row(t, id, r);
		kma_env_resched();
	}
	return any;
}

/* Free the slots that lead to rows that are LEAVING. */
static void kma_recycle_unmap(struct kma_sitetab *t)
{
	const u32 slots = t->map_mask / sizeof(t->map[0]) + 1;
	struct kma_site_slot *slot;
	unsigned long site;
	u32 i;

	/*
	 * The states are stored before the slots are read.  A probe that is publishing a slot now
	 * tests the state of the row afterwards.  So either this CPU sees the slot, or the probe
	 * sees the state, and frees the slot itself.  Pairs with the smp_mb() in kma_site_fill()
	 * and in kma_site_park().
	 */
	smp_mb();
	for (i = 0; i < slots; i++) {
		slot = &t->map[i];
		/* Pairs with the releases in kma_site_fill() and kma_site_park(). */
		site = smp_load_acquire(&slot->site);
		if (site != KMA_SITE_FREE && site != KMA_SITE_BUSY &&
		    READ_ONCE(t->info[READ_ONCE(slot->id)].state) == KMA_SITE_LEAVING)
			cmpxchg(&slot->site, site, KMA_SITE_FREE);
		kma_env_resched();
	}
}

/* Whether a row that is LEAVING has no live objects.  If so, it becomes EMPTY. */
static bool kma_recycle_test(struct kma_sitetab *t, u32 id)
{
	struct kma_row sum;

	if (READ_ONCE(t->info[id].state) != KMA_SITE_LEAVING)
		return false;
	kma_sitetab_sum(t, id, &sum);
	if (kma_row_live(&sum))
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

	while ((id = smp_load_acquire(link))) {	/* pairs with the cmpxchg in kma_site_enlist() */
		struct kma_site_info *info = &t->info[id - 1];

		kma_env_resched();
		next = READ_ONCE(info->next);
		if (READ_ONCE(info->state) != KMA_SITE_EMPTY)
			link = &info->next;
		else if (cmpxchg(link, id, next) != id)
			/* Rows were added at the beginning: begin again with these. */
			link = &t->first[cache];
	}
}

static bool kma_recycle_test_all(struct kma_sitetab *t)
{
	bool any = false;
	int cache;
	u32 id;

	for (id = 0; id < t->sites_max; id++) {
		any |= kma_recycle_test(t, id);
		kma_env_resched();
	}
	for (cache = 0; any && cache < KMA_CACHES_MAX; cache++)
		kma_recycle_unlist(t, cache);
	return any;
}

static void kma_recycle_add(struct kma_row *past, const struct kma_row *sum)
{
	past->hits += sum->hits;
	past->bytes_req += sum->bytes_req;
	past->frees += sum->frees;
	past->repaired += sum->repaired;
	past->no_entry += sum->no_entry;
	past->pingpong += sum->pingpong;
	past->cross_node += sum->cross_node;
	past->bulk += sum->bulk;
}

/* Give back an EMPTY row.  Return: false if it has got an object, and has to wait again. */
static bool kma_recycle_give(struct kma_sitetab *t, u32 id, const struct kma_recycle *r)
{
	struct kma_site_info *info = &t->info[id];
	struct kma_row sum;
	int cpu;

	kma_sitetab_sum(t, id, &sum);
	if (kma_row_live(&sum)) {
		WRITE_ONCE(info->state, KMA_SITE_LEAVING);
		return false;
	}
	r->leaves(r->arg, id, &sum);
	kma_recycle_add(kma_past_row(t, info->cache, info->shift), &sum);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(t->row[id], cpu), 0, sizeof(struct kma_row));
	if (info->nr_frames)
		atomic_dec(&t->stacks);
	atomic_dec(&t->retired);
	WRITE_ONCE(info->state, KMA_SITE_UNUSED);
	kma_sitetab_give(t, id);
	return true;
}

bool kma_recycle_begin(struct kma_sitetab *t, const struct kma_recycle *r)
{
	if (!t->past)
		t->past = kma_env_zalloc(kma_past_bytes);
	if (!t->past || !kma_recycle_mark(t, r))
		return false;
	kma_recycle_unmap(t);
	return true;
}

u32 kma_recycle_finish(struct kma_sitetab *t, const struct kma_recycle *r)
{
	u32 id, nr = 0;

	kma_env_wait_for_probes();
	if (!kma_recycle_test_all(t))
		return 0;
	kma_env_wait_for_probes();
	for (id = 0; id < t->sites_max; id++) {
		if (READ_ONCE(t->info[id].state) == KMA_SITE_EMPTY)
			nr += kma_recycle_give(t, id, r);
		kma_env_resched();
	}
	return nr;
}
