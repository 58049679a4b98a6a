/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites: who allocates, and per-CPU counters for each.
 *
 * One row of counters stands for one call site and one cache.  A site that
 * allocates from several caches (a kmalloc of a variable size) has several
 * rows, and the tables add them up: `callers` by site, `caches` by cache.  The
 * pair is what makes the rows cheap: all objects of a row take the same number
 * of bytes, so bytes allocated, freed and live follow from counts, and one
 * look-up serves both tables.
 *
 *	map: (site, cache) --hash--> one of two slots: row number, per-CPU counters
 *	info[number]: site, cache, name once it is known
 *	row[number]: per-CPU counters, for frees, which know the number
 *
 * A pair is in the slot of its hash, or in the other one of the same cache line if
 * that was taken, and both are looked at in the probe; or else, where several pairs
 * met, somewhere in the 64 slots around.
 *
 * Probes extend the map without a lock, as they do the other tables: claim a
 * free slot with cmpxchg, fill it, publish it by storing the site.  Two CPUs
 * that see a new pair at the same time may make two rows of it, which is
 * harmless: their sums are printed as one.
 *
 * When all rows are in use a new pair counts in the row [other] of its cache.
 * Those rows are kept back from the start, one for each cache, so that sums
 * over all rows are right whatever happens.
 *
 * When a module goes away its addresses may be given to the next one.  So the
 * names of its sites are fetched while it is still there, and then their slots
 * are retired: no look-up finds them any more, and a new site at the same
 * address gets a row of its own.  The counters stay.  Slots whose kmem_cache is
 * destroyed are retired in the same way, but their rows are used again when a
 * cache of the same name appears at the same site.
 *
 * What is sampled has rows of its own, one for each call site, cache, shift
 * (sample.h) and stack.  All objects of such a row weigh the same, so it counts
 * samples as other rows count objects, and what they stand for is worked out when
 * somebody looks.  In the map their place is taken by a hash of site, shift and
 * stack, which is no kernel address, so that it cannot be taken for a site.  It has 62
 * bits: that any two stacks of a table of 8,192 have the same one is one chance in 10^11.
 * At most three rows of four have a stack: beyond that, samples of one site are counted
 * together.
 *
 * A row [other] counts samples of one shift or objects of none, whichever came
 * first, or it would not be known what they stand for; the rest is dropped.
 *
 * On kernels that announce a large kmalloc twice, the first time from inside the
 * allocator, the sites of those first events are in `inner`; they never get a
 * slot, and so cost the others nothing (probe.c learns them).
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

/* Marks in place of a site; no code is at such an address. */
#define KMA_SITE_FREE		0UL
#define KMA_SITE_BUSY		1UL
#define KMA_SITE_RETIRED	2UL

/**
 * struct kma_origin - where an allocation comes from, but for the cache
 * @site: the call site
 * @shift: what it was sampled with, or KMA_SHIFT_EXACT
 * @stack: of a sample, its stack, of which the first frame is @site; or NULL
 */
struct kma_origin {
	unsigned long site;
	int shift;
	const struct kma_stack *stack;
};

/**
 * struct kma_row - the counters of one call site and cache, on one CPU
 * @hits: allocation events that returned memory
 * @bytes_req: bytes they asked for; 0 for a kmem_cache
 * @frees: objects of these whose free was seen
 * @repaired: objects whose address was reused without a free having been seen
 * @no_entry: objects that found no room in the live table
 * @pingpong: frees on another CPU than the allocation
 * @cross_node: hits that asked for another NUMA node than their CPU's
 * @bulk: objects from bulk allocations, which are no hits
 * @rest_freed: of blocks of pages: pages but the first whose free was seen
 * @rest_repaired: likewise those that were allocated again without one
 *
 * One object adds to a counter on one CPU and to another counter on another:
 * only the sums over all CPUs mean something.  When nothing runs,
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
 * kma_row_live() - objects that are live
 * @sum: a row's sums
 *
 * Context: any. Return: their number.
 */
static inline u64 kma_row_live(const struct kma_row *sum)
{
	return sum->hits + sum->bulk - sum->frees - sum->repaired - sum->no_entry;
}

#define KMA_ROWS_PER_CHUNK	(KMA_PERCPU_CHUNK_BYTES / sizeof(struct kma_row))

/**
 * struct kma_site_slot - where a (site, cache) pair leads
 * @site: the call site, or a hash for samples (kma_site_key()), or a mark
 * @cache: the cache's word
 * @id: the row's number
 * @what: the number and one, for rows that are never retired: those of whole classes
 * @row: their counters
 *
 * A slot may be retired and given to another pair while a probe works with it,
 * even one that allocates from this cache: kmem_cache_destroy() is also how one
 * name of merged caches goes.  So a probe reads @id once, and what it counts and
 * the entry it makes are in one row, whatever that is by then.
 */
struct kma_site_slot {
	unsigned long site;
	unsigned long cache;
	u32 id;
	u32 what;
	struct kma_row __percpu *row;
} __aligned(32);

/* A power of two: map_mask. */
static_assert(sizeof(struct kma_site_slot) == 32);

enum kma_site_state {
	KMA_SITE_UNUSED,	/* nobody's, or being filled */
	KMA_SITE_LIVE,		/* the map leads here */
	KMA_SITE_NO_CACHE,	/* its cache was destroyed */
	KMA_SITE_AGAIN,		/* it has come again: being filled anew */
	KMA_SITE_NO_MODULE,	/* its module was unloaded: the address is void */
};

/**
 * struct kma_site_info - what a row stands for
 * @site: the call site's address; 0 for a row [other]
 * @key: what its slot in the map has as a site
 * @cache: number of the cache
 * @state: see enum kma_site_state
 * @slot: where in the map it is
 * @shift: what its objects were sampled with, or KMA_SHIFT_EXACT; of a row [other]
 *	KMA_SHIFT_NONE until there is one
 * @nr_frames: frames of its stack
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
 * struct kma_sitetab - the table
 * @map: the slots
 * @map_mask: their bytes, a power of two, less those of one
 * @sites_max: rows for pairs; the rows [other] have the numbers behind them
 * @used: rows handed out
 * @retired: rows whose state is KMA_SITE_NO_CACHE or KMA_SITE_NO_MODULE
 * @no_cache: whether any row was ever retired for its cache
 * @stacks: rows that have a stack
 * @sampled: whether there is any row of samples
 * @pages: rows are of blocks of pages, and have no stacks
 * @info: of each row
 * @frame: KMA_FRAMES_MAX of each row
 * @row: counters of each row
 * @chunk: the memory behind @row
 * @other: for each cache, the slot of its row [other], which is in no map
 * @inner: sites of the first of two events
 * @nr_inner: how many
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
 * kma_sitetab_bytes() - memory that a table takes
 * @sites_max: rows
 * @nr_cpus: CPUs that may ever count
 *
 * Context: any. Return: bytes.
 */
u64 kma_sitetab_bytes(u32 sites_max, unsigned int nr_cpus);

/**
 * kma_sitetab_init() - make an empty table
 * @t: the table
 * @sites_max: how many rows, KMA_SITES_MIN to KMA_SITES_MAX
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_sitetab_init(struct kma_sitetab *t, u32 sites_max);

/* The same for blocks of pages: see pagealloc.h. */
u64 kma_sitetab_pages_bytes(u32 sites_max, unsigned int nr_cpus);
int kma_sitetab_init_pages(struct kma_sitetab *t, u32 sites_max);

/**
 * kma_sitetab_destroy() - free a table
 * @t: the table; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the table any more.
 */
void kma_sitetab_destroy(struct kma_sitetab *t);

/**
 * kma_sitetab_rows() - how many row numbers there are
 * @t: the table
 *
 * Context: any. Return: every row has a number below this.
 */
static inline u32 kma_sitetab_rows(const struct kma_sitetab *t)
{
	return t->sites_max + KMA_CACHES_MAX;
}

/**
 * kma_sitetab_info() - what a row stands for
 * @t: the table
 * @id: its number
 *
 * Context: any. Return: the row's description, or NULL if it is not in use.
 */
const struct kma_site_info *kma_sitetab_info(const struct kma_sitetab *t, u32 id);

/**
 * kma_sitetab_sum() - add up the counters of a row over all CPUs
 * @t: the table
 * @id: the row
 * @sum: the result; frees and the like are summed before hits, so that
 *	kma_row_live() is never negative
 *
 * Context: any; runs beside probes.
 */
void kma_sitetab_sum(const struct kma_sitetab *t, u32 id, struct kma_row *sum);

/**
 * kma_sitetab_retire() - a row's site is about to lose its code
 * @t: the table
 * @id: the row, below @t->sites_max and in use
 *
 * Context: process; the code of the site does not run any more.
 */
void kma_sitetab_retire(struct kma_sitetab *t, u32 id);

/**
 * kma_sitetab_retire_cache() - a kmem_cache is about to be destroyed
 * @t: the table
 * @cache: its address
 *
 * Context: any that does not mind reading all rows; see kma_cachetab_retire().
 */
void kma_sitetab_retire_cache(struct kma_sitetab *t, unsigned long cache);

/**
 * kma_sitetab_is_inner() - whether an event is the first of two for one object
 * @t: the table
 * @site: the event's call site
 *
 * Context: any. Return: true if so.
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
 * kma_sitetab_sample() - the row of samples of an origin, a new one if need be
 * @t: the table
 * @o: the origin, with a shift
 * @cache: the cache's word
 *
 * Context: a probe, any context. Return: as kma_sitetab_get().
 */
const struct kma_site_slot *kma_sitetab_sample(struct kma_sitetab *t,
					       const struct kma_origin *o,
					       unsigned long cache);

/**
 * kma_sitetab_known() - the row that something was counted in
 * @t: the table
 * @site: the call site
 * @cache: the cache's word; it has been given to kma_sitetab_get(), which returned a slot
 *
 * Context: a probe, any context. Return: the number of the row, maybe [other].
 */
u32 kma_sitetab_known(struct kma_sitetab *t, unsigned long site, unsigned long cache);

/**
 * kma_sitetab_frames() - the stack of a row
 * @t: the table
 * @id: the row
 *
 * Context: any. Return: kma_sitetab_info()'s @nr_frames of them, the call site
 * first.
 */
static inline const unsigned long *kma_sitetab_frames(const struct kma_sitetab *t,
						      u32 id)
{
	return &t->frame[(size_t)id * KMA_FRAMES_MAX];
}

/* Whether a row counts samples; any row that an entry has. */
static inline bool kma_sitetab_is_sampled(const struct kma_sitetab *t, u32 id)
{
	return READ_ONCE(t->info[id].shift) > KMA_SHIFT_EXACT;
}

/* How far into the map, in bytes: that saves a shift. */
static __always_inline u32 kma_sitetab_hash(const struct kma_sitetab *t,
					    unsigned long site,
					    unsigned long cache)
{
	/*
	 * In a map of 2^14 neighbours are far apart, and so are functions of one length
	 * (design.rst); and of the bits 0 to 31, which gfp flags of classes go up to, each
	 * has a say there.
	 */
	return (site + cache) * 0x2c1b3c6dUL >> 13 & t->map_mask;
}

/* Where a pair is, unless another one came first. */
static __always_inline const struct kma_site_slot *
kma_sitetab_first(const struct kma_sitetab *t, unsigned long site,
		  unsigned long cache)
{
	return (void *)t->map + kma_sitetab_hash(t, site, cache);
}

/* Where it is then, unless there was a third one: in the same line, as maps are aligned. */
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
 * kma_sitetab_near() - look for the row of a call site and cache where it should be
 * @t: the table
 * @site: the call site
 * @cache: the cache's word
 * @slot: the slot that leads to the row, if it is there
 *
 * Context: a probe, any context. Return: whether it is; if not, ask kma_sitetab_far().
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

/* As kma_sitetab_get(), of a pair that kma_sitetab_near() did not find. */
const struct kma_site_slot *kma_sitetab_far(struct kma_sitetab *t, unsigned long site,
					    unsigned long cache);

/**
 * kma_sitetab_get() - the row of a call site and cache, a new one if need be
 * @t: the table
 * @site: the call site
 * @cache: the cache's word
 *
 * Context: a probe, any context. Return: the slot that leads to the row, or
 * NULL if the event does not count; then the reason has been counted.
 */
static inline const struct kma_site_slot *
kma_sitetab_get(struct kma_sitetab *t, unsigned long site, unsigned long cache)
{
	const struct kma_site_slot *slot;

	return kma_sitetab_near(t, site, cache, &slot) ? slot :
	       kma_sitetab_far(t, site, cache);
}

#endif /* KMA_CORE_SITETAB_H */
