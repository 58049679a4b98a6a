/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live table: a hash table of the objects that are allocated now.  Probes add
 * and remove its entries without a lock.
 *
 * An object is often freed on another CPU than it was allocated on, so a free has
 * to find the entry from the address alone.  The table is one array of buckets.  Each
 * possible CPU has a share of its memory, allocated on the node of that CPU.
 *
 *	| bucket | bucket | bucket | ...			256 bytes each
 *	     |
 *	     +--> key[7] spilled | entry[0] ... entry[6] | pad
 *		  one cache line   entry[i] describes the object of key[i]
 *
 * A hash of the pair of pages that an object lies in (8 KiB, aligned) picks the first
 * of KMA_STEPS buckets in a row, and the object's offset picks one of these.  SLUB
 * hands a slab page to one CPU at a time.  The objects of a page lie in neighbouring
 * buckets, whose lines stay in that CPU's cache and whose pages stay in its TLB.
 * Objects that are 256 bytes apart lie in eight neighbouring buckets, and the low
 * eight bits of the address pick the first of these.  Objects of the two pages that
 * are KMA_SHARE apart share a bucket, and lie side by side.  A hash of the whole
 * address picks the slot in the bucket: the object's own slot.
 *
 * The key of a slot says what is in it:
 *
 *	0		free
 *	KMA_BUSY	one context is filling or emptying it.  All others skip it
 *			and never wait, because that context may be the one that
 *			they have interrupted or preempted
 *	an address	entry[i] describes the object at that address
 *
 *	put:	0 --cmpxchg--> BUSY, write entry --release--> address
 *	take:	address --cmpxchg--> BUSY, read entry --release--> 0
 *	own:	address, read entry --release--> 0
 *
 * If two contexts take the same entry, the cmpxchg of one of them fails.  That one
 * does nothing, and the other one counts the removal.
 *
 * `own` is the common free.  Until the allocator gets the object back, its page
 * cannot be freed and its address cannot be allocated again.  Another context removes
 * the entry only if one of these has happened.  So an entry that is not stale (see
 * below) belongs to the free alone, which removes it without a locked instruction.
 *
 * Readers never claim a slot.  A reader copies the entry, and accepts the copy if the
 * key and the slot's generation are the same before and after (kma_objtab_read()).
 * The slot's generation changes whenever the slot is filled.
 *
 * An object whose own slot is taken spills: to another slot of its home bucket, or to
 * one of KMA_PLACES - 1 other buckets.  A hash of its whole address picks these, and
 * they can be anywhere in the table.  The home bucket and the others, in this order, are
 * the places of the object.  The word `spilled` of the home bucket counts its spilled
 * objects by depth, with four bits for each depth.  Each place has a depth of its own,
 * but the places from KMA_DEPTHS on, which hardly any object needs, share one.
 *
 * The most common event is a free of an address that is not in the table.  It reads the
 * key line of the home bucket and nothing else, unless an object of that bucket has
 * spilled.  No simple allocation or free compares more than one key.
 *
 * An entry is stale if its page has been freed since the entry was made (pagegen.h).
 * A sweep removes the stale entries of a bucket while probes put and take others.  It
 * finds an entry stale, and then claims it by its address.  In between, other contexts
 * could remove that entry and put a new object with the same address into the slot, and
 * the sweep would remove the new object.  So no object is put into a bucket while it is
 * swept: a put treats the bucket as full.  The four highest bits of `spilled` are the
 * sweep count, the number of sweeps in progress.
 *
 * The table has KMA_SPARE times live_max slots.  With this room and with KMA_PLACES
 * places to spill to, no object is dropped while fewer than live_max are recorded,
 * whatever their sizes; see design.rst for the figures.
 */
#ifndef KMA_CORE_OBJTAB_H
#define KMA_CORE_OBJTAB_H

#include "env.h"
#include "pagegen.h"

#define KMA_SLOTS	7		/* in a bucket */
#define KMA_DEPTHS	15		/* counted in the word `spilled` */
#define KMA_PLACES	30		/* of an object, its home bucket included */
#define KMA_DEPTH_HOME	1		/* another slot of the home bucket */
#define KMA_SPARE	2		/* slots for each object of live_max */
#define KMA_BUSY	1UL
#define KMA_ALIGN	8		/* least alignment of a slab object */
#define KMA_STEPS	128U		/* buckets for the objects of two pages */

/**
 * struct kma_entry - description of a live object
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 * @time: when the object was allocated, kma_env_now()
 * @tgid: the process that allocated it; 0 outside task context
 * @row: number of the row of its call site and cache
 * @cpu: the CPU that allocated it
 * @generation: the slot's generation, which changes each time the slot is filled
 * @where: the generation of its page when it was recorded, and its depth:
 *	kma_entry_gen(), kma_entry_depth()
 */
struct kma_entry {
	u32 bytes_req;
	u32 time;
	u32 tgid;
	u16 row;
	u16 cpu;
	u32 generation;
	u32 where;
};

static_assert(sizeof(struct kma_entry) == 24);

/**
 * kma_entry_where() - make the word @where of an entry
 * @gen: the generation of the object's page
 * @depth: see kma_entry_depth()
 *
 * Both are in one word, so that one store writes them.
 *
 * Context: any.
 * Return: the word.
 */
static __always_inline u32 kma_entry_where(u32 gen, u32 depth)
{
	return depth << 16 | gen;
}

static_assert(sizeof(kma_gen) == 2);

/**
 * kma_entry_gen() - the page generation that an entry was recorded in
 * @e: the entry
 *
 * Context: any.
 * Return: the generation.
 */
static inline kma_gen kma_entry_gen(const struct kma_entry *e)
{
	return e->where;
}

/**
 * kma_entry_depth() - how far an object has spilled
 * @e: its entry
 *
 * Context: any.
 * Return: 0 if the object is in its own slot, KMA_DEPTH_HOME if it is in another slot
 * of its home bucket, and 2 to KMA_DEPTHS if it is in another bucket.
 */
static inline int kma_entry_depth(const struct kma_entry *e)
{
	return e->where >> 16;
}

/**
 * struct kma_bucket - slots for a few objects
 * @key: what is in each slot: 0, KMA_BUSY, or the address of an object
 * @spilled: how many objects whose home is this bucket have spilled, and the sweep
 *	count; see above
 * @entry: for each slot, the description of its object
 */
struct kma_bucket {
	unsigned long key[KMA_SLOTS];
	atomic64_t spilled;
	struct kma_entry entry[KMA_SLOTS];
} __aligned(256);

static_assert(sizeof(struct kma_bucket) == 256);

/* The word `spilled`: four bits for each depth, and above them the sweep count. */
#define KMA_SWEEP	0x1000000000000000ULL
#define KMA_SPILLED	(KMA_SWEEP - 1)

static_assert(!(KMA_SPILLED >> 4 * KMA_DEPTHS));

/**
 * struct kma_objtab - the live table
 * @pages: the generations of the pages that objects lie in
 * @bucket: the buckets
 * @span: how many buckets can be the first one of a pair of pages
 * @nr_buckets: how many buckets there are, at least KMA_STEPS
 * @barren: when kma_objtab_make_room() last found nothing to remove, kma_env_now()
 */
struct kma_objtab {
	struct kma_pagegen pages;
	struct kma_bucket *bucket;
	u64 span;
	u32 nr_buckets;
	u32 barren;
};

/**
 * enum kma_put - what kma_objtab_put() did
 * @KMA_PUT_NEW: the object is recorded
 * @KMA_PUT_REPLACED: the object is recorded, and an entry with its address, which was
 *	still in the table, is removed
 * @KMA_PUT_FULL: the object is not recorded: there is no room
 * @KMA_PUT_REPLACED_FULL: the object is not recorded, but an entry with its address is
 *	removed
 */
enum kma_put {
	KMA_PUT_NEW,
	KMA_PUT_REPLACED,
	KMA_PUT_FULL,
	KMA_PUT_REPLACED_FULL,
};

/**
 * kma_objtab_bytes() - memory that a table takes
 * @live_max: number of objects, see kma_objtab_init()
 * @pfns: number of page frames, see kma_pagegen_init()
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_objtab_bytes(u64 live_max, u64 pfns);

/**
 * kma_objtab_init() - make an empty table
 * @t: the table
 * @live_max: number of objects; the table never refuses an object while it holds fewer
 * @pfns: number of page frames, see kma_pagegen_init()
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM with nothing left allocated.
 */
int kma_objtab_init(struct kma_objtab *t, u64 live_max, u64 pfns);

/**
 * kma_objtab_destroy() - free a table
 * @t: the table; may be zeroed memory
 *
 * Context: process, may sleep; no other context uses the table any more.
 */
void kma_objtab_destroy(struct kma_objtab *t);

/**
 * kma_objtab_read() - copy one slot, if an object is recorded in it
 * @b: the bucket
 * @slot: the slot, below KMA_SLOTS
 * @entry: the copy
 *
 * Context: any; runs concurrently with probes.
 * Return: the object's address, or 0 if the slot was free, busy, or changed during the
 * copy.
 */
unsigned long kma_objtab_read(const struct kma_bucket *b, int slot,
			      struct kma_entry *entry);

/**
 * kma_objtab_buckets() - number of buckets
 * @t: the table
 *
 * Context: any.
 * Return: the number.
 */
static inline u64 kma_objtab_buckets(const struct kma_objtab *t)
{
	return t->nr_buckets;
}

/**
 * kma_objtab_estimate() - estimate how many objects are recorded
 * @t: the table
 * @first: number of the bucket to begin with; any value
 *
 * This counts the objects in a thousand buckets, or in all if there are fewer.  For a
 * table that is half full the estimate is off by one or two per cent.
 *
 * Context: any; runs concurrently with probes.
 * Return: the estimated number.
 */
u64 kma_objtab_estimate(const struct kma_objtab *t, u32 first);

/**
 * kma_objtab_bucket() - find a bucket by its number
 * @t: the table
 * @i: the number, below kma_objtab_buckets()
 *
 * Context: any.
 * Return: the bucket.
 */
static inline struct kma_bucket *kma_objtab_bucket(const struct kma_objtab *t,
						   u64 i)
{
	return &t->bucket[i];
}

/**
 * kma_objtab_put() - record a live object
 * @t: the table
 * @ptr: the object's address; neither 0 nor KMA_BUSY
 * @entry: its description; @generation and @where are ignored
 * @old: on KMA_PUT_REPLACED and KMA_PUT_REPLACED_FULL, the entry that was removed
 *
 * An entry that the table still has for @ptr is removed first.
 *
 * Context: a probe, any context.
 * Return: see enum kma_put.
 */
enum kma_put kma_objtab_put(struct kma_objtab *t, unsigned long ptr,
			    const struct kma_entry *entry,
			    struct kma_entry *old);

/**
 * kma_objtab_take() - remove an object
 * @t: the table
 * @ptr: the object's address
 * @entry: on success, a copy of its entry
 *
 * Context: a probe, any context.
 * Return: true if the object was in the table and this call removed it.
 */
bool kma_objtab_take(struct kma_objtab *t, unsigned long ptr,
		     struct kma_entry *entry);

/**
 * kma_objtab_stale() - test whether the page of an object was freed after it was recorded
 * @t: the table
 * @ptr: the object's address
 * @entry: a copy of its entry, made before this call
 *
 * Context: any.
 * Return: true if the entry is stale.
 */
static inline bool kma_objtab_stale(const struct kma_objtab *t, unsigned long ptr,
				    const struct kma_entry *entry)
{
	return kma_entry_gen(entry) != kma_pagegen_read(&t->pages, ptr);
}

/**
 * typedef kma_removed - a function to call for each entry that a sweep has removed
 * @arg: the argument that the caller of the sweep gave
 * @ptr: the object's address
 * @entry: a copy of the entry
 *
 * Context: the context of the sweep.
 */
typedef void kma_removed(void *arg, unsigned long ptr, const struct kma_entry *entry);

/**
 * kma_objtab_sweep() - remove the stale entries of a bucket
 * @t: the table
 * @b: the bucket
 * @removed: called for each entry that this call removes
 * @arg: the first argument of @removed
 *
 * Context: any; runs concurrently with probes.
 * Return: how many entries were removed.
 */
int kma_objtab_sweep(struct kma_objtab *t, struct kma_bucket *b,
		     kma_removed *removed, void *arg);

/**
 * kma_objtab_make_room() - sweep the buckets where an object could be put
 * @t: the table
 * @ptr: the object's address
 * @removed: called for each entry that this call removes
 * @arg: the first argument of @removed
 *
 * This stops after the first bucket that had a stale entry.  If no bucket had one, further
 * calls in the same unit of kma_env_now() do nothing: in a table that is full of live
 * objects they would find nothing either.
 *
 * Context: a probe, any context.
 * Return: how many entries were removed.
 */
int kma_objtab_make_room(struct kma_objtab *t, unsigned long ptr,
			 kma_removed *removed, void *arg);

/**
 * kma_objtab_sweep_page() - remove all entries of a page
 * @t: the table
 * @page: address of the page, which has no live object
 * @removed: called for each entry that this call removes
 * @arg: the first argument of @removed
 *
 * Context: a probe, any context.
 */
void kma_objtab_sweep_page(struct kma_objtab *t, unsigned long page,
			   kma_removed *removed, void *arg);

/* Map x in [0, 2^32) to [0, n), as evenly as x is distributed. */
static __always_inline u32 kma_scale(u32 x, u32 n)
{
	return ((u64)x * n) >> 32;
}

/* Distance of objects of a pair of pages that share a bucket, in bytes. */
#define KMA_SHARE	2048U
#define KMA_PAIR_SHIFT	(KMA_PAGE_SHIFT + 1)

/**
 * kma_objtab_home() - find the home bucket of an object
 * @t: the table
 * @ptr: the object's address
 *
 * Context: any.
 * Return: the bucket.
 */
static __always_inline struct kma_bucket *
kma_objtab_home(const struct kma_objtab *t, unsigned long ptr)
{
	const u32 low = ptr & (KMA_SHARE - 1), pair = ptr >> KMA_PAIR_SHIFT & U32_MAX;
	unsigned long first = ((u64)(pair * 0x9e3779b1U) * t->span) >> 32;
	/* (low >> 8) + (low >> 1) modulo KMA_STEPS: bits 8 to 14 of low * 129. */
	u32 step = low * (129U << 17) >> 25;

	return &t->bucket[first + step];
}

static_assert(KMA_STEPS == 1 << (32 - 25));

/*
 * The multiplier has to keep apart the objects that share a bucket: those of two pages
 * that are multiples of KMA_SHARE apart, and small ones that are 1,016 bytes from these.
 * Modulo 2^32, KMA_SHARE times the multiplier is about one seventh of 2^32, and 1,016 times
 * the multiplier is about four sevenths.  So up to seven of these objects have a slot each, and
 * objects that are KMA_SHARE apart are neighbours.
 */
#define KMA_SLOT_MULTIPLIER	0x1004924cU

/**
 * kma_objtab_slot() - find an object's own slot in its home bucket
 * @ptr: the object's address
 *
 * Context: any.
 * Return: the slot, below KMA_SLOTS.
 */
static __always_inline unsigned long kma_objtab_slot(unsigned long ptr)
{
	const u32 x = (u32)(ptr & U32_MAX) * KMA_SLOT_MULTIPLIER;

	return (u64)x * KMA_SLOTS >> 32;
}

/**
 * kma_objtab_expect() - prefetch an object's own slot, because the object is put soon
 * @t: the table
 * @ptr: the object's address
 *
 * Context: any.
 */
static inline void kma_objtab_expect(const struct kma_objtab *t, unsigned long ptr)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	unsigned long i = kma_objtab_slot(ptr);

	kma_env_prefetchw(&home->key[i]);
	kma_env_prefetchw(&home->entry[i]);
}

/* Find the slot with this key.  Return: the slot, or -1. */
static __always_inline int kma_bucket_find(const struct kma_bucket *b,
					   unsigned long ptr)
{
	int i;

	kma_unroll(KMA_SLOTS)
	for (i = 0; i < KMA_SLOTS; i++)
		/*
		 * A plain load, so that the compiler compares the key in memory.
		 * The key may change after it: a caller that takes the entry does so
		 * by a cmpxchg on the key.
		 */
		if (data_race(b->key[i] == ptr))
			return i;
	return -1;
}

/**
 * kma_bucket_spilled() - test whether a bucket's objects have spilled or it is being swept
 * @b: the bucket
 *
 * Context: a probe, any context.
 * Return: true if an object with this home may be elsewhere than in its own slot, or if
 * no object may be put here now.
 */
static __always_inline bool kma_bucket_spilled(const struct kma_bucket *b)
{
	/*
	 * A plain load is enough.  A context that frees an object got its address
	 * after the object was put, and sees what the put stored here before; pairs
	 * with kma_spilled_inc().  A context that puts an object at an address whose
	 * entry was taken sees a sweep that began before that; pairs with
	 * kma_sweep_begin().
	 */
	return data_race(b->spilled.counter != 0);
}

/*
 * Claim any free slot.  Return: the slot, or -1 if none is free.  The cmpxchg pairs with
 * the release in kma_bucket_empty().  It comes before the slot's generation changes, in
 * kma_bucket_begin(); pairs with the first smp_rmb() in kma_objtab_read().
 */
static __always_inline int kma_bucket_claim(struct kma_bucket *b)
{
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (!READ_ONCE(b->key[i]) && !cmpxchg(&b->key[i], 0, KMA_BUSY))
			return i;
	return -1;
}

/**
 * kma_bucket_begin() - begin to fill a slot
 * @b: the bucket
 * @i: the slot, which this context has claimed
 *
 * Context: a probe, any context.
 * Return: the entry, to be written by kma_entry_write(); then call
 * kma_bucket_publish().
 */
static __always_inline struct kma_entry *kma_bucket_begin(struct kma_bucket *b,
							  unsigned long i)
{
	struct kma_entry *e = &b->entry[i];

	/* Hide the pointer: otherwise the compiler computes the address of each member. */
	kma_env_hide(e);
	kma_inc_once(e->generation);
	smp_wmb(); /* generation before payload; pairs with kma_objtab_read() */
	return e;
}

/*
 * Write the members of an entry after kma_bucket_begin().  A macro, so that each value
 * is computed just before its store: there are too few registers for all of them.
 */
#define kma_entry_write(e, _bytes_req, _time, _tgid, _row, _cpu, _where) ({	\
	struct kma_entry *__e = (e);						\
										\
	WRITE_ONCE(__e->bytes_req, _bytes_req);					\
	WRITE_ONCE(__e->time, _time);						\
	WRITE_ONCE(__e->tgid, _tgid);						\
	WRITE_ONCE(__e->row, _row);						\
	WRITE_ONCE(__e->cpu, _cpu);						\
	WRITE_ONCE(__e->where, _where);						\
})

/**
 * kma_bucket_publish() - make a slot visible after it was filled
 * @b: the bucket
 * @i: the slot
 * @ptr: the object's address
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_bucket_publish(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/*
	 * Pairs with the acquires in kma_objtab_read() and kma_objtab_in_home(), and
	 * with the cmpxchg in kma_bucket_take(): a context that sees the key sees the
	 * entry, and the hit that was counted before it.
	 */
	smp_store_release(&b->key[i], ptr);
}

/**
 * kma_bucket_fill() - fill a slot and publish it
 * @b: the bucket
 * @i: the slot, which this context has claimed
 * @ptr: the object's address
 * @entry: its description; @generation and @where are ignored
 * @gen: the generation of its page
 * @depth: see kma_entry_depth()
 *
 * Context: a probe, any context.
 */
static inline void kma_bucket_fill(struct kma_bucket *b, unsigned long i,
				   unsigned long ptr, const struct kma_entry *entry,
				   u32 gen, u32 depth)
{
	struct kma_entry *e = kma_bucket_begin(b, i);

	kma_entry_write(e, entry->bytes_req, entry->time, entry->tgid, entry->row,
			entry->cpu, kma_entry_where(gen, depth));
	kma_bucket_publish(b, i, ptr);
}

/**
 * kma_bucket_empty() - free a slot after its entry was read
 * @b: the bucket
 * @i: the slot, which this context has claimed, or whose entry is its own
 *	(kma_objtab_is_own())
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_bucket_empty(struct kma_bucket *b, unsigned long i)
{
	/*
	 * Pairs with the cmpxchg of each function that claims a slot: the next owner
	 * writes the entry after it was read here.  Pairs also with the acquire in
	 * kma_objtab_claim_home().
	 */
	smp_store_release(&b->key[i], 0);
}

/*
 * Empty slot @i if it still describes @ptr.  Return: true if so.  The cmpxchg pairs with
 * the release in kma_bucket_publish().
 */
static __always_inline bool kma_bucket_take(struct kma_bucket *b, unsigned long i,
					    unsigned long ptr,
					    struct kma_entry *entry)
{
	if (unlikely(cmpxchg(&b->key[i], ptr, KMA_BUSY) != ptr))
		return false;
	*entry = b->entry[i];
	kma_bucket_empty(b, i);
	return true;
}

/*
 * The functions below are the simple cases and are inlined into the probes.  They keep
 * everything in registers and store nothing to memory but the slot itself.
 */

/**
 * kma_objtab_claim_home() - claim an object's own slot, if its home has not spilled
 * @b: its home bucket
 * @i: its own slot there
 *
 * Context: a probe, any context.
 * Return: true if the slot is claimed: the caller has to fill it, by kma_bucket_begin()
 * and kma_bucket_publish().  False if nothing was done: the caller has to call
 * kma_objtab_put().
 */
static __always_inline bool kma_objtab_claim_home(struct kma_bucket *b,
						  unsigned long i)
{
	unsigned long free = 0;

	/*
	 * An entry with this address in any other slot or bucket would be counted in
	 * `spilled`.  That is read after the key: pairs with the release of 0 in
	 * kma_bucket_empty(), which kma_bucket_take() calls.  If a sweep took an entry
	 * of this address from this slot, other sweeps that began before may still
	 * try to; then the sweep count is not 0.
	 */
	return likely(kma_acquire_is(&b->key[i], 0UL) && !kma_bucket_spilled(b) &&
		      try_cmpxchg(&b->key[i], &free, KMA_BUSY));
}

/**
 * kma_objtab_in_home() - test whether an object that is about to be freed is in its slot
 * @b: its home bucket
 * @i: its own slot there
 * @ptr: its address
 *
 * An object that is not in its own slot can be elsewhere only if its home has spilled.
 *
 * Context: a probe, any context.
 * Return: true if the object is in its own slot.
 */
static __always_inline bool kma_objtab_in_home(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/* Pairs with the release in kma_bucket_publish(). */
	return likely(kma_acquire_is(&b->key[i], ptr));
}

/**
 * kma_objtab_is_own() - test whether no other context can remove an entry
 * @t: the table
 * @e: the entry
 * @ptr: the object's address
 *
 * Context: a probe, any context; the object is about to be freed, and is not free
 * before the probe has returned.
 * Return: true if the caller may empty the slot by kma_bucket_empty(), without claiming
 * it first.
 */
static __always_inline bool kma_objtab_is_own(const struct kma_objtab *t,
					      const struct kma_entry *e,
					      unsigned long ptr)
{
	const kma_gen *gen = kma_pagegen_at(&t->pages, ptr);

	/*
	 * A plain load, so that the compiler compares the lower half of `where` in
	 * memory.  The answer stays true: the object is not free yet, so the
	 * generation of its page cannot end now.
	 */
	return likely(data_race(*(const kma_gen *)&e->where == *gen));
}

/**
 * kma_objtab_take_home() - remove an object from its own slot
 * @b: its home bucket
 * @ptr: its address
 * @entry: on success, a copy of its entry
 *
 * An object that is not in its own slot can be elsewhere only if its home has spilled;
 * kma_objtab_take() looks there.
 *
 * Context: a probe, any context.
 * Return: true if the object was in its own slot and this call removed it.
 */
static __always_inline bool kma_objtab_take_home(struct kma_bucket *b,
						 unsigned long ptr,
						 struct kma_entry *entry)
{
	unsigned long i = kma_objtab_slot(ptr);

	/* A plain load, as in kma_bucket_find(): a cmpxchg on the key follows. */
	return likely(data_race(b->key[i] == ptr)) &&
	       kma_bucket_take(b, i, ptr, entry);
}

#endif /* KMA_CORE_OBJTAB_H */
