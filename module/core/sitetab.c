// SPDX-License-Identifier: GPL-2.0
/* The call sites: all but the common look-up.  See the overview in sitetab.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "reach.h"
#include "sitetab.h"

static u32 kma_site_map_slots(u32 sites_max)
{
	return roundup_pow_of_two(2 * sites_max);
}

static u32 kma_site_chunks(u32 rows)
{
	return DIV_ROUND_UP(rows, KMA_ROWS_PER_CHUNK);
}

static u64 kma_site_frames_bytes(u32 sites_max)
{
	return (u64)sites_max * KMA_FRAMES_MAX * sizeof(unsigned long);
}

static u64 kma_site_bytes(u32 sites_max, unsigned int nr_cpus, bool pages)
{
	const u32 caches = kma_caches_nr(pages);
	const u64 rows = sites_max + caches;

	return kma_site_map_slots(sites_max) * sizeof(struct kma_site_slot) +
	       rows * (sizeof(struct kma_site_info) + sizeof(void *)) +
	       kma_site_chunks(rows) * sizeof(void *) +
	       (u64)kma_site_chunks(rows) * KMA_ROWS_PER_CHUNK * sizeof(struct kma_row) * nr_cpus +
	       kma_spare_bytes(sites_max) +
	       caches * (sizeof(struct kma_site_slot) + sizeof(u32)) +
	       kma_cachetab_bytes(pages);
}

u64 kma_sitetab_pages_bytes(u32 sites_max, unsigned int nr_cpus)
{
	return kma_site_bytes(sites_max, nr_cpus, true);
}

u64 kma_sitetab_bytes(u32 sites_max, unsigned int nr_cpus)
{
	return kma_site_bytes(sites_max, nr_cpus, false) + kma_site_frames_bytes(sites_max);
}

static int kma_sitetab_alloc(struct kma_sitetab *t)
{
	const u32 rows = kma_sitetab_rows(t);
	const u32 chunks = kma_site_chunks(rows);
	u32 i;

	t->map = kma_env_zalloc(kma_site_map_slots(t->sites_max) *
				sizeof(t->map[0]));
	t->info = kma_env_zalloc(rows * sizeof(t->info[0]));
	if (!t->pages)
		t->frame = kma_env_zalloc(kma_site_frames_bytes(t->sites_max));
	t->row = kma_env_zalloc(rows * sizeof(t->row[0]));
	t->chunk = kma_env_zalloc(chunks * sizeof(t->chunk[0]));
	t->other = kma_env_zalloc(t->caches.nr * sizeof(t->other[0]));
	t->first = kma_env_zalloc(t->caches.nr * sizeof(t->first[0]));
	if (!t->map || !t->info || !t->row || !t->chunk || !t->other || !t->first ||
	    (!t->pages && !t->frame) || kma_spare_init(&t->spare, t->sites_max))
		return -ENOMEM;
	kma_env_no_scan(t->map);
	for (i = 0; i < chunks; i++) {
		t->chunk[i] = kma_env_zalloc_percpu(sizeof(struct kma_row));
		if (!t->chunk[i])
			return -ENOMEM;
	}
	return 0;
}

static int kma_sitetab_make(struct kma_sitetab *t, u32 sites_max, bool pages)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	t->sites_max = sites_max;
	t->pages = pages;
	t->map_mask = (kma_site_map_slots(sites_max) - 1) * sizeof(t->map[0]);
	if (kma_cachetab_init(&t->caches, pages) || kma_sitetab_alloc(t)) {
		kma_sitetab_destroy(t);
		return -ENOMEM;
	}
	for (i = 0; i < kma_sitetab_rows(t); i++)
		t->row[i] = t->chunk[i / KMA_ROWS_PER_CHUNK] +
			    i % KMA_ROWS_PER_CHUNK;
	for (i = 0; i < t->caches.nr; i++) {
		t->other[i].id = sites_max + i;
		t->other[i].what = sites_max + i + 1;
		t->other[i].row = t->row[sites_max + i];
		t->info[sites_max + i].cache = i;
		t->info[sites_max + i].shift = KMA_SHIFT_NONE;
	}
	return 0;
}

int kma_sitetab_init(struct kma_sitetab *t, u32 sites_max)
{
	return kma_sitetab_make(t, sites_max, false);
}

int kma_sitetab_init_pages(struct kma_sitetab *t, u32 sites_max)
{
	return kma_sitetab_make(t, sites_max, true);
}

void kma_sitetab_destroy(struct kma_sitetab *t)
{
	u32 i;

	for (i = 0; t->chunk && i < kma_site_chunks(kma_sitetab_rows(t)); i++)
		kma_env_free_percpu(t->chunk[i]);
	kma_env_free(t->chunk);
	kma_env_free(t->map);
	kma_env_free(t->info);
	kma_env_free(t->frame);
	kma_env_free(t->row);
	kma_env_free(t->other);
	kma_env_free(t->first);
	kma_spare_destroy(&t->spare);
	kma_env_free(t->past);
	kma_cachetab_destroy(&t->caches);
	memset(t, 0, sizeof(*t));
}

const struct kma_site_info *kma_sitetab_info(const struct kma_sitetab *t, u32 id)
{
	const struct kma_site_info *info = &t->info[id];

	/* Pairs with the releases in kma_site_fill() and kma_site_other_first(). */
	return smp_load_acquire(&info->state) == KMA_SITE_UNUSED ? NULL : info;
}

void kma_sitetab_sum(const struct kma_sitetab *t, u32 id, struct kma_row *sum)
{
	const struct kma_row *row;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		row = per_cpu_ptr(t->row[id], cpu);
		sum->pingpong += READ_ONCE(row->pingpong);
		sum->frees += READ_ONCE(row->frees);
		sum->repaired += READ_ONCE(row->repaired);
		sum->no_entry += READ_ONCE(row->no_entry);
		sum->cross_node += READ_ONCE(row->cross_node);
		sum->bytes_req += READ_ONCE(row->bytes_req);
	}
	/*
	 * Read frees before hits.  A probe counts a hit before it publishes the entry, and
	 * counts a free after it took the entry.  So for each free that was read above, the
	 * hit of the same object is read below.  Pairs with the release in
	 * kma_bucket_publish() and the cmpxchg in kma_bucket_take().
	 */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		row = per_cpu_ptr(t->row[id], cpu);
		sum->hits += READ_ONCE(row->hits);
		sum->bulk += READ_ONCE(row->bulk);
	}
}

/* The slot that a search for a pair reads as number @i.  Numbers 0 and 1 share a cache line. */
static struct kma_site_slot *kma_site_slot(struct kma_sitetab *t,
					   unsigned long site,
					   unsigned long cache, u32 i)
{
	return (void *)t->map + (kma_sitetab_hash(t, site, cache) ^ i * sizeof(t->map[0]));
}

/*
 * kma_site_slot() flips low bits of a slot's index.  These assertions ensure that the result is in
 * the map.
 */
static_assert(!(KMA_SITES_PROBES & (KMA_SITES_PROBES - 1)));
static_assert(KMA_SITES_PROBES <= 2 * KMA_SITES_MIN);

static u32 kma_origin_frames(const struct kma_origin *o)
{
	return o->stack ? o->stack->nr_frames : 0;
}

/*
 * Compute the hash that takes the place of the site in the map, for the origin of a sample.  It
 * is neither a special value nor a kernel address.
 */
static unsigned long kma_site_key(const struct kma_origin *o)
{
	const u64 stack = o->stack ? o->stack->hash : 0;

	/*
	 * The shift is put above the bits in which call sites differ.  If it were put
	 * lower, two call sites with different shifts could get the same key.
	 */
	return kma_stack_mix(stack ^ (u64)o->shift << 58, o->site) >> 2 | 1ULL << 62;
}

static bool kma_site_state_change(struct kma_site_info *info, int from, int to)
{
	return cmpxchg(&info->state, from, to) == from;
}

/*
 * The cache word of the slot of a row whose kmem_cache was destroyed.  No event has
 * such a cache word: it is neither a kernel address nor a size of kmalloc.
 */
static unsigned long kma_site_parked(int cache)
{
	return 1UL << 62 | cache;
}

/*
 * Find the slot of a pair that kma_sitetab_near() did not find.  Inlined, like the function that
 * finds a parked row, because each event of a pair without a row calls both.
 */
static __always_inline const struct kma_site_slot *
kma_sitetab_find_far(struct kma_sitetab *t, unsigned long key, unsigned long cache)
{
	/*
	 * If the slot is still being filled, the pair is missed, and gets a second row.  Pairs
	 * with the cmpxchg in kma_reach_extend(), which comes before the slot is published.
	 */
	const u32 reach = READ_ONCE(kma_site_slot(t, key, cache, 0)->reach);
	const struct kma_site_slot *slot;
	u32 i;

	for (i = 2; i <= reach; i++) {
		slot = kma_site_slot(t, key, cache, i);
		if (kma_site_slot_is(slot, key, cache))
			return slot;
	}
	return NULL;
}

static const struct kma_site_slot *
kma_sitetab_find(struct kma_sitetab *t, unsigned long key, unsigned long cache)
{
	const struct kma_site_slot *slot;

	return kma_sitetab_near(t, key, cache, &slot) ? slot :
	       kma_sitetab_find_far(t, key, cache);
}

/*
 * Free a slot, unless it has been given to a pair with another key since.  If it has been given
 * to another pair with the same key, that pair loses its slot, and gets another row.
 */
static void kma_site_slot_free(struct kma_site_slot *slot, unsigned long key)
{
	cmpxchg(&slot->site, key, KMA_SITE_FREE);
}

/* Take a slot of a row that is LEAVING or SKIPPED out of use, as kma_recycle_unmap() does. */
static void kma_site_slot_leave(struct kma_site_slot *slot, unsigned long key)
{
	cmpxchg(&slot->site, key, KMA_SITE_LEFT);
}

/*
 * Find a row of the same origin and cache that was retired with its kmem_cache, beginning with
 * its slot number *@i.  Return: the number of the row, and the number of its slot in *@i; or -1.
 */
static __always_inline int kma_site_find_parked(struct kma_sitetab *t, unsigned long key,
						int cache, u32 *i)
{
	const unsigned long parked = kma_site_parked(cache);
	const struct kma_site_info *info;
	const struct kma_site_slot *slot;
	u32 id, reach;

	if (!READ_ONCE(t->no_cache))
		return -1;
	reach = READ_ONCE(kma_site_slot(t, key, parked, 0)->reach);
	for (; *i <= reach; (*i)++) {
		slot = kma_site_slot(t, key, parked, *i);
		if (!kma_site_slot_is(slot, key, parked))
			continue;
		/* The slot may be reused for another row at any time. */
		id = READ_ONCE(slot->id);
		info = &t->info[id];
		if (READ_ONCE(info->state) == KMA_SITE_NO_CACHE && info->cache == cache &&
		    info->key == key)
			return id;
	}
	return -1;
}

static __always_inline bool kma_site_is_parked(struct kma_sitetab *t, unsigned long key, int cache)
{
	u32 i = 0;

	return kma_site_find_parked(t, key, cache, &i) >= 0;
}

/* Reuse a row of the same origin and cache, if there is one.  Return: its number, or -1. */
static int kma_site_reuse(struct kma_sitetab *t, unsigned long key, int cache)
{
	u32 i;
	int id;

	for (i = 0; (id = kma_site_find_parked(t, key, cache, &i)) >= 0; i++) {
		if (!kma_site_state_change(&t->info[id], KMA_SITE_NO_CACHE, KMA_SITE_AGAIN))
			continue;
		kma_site_slot_free(kma_site_slot(t, key, kma_site_parked(cache), i), key);
		atomic_dec(&t->retired);
		return id;
	}
	return -1;
}

/* The number of rows that a new row of this origin must leave unused. */
static u32 kma_site_keep(const struct kma_sitetab *t, const struct kma_origin *o)
{
	return o->site ? t->sites_max - KMA_PAIRS_MAX(t->sites_max) : 0;
}

static bool kma_site_rows_full(const struct kma_sitetab *t, const struct kma_origin *o)
{
	return kma_spare_left(&t->spare) <= kma_site_keep(t, o);
}

void kma_sitetab_enlist(struct kma_sitetab *t, u32 id)
{
	u32 *first = &t->first[t->info[id].cache];
	u32 next;

	do {
		next = READ_ONCE(*first);
		WRITE_ONCE(t->info[id].next, next);
		/* Pairs with the acquires in kma_sitetab_retire_rows() and kma_recycle_unlist(). */
	} while (cmpxchg(first, next, id + 1) != next);
}

static int kma_site_create(struct kma_sitetab *t, const struct kma_origin *o,
			   unsigned long key, int cache)
{
	const u32 nr_frames = kma_origin_frames(o);
	int id = kma_site_reuse(t, key, cache);

	if (id >= 0)
		return id;
	id = kma_spare_take(&t->spare, kma_site_keep(t, o));
	if (id < 0)
		return -1;
	t->info[id].site = o->site;
	t->info[id].key = key;
	t->info[id].cache = cache;
	t->info[id].nr_frames = nr_frames;
	if (nr_frames) {
		memcpy(&t->frame[(size_t)id * KMA_FRAMES_MAX], o->stack->frame,
		       nr_frames * sizeof(o->stack->frame[0]));
		atomic_inc(&t->stacks);
	}
	/* kma_sitetab_is_sampled() reads the shift without an acquire of @state. */
	WRITE_ONCE(t->info[id].shift, o->shift);
	if (o->shift != KMA_SHIFT_EXACT)
		WRITE_ONCE(t->sampled, true);
	kma_sitetab_enlist(t, id);
	return id;
}

/* Tables of objects and of page allocations have different counters. */
#define KMA_SITE_STAT(t, of_objects, of_pages) do {			\
	if ((t)->pages)							\
		kma_stat_inc(of_pages);					\
	else								\
		kma_stat_inc(of_objects);				\
} while (0)

/*
 * Count an event that is dropped because it finds no row.  A sampled page allocation is not
 * dropped, because the row of its class counts it.  Only the sample is lost.
 */
static void kma_site_dropped(const struct kma_sitetab *t, int shift)
{
	if (t->pages && shift != KMA_SHIFT_EXACT)
		kma_stat_inc(page_samples_lost);
	else
		KMA_SITE_STAT(t, dropped_sites_full, page_dropped_sites);
}

/* Set all members of a slot that this context has claimed, except the site. */
static void kma_site_slot_set(struct kma_sitetab *t, struct kma_site_slot *slot,
			      unsigned long cache, u32 id)
{
	WRITE_ONCE(slot->id, id);
	WRITE_ONCE(slot->charge, t->caches.info[t->info[id].cache].charge);
	WRITE_ONCE(slot->what, id + 1);
	WRITE_ONCE(slot->row, t->row[id]);
	/*
	 * Pairs with the acquires in kma_site_slot_is() and kma_pagealloc_one(): a probe
	 * that sees this cache word also sees the members stored above.
	 */
	smp_store_release(&slot->cache, cache);
}

/* Fill and publish a slot that this context has claimed. */
static void kma_site_fill(struct kma_sitetab *t, struct kma_site_slot *slot,
			  unsigned long key, unsigned long cache, u32 id)
{
	int state;

	kma_site_slot_set(t, slot, cache, id);
	WRITE_ONCE(t->info[id].slot, slot - t->map);
	/*
	 * The state is stored after the slot's cache word and the row's @slot, because
	 * kma_sitetab_retire_row() reads both for a live row.  Pairs with the acquires in
	 * that function and in kma_sitetab_info().
	 */
	smp_store_release(&t->info[id].state, KMA_SITE_LIVE);
	/* Pairs with the acquire in kma_site_slot_is(). */
	smp_store_release(&slot->site, key);
	/*
	 * Another CPU may have retired or begun to recycle the row since it became live.  If the
	 * slot did not have the key yet, that CPU could not free the slot or take it out of use.  A
	 * third CPU may even have reused the row since, with another slot.  In all these cases,
	 * this function frees the slot or takes it out of use.  Pairs with the cmpxchg in
	 * kma_site_state_change() and the smp_mb() in kma_recycle_unmap(): either the other CPU
	 * sees the key, or this CPU sees that the row has changed.
	 */
	smp_mb();
	state = READ_ONCE(t->info[id].state);
	if (state == KMA_SITE_LEAVING || state == KMA_SITE_SKIPPED)
		kma_site_slot_leave(slot, key);
	else if (state != KMA_SITE_LIVE || READ_ONCE(t->info[id].slot) != slot - t->map)
		kma_site_slot_free(slot, key);
}

/* Claim a free slot for a pair.  Return: the slot, or NULL if none is free. */
static struct kma_site_slot *kma_site_claim(struct kma_sitetab *t, unsigned long key,
					    unsigned long cache)
{
	struct kma_site_slot *slot;
	u32 i;

	for (i = 0; i < KMA_SITES_PROBES; i++) {
		slot = kma_site_slot(t, key, cache, i);
		if (READ_ONCE(slot->site) == KMA_SITE_FREE &&
		    cmpxchg(&slot->site, KMA_SITE_FREE, KMA_SITE_BUSY) == KMA_SITE_FREE) {
			kma_reach_extend(&kma_site_slot(t, key, cache, 0)->reach, i);
			return slot;
		}
	}
	return NULL;
}

static struct kma_site_slot *kma_site_slot_of(struct kma_sitetab *t,
					      const struct kma_site_info *info)
{
	return &t->map[READ_ONCE(info->slot)];
}

/*
 * Give a row in state KMA_SITE_NO_CACHE the slot that kma_site_find_parked() finds.  If none is
 * free, the row is never reused.  Return: the slot, or NULL.
 */
static struct kma_site_slot *kma_site_park(struct kma_sitetab *t,
					   const struct kma_site_info *info)
{
	const unsigned long parked = kma_site_parked(info->cache);
	struct kma_site_slot *slot = kma_site_claim(t, info->key, parked);
	int state;

	if (!slot)
		return NULL;
	kma_site_slot_set(t, slot, parked, info - t->info);
	/* Pairs with the acquire in kma_site_slot_is(). */
	smp_store_release(&slot->site, info->key);
	/*
	 * If the row's module was unloaded in the meantime, free the slot here; if the row is being
	 * recycled, take it out of use.  Pairs with the cmpxchg in kma_site_state_change() and the
	 * smp_mb() in kma_recycle_unmap(): either kma_site_unpark() or that function sees the slot,
	 * or this CPU sees the state.
	 */
	smp_mb();
	state = READ_ONCE(info->state);
	if (state == KMA_SITE_LEAVING)
		kma_site_slot_leave(slot, info->key);
	else if (state == KMA_SITE_NO_MODULE)
		kma_site_slot_free(slot, info->key);
	return slot;
}

/* Retire a row, if it is live and its slot has this cache word. */
static void kma_sitetab_retire_row(struct kma_sitetab *t, struct kma_site_info *info,
				   unsigned long cache)
{
	struct kma_site_slot *slot;

	/* Pairs with the release in kma_site_fill(). */
	if (smp_load_acquire(&info->state) != KMA_SITE_LIVE ||
	    READ_ONCE(kma_site_slot_of(t, info)->cache) != cache)
		return;
	WRITE_ONCE(t->no_cache, true);
	if (!kma_site_state_change(info, KMA_SITE_LIVE, KMA_SITE_NO_CACHE))
		return;
	atomic_inc(&t->retired);
	/*
	 * Read the slot only now: it does not change until the row is parked.  Another CPU may
	 * have retired and reused the row since it was found live.  Then it is retired once
	 * more, and reused at its next event.
	 *
	 * Park the row before its slot is freed: an event of the pair always finds one of the two.
	 * A row that had lost its slot may be parked in it.
	 */
	slot = kma_site_slot_of(t, info);
	if (kma_site_park(t, info) != slot)
		kma_site_slot_free(slot, info->key);
}

/* Make a row for a pair, or reuse one, and give it a slot.  Return: the slot, or NULL. */
static noinline const struct kma_site_slot *
kma_sitetab_add(struct kma_sitetab *t, const struct kma_origin *o, unsigned long key,
		unsigned long cache, int cache_id)
{
	struct kma_site_slot *slot = kma_site_claim(t, key, cache);
	int id;

	if (!slot)
		return NULL;
	id = kma_site_create(t, o, key, cache_id);
	if (id < 0) {
		/* Release the slot.  Pairs with the cmpxchg in kma_site_claim(). */
		smp_store_release(&slot->site, KMA_SITE_FREE);
		return NULL;
	}
	kma_site_fill(t, slot, key, cache, id);
	/*
	 * If one of the names of a merged cache has gone away since @cache_id was looked up, the
	 * CPU that retired the cache may have missed this row.  Then retire the row here; the next
	 * event gives the cache a number again.  Pairs with the cmpxchg in kma_cachetab_retire():
	 * either the other CPU sees this row in the list of the cache, and sees that it is live,
	 * or this CPU sees that the cache is gone.
	 */
	smp_mb();
	if (unlikely(!kma_cachetab_has(&t->caches, cache)))
		kma_sitetab_retire_row(t, &t->info[id], cache);
	return slot;
}

/* Add a pair, unless that needs a row and none is left for it.  Return: its slot, or NULL. */
static __always_inline const struct kma_site_slot *
kma_sitetab_try_add(struct kma_sitetab *t, const struct kma_origin *o, unsigned long key,
		    unsigned long cache, int cache_id)
{
	/* Check before claiming a slot, so that a full table costs no writes to shared memory. */
	if (kma_site_rows_full(t, o) && !kma_site_is_parked(t, key, cache_id))
		return NULL;
	return kma_sitetab_add(t, o, key, cache, cache_id);
}

/* The key of the rows [other] that are in the map.  No stack has this hash. */
static unsigned long kma_site_other_key(int shift)
{
	return 1UL << 62 | shift;
}

/* Find the row [other] of a cache and shift.  Return: its slot; NULL if there is none yet. */
static const struct kma_site_slot *kma_site_other_find(struct kma_sitetab *t, int shift,
						       unsigned long cache, int cache_id)
{
	const struct kma_site_info *first = &t->info[t->sites_max + cache_id];

	/* The acquire is for @charge of the slot: pairs with kma_site_other_first(). */
	if (likely(smp_load_acquire(&first->state) == KMA_SITE_LIVE &&
		   READ_ONCE(first->shift) == shift))
		return &t->other[cache_id];
	return kma_sitetab_find(t, kma_site_other_key(shift), cache);
}

/*
 * Let the first row [other] of a cache count events with this shift.  Return: false if it counts
 * events with another shift.
 */
static bool kma_site_other_first(struct kma_sitetab *t, int shift, int cache_id)
{
	struct kma_site_info *first = &t->info[t->sites_max + cache_id];
	int was = READ_ONCE(first->shift);

	if (was == KMA_SHIFT_NONE)
		was = cmpxchg(&first->shift, KMA_SHIFT_NONE, shift);
	if (was != KMA_SHIFT_NONE && was != shift)
		return false;
	if (shift != KMA_SHIFT_EXACT)
		WRITE_ONCE(t->sampled, true);
	/* Pairs with the acquires in kma_sitetab_info() and kma_site_other_find(). */
	smp_store_release(&first->state, KMA_SITE_LIVE);
	return true;
}

static noinline const struct kma_site_slot *
kma_site_other_add(struct kma_sitetab *t, int shift, unsigned long cache, int cache_id)
{
	const struct kma_origin o = { .shift = shift };

	/*
	 * Set @charge before the row becomes live.  A row that counts another shift has the same
	 * cache, so it has the same @charge.
	 */
	WRITE_ONCE(t->other[cache_id].charge, t->caches.info[cache_id].charge);
	if (kma_site_other_first(t, shift, cache_id))
		return &t->other[cache_id];
	return kma_sitetab_try_add(t, &o, kma_site_other_key(shift), cache, cache_id);
}

/*
 * Find or make the row [other] of a cache and shift.  Once the row is in use, this writes no
 * shared memory.
 */
static const struct kma_site_slot *kma_site_other(struct kma_sitetab *t, int shift,
						  unsigned long cache, int cache_id)
{
	const struct kma_site_slot *slot = kma_site_other_find(t, shift, cache, cache_id);

	slot = slot ?: kma_site_other_add(t, shift, cache, cache_id);
	if (likely(slot))
		KMA_SITE_STAT(t, other_sites, page_other_sites);
	else
		kma_site_dropped(t, shift);
	return slot;
}

/*
 * Return: the class that stands for @class, whose cache number @id is a reserved one: the gfp flags
 * are unknown, and kind, order and migrate type are the same.
 */
static unsigned long kma_site_class_other(const struct kma_sitetab *t, const struct kma_origin *o,
					  unsigned long class, int id)
{
	/* Count each page allocation once: one that is sampled counts in an exact row as well. */
	if (o->shift == KMA_SHIFT_EXACT)
		kma_stat_inc(page_other_classes);
	return kma_class_kind(t->caches.info[id].class, class & KMA_CLASS_KIND);
}

static const struct kma_site_slot *
kma_sitetab_insert(struct kma_sitetab *t, const struct kma_origin *o,
		   unsigned long key, unsigned long cache)
{
	const struct kma_site_slot *slot = NULL;
	const int cache_id = kma_cachetab_get(&t->caches, cache);

	if (unlikely(t->pages && kma_cache_is_other(cache_id))) {
		cache = kma_site_class_other(t, o, cache, cache_id);
		slot = kma_sitetab_find(t, key, cache);
	}
	slot = slot ?: kma_sitetab_try_add(t, o, key, cache, cache_id);
	return slot ?: kma_site_other(t, o->shift, cache, cache_id);
}

const struct kma_site_slot *kma_sitetab_new(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache)
{
	const struct kma_origin o = { .site = site };

	return kma_sitetab_insert(t, &o, site, cache);
}

const struct kma_site_slot *kma_sitetab_helper(struct kma_sitetab *t, unsigned long site,
					       unsigned long cache)
{
	const struct kma_origin o = { .site = site };
	/*
	 * Clear bit 62, which is set in a kernel address.  Bit 63 stays set, unlike in the key of
	 * a sample.  So this key is neither an address nor a hash.
	 */
	const unsigned long key = site & ~(1UL << 62);

	return kma_sitetab_find(t, key, cache) ?: kma_sitetab_insert(t, &o, key, cache);
}

const struct kma_site_slot *kma_sitetab_far(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache)
{
	return kma_sitetab_find_far(t, site, cache);
}

u32 kma_sitetab_known(struct kma_sitetab *t, unsigned long site, unsigned long cache)
{
	const struct kma_site_slot *slot = kma_sitetab_find(t, site, cache);

	return slot ? READ_ONCE(slot->id) : t->other[kma_cachetab_get(&t->caches, cache)].id;
}

static bool kma_site_stacks_full(const struct kma_sitetab *t)
{
	return (u32)atomic_read(&t->stacks) >= kma_sitetab_stacks_max(t);
}

const struct kma_site_slot *kma_sitetab_sample(struct kma_sitetab *t,
					       const struct kma_origin *o,
					       unsigned long cache)
{
	struct kma_origin alone = *o;
	unsigned long key = kma_site_key(o);
	const struct kma_site_slot *slot;

	if (kma_sitetab_near(t, key, cache, &slot))
		return slot;
	slot = kma_sitetab_find_far(t, key, cache);
	if (!slot && kma_origin_frames(o) && kma_site_stacks_full(t)) {
		kma_stat_inc(stacks_full);
		alone.stack = NULL;
		key = kma_site_key(&alone);
		slot = kma_sitetab_find(t, key, cache);
	}
	return slot ?: kma_sitetab_insert(t, &alone, key, cache);
}

/* Free the slot that kma_site_park() gave to a row whose module is being unloaded. */
static void kma_site_unpark(struct kma_sitetab *t, const struct kma_site_info *info)
{
	const unsigned long parked = kma_site_parked(info->cache);
	u32 i, reach = READ_ONCE(kma_site_slot(t, info->key, parked, 0)->reach);
	struct kma_site_slot *slot;

	for (i = 0; i <= reach; i++) {
		slot = kma_site_slot(t, info->key, parked, i);
		if (kma_site_slot_is(slot, info->key, parked) &&
		    READ_ONCE(slot->id) == info - t->info)
			kma_site_slot_free(slot, info->key);
	}
}

void kma_sitetab_retire(struct kma_sitetab *t, u32 id)
{
	struct kma_site_info *info = &t->info[id];

	if (kma_site_state_change(info, KMA_SITE_LIVE, KMA_SITE_NO_MODULE)) {
		kma_site_slot_free(kma_site_slot_of(t, info), info->key);
		atomic_inc(&t->retired);
	} else if (kma_site_state_change(info, KMA_SITE_NO_CACHE, KMA_SITE_NO_MODULE)) {
		kma_site_unpark(t, info);
	}
}

void kma_sitetab_skip(struct kma_sitetab *t, u32 id)
{
	struct kma_site_info *info = &t->info[id];

	if (!kma_site_state_change(info, KMA_SITE_LIVE, KMA_SITE_SKIPPED))
		return;
	kma_site_slot_leave(kma_site_slot_of(t, info), info->key);
	atomic_inc(&t->retired);
}

/* Retire the rows of a cache number whose slots have a cache word. */
static void kma_sitetab_retire_rows(struct kma_sitetab *t, int id, unsigned long cache)
{
	/* Pairs with the cmpxchg in kma_sitetab_enlist(). */
	u32 next = smp_load_acquire(&t->first[id]);

	for (; next; next = READ_ONCE(t->info[next - 1].next))
		kma_sitetab_retire_row(t, &t->info[next - 1], cache);
}

void kma_sitetab_retire_cache(struct kma_sitetab *t, unsigned long cache)
{
	int id[KMA_CACHES_PROBES], nr = 0;

	/*
	 * Retire all numbers first.  While rows are being retired, an event of a merged cache may
	 * give the cache a number again, which then belongs to the name that stays.
	 */
	while (nr < KMA_CACHES_PROBES && kma_cachetab_retire(&t->caches, cache, &id[nr]))
		nr++;
	while (nr--)
		kma_sitetab_retire_rows(t, id[nr], cache);
}
