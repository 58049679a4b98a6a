/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live table: a hash table of the objects that are allocated now.  Probes add
 * and remove its entries without a lock.
 *
 * An object is often freed on another CPU than the one that allocated it, so a free has to
 * find the entry from the address alone.  The table is one array of buckets.  Each possible
 * CPU has an equal share of the array, allocated on the node of that CPU.
 *
 *	| bucket | bucket | bucket | ...			256 bytes each
 *	     |
 *	     +--> key[7] spilled | entry[0] ... entry[6] | pad
 *		  one cache line   entry[i] describes the object of key[i]
 *
 * An object's home bucket is found from the pair of pages that the object lies in (8 KiB,
 * aligned) and from its offset there.  A hash of the pair picks KMA_STEPS consecutive buckets,
 * and the offset picks one of these.  SLUB gives a slab page to one CPU at a time, so a CPU
 * works on neighbouring buckets, whose cache lines stay in its cache and whose pages stay in
 * its TLB.  Objects at multiples of 256 bytes from each other lie in eight neighbouring
 * buckets; the low eight bits of their addresses pick the first of the eight.  Objects of the
 * pair of pages that are KMA_SHARE bytes apart lie in the same bucket, in neighbouring slots.
 * A hash of the whole address picks the object's own slot in its home bucket.
 *
 * The key of a slot shows the state of the slot:
 *
 *	0		free
 *	KMA_BUSY	one context is filling or emptying the slot.  Other contexts
 *			skip it and never wait, because they may have interrupted or
 *			preempted the context that they would wait for
 *	an address	entry[i] describes the object at that address
 *
 * Three operations change a key:
 *
 *	put:	0 --cmpxchg--> BUSY, write entry --release--> address
 *	take:	address --cmpxchg--> BUSY, read entry --release--> 0
 *	own:	address, read entry --release--> 0
 *
 * If two contexts take the same entry, the cmpxchg of one of them fails.  The context whose
 * cmpxchg has succeeded counts the removal, and the other one does nothing.
 *
 * `own` is the common free.  Until the allocator gets the object back, the object's page
 * cannot be freed, and the object's address cannot be allocated again.  Another context removes
 * the entry only if one of these two things has happened.  So an entry that is not stale (see
 * below) belongs to the free alone, which removes it without a locked instruction.
 *
 * Readers never claim a slot.  A reader copies the entry, and accepts the copy if the
 * key and the slot's generation are the same before and after (kma_objtab_read()).
 * The slot's generation changes whenever the slot is filled.
 *
 * An object whose own slot is taken spills: it goes to another slot of its home bucket, or to
 * one of KMA_PLACES - 1 other buckets.  Hashes of the whole address pick the other buckets
 * from the whole table.  The home bucket and the other buckets, in this order, are the places
 * of the object, numbered from 1.  The depth of a spilled object is the number of its place,
 * or KMA_DEPTHS for that place and all later ones, which hardly any object needs.  The word
 * `spilled` of the home bucket counts the spilled objects of that bucket by depth, with four
 * bits for each depth.
 *
 * The most common event is a free of an address that is not in the table.  It only reads the
 * cache line of the home bucket's keys, unless an object of that bucket has spilled.  An
 * allocation or free that meets no spilled object compares one key.
 *
 * An entry is stale if its page has been freed since the entry was made (pagegen.h).
 * A sweep removes the stale entries of a bucket while probes put and take other entries.  It
 * first finds that an entry is stale, and then claims the entry by its address.  In between,
 * other contexts could remove that entry and put a new object with the same address into the
 * slot, and the sweep would remove the new object.  So no object is put into a bucket while
 * the bucket is being swept: a put treats it as full.  The four highest bits of `spilled` are
 * the sweep count, which is the number of sweeps in progress.
 *
 * A table with clearly more than live_max objects is crowded.  In a crowded table, an object has
 * only its home bucket.  Most other places would be full: looking at them all would take several
 * times as long as an allocation that finds room, and with so many objects in other buckets,
 * every free would have to look there, too.
 *
 * The table has KMA_SPARE times live_max slots.  With that many slots and with KMA_PLACES
 * places for each object, no object is dropped while fewer than live_max objects are recorded,
 * whatever their sizes; see measurements.rst for the figures.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that change the
 * table: a probe; for functions that size, allocate or free the table: process, may sleep.
 */
#ifndef KMA_CORE_OBJTAB_H
#define KMA_CORE_OBJTAB_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/prefetch.h>
#include <linux/types.h>

#include "env.h"
#include "owner.h"
#include "pagegen.h"

#define KMA_SLOTS	7		/* slots in a bucket */
#define KMA_DEPTHS	15		/* depths that the word `spilled` counts */
#define KMA_PLACES	30		/* places of an object, its home bucket included */
#define KMA_DEPTH_HOME	1		/* depth of another slot of the home bucket */
#define KMA_SPARE	2		/* slots for each object of live_max */
#define KMA_BUSY	1UL
#define KMA_ALIGN	8		/* minimum alignment of a slab object */
#define KMA_STEPS	128U		/* buckets for the objects of a pair of pages */

/**
 * struct kma_entry - description of a live object
 * @bytes_req: bytes requested from kmalloc; 0 for an object of a kmem_cache
 * @time: when the object was allocated, as read by kma_env_now()
 * @tgid_depth: the process that allocated the object, 0 outside task context, and the depth of the
 *	object: kma_entry_tgid(), kma_entry_depth()
 * @row: number of the row of the object's call site and cache
 * @cpu: the CPU that allocated the object
 * @generation: the slot's generation, which changes each time the slot is filled
 * @gen_owner: the generation of the object's page when the object was recorded, and the number of
 *	the object's owner: kma_entry_gen(), kma_entry_owner()
 */
struct kma_entry {
	u32 bytes_req;
	u32 time;
	u32 tgid_depth;
	u16 row;
	u16 cpu;
	u32 generation;
	u32 gen_owner;
};

static_assert(sizeof(struct kma_entry) == 24);

static_assert(sizeof(kma_gen) == 2);

/* The depth is above the thread group ID, which is below 2^22 on all 64-bit kernels. */
#define KMA_DEPTH_SHIFT	28
static_assert(KMA_DEPTHS < 1 << (32 - KMA_DEPTH_SHIFT));

static inline u32 kma_entry_tgid(const struct kma_entry *e)
{
	return e->tgid_depth & ((1U << KMA_DEPTH_SHIFT) - 1);
}

/* The generation of an object's page when the object was recorded. */
static inline kma_gen kma_entry_gen(const struct kma_entry *e)
{
	return e->gen_owner;
}

/* The number of the object's owner: see owner.h. */
static inline u32 kma_entry_owner(const struct kma_entry *e)
{
	return e->gen_owner >> KMA_OWNER_SHIFT;
}

/*
 * How far an object has spilled: 0 if it is in its own slot, KMA_DEPTH_HOME if it is in another
 * slot of its home bucket, and 2 to KMA_DEPTHS if it is in another bucket.
 */
static inline int kma_entry_depth(const struct kma_entry *e)
{
	return e->tgid_depth >> KMA_DEPTH_SHIFT;
}

/**
 * struct kma_bucket - slots for a few objects
 * @key: the key of each slot: 0, KMA_BUSY, or the address of an object
 * @spilled: how many objects with this home bucket have spilled, by depth, and the sweep
 *	count; see above
 * @entry: for each slot, the description of its object
 */
struct kma_bucket {
	unsigned long key[KMA_SLOTS];
	atomic64_t spilled;
	struct kma_entry entry[KMA_SLOTS];
} __aligned(256);

static_assert(sizeof(struct kma_bucket) == 256);

/* The word `spilled`: four bits for each depth, and the sweep count in the highest four bits. */
#define KMA_SWEEP	0x1000000000000000ULL
#define KMA_SPILLED	(KMA_SWEEP - 1)

static_assert(!(KMA_SPILLED >> 4 * KMA_DEPTHS));

/**
 * struct kma_objtab - the live table
 * @pages: the generations of the pages that objects lie in
 * @bucket: the buckets
 * @span: number of buckets that a hash of a pair of pages may pick as the first of KMA_STEPS
 * @nr_buckets: number of buckets, at least KMA_STEPS
 * @full_at: when kma_objtab_make_room() last found nothing to remove: the result of
 *	kma_env_now() with bit 0 set; 0 if that has never happened
 * @crowded: when the number of objects was last estimated: the result of kma_env_now(), with
 *	bit 0 set if the table was crowded
 */
struct kma_objtab {
	struct kma_pagegen pages;
	struct kma_bucket *bucket;
	u64 span;
	u32 nr_buckets;
	u32 full_at;
	u32 crowded;
};

/**
 * enum kma_put - what kma_objtab_put() did
 * @KMA_PUT_NEW: recorded the object
 * @KMA_PUT_REPLACED: removed an old entry with the same address, and recorded the object
 * @KMA_PUT_FULL: did not record the object, because there is no room
 * @KMA_PUT_REPLACED_FULL: removed an old entry with the same address, but did not record the
 *	object, because there is no room
 */
enum kma_put {
	KMA_PUT_NEW,
	KMA_PUT_REPLACED,
	KMA_PUT_FULL,
	KMA_PUT_REPLACED_FULL,
};

/* Bytes that a table takes, as for kma_objtab_init(); without page generations if @pfns is 0. */
u64 kma_objtab_bytes(u64 live_max, u64 pfns);

/**
 * kma_objtab_init() - allocate an empty table
 * @t: the table
 * @live_max: number of objects; while the table has fewer, it has room for another one, unless
 *	it has been crowded less than two units of kma_env_now() ago
 * @pfns: number of page frames, see kma_pagegen_init()
 *
 * Return: 0, or -ENOMEM with no memory left allocated.
 */
int kma_objtab_init(struct kma_objtab *t, u64 live_max, u64 pfns);

/* Free @t, which may be zeroed memory, and which no other context uses any more. */
void kma_objtab_destroy(struct kma_objtab *t);

/*
 * Copy the entry of a slot while probes may change it.  Returns the object's address; 0, with
 * @entry not valid, if the slot is free or busy, or changed during the copy.
 */
unsigned long kma_objtab_read(const struct kma_bucket *b, int slot,
			      struct kma_entry *entry);

static inline u64 kma_objtab_buckets(const struct kma_objtab *t)
{
	return t->nr_buckets;
}

/*
 * Estimate how many objects are recorded, while probes may run, from a thousand buckets, or from
 * all if there are fewer.  @first is the number of the bucket to begin with; any value.  If the
 * table is half full, the estimate is off by one or two percent.
 */
u64 kma_objtab_estimate(const struct kma_objtab *t, u32 first);

static inline struct kma_bucket *kma_objtab_bucket(const struct kma_objtab *t,
						   u64 i)
{
	return &t->bucket[i];
}

/**
 * kma_objtab_put() - record a live object
 * @t: the table
 * @ptr: the object's address; neither 0 nor KMA_BUSY
 * @entry: the object's entry, with depth 0; its generations are ignored
 * @old: for KMA_PUT_REPLACED and KMA_PUT_REPLACED_FULL, a copy of the entry that was removed
 *
 * If the table still has an entry for @ptr, it is removed first.
 *
 * Return: see enum kma_put.
 */
enum kma_put kma_objtab_put(struct kma_objtab *t, unsigned long ptr,
			    const struct kma_entry *entry,
			    struct kma_entry *old);

/* Like kma_objtab_put(), after kma_objtab_make_room(): use any place, even if @t is crowded. */
enum kma_put kma_objtab_put_again(struct kma_objtab *t, unsigned long ptr,
				  const struct kma_entry *entry,
				  struct kma_entry *old);

/* Remove an object, and copy its entry.  Returns false if this call has not removed it. */
bool kma_objtab_take(struct kma_objtab *t, unsigned long ptr,
		     struct kma_entry *entry);

/*
 * Whether an object's page was freed since the object was recorded.  @entry is a copy of the
 * object's entry, made before this call.  Context: a probe, or any context with preemption off.
 */
static inline bool kma_objtab_stale(const struct kma_objtab *t, unsigned long ptr,
				    const struct kma_entry *entry)
{
	return kma_entry_gen(entry) != kma_pagegen_read(&t->pages, ptr);
}

/*
 * A function that a sweep calls in its own context for each entry that it has removed.  @arg is
 * the argument that the caller passed to the sweep, and @entry a copy of the entry.
 */
typedef void kma_removed(void *arg, unsigned long ptr, const struct kma_entry *entry);

/*
 * Remove the stale entries of a bucket, while probes run.  Returns how many were removed.  Context:
 * a probe, or any context with preemption off.
 */
int kma_objtab_sweep(struct kma_objtab *t, struct kma_bucket *b,
		     kma_removed *removed, void *arg);

/*
 * Sweep the buckets that an object can be put into, up to the first bucket that had a stale entry.
 * Returns how many entries were removed.  If no bucket had one, further calls return 0 at once for
 * one or two units of kma_env_now(), because a table that is full of live objects probably has no
 * stale entries in other buckets either.
 */
int kma_objtab_make_room(struct kma_objtab *t, unsigned long ptr,
			 kma_removed *removed, void *arg);

/* Remove all entries of a page that has no live objects. */
void kma_objtab_sweep_page(struct kma_objtab *t, unsigned long page,
			   kma_removed *removed, void *arg);

/* Map @x from [0, 2^32) to [0, @n).  If @x is distributed evenly, so is the result. */
static __always_inline u32 kma_scale(u32 x, u32 n)
{
	return ((u64)x * n) >> 32;
}

/* Objects of a pair of pages share a bucket if they are a multiple of this many bytes apart. */
#define KMA_SHARE	2048U
#define KMA_PAIR_SHIFT	(KMA_PAGE_SHIFT + 1)

/* The home bucket of an object. */
static __always_inline struct kma_bucket *
kma_objtab_home(const struct kma_objtab *t, unsigned long ptr)
{
	const u32 low = ptr & (KMA_SHARE - 1), pair = ptr >> KMA_PAIR_SHIFT & U32_MAX;
	unsigned long first = ((u64)(pair * 0x9e3779b1U) * t->span) >> 32;
	/*
	 * The step is (low >> 8) + (low >> 1) modulo KMA_STEPS, computed as bits 8 to 14 of
	 * low * 129.
	 */
	u32 step = low * (129U << 17) >> 25;

	return &t->bucket[first + step];
}

static_assert(KMA_STEPS == 1 << (32 - 25));

/*
 * The multiplier has to give different slots to the objects that share a bucket.  These are the
 * objects of a pair of pages that are multiples of KMA_SHARE apart, and small objects 1,016 bytes
 * from them.  Modulo 2^32, KMA_SHARE times the multiplier is about one seventh of 2^32, and
 * 1,016 times the multiplier is about four sevenths.  So up to seven of these objects get
 * different slots, and objects that are KMA_SHARE apart get neighbouring slots.
 */
#define KMA_SLOT_MULTIPLIER	0x1004924cU

/* The number of an object's own slot in its home bucket. */
static __always_inline unsigned long kma_objtab_slot(unsigned long ptr)
{
	const u32 x = (u32)(ptr & U32_MAX) * KMA_SLOT_MULTIPLIER;

	return (u64)x * KMA_SLOTS >> 32;
}

/* Prefetch an object's own slot, because the object will be put soon. */
static inline void kma_objtab_expect(const struct kma_objtab *t, unsigned long ptr)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	unsigned long i = kma_objtab_slot(ptr);

	prefetchw(&home->key[i]);
	prefetchw(&home->entry[i]);
}

/* Find the slot with this key; -1 if there is none. */
static __always_inline int kma_bucket_find(const struct kma_bucket *b,
					   unsigned long ptr)
{
	int i;

	kma_unroll(KMA_SLOTS)
	for (i = 0; i < KMA_SLOTS; i++)
		/*
		 * A plain load, so that the compiler compares the key in memory.  The
		 * key may change after the load.  This is safe, because a caller that
		 * takes the entry does so by a cmpxchg on the key.
		 */
		if (data_race(b->key[i] == ptr))
			return i;
	return -1;
}

/*
 * Whether an object with this home bucket may not be in its own slot, or whether a sweep is in
 * progress, so that no object may be put into the bucket now.
 */
static __always_inline bool kma_bucket_spilled(const struct kma_bucket *b)
{
	/*
	 * A plain load is enough.  A context that frees an object got the object's
	 * address after the object was put, so it sees what the put has counted here;
	 * pairs with kma_spilled_inc().  A context that puts an object at an address
	 * whose old entry was taken sees any sweep that began before the old entry was
	 * taken; pairs with kma_sweep_begin().
	 */
	return data_race(b->spilled.counter != 0);
}

/*
 * Whether an object that is not in its own slot may be in the table.  Nearly always the result is
 * false, so branches on it are well predicted.  Branches on whether objects of a bucket have
 * spilled are not: each costs about as much as the rest of a free.
 */
static __always_inline bool kma_bucket_may_have(const struct kma_bucket *home,
						unsigned long ptr)
{
	/* Pairs like kma_bucket_spilled(), where the caller has read the same word. */
	const u64 spilled = atomic64_read(&home->spilled);

	return (spilled & KMA_SPILLED) >> 4 * KMA_DEPTH_HOME || kma_bucket_find(home, ptr) >= 0;
}

/*
 * Claim any free slot; return -1 if none is free.  The cmpxchg pairs with the
 * release in kma_bucket_empty().  It also orders the claim before the change of the slot's
 * generation in kma_bucket_begin(); this pairs with the first smp_rmb() in kma_objtab_read().
 */
static __always_inline int kma_bucket_claim(struct kma_bucket *b)
{
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (!READ_ONCE(b->key[i]) && !cmpxchg(&b->key[i], 0, KMA_BUSY))
			return i;
	return -1;
}

/*
 * Begin to fill slot @i, which this context has claimed.  The caller writes the entry that this
 * returns by kma_entry_write(), and then calls kma_bucket_publish().
 */
static __always_inline struct kma_entry *kma_bucket_begin(struct kma_bucket *b,
							  unsigned long i)
{
	struct kma_entry *e = &b->entry[i];

	/* Hide the pointer: otherwise the compiler recomputes the address for every member. */
	OPTIMIZER_HIDE_VAR(e);
	kma_inc_once(e->generation);
	smp_wmb(); /* generation before members; pairs with smp_rmb() in kma_objtab_read() */
	return e;
}

/*
 * Write the members of an entry after kma_bucket_begin().  This is a macro, so that each
 * argument is evaluated just before it is stored: the registers do not suffice for all of them.
 */
#define kma_entry_write(e, _bytes_req, _time, _tgid, _row, _cpu, _gen_owner) ({ \
	struct kma_entry *__e = (e);						\
										\
	WRITE_ONCE(__e->bytes_req, _bytes_req);					\
	WRITE_ONCE(__e->time, _time);						\
	WRITE_ONCE(__e->tgid_depth, _tgid);					\
	WRITE_ONCE(__e->row, _row);						\
	WRITE_ONCE(__e->cpu, _cpu);						\
	WRITE_ONCE(__e->gen_owner, _gen_owner);					\
})

/* Make a slot visible after filling it. */
static __always_inline void kma_bucket_publish(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/*
	 * Pairs with the acquires in kma_objtab_read() and kma_objtab_in_home(), and
	 * with the cmpxchg in kma_bucket_take(): a context that sees the key also sees
	 * the entry, and the hit that was counted before the entry was published.
	 */
	smp_store_release(&b->key[i], ptr);
}

/*
 * Fill slot @i, which this context has claimed, and publish it.  @entry has depth 0, and its
 * generations are ignored; @gen is the generation of the object's page, and @depth is as in
 * kma_entry_depth().
 */
static inline void kma_bucket_fill(struct kma_bucket *b, unsigned long i,
				   unsigned long ptr, const struct kma_entry *entry,
				   u32 gen, u32 depth)
{
	struct kma_entry *e = kma_bucket_begin(b, i);

	kma_entry_write(e, entry->bytes_req, entry->time,
			entry->tgid_depth | depth << KMA_DEPTH_SHIFT, entry->row, entry->cpu,
			(entry->gen_owner & ~(u32)(kma_gen)-1) | gen);
	kma_bucket_publish(b, i, ptr);
}

/* Free slot @i, which is claimed, or for which kma_objtab_is_own() is true, after reading it. */
static __always_inline void kma_bucket_empty(struct kma_bucket *b, unsigned long i)
{
	/*
	 * Pairs with the cmpxchg of each function that claims a slot: the next owner
	 * of the slot writes the entry only after this context has read it.  Also pairs
	 * with the acquire in kma_objtab_claim_home().
	 */
	smp_store_release(&b->key[i], 0);
}

/*
 * Empty slot @i if its key is still @ptr.  Returns true if this call has emptied the slot.  The
 * cmpxchg pairs with the release in kma_bucket_publish().
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
 * The functions below handle the simple cases and are inlined into the probes.  They keep
 * everything in registers; the only memory that they write to is the slot.
 */

/*
 * Claim an object's own slot @i in its home bucket, if no object of the bucket has spilled.
 * Returns true if the slot is claimed: the caller has to fill it, by kma_bucket_begin() and
 * kma_bucket_publish().  Otherwise nothing was done, and the caller has to call kma_objtab_put().
 */
static __always_inline bool kma_objtab_claim_home(struct kma_bucket *b,
						  unsigned long i)
{
	unsigned long free = 0;

	/*
	 * `spilled` would count an old entry of this address in any other slot or
	 * bucket.  It is read after the key: pairs with the release of 0 in
	 * kma_bucket_empty(), which kma_bucket_take() calls.  If a sweep took an old
	 * entry of this address from this slot, other sweeps that began before may
	 * still try to take it; then the sweep count is not 0.
	 */
	return likely(kma_acquire_is(&b->key[i], 0UL) && !kma_bucket_spilled(b) &&
		      try_cmpxchg(&b->key[i], &free, KMA_BUSY));
}

/*
 * Whether an object that is about to be freed is in its own slot @i of its home bucket.  An object
 * that is not in its own slot can be in the table only if kma_bucket_spilled() is true for its
 * home bucket.
 */
static __always_inline bool kma_objtab_in_home(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/* Pairs with the release in kma_bucket_publish(). */
	return likely(kma_acquire_is(&b->key[i], ptr));
}

/*
 * Whether no other context can remove an entry, so that the caller may empty the slot by
 * kma_bucket_empty(), without claiming the slot first.  Context: a probe; the object is about to
 * be freed, and the allocator does not get it back before the probe has returned.
 */
static __always_inline bool kma_objtab_is_own(const struct kma_objtab *t,
					      const struct kma_entry *e,
					      unsigned long ptr)
{
	const kma_gen *gen = kma_pagegen_at(&t->pages, ptr);

	/*
	 * A plain load, so that the compiler compares the lower half of `gen_owner` in
	 * memory.  The result remains valid: the object is not free yet, so the
	 * generation of its page cannot end now.
	 */
	return likely(data_race(*(const kma_gen *)&e->gen_owner == *gen));
}

/*
 * Remove an object from its own slot, and copy its entry.  Returns false if the object is not
 * there; if it has spilled, kma_objtab_take() finds it.
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
