/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites: where memory is allocated, and per-CPU counters for each of them.
 *
 * One row of counters stands for one call site and one cache.  A call site that
 * allocates from several caches (a kmalloc of a variable size) has several rows, and
 * the tables add them up: `callers` by call site, `caches` by cache.  This is cheap: all
 * objects of a row take the same number of bytes, so the bytes allocated, freed and live
 * are computed from counts of objects, and one look-up serves both tables.
 *
 *	map: (site, cache) --hash--> one of two slots: row number, per-CPU counters
 *	info[row number]: site, cache, shift of samples
 *	row[row number]: per-CPU counters; a free gets the row number from the live table
 *
 * The hash of a (site, cache) pair picks a slot.  If that slot was taken, the pair is in the
 * other slot of the same cache line.  The inlined look-up, kma_sitetab_near(), reads these
 * two slots.  If both were taken, the pair is in one of the 64 slots around them, where
 * kma_sitetab_far() looks for it.  The member `reach` of the first slot bounds this search, so
 * that a miss does not read all 64 slots.
 *
 * Probes add rows without a lock: a probe claims a free slot with cmpxchg, fills it,
 * and publishes it by storing the site.  The tables of caches and of live objects
 * are filled in the same way.  Two CPUs that see a new pair at the same time may
 * make two rows for it.  This is harmless: the tables print the sum of both.
 *
 * When all rows are in use, a new pair is counted in the row [other] of its cache.  The
 * [other] rows, one for each cache, are set aside from the start, so that the sums over all
 * rows are right even when the table is full.  A full table is a normal state: finding
 * the row [other] writes no shared memory.
 *
 * After a module is unloaded, its addresses may be given to another module.  So the
 * names of its call sites are looked up and kept while it is still loaded, and then
 * their rows are retired: their slots become free, and a new call site at the same
 * address gets a row of its own.  The counters stay until the row is recycled (recycle.h).
 * Rows whose kmem_cache is destroyed are retired in the same way, but they are used again when
 * a cache of the same name appears at the same call site.  So that it can be found then, such a
 * row is parked: it gets a slot with the number of the cache, which is stable, instead of its
 * address.
 *
 * Samples have rows of their own, one for each call site, cache, shift (sample.h) and
 * stack.  All objects of such a row have the same weight, so the row only has to count
 * samples; the code that prints a table computes how many objects they stand for.  In the
 * map, a hash of site, shift and stack takes the place of the site.  Its bit 63 is 0 and its
 * bit 62 is 1.  No kernel address is like that, so a hash cannot be mistaken for a site.
 * The hash has 62 bits: the chance that any two stacks of a table of 8,192 have the same
 * hash is one in 10^11.  At most three quarters of the rows have a stack; further samples
 * are counted by site, cache and shift, without their stacks.
 *
 * A row [other] counts either samples of one shift or objects that were not sampled,
 * whichever came first.  It never counts a mixture, whose weight would not be known.  For each
 * further shift, the cache gets one more row [other], which is in the map like that of a call
 * site, with 0 in place of the site.  A sixteenth of the rows is left to these.  Only if even
 * those are in use, an event that finds no row of its own is dropped.
 *
 * Some kernels trace a large kmalloc twice, the first time with a call site inside the
 * allocator.  The call sites of these first events are in `internal`, where trace/double.c
 * puts them when the probes are attached.  They never get a slot, so a probe searches
 * `internal` only for a pair that is in no slot, and events with a slot do not pay for this.
 * A call site in a helper (match/caller.h) has no slot under its own address either, so that a
 * probe looks for helpers only after it has found no slot.  record.c then looks for the caller.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free the table: process, may sleep.
 */
#ifndef KMA_CORE_SITETAB_H
#define KMA_CORE_SITETAB_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "cachetab.h"
#include "env.h"
#include "event.h"
#include "sample.h"
#include "spare.h"
#include "stack.h"
#include "stat.h"

#define KMA_SITES_MIN		64
#define KMA_SITES_MAX		(U16_MAX + 1 - KMA_CACHES_MAX - KMA_CACHES_RESERVED)
/* The number of rows that call sites may use.  The rest is left to further rows [other]. */
#define KMA_PAIRS_MAX(sites_max)	((sites_max) / 16 * 15)
#define KMA_SITES_PROBES	64
#define KMA_INTERNAL_MAX		8

/*
 * Special values of a slot's @site: free; claimed by a probe that is filling it; taken out of use
 * by recycling or kma_sitetab_skip(), while probes may still use it.  There is no code at these
 * addresses.
 */
#define KMA_SITE_FREE		0UL
#define KMA_SITE_BUSY		1UL
#define KMA_SITE_LEFT		2UL

/**
 * struct kma_origin - where an allocation comes from, apart from its cache
 * @site: the call site; 0 for a row [other]
 * @shift: binary logarithm of the N that the allocation was sampled with (sample.h), or
 *	KMA_SHIFT_EXACT
 * @stack: stack of a sample, whose first frame is @site; NULL if there is none
 */
struct kma_origin {
	unsigned long site;
	int shift;
	const struct kma_stack *stack;
};

/**
 * struct kma_row - the counters of one call site and cache, on one CPU
 * @hits: allocation events that returned memory
 * @bytes_req: bytes that these allocations requested; 0 for a kmem_cache
 * @frees: objects of this row whose free was seen
 * @repaired: objects whose free was not seen: their address was allocated again, or
 *	their page was freed
 * @no_entry: objects that found no room in the live table
 * @pingpong: frees on another CPU than the one that allocated the object
 * @cross_node: allocations that requested a NUMA node other than that of their CPU
 * @bulk: objects from bulk allocations, which are not in @hits
 * @rest_freed: page allocations only: pages whose free was seen, not counting the first
 *	page of each page allocation
 * @rest_repaired: page allocations only: pages that were allocated again without a free in
 *	between, not counting the first page of each page allocation
 *
 * An object may be allocated on one CPU and freed on another, so only the sums over all
 * CPUs have a meaning.  While no probe runs,
 * hits + bulk = frees + repaired + no_entry + live objects.
 */
struct kma_row {
	u64 hits;
	union {
		u64 bytes_req;
		u64 rest_freed;
	};
	u64 frees;
	u64 repaired;
	u64 no_entry;
	u64 pingpong;
	union {
		u64 cross_node;
		u64 rest_repaired;
	};
	u64 bulk;
};

static_assert(sizeof(struct kma_row) == 64);

/* Number of live objects.  @sum has the counters added up over all CPUs. */
static inline u64 kma_row_live(const struct kma_row *sum)
{
	return sum->hits + sum->bulk - sum->frees - sum->repaired - sum->no_entry;
}

static inline void kma_row_add(struct kma_row *to, const struct kma_row *row)
{
	to->hits += row->hits;
	to->bytes_req += row->bytes_req;
	to->frees += row->frees;
	to->repaired += row->repaired;
	to->no_entry += row->no_entry;
	to->pingpong += row->pingpong;
	to->cross_node += row->cross_node;
	to->bulk += row->bulk;
}

static inline void kma_row_subtract(struct kma_row *from, const struct kma_row *row)
{
	from->hits -= row->hits;
	from->bytes_req -= row->bytes_req;
	from->frees -= row->frees;
	from->repaired -= row->repaired;
	from->no_entry -= row->no_entry;
	from->pingpong -= row->pingpong;
	from->cross_node -= row->cross_node;
	from->bulk -= row->bulk;
}

/*
 * Number of pages that are not live any more: those whose free was seen, and those whose missed
 * free was found out later.  @sum has the counters added up over all CPUs.
 */
static inline u64 kma_row_pages_gone(const struct kma_row *sum)
{
	return sum->frees + sum->rest_freed + sum->repaired + sum->rest_repaired;
}

/* The live pages of a row of page allocations of an order. */
static inline u64 kma_row_live_pages(const struct kma_row *sum, unsigned int order)
{
	return ((sum->hits + sum->bulk - sum->no_entry) << order) - kma_row_pages_gone(sum);
}

#define KMA_ROWS_PER_CHUNK	(KMA_PERCPU_CHUNK_BYTES / sizeof(struct kma_row))

/**
 * struct kma_site_slot - a slot of the map: from a (site, cache) pair to its row
 * @site: the call site; for samples, the hash of kma_site_key(); for a call site in a helper, the
 *	key of kma_sitetab_helper(); or a special value
 * @cache: the cache word (event.h); for a parked row, the number of its cache and a mark
 * @id: number of the row
 * @reach: the highest number of a slot that was ever claimed for a pair whose first slot this
 *	is, where the first slot has the number 0; it never decreases
 * @charge: @charge of the pair's cache (cachetab.h)
 * @what: @id + 1, as stored in the record of a page (pfntab.h).  It is read only in the slots
 *	of rows that count all page allocations of a class, which are never retired.
 * @row: the row's counters
 *
 * When rows are recycled, their slots are given to other pairs only after all probes that may have
 * read them have ended.  When a cache is destroyed, the slots of its rows are free at once.  If
 * another pair gets such a slot while a probe is between its reads of @site, @cache and @id, the
 * probe may count its event in the row of that pair.  The event has to come from the same call site
 * and another cache, or from a merged cache of which only one name goes away.  A probe reads @id
 * only once, so that its counts and its entry in the live table always belong to the same row.
 */
struct kma_site_slot {
	unsigned long site;
	unsigned long cache;
	u16 id;
	u8 reach;
	u8 charge;
	u32 what;
	struct kma_row __percpu *row;
} __aligned(32);

/* The numbers of all rows fit into @id, and those of the slots of a pair into @reach. */
static_assert(KMA_SITES_MAX + KMA_CACHES_MAX + KMA_CACHES_RESERVED <= U16_MAX + 1);
static_assert(KMA_SITES_PROBES <= 256);

/* A power of two, so that masking a hash with map_mask gives the offset of a slot in bytes. */
static_assert(sizeof(struct kma_site_slot) == 32);

/**
 * enum kma_site_state - the state of a row
 * @KMA_SITE_UNUSED: not in use, or being filled
 * @KMA_SITE_LIVE: in use; a slot of the map leads to it
 * @KMA_SITE_NO_CACHE: retired, because its cache was destroyed; a parked slot leads to it,
 *	unless none was free
 * @KMA_SITE_AGAIN: getting a new slot, because a cache with the name of its own was created
 * @KMA_SITE_NO_MODULE: retired, because its module was unloaded: other code may be at the
 *	address of the call site by now
 * @KMA_SITE_SKIPPED: retired, because its call site is in a helper: kma_sitetab_skip()
 * @KMA_SITE_LEAVING: being recycled (recycle.h): slots that lead to it are taken out of use, and
 *	the row is not used again before it has no live objects
 * @KMA_SITE_EMPTY: being recycled, and without live objects
 */
enum kma_site_state {
	KMA_SITE_UNUSED,
	KMA_SITE_LIVE,
	KMA_SITE_NO_CACHE,
	KMA_SITE_AGAIN,
	KMA_SITE_NO_MODULE,
	KMA_SITE_SKIPPED,
	KMA_SITE_LEAVING,
	KMA_SITE_EMPTY,
};

/**
 * struct kma_site_info - what a row stands for
 * @site: address of the call site; 0 for a row [other]
 * @key: the value of @site in the row's slot: the call site or, for samples and for call sites in
 *	helpers, another key
 * @cache: number of the cache
 * @state: an enum kma_site_state
 * @slot: index of the slot in the map that the row has, or had when it was last live
 * @shift: binary logarithm of the N that the row's objects were sampled with, or
 *	KMA_SHIFT_EXACT; KMA_SHIFT_NONE for a row [other] that has counted nothing yet
 * @nr_frames: number of frames of the row's stack; 0 if the row has no stack
 * @next: number of the next row of the same cache, plus 1; 0 at the end of the list
 * @counted: for recycling.c: the number of objects that the row had counted when it was last read
 */
struct kma_site_info {
	unsigned long site;
	unsigned long key;
	int cache;
	int state;
	u32 slot;
	int shift;
	u32 nr_frames;
	u32 next;
	u32 counted;
};

#define KMA_SHIFT_NONE	-1

/* The shifts that a row may have, KMA_SHIFT_EXACT included. */
#define KMA_PAST_SHIFTS	(KMA_SHIFT_MAX - KMA_SHIFT_MIN + 2)

/**
 * struct kma_sitetab - the table of call sites
 * @map: the slots
 * @map_mask: mask for the offset of a slot in bytes: the size of the map in bytes, a power
 *	of two, minus the size of one slot
 * @sites_max: number of rows for pairs; the numbers of the [other] rows begin here
 * @spare: the numbers of rows for pairs that are not in use
 * @retired: number of rows that are in use, but neither in state KMA_SITE_LIVE nor in
 *	KMA_SITE_AGAIN
 * @no_cache: true once a row has been retired because its cache was destroyed; while
 *	false, look-ups of parked rows are skipped
 * @sampled: true once a row counts samples
 * @pages: true if the rows count page allocations, and so have no stacks
 * @stacks: number of rows that have a stack
 * @info: the description of each row
 * @frame: stacks, KMA_FRAMES_MAX return addresses for each row
 * @first: for each cache, the number of the first row of its list, plus 1; 0 if it has no row
 * @row: the counters of each row
 * @chunk: the per-CPU memory that @row points into
 * @past: for each cache and shift, what rows that were recycled have counted; NULL as long as no
 *	rows were recycled
 * @other: for each cache, the slot of its row [other]; these slots are not in the map
 * @internal: call sites inside the allocator, of the first of two events for one object
 * @nr_internal: number of entries in @internal
 * @caches: the caches
 */
struct kma_sitetab {
	struct kma_site_slot *map;
	u32 map_mask;
	u32 sites_max;
	struct kma_spare spare;
	atomic_t retired;
	bool no_cache;
	bool sampled;
	bool pages;
	atomic_t stacks;
	struct kma_site_info *info;
	unsigned long *frame;
	u32 *first;
	struct kma_row __percpu **row;
	struct kma_row __percpu **chunk;
	struct kma_row *past;
	struct kma_site_slot *other;
	unsigned long internal[KMA_INTERNAL_MAX];
	int nr_internal;
	struct kma_cachetab caches;
};

/* Bytes that a table of objects takes, with @sites_max rows for pairs. */
u64 kma_sitetab_bytes(u32 sites_max, unsigned int nr_cpus);

/* Allocate a table of objects with KMA_SITES_MIN to KMA_SITES_MAX rows.  Returns 0 or -ENOMEM. */
int kma_sitetab_init(struct kma_sitetab *t, u32 sites_max);

/* Like kma_sitetab_bytes(), for a table of page allocations. */
u64 kma_sitetab_pages_bytes(u32 sites_max, unsigned int nr_cpus);

/* Like kma_sitetab_init(), for a table of page allocations (pagealloc.h). */
int kma_sitetab_init_pages(struct kma_sitetab *t, u32 sites_max);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_sitetab_destroy(struct kma_sitetab *t);

/* Number of rows, used or not, [other] rows included; all row numbers are below it. */
static inline u32 kma_sitetab_rows(const struct kma_sitetab *t)
{
	return t->sites_max + t->caches.nr;
}

/* Number of rows for pairs that are in use, retired rows included. */
static inline u32 kma_sitetab_used(const struct kma_sitetab *t)
{
	return t->sites_max - kma_spare_left(&t->spare);
}

/* Number of rows of a table of objects that may have a stack. */
static inline u32 kma_sitetab_stacks_max(const struct kma_sitetab *t)
{
	return t->sites_max / 4 * 3;
}

/* The description of a row; NULL if the row is not in use. */
const struct kma_site_info *kma_sitetab_info(const struct kma_sitetab *t, u32 id);

/*
 * Add up the counters of a row over all CPUs, while probes may run.  All other counters are read
 * before @hits and @bulk, so that kma_row_live() is never negative.
 */
void kma_sitetab_sum(const struct kma_sitetab *t, u32 id, struct kma_row *sum);

/* Add a row that is in no list to the list of the rows of its cache. */
void kma_sitetab_enlist(struct kma_sitetab *t, u32 id);

/*
 * Retire a row in use, below @t->sites_max, whose module is being unloaded.  Context: process; the
 * code at the call site does not run any more.
 */
void kma_sitetab_retire(struct kma_sitetab *t, u32 id);

/*
 * Retire a row below @t->sites_max, because its call site is in a helper, and probes count no
 * events at such call sites.  Probes that have found its slot may count a few more.  The slot is
 * taken out of use, and becomes free when rows are recycled (recycle.h).  Context: process.
 */
void kma_sitetab_skip(struct kma_sitetab *t, u32 id);

/*
 * Retire the rows of a kmem_cache that is about to be destroyed and, by kma_cachetab_retire(), its
 * numbers.  This reads only the rows of the cache.  No object of the cache is being allocated,
 * unless @cache is a merged cache and only one of its names goes away: then the next event uses
 * its row again, or makes one.
 */
void kma_sitetab_retire_cache(struct kma_sitetab *t, unsigned long cache);

/* Whether @site is inside the allocator, so that a second event for the same object follows. */
static inline bool kma_sitetab_is_inner(const struct kma_sitetab *t,
					unsigned long site)
{
	int i;

	for (i = 0; i < t->nr_internal; i++)
		if (t->internal[i] == site)
			return true;
	return false;
}

/*
 * Find or make the row that counts samples of an origin, whose @shift is not KMA_SHIFT_EXACT.
 * Returns the slot that leads to the row, which may be [other]; NULL if there is no row for the
 * sample, which has then been counted as dropped or lost (stat.h).  Context: a probe.
 */
const struct kma_site_slot *kma_sitetab_sample(struct kma_sitetab *t,
					       const struct kma_origin *o,
					       unsigned long cache);

/*
 * The row, which may be [other], of a pair for which kma_sitetab_get() has returned a slot before.
 * No event of the cache was sampled.  Context: a probe.
 */
u32 kma_sitetab_known(struct kma_sitetab *t, unsigned long site, unsigned long cache);

/* The return addresses of a row of objects: @nr_frames of kma_sitetab_info(), call site first. */
static inline const unsigned long *kma_sitetab_frames(const struct kma_sitetab *t,
						      u32 id)
{
	return &t->frame[(size_t)id * KMA_FRAMES_MAX];
}

/* Whether a row counts samples.  The row is in use, or an entry of the live table has it. */
static inline bool kma_sitetab_is_sampled(const struct kma_sitetab *t, u32 id)
{
	return READ_ONCE(t->info[id].shift) > KMA_SHIFT_EXACT;
}

/* Offset of a pair's first slot in the map, in bytes: an index would take one more shift. */
static __always_inline u32 kma_sitetab_hash(const struct kma_sitetab *t,
					    unsigned long site,
					    unsigned long cache)
{
	/*
	 * In a map of 2^14 slots, this multiplier gives different slots to addresses that
	 * are close to each other, and to addresses at equal distances, as in functions of
	 * the same length (measurements.rst).  Bits 0 to 31 of the sum all affect the result;
	 * for a class, these go up to bit 22 of its gfp flags.
	 */
	return (site + cache) * 0x2c1b3c6dUL >> 13 & t->map_mask;
}

/* The first slot of a pair: the pair is in it unless another pair had taken it. */
static __always_inline const struct kma_site_slot *
kma_sitetab_first(const struct kma_sitetab *t, unsigned long site,
		  unsigned long cache)
{
	return (void *)t->map + kma_sitetab_hash(t, site, cache);
}

/*
 * The second slot of a pair, for a pair whose first slot was taken.  It is the other slot of the
 * same cache line, because the map is aligned.
 */
static __always_inline const struct kma_site_slot *
kma_sitetab_second(const struct kma_site_slot *first)
{
	return (void *)((unsigned long)first ^ sizeof(*first));
}

static __always_inline bool kma_site_slot_is(const struct kma_site_slot *slot,
					     unsigned long site,
					     unsigned long cache)
{
	/*
	 * The acquire of the site pairs with the releases in kma_site_fill() and
	 * kma_site_park(), and the one of the cache word with that in kma_site_slot_set().
	 */
	return kma_acquire_is(&slot->site, site) &&
	       kma_acquire_is(&slot->cache, cache);
}

/*
 * Look for a pair of call site and cache word in its first two slots.  If this returns true, @slot
 * leads to the row; otherwise the caller has to call kma_sitetab_far().  Context: a probe.
 */
static __always_inline bool kma_sitetab_near(const struct kma_sitetab *t,
					     unsigned long site, unsigned long cache,
					     const struct kma_site_slot **slot)
{
	*slot = kma_sitetab_first(t, site, cache);
	if (likely(kma_site_slot_is(*slot, site, cache)))
		return true;
	*slot = kma_sitetab_second(*slot);
	return likely(kma_site_slot_is(*slot, site, cache));
}

/*
 * Find the row of a pair that kma_sitetab_near() did not find.  Returns its slot, or NULL if the
 * pair has none.  Context: a probe.
 */
const struct kma_site_slot *kma_sitetab_far(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache);

/*
 * Make the row of a pair that is in no slot.  Returns the slot that leads to the row, which may be
 * [other]; NULL if no row counts the event, which has then been counted as dropped (stat.h).
 * Context: a probe.
 */
const struct kma_site_slot *kma_sitetab_new(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache);

/*
 * Find or make the row of a call site in a helper, for an event for which no caller of the helper
 * was found.  kma_sitetab_near() does not find this row, so that the next event looks for the
 * caller again.  The result is as from kma_sitetab_new().  Context: a probe.
 */
const struct kma_site_slot *kma_sitetab_helper(struct kma_sitetab *t, unsigned long site,
					       unsigned long cache);

/* Find or make the row of a pair.  The result is as from kma_sitetab_new().  Context: a probe. */
static inline const struct kma_site_slot *
kma_sitetab_get(struct kma_sitetab *t, unsigned long site, unsigned long cache)
{
	const struct kma_site_slot *slot;

	if (kma_sitetab_near(t, site, cache, &slot))
		return slot;
	return kma_sitetab_far(t, site, cache) ?: kma_sitetab_new(t, site, cache);
}

#endif /* KMA_CORE_SITETAB_H */
