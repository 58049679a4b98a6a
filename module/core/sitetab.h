/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites: where memory is allocated, and per-CPU counters for each.
 *
 * One row of counters stands for one call site and one cache.  A call site that
 * allocates from several caches (a kmalloc of a variable size) has several rows, and
 * the tables add them up: `callers` by call site, `caches` by cache.  Such rows are
 * cheap: all objects of a row take the same number of bytes, so the bytes allocated,
 * freed and live follow from counts, and one look-up serves both tables.
 *
 *	map: (site, cache) --hash--> one of two slots: row number, per-CPU counters
 *	info[number]: site, cache, shift of samples
 *	row[number]: per-CPU counters, for frees, which know the number
 *
 * A pair of site and cache is in the slot that its hash names or, if that was taken, in
 * the other slot of the same cache line.  The probe looks at both.  If both were taken,
 * the pair is in one of the 64 slots around them, and a function looks for it there.
 *
 * Probes add rows without a lock: a probe claims a free slot with cmpxchg, fills it,
 * and publishes it by storing the site.  The tables of caches and of live objects
 * are filled in the same way.  Two CPUs that see a new pair at the same time may
 * make two rows for it.  This is harmless: the tables print the sum of both.
 *
 * When all rows are in use, a new pair counts in the row [other] of its cache.  These
 * rows, one for each cache, are set aside from the start, so that the sums over all rows
 * are right even when the table is full.
 *
 * After a module is unloaded, its addresses may be given to another module.  So the
 * names of its call sites are looked up and kept while it is still loaded, and then
 * their slots are retired: no look-up finds a retired slot, and a new call site at the
 * same address gets a row of its own.  The counters stay.  Slots whose kmem_cache is
 * destroyed are retired in the same way, but their rows are used again when a cache of
 * the same name appears at the same call site.
 *
 * Samples have rows of their own, one for each call site, cache, shift (sample.h) and
 * stack.  All objects of such a row have the same weight.  So the row counts samples, as
 * other rows count objects, and the reader of a table works out how many objects the
 * samples stand for.  In the map, a hash of site, shift and stack takes the place of the
 * site.  Bit 63 of it is 0 and bit 62 is 1, as in no kernel address, so it cannot be
 * taken for a site.  The hash has 62 bits: the chance that any two stacks of a table of
 * 8,192 have the same hash is one in 10^11.  At most three quarters of the rows have a
 * stack; further samples are counted by site, cache and shift, without their stacks.
 *
 * A row [other] counts either samples of one shift or objects that were not sampled,
 * whichever came first, because the weight of a mixture would not be known.  What is
 * of another kind and finds no row of its own is dropped.
 *
 * Some kernels trace a large kmalloc twice, the first time with a call site inside the
 * allocator.  The sites of these first events are in `inner`.  They never get a slot,
 * so a probe searches `inner` only for a pair that is in no slot, and other events pay
 * nothing.  trace/double.c learns them.
 */
#ifndef KMA_CORE_SITETAB_H
#define KMA_CORE_SITETAB_H

#include "cachetab.h"
#include "env.h"
#include "event.h"
#include "sample.h"
#include "stack.h"
#include "stat.h"

#define KMA_SITES_MIN		64
#define KMA_SITES_MAX		(U16_MAX + 1 - KMA_CACHES_MAX)
#define KMA_SITES_PROBES	64
#define KMA_INNER_MAX		8

/* Special values of a slot's site.  No code is at these addresses. */
#define KMA_SITE_FREE		0UL
#define KMA_SITE_BUSY		1UL
#define KMA_SITE_RETIRED	2UL

/**
 * struct kma_origin - where an allocation comes from, apart from its cache
 * @site: the call site
 * @shift: binary logarithm of the N it was sampled with, or KMA_SHIFT_EXACT
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
 * @bytes_req: bytes that these asked for; 0 for a kmem_cache
 * @frees: objects of this row whose free was seen
 * @repaired: objects whose free was not seen: their address was allocated again, or
 *	their page was freed
 * @no_entry: objects that found no room in the live table
 * @pingpong: frees on another CPU than the allocation
 * @cross_node: hits that asked for another NUMA node than their CPU's
 * @bulk: objects from bulk allocations, which are not in @hits
 * @rest_freed: only for page allocations: pages after the first whose free was seen
 * @rest_repaired: only for page allocations: pages after the first that were allocated
 *	again without a free in between
 *
 * One object may add to a counter on one CPU and to another counter on another CPU, so
 * only the sums over all CPUs have a meaning.  While no probe runs,
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

/**
 * kma_row_live() - number of live objects of a row
 * @sum: the row's counters, added up over all CPUs
 *
 * Context: any.
 * Return: the number.
 */
static inline u64 kma_row_live(const struct kma_row *sum)
{
	return sum->hits + sum->bulk - sum->frees - sum->repaired - sum->no_entry;
}

#define KMA_ROWS_PER_CHUNK	(KMA_PERCPU_CHUNK_BYTES / sizeof(struct kma_row))

/**
 * struct kma_site_slot - a slot of the map: from a (site, cache) pair to its row
 * @site: the call site; for samples, the hash of kma_site_key(); or a special value
 * @cache: the cache word (event.h)
 * @id: number of the row
 * @what: @id + 1, as the record of a page holds it; read only in slots that are never
 *	retired, those of rows that count all page allocations of a class
 * @row: the row's counters
 *
 * A slot may be retired and given to another pair while a probe works with it, even if
 * that probe allocates from the slot's cache: kmem_cache_destroy() is also called when
 * one of the names of a merged cache goes away.  So a probe reads @id once.  Then its
 * counts and its entry in the live table belong to one row, whichever pair the slot
 * stands for by then.
 */
struct kma_site_slot {
	unsigned long site;
	unsigned long cache;
	u32 id;
	u32 what;
	struct kma_row __percpu *row;
} __aligned(32);

/* A power of two, so that map_mask can select a slot by its offset in bytes. */
static_assert(sizeof(struct kma_site_slot) == 32);

/**
 * enum kma_site_state - what has become of a row
 * @KMA_SITE_UNUSED: not in use, or being filled
 * @KMA_SITE_LIVE: in use; a slot of the map leads to it
 * @KMA_SITE_NO_CACHE: retired, because its cache was destroyed
 * @KMA_SITE_AGAIN: its cache has come again; it is being given a new slot
 * @KMA_SITE_NO_MODULE: retired, because its module was unloaded; its address is no
 *	longer that of its code
 */
enum kma_site_state {
	KMA_SITE_UNUSED,
	KMA_SITE_LIVE,
	KMA_SITE_NO_CACHE,
	KMA_SITE_AGAIN,
	KMA_SITE_NO_MODULE,
};

/**
 * struct kma_site_info - what a row stands for
 * @site: address of the call site; 0 for a row [other]
 * @key: what its slot in the map has in place of the site
 * @cache: number of the cache
 * @state: an enum kma_site_state
 * @slot: index of its slot in the map
 * @shift: binary logarithm of the N its objects were sampled with, or KMA_SHIFT_EXACT;
 *	KMA_SHIFT_NONE for a row [other] that has counted nothing yet
 * @nr_frames: number of frames of its stack; 0 if it has none
 */
struct kma_site_info {
	unsigned long site;
	unsigned long key;
	int cache;
	int state;
	u32 slot;
	int shift;
	u32 nr_frames;
};

#define KMA_SHIFT_NONE	-1

/**
 * struct kma_sitetab - the table of call sites
 * @map: the slots
 * @map_mask: selects the offset of a slot in bytes: size of the map, a power of two,
 *	minus the size of one slot
 * @sites_max: number of rows for pairs; the rows [other] have the numbers from there on
 * @used: rows handed out; may exceed @sites_max when CPUs compete for the last rows
 * @retired: number of rows in state KMA_SITE_NO_CACHE or KMA_SITE_NO_MODULE
 * @no_cache: true once a row has been retired because its cache was destroyed
 * @sampled: true once there is a row of samples
 * @pages: rows count page allocations, and have no stacks
 * @stacks: number of rows that have a stack
 * @info: what each row stands for
 * @frame: stacks, KMA_FRAMES_MAX return addresses for each row
 * @row: the counters of each row
 * @chunk: the per-CPU memory that @row points into
 * @other: for each cache, the slot of its row [other]; these slots are not in the map
 * @inner: call sites of the first of two events for one object
 * @nr_inner: number of entries in @inner
 * @caches: the caches
 */
struct kma_sitetab {
	struct kma_site_slot *map;
	u32 map_mask;
	u32 sites_max;
	atomic_t used;
	atomic_t retired;
	bool no_cache;
	bool sampled;
	bool pages;
	atomic_t stacks;
	struct kma_site_info *info;
	unsigned long *frame;
	struct kma_row __percpu **row;
	struct kma_row __percpu **chunk;
	struct kma_site_slot *other;
	unsigned long inner[KMA_INNER_MAX];
	int nr_inner;
	struct kma_cachetab caches;
};

/**
 * kma_sitetab_bytes() - memory that a table of objects takes
 * @sites_max: number of rows for pairs
 * @nr_cpus: number of CPUs that may ever count
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_sitetab_bytes(u32 sites_max, unsigned int nr_cpus);

/**
 * kma_sitetab_init() - make an empty table of objects
 * @t: the table
 * @sites_max: number of rows for pairs, KMA_SITES_MIN to KMA_SITES_MAX
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, and then no memory is left allocated.
 */
int kma_sitetab_init(struct kma_sitetab *t, u32 sites_max);

/**
 * kma_sitetab_pages_bytes() - memory that a table of page allocations takes
 * @sites_max: number of rows for pairs
 * @nr_cpus: number of CPUs that may ever count
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_sitetab_pages_bytes(u32 sites_max, unsigned int nr_cpus);

/**
 * kma_sitetab_init_pages() - make an empty table of page allocations (pagealloc.h)
 * @t: the table
 * @sites_max: number of rows for pairs, KMA_SITES_MIN to KMA_SITES_MAX
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, and then no memory is left allocated.
 */
int kma_sitetab_init_pages(struct kma_sitetab *t, u32 sites_max);

/**
 * kma_sitetab_destroy() - free a table
 * @t: the table; may be zeroed memory
 *
 * Context: process, may sleep; no probe and no reader uses the table any more.
 */
void kma_sitetab_destroy(struct kma_sitetab *t);

/**
 * kma_sitetab_rows() - how many row numbers there are
 * @t: the table
 *
 * Context: any.
 * Return: the limit; the number of every row, [other] included, is below it.
 */
static inline u32 kma_sitetab_rows(const struct kma_sitetab *t)
{
	return t->sites_max + KMA_CACHES_MAX;
}

/**
 * kma_sitetab_info() - what a row stands for
 * @t: the table
 * @id: number of the row
 *
 * Context: any.
 * Return: the row's description, or NULL if the row is not in use.
 */
const struct kma_site_info *kma_sitetab_info(const struct kma_sitetab *t, u32 id);

/**
 * kma_sitetab_sum() - add up the counters of a row over all CPUs
 * @t: the table
 * @id: number of the row
 * @sum: the result
 *
 * Frees and other losses are read before hits, so that kma_row_live() is never negative.
 *
 * Context: any; probes may run at the same time.
 */
void kma_sitetab_sum(const struct kma_sitetab *t, u32 id, struct kma_row *sum);

/**
 * kma_sitetab_retire() - retire a row, because the code of its call site goes away
 * @t: the table
 * @id: number of the row, in use and below @t->sites_max
 *
 * Context: process; the code of the call site does not run any more.
 */
void kma_sitetab_retire(struct kma_sitetab *t, u32 id);

/**
 * kma_sitetab_retire_cache() - retire a kmem_cache that is about to be destroyed
 * @t: the table
 * @cache: address of the kmem_cache
 *
 * Retires all its rows, and its number as kma_cachetab_retire() does.
 *
 * Context: any, but this reads all rows.  No object of the cache is being allocated,
 * unless @cache has been merged and only one of its names goes away: then the next
 * event makes a row for it again.
 */
void kma_sitetab_retire_cache(struct kma_sitetab *t, unsigned long cache);

/**
 * kma_sitetab_is_inner() - whether an event is the first of two for one object
 * @t: the table
 * @site: call site of the event
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool kma_sitetab_is_inner(const struct kma_sitetab *t,
					unsigned long site)
{
	int i;

	for (i = 0; i < t->nr_inner; i++)
		if (t->inner[i] == site)
			return true;
	return false;
}

/**
 * kma_sitetab_sample() - find or make the row for samples of an origin
 * @t: the table
 * @o: the origin, with a shift
 * @cache: the cache word
 *
 * Context: a probe, any context.
 * Return: the slot that leads to the row, which may be [other]; or NULL if the sample
 * is not to be counted, and then the reason has been counted.
 */
const struct kma_site_slot *kma_sitetab_sample(struct kma_sitetab *t,
					       const struct kma_origin *o,
					       unsigned long cache);

/**
 * kma_sitetab_known() - find the row of a pair that was counted before
 * @t: the table
 * @site: the call site
 * @cache: the cache word; kma_sitetab_get() has returned a slot for this pair
 *
 * Context: a probe, any context.
 * Return: number of the row, which may be [other].
 */
u32 kma_sitetab_known(struct kma_sitetab *t, unsigned long site, unsigned long cache);

/**
 * kma_sitetab_frames() - the stack of a row
 * @t: the table, of objects
 * @id: number of the row
 *
 * Context: any.
 * Return: the return addresses, the call site first; their number is @nr_frames of
 * kma_sitetab_info().
 */
static inline const unsigned long *kma_sitetab_frames(const struct kma_sitetab *t,
						      u32 id)
{
	return &t->frame[(size_t)id * KMA_FRAMES_MAX];
}

/**
 * kma_sitetab_is_sampled() - whether a row counts samples
 * @t: the table
 * @id: number of a row that is in use, or that an entry of the live table names
 *
 * Context: any.
 * Return: true if it does.
 */
static inline bool kma_sitetab_is_sampled(const struct kma_sitetab *t, u32 id)
{
	return READ_ONCE(t->info[id].shift) > KMA_SHIFT_EXACT;
}

/* Offset of a pair's slot in the map.  It is in bytes, which saves a shift. */
static __always_inline u32 kma_sitetab_hash(const struct kma_sitetab *t,
					    unsigned long site,
					    unsigned long cache)
{
	/*
	 * In a map of 2^14 slots, this multiplier keeps addresses apart that are close to
	 * each other, or at equal distances, as in functions of one length (design.rst).
	 * Each of the bits 0 to 31 affects the result; bit 31 of a class is bit 22 of its
	 * gfp flags.
	 */
	return (site + cache) * 0x2c1b3c6dUL >> 13 & t->map_mask;
}

/* The first choice for a pair: the pair is there unless another one had taken the slot. */
static __always_inline const struct kma_site_slot *
kma_sitetab_first(const struct kma_sitetab *t, unsigned long site,
		  unsigned long cache)
{
	return (void *)t->map + kma_sitetab_hash(t, site, cache);
}

/*
 * The second choice: the pair is there unless a third one had taken that slot, too.  It is
 * the other slot of the same cache line, because the map is aligned.
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
	/* Both pair with the releases in kma_site_fill(). */
	return kma_acquire_is(&slot->site, site) &&
	       kma_acquire_is(&slot->cache, cache);
}

/**
 * kma_sitetab_near() - look for the row of a call site and cache in its two slots
 * @t: the table
 * @site: the call site
 * @cache: the cache word
 * @slot: where true is returned: the slot that leads to the row
 *
 * Context: a probe, any context.
 * Return: true if the row was found; otherwise kma_sitetab_far() has to be called.
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

/**
 * kma_sitetab_far() - find or make the row of a pair that kma_sitetab_near() did not find
 * @t: the table
 * @site: the call site
 * @cache: the cache word
 *
 * Context: a probe, any context.
 * Return: the slot that leads to the row, which may be [other]; or NULL if the event
 * is not to be counted, and then the reason has been counted.
 */
const struct kma_site_slot *kma_sitetab_far(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache);

/**
 * kma_sitetab_get() - find or make the row of a call site and cache
 * @t: the table
 * @site: the call site
 * @cache: the cache word
 *
 * Context: a probe, any context.
 * Return: the slot that leads to the row, which may be [other]; or NULL if the event
 * is not to be counted, and then the reason has been counted.
 */
static inline const struct kma_site_slot *
kma_sitetab_get(struct kma_sitetab *t, unsigned long site, unsigned long cache)
{
	const struct kma_site_slot *slot;

	return kma_sitetab_near(t, site, cache, &slot) ? slot :
	       kma_sitetab_far(t, site, cache);
}

#endif /* KMA_CORE_SITETAB_H */
