// SPDX-License-Identifier: GPL-2.0
/*
 * The live table: setup, spilling, reading and sweeping, which are not inlined into the probes.
 * See the overview in objtab.h.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "objtab.h"
#include "stat.h"

/* The number of buckets that have KMA_SPARE slots for each object of @live_max. */
static u32 kma_objtab_span(u64 live_max)
{
	return div_u64(live_max * KMA_SPARE, KMA_SLOTS) + 1;
}

u64 kma_objtab_bytes(u64 live_max, u64 pfns)
{
	u64 buckets = kma_objtab_span(live_max) + KMA_STEPS - 1;

	return kma_pagegen_bytes(pfns) + buckets * sizeof(struct kma_bucket);
}

int kma_objtab_init(struct kma_objtab *t, u64 live_max, u64 pfns)
{
	int ret = kma_pagegen_init(&t->pages, pfns);

	if (ret)
		return ret;
	t->span = kma_objtab_span(live_max);
	t->nr_buckets = t->span + KMA_STEPS - 1;
	t->bucket = kma_env_zalloc_spread((size_t)t->nr_buckets *
					  sizeof(struct kma_bucket));
	if (t->bucket)
		return 0;
	kma_objtab_destroy(t);
	return -ENOMEM;
}

void kma_objtab_destroy(struct kma_objtab *t)
{
	kma_env_free(t->bucket);
	kma_pagegen_destroy(&t->pages);
	memset(t, 0, sizeof(*t));
}

/*
 * Find the bucket that is the place number @place of the object at @ptr.  The place
 * KMA_DEPTH_HOME is the home bucket.  For each later place, a hash picks a bucket from the whole
 * table.
 */
static struct kma_bucket *kma_objtab_other(const struct kma_objtab *t,
					   unsigned long ptr, int place)
{
	u64 hash = (ptr + place) * 0xd6e8feb86659fd93ULL;

	if (place == KMA_DEPTH_HOME)
		return kma_objtab_home(t, ptr);
	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	return &t->bucket[kma_scale(hash >> 32, t->nr_buckets)];
}

static int kma_place_depth(int place)
{
	return min(place, KMA_DEPTHS);
}

/*
 * Count one more object of @home at @depth.  Return: false if the four bits of @depth are at
 * their maximum.  This is a full barrier, and pairs with the load in kma_bucket_spilled().
 */
static bool kma_spilled_inc(struct kma_bucket *home, int depth)
{
	int shift = 4 * (depth - 1);
	s64 old = atomic64_read(&home->spilled);

	do {
		if (((old >> shift) & 15) == 15)
			return false;
	} while (!atomic64_try_cmpxchg(&home->spilled, &old,
				       (s64)((u64)old + (1ULL << shift))));
	return true;
}

/* Whether a sweep of the bucket is in progress, so that no object may be put into it. */
static bool kma_bucket_swept(const struct kma_bucket *b)
{
	return (u64)atomic64_read(&b->spilled) & ~KMA_SPILLED;
}

/* Undo kma_spilled_inc() after removing the entry of an object with the home bucket @home. */
static void kma_spilled_out(struct kma_bucket *home, const struct kma_entry *entry)
{
	int depth = kma_entry_depth(entry);

	if (depth)
		atomic64_sub((s64)(1ULL << 4 * (depth - 1)), &home->spilled);
	if (depth > KMA_DEPTH_HOME)
		kma_stat_inc(spill_out);
}

/* Count the objects in @nr buckets, which are at equal distances in the table. */
static u64 kma_objtab_used(const struct kma_objtab *t, u32 first, u32 nr)
{
	const u32 step = t->nr_buckets / nr;
	u32 at = first % t->nr_buckets;
	u64 used = 0;
	int i;

	for (; nr; nr--) {
		for (i = 0; i < KMA_SLOTS; i++)
			used += READ_ONCE(t->bucket[at].key[i]) > KMA_BUSY;
		at = at + (u64)step >= t->nr_buckets ? at + (u64)step - t->nr_buckets : at + step;
	}
	return used;
}

/*
 * When an object finds no room in its first KMA_CROWDED_PLACES places, the number of objects in
 * the table is estimated from KMA_CROWDED_BUCKETS buckets.  The table is crowded if it has more
 * than KMA_CROWDED_PERCENT of live_max objects.  Even if half of the buckets are full and the
 * others are empty, the standard error is 4.4 percent of live_max.  So a table with live_max
 * objects is not found crowded.
 */
#define KMA_CROWDED_PLACES	4
#define KMA_CROWDED_BUCKETS	512
#define KMA_CROWDED_PERCENT	130

/* The clock of @crowded and @full_at: kma_env_now(), in steps of two. */
static u32 kma_objtab_tick(void)
{
	return kma_env_now() & ~1U;
}

static bool kma_objtab_crowded(const struct kma_objtab *t)
{
	return READ_ONCE(t->crowded) == (kma_objtab_tick() | 1);
}

/* Find out whether the table is crowded, at most once in each step of the clock. */
static noinline bool kma_objtab_find_crowded(struct kma_objtab *t, unsigned long ptr)
{
	const u32 nr = min_t(u32, t->nr_buckets, KMA_CROWDED_BUCKETS);
	const u32 tick = kma_objtab_tick(), was = READ_ONCE(t->crowded);
	u64 used;

	/*
	 * One context makes the estimate; meanwhile, others assume that the table is not crowded.
	 */
	if ((was & ~1U) == tick || cmpxchg(&t->crowded, was, tick) != was)
		return kma_objtab_crowded(t);
	used = kma_objtab_used(t, ptr / KMA_ALIGN, nr);
	WRITE_ONCE(t->crowded, tick | (used * 100 * KMA_SPARE >
				       (u64)nr * KMA_SLOTS * KMA_CROWDED_PERCENT));
	return kma_objtab_crowded(t);
}

static bool kma_objtab_put_at(struct kma_objtab *t, struct kma_bucket *home,
			      unsigned long ptr, const struct kma_entry *entry,
			      kma_gen gen, int place)
{
	struct kma_bucket *b = kma_objtab_other(t, ptr, place);
	const int depth = kma_place_depth(place);
	int i;

	/*
	 * The hash of a later place may pick the home bucket.  Skip that place, because an
	 * object that has spilled within its home bucket always has the depth KMA_DEPTH_HOME.
	 */
	if ((b == home && depth != KMA_DEPTH_HOME) || kma_bucket_swept(b))
		return false;
	i = kma_bucket_claim(b);
	if (i < 0)
		return false;
	if (b == home && i == kma_objtab_slot(ptr)) {
		/* The object's own slot has become free in the meantime: nothing spills. */
		kma_bucket_fill(b, i, ptr, entry, gen, 0);
		return true;
	}
	if (!kma_spilled_inc(home, depth)) {
		/* Release the slot.  Pairs with the cmpxchg in kma_bucket_claim(). */
		smp_store_release(&b->key[i], 0);
		return false;
	}
	/*
	 * kma_spilled_inc() comes before the key is published.  The context that
	 * frees the object gets the object's address after that, so it sees that an
	 * object has spilled, and looks for it.  Pairs with the load in
	 * kma_bucket_spilled().
	 */
	kma_bucket_fill(b, i, ptr, entry, gen, depth);
	if (depth > KMA_DEPTH_HOME)
		kma_stat_inc(spill_in);
	return true;
}

/* Put an object into one of its places; if @everywhere, even a crowded table uses all of them. */
static bool kma_objtab_put_any(struct kma_objtab *t, struct kma_bucket *home,
			       unsigned long ptr, const struct kma_entry *entry,
			       bool everywhere)
{
	const int places = everywhere || !kma_objtab_crowded(t) ? KMA_PLACES : KMA_DEPTH_HOME;
	kma_gen gen = kma_pagegen_enter(&t->pages, ptr);
	int i = kma_objtab_slot(ptr);
	int place;

	/*
	 * kma_objtab_take() has read all keys that @ptr could be in, and @ptr is not in
	 * the table any more.  Read the sweep counts after these keys; pairs with
	 * kma_sweep_begin().
	 */
	smp_mb();
	if (!kma_bucket_swept(home) && !cmpxchg(&home->key[i], 0, KMA_BUSY)) {
		kma_bucket_fill(home, i, ptr, entry, gen, 0);
		return true;
	}
	for (place = KMA_DEPTH_HOME; place <= places; place++) {
		if (kma_objtab_put_at(t, home, ptr, entry, gen, place))
			return true;
		if (place == KMA_CROWDED_PLACES && !everywhere &&
		    kma_objtab_find_crowded(t, ptr))
			return false;
	}
	return false;
}

static bool kma_objtab_take_spilled(struct kma_objtab *t,
				    struct kma_bucket *home, unsigned long ptr,
				    struct kma_entry *entry)
{
	const u64 spilled = atomic64_read(&home->spilled) & KMA_SPILLED;
	struct kma_bucket *b;
	int place, i;
	u64 deeper;

	for (place = KMA_DEPTH_HOME; place <= KMA_PLACES; place++) {
		deeper = spilled >> 4 * (kma_place_depth(place) - 1);
		if (!deeper)
			break;
		if (!(deeper & 15))
			continue;
		b = kma_objtab_other(t, ptr, place);
		i = kma_bucket_find(b, ptr);
		if (i < 0)
			continue;
		if (!kma_bucket_take(b, i, ptr, entry))
			return false;
		/* Two places may be the same bucket, so use the depth that is in the entry. */
		kma_spilled_out(home, entry);
		return true;
	}
	return false;
}

bool kma_objtab_take(struct kma_objtab *t, unsigned long ptr,
		     struct kma_entry *entry)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);

	return kma_objtab_take_home(home, ptr, entry) ||
	       kma_objtab_take_spilled(t, home, ptr, entry);
}

static enum kma_put kma_objtab_put_or_replace(struct kma_objtab *t, unsigned long ptr,
					      const struct kma_entry *entry,
					      struct kma_entry *old, bool everywhere)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	bool replaced = kma_objtab_take(t, ptr, old);

	/*
	 * If an entry was removed, its slot is free, and may be in any place of @ptr, so try all
	 * of them.  This may still fail, because another context may have claimed that slot.
	 */
	if (!kma_objtab_put_any(t, home, ptr, entry, everywhere || replaced))
		return replaced ? KMA_PUT_REPLACED_FULL : KMA_PUT_FULL;
	return replaced ? KMA_PUT_REPLACED : KMA_PUT_NEW;
}

enum kma_put kma_objtab_put(struct kma_objtab *t, unsigned long ptr,
			    const struct kma_entry *entry, struct kma_entry *old)
{
	return kma_objtab_put_or_replace(t, ptr, entry, old, false);
}

enum kma_put kma_objtab_put_again(struct kma_objtab *t, unsigned long ptr,
				  const struct kma_entry *entry, struct kma_entry *old)
{
	return kma_objtab_put_or_replace(t, ptr, entry, old, true);
}

unsigned long kma_objtab_read(const struct kma_bucket *b, int slot,
			      struct kma_entry *entry)
{
	const struct kma_entry *e = &b->entry[slot];
	unsigned long ptr;

	entry->generation = READ_ONCE(e->generation);
	/*
	 * Read the slot's generation before the key.  A generation that was written
	 * while the slot was busy then belongs to the next key that can be seen.
	 * Otherwise, if the slot were filled again with the same address, the copy could
	 * have the generation of the new object and the members of the old one.
	 * Pairs with the cmpxchg in kma_bucket_claim() and in the other functions that
	 * claim a slot.
	 */
	smp_rmb();
	/* Pairs with the release in kma_bucket_publish(). */
	ptr = smp_load_acquire(&b->key[slot]);
	if (!ptr || ptr == KMA_BUSY)
		return 0;
	entry->bytes_req = READ_ONCE(e->bytes_req);
	entry->time = READ_ONCE(e->time);
	entry->tgid_depth = READ_ONCE(e->tgid_depth);
	entry->row = READ_ONCE(e->row);
	entry->cpu = READ_ONCE(e->cpu);
	entry->gen_owner = READ_ONCE(e->gen_owner);
	/*
	 * Pairs with the smp_wmb() in kma_bucket_begin(): if any value that was read
	 * above is from a later owner of the slot, the generation that is read below
	 * has changed, too.
	 */
	smp_rmb();
	if (READ_ONCE(e->generation) != entry->generation ||
	    READ_ONCE(b->key[slot]) != ptr)
		return 0;
	return ptr;
}

#define KMA_ESTIMATE_BUCKETS	1000

u64 kma_objtab_estimate(const struct kma_objtab *t, u32 first)
{
	u32 nr = min_t(u32, t->nr_buckets, KMA_ESTIMATE_BUCKETS);

	return div_u64(kma_objtab_used(t, first, nr) * t->nr_buckets, nr);
}

/* ---- sweeping --------------------------------------------------------------- */

/*
 * Add one to the sweep count of a bucket.  Return: false if it is at its maximum, which is
 * fifteen.
 */
static bool kma_sweep_begin(struct kma_bucket *b)
{
	s64 old = atomic64_read(&b->spilled);

	do {
		if (((u64)old & ~KMA_SPILLED) == ~KMA_SPILLED)
			return false;
		/*
		 * The cmpxchg is a full barrier: the sweep count is raised before
		 * the sweep reads any key.  Another context may take an entry that
		 * the sweep finds stale, by the cmpxchg in kma_bucket_take(), and
		 * then put an object with the same address.  That put sees the
		 * sweep count, in kma_bucket_spilled() or kma_bucket_swept(), and
		 * does not use this bucket.  Pairs with the acquire in
		 * kma_objtab_claim_home() and the smp_mb() in kma_objtab_put_any().
		 * For an entry that a free removed without a cmpxchg, pairs with
		 * kma_record_barrier().
		 */
	} while (!atomic64_try_cmpxchg(&b->spilled, &old,
				       (s64)((u64)old + KMA_SWEEP)));
	return true;
}

static void kma_sweep_end(struct kma_bucket *b)
{
	atomic64_sub((s64)KMA_SWEEP, &b->spilled);
}

/*
 * Get the address of the object in a slot if its entry is stale; otherwise 0.  The acquire in
 * kma_objtab_read() orders the read of the entry before that of the page generation, so the page
 * generation is never older than the entry.  Pairs with the release in kma_bucket_publish(),
 * which comes after kma_pagegen_enter().
 */
static unsigned long kma_sweep_look(const struct kma_objtab *t,
				    const struct kma_bucket *b, int slot)
{
	struct kma_entry e;
	unsigned long ptr = kma_objtab_read(b, slot, &e);

	return ptr && kma_objtab_stale(t, ptr, &e) ? ptr : 0;
}

/*
 * Most buckets have no stale entries.  This checks for them without writing to the bucket.
 * kma_sweep_slot() checks each entry again.
 */
static bool kma_sweep_needed(const struct kma_objtab *t, const struct kma_bucket *b)
{
	unsigned long key, any = 0;
	int i;

	kma_unroll(KMA_SLOTS)
	for (i = 0; i < KMA_SLOTS; i++)
		any |= READ_ONCE(b->key[i]);
	for (i = 0; any && i < KMA_SLOTS; i++) {
		key = READ_ONCE(b->key[i]);
		/* The lower half of `gen_owner` is the generation: kma_entry_gen(). */
		if (key > KMA_BUSY && (kma_gen)READ_ONCE(b->entry[i].gen_owner) !=
				      kma_pagegen_read(&t->pages, key))
			return true;
	}
	return false;
}

static bool kma_sweep_slot(struct kma_objtab *t, struct kma_bucket *b, int slot,
			   kma_removed *removed, void *arg)
{
	unsigned long ptr = kma_sweep_look(t, b, slot);
	struct kma_entry entry;

	if (!ptr || !kma_bucket_take(b, slot, ptr, &entry))
		return false;
	kma_spilled_out(kma_objtab_home(t, ptr), &entry);
	removed(arg, ptr, &entry);
	return true;
}

int kma_objtab_sweep(struct kma_objtab *t, struct kma_bucket *b,
		     kma_removed *removed, void *arg)
{
	int i, nr = 0;

	if (likely(!kma_sweep_needed(t, b)) || !kma_sweep_begin(b))
		return 0;
	for (i = 0; i < KMA_SLOTS; i++)
		nr += kma_sweep_slot(t, b, i, removed, arg);
	kma_sweep_end(b);
	return nr;
}

int kma_objtab_make_room(struct kma_objtab *t, unsigned long ptr,
			 kma_removed *removed, void *arg)
{
	const u32 now = kma_objtab_tick() | 1;
	int place, nr;

	if (READ_ONCE(t->full_at) == now)
		return 0;
	nr = kma_objtab_sweep(t, kma_objtab_home(t, ptr), removed, arg);
	for (place = KMA_DEPTH_HOME + 1; !nr && place <= KMA_PLACES; place++)
		nr = kma_objtab_sweep(t, kma_objtab_other(t, ptr, place),
				      removed, arg);
	if (!nr)
		WRITE_ONCE(t->full_at, now);
	return nr;
}

static void kma_sweep_address(struct kma_objtab *t, unsigned long ptr,
			      kma_removed *removed, void *arg)
{
	struct kma_entry entry;

	if (kma_objtab_take(t, ptr, &entry))
		removed(arg, ptr, &entry);
}

void kma_objtab_sweep_page(struct kma_objtab *t, unsigned long page,
			   kma_removed *removed, void *arg)
{
	struct kma_bucket *home;
	unsigned long ptr;

	for (ptr = page; ptr != page + KMA_PAGE_SIZE; ptr += KMA_ALIGN) {
		home = kma_objtab_home(t, ptr);
		if (READ_ONCE(home->key[kma_objtab_slot(ptr)]) == ptr ||
		    kma_bucket_spilled(home))
			kma_sweep_address(t, ptr, removed, arg);
	}
}
