/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live objects: a hash table that probes fill and empty without a lock.
 *
 * An object allocated on one CPU is often freed on another, so whoever frees
 * must find the entry from the address alone.  The table is one array, of which
 * each possible CPU has a share in memory of its node.
 *
 *	| bucket | bucket | bucket | ...			256 bytes each
 *	     |
 *	     +--> key[7] spilled | entry[0] ... entry[6] | pad
 *		  one cache line   what is known of key[i]
 *
 * A hash of the two pages, one of which the object lies on, picks the first of
 * KMA_STEPS buckets, and the object's offset in its page picks one of these.  SLUB
 * hands a slab page to one CPU at a time: the objects of a page lie in neighbouring
 * buckets, whose lines stay in that CPU's cache and whose pages stay in its TLB.
 * Objects of 256 bytes are next to each other, in eight buckets of which the bits below
 * tell the first; and those of both pages that are KMA_SHARE apart are in one, side by
 * side.  A hash of the whole address picks the slot.
 *
 * What is in a slot is said by its key:
 *
 *	0		free
 *	KMA_BUSY	somebody is filling or emptying it; all others skip it
 *			and nobody ever waits, since the owner may be an
 *			interrupted or preempted context below this one
 *	an address	entry[i] describes the object at that address
 *
 *	put:	0 --cmpxchg--> BUSY, write entry --release--> address
 *	take:	address --cmpxchg--> BUSY, read entry --release--> 0
 *	own:	address, read entry --release--> 0
 *
 * Who loses the cmpxchg does nothing: the winner counts the removal.  The last is
 * the common free.  Until the allocator gets the object back, its page cannot be
 * freed and its address cannot be allocated again; and nobody else removes an entry
 * unless its page was freed, or its address is allocated again.  So an entry that
 * is not stale (below) is its own to remove, without a locked instruction.  Readers
 * never claim a slot.  They copy the entry and accept the copy if the key and
 * the generation, which changes whenever a slot is filled, are the same before
 * and after (kma_objtab_read()).
 *
 * An object whose slot is taken spills: to another slot of its home bucket, or
 * to one of KMA_PLACES - 1 other buckets, anywhere in the table, that a hash of
 * its whole address names.  The home bucket's word `spilled` counts, in four bits
 * for each depth, how many of its objects are at that depth: each place is one, and
 * those from KMA_DEPTHS on, which next to nothing needs, are one.  So the free of an
 * address that is not in the table, the most common event of all, costs the
 * home bucket's key line and no more, unless objects really have spilled; and
 * neither does any simple event look at more than one key.
 *
 * An entry is stale if its page has been freed since (pagegen.h).  Sweeping a
 * bucket removes such entries, beside puts and takes.  An entry that was found
 * stale must not become another object's of the same address before it is
 * claimed, so while a bucket is swept, which the highest bits of `spilled` count,
 * nothing is put there: for that it looks as if it were full.
 *
 * The table has room for KMA_SPARE times the objects that were promised.  With
 * that, and thirty places to spill to, no object is dropped while fewer than
 * live_max are recorded, whatever their sizes; design.rst has the figures.
 */
#ifndef KMA_CORE_OBJTAB_H
#define KMA_CORE_OBJTAB_H

#include "env.h"
#include "pagegen.h"

#define KMA_SLOTS	7
#define KMA_DEPTHS	15
#define KMA_PLACES	30
#define KMA_DEPTH_HOME	1		/* another slot there; then other buckets */
#define KMA_SPARE	2
#define KMA_BUSY	1UL
#define KMA_ALIGN	8		/* of any object of a slab */
#define KMA_STEPS	128U		/* buckets for the objects of two pages */

/**
 * struct kma_entry - what is known of a live object
 * @bytes_req: bytes asked of kmalloc; 0 for an object of a kmem_cache
 * @time: when it was allocated, kma_env_now()
 * @tgid: by which process; 0 outside task context
 * @row: number of its call site's row, which also says its cache
 * @cpu: on which CPU
 * @generation: changes each time the slot is filled
 * @where: the generation of its page frame when it was recorded, and the depth:
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

/* Both in one word, for one store. */
static __always_inline u32 kma_entry_where(u32 gen, u32 depth)
{
	return depth << 16 | gen;
}

static_assert(sizeof(kma_gen) == 2);

static inline kma_gen kma_entry_gen(const struct kma_entry *e)
{
	return e->where;
}

/* 0 in its own slot, 1 in another of its home bucket, else in another bucket. */
static inline int kma_entry_depth(const struct kma_entry *e)
{
	return e->where >> 16;
}

struct kma_bucket {
	unsigned long key[KMA_SLOTS];
	atomic64_t spilled;
	struct kma_entry entry[KMA_SLOTS];
} __aligned(256);

static_assert(sizeof(struct kma_bucket) == 256);

/* The word `spilled`: four bits for each depth, and how many sweep the bucket. */
#define KMA_SWEEP	0x1000000000000000ULL
#define KMA_SPILLED	(KMA_SWEEP - 1)

static_assert(!(KMA_SPILLED >> 4 * KMA_DEPTHS));

/**
 * struct kma_objtab - the table
 * @pages: the generations of the pages that objects lie on
 * @bucket: the buckets
 * @span: how many of them can be the first of two pages
 * @nr_buckets: how many there are, at least KMA_STEPS
 * @barren: when kma_objtab_make_room() found nothing, kma_env_now()
 */
struct kma_objtab {
	struct kma_pagegen pages;
	struct kma_bucket *bucket;
	u64 span;
	u32 nr_buckets;
	u32 barren;
};

enum kma_put {
	KMA_PUT_NEW,		/* recorded */
	KMA_PUT_REPLACED,	/* recorded; the address was taken until now */
	KMA_PUT_FULL,		/* not recorded */
	KMA_PUT_REPLACED_FULL,	/* not recorded, though the address was taken */
};

/**
 * kma_objtab_bytes() - memory that a table takes
 * @live_max: objects promised
 * @pfns: page frames, see kma_pagegen_init()
 *
 * Context: any. Return: bytes.
 */
u64 kma_objtab_bytes(u64 live_max, u64 pfns);

/**
 * kma_objtab_init() - make an empty table
 * @t: the table
 * @live_max: it never refuses an object while it holds fewer than this
 * @pfns: page frames, see kma_pagegen_init()
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_objtab_init(struct kma_objtab *t, u64 live_max, u64 pfns);

/**
 * kma_objtab_destroy() - free a table
 * @t: the table; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the table any more.
 */
void kma_objtab_destroy(struct kma_objtab *t);

/**
 * kma_objtab_read() - copy one slot, if an object is recorded in it
 * @b: the bucket
 * @slot: which slot of it, below KMA_SLOTS
 * @entry: the copy
 *
 * Context: any; runs beside probes. Return: the object's address, or 0 where
 * the slot was free, busy, or changed under the copy.
 */
unsigned long kma_objtab_read(const struct kma_bucket *b, int slot,
			      struct kma_entry *entry);

/* How many buckets there are. */
static inline u64 kma_objtab_buckets(const struct kma_objtab *t)
{
	return t->nr_buckets;
}

/**
 * kma_objtab_estimate() - about how many objects are recorded
 * @t: the table
 * @first: with which bucket to begin; any number
 *
 * It looks at a thousand buckets, or all if there are fewer: a half full table is
 * told to one or two per cent.
 * Context: any; runs beside probes. Return: the number.
 */
u64 kma_objtab_estimate(const struct kma_objtab *t, u32 first);

/* Bucket number @i. */
static inline struct kma_bucket *kma_objtab_bucket(const struct kma_objtab *t,
						   u64 i)
{
	return &t->bucket[i];
}

/**
 * kma_objtab_put() - record a live object
 * @t: the table
 * @ptr: its address; not 0 or KMA_BUSY
 * @entry: what is known of it; @generation and @where are not read
 * @old: where KMA_PUT_REPLACED or _FULL is returned: what was known of the
 *	object that had this address until now
 *
 * Context: a probe, any context. Return: see enum kma_put.
 */
enum kma_put kma_objtab_put(struct kma_objtab *t, unsigned long ptr,
			    const struct kma_entry *entry,
			    struct kma_entry *old);

/**
 * kma_objtab_take() - remove an object
 * @t: the table
 * @ptr: its address
 * @entry: what was known of it
 *
 * Context: a probe, any context. Return: whether it was there, and this call is
 * the one that removed it.
 */
bool kma_objtab_take(struct kma_objtab *t, unsigned long ptr,
		     struct kma_entry *entry);

/**
 * kma_objtab_stale() - whether an entry's page was freed since
 * @t: the table
 * @ptr: the object's address
 * @entry: a copy of its entry, made before
 *
 * Context: any. Return: true if so.
 */
static inline bool kma_objtab_stale(const struct kma_objtab *t, unsigned long ptr,
				    const struct kma_entry *entry)
{
	return kma_entry_gen(entry) != kma_pagegen_read(&t->pages, ptr);
}

/* Told of entries that were removed. */
typedef void kma_removed(void *arg, unsigned long ptr, const struct kma_entry *entry);

/**
 * kma_objtab_sweep() - remove the stale entries of a bucket
 * @t: the table
 * @b: the bucket
 * @removed: is told of each one that this call removed
 * @arg: handed to it
 *
 * Context: any; runs beside probes. Return: how many.
 */
int kma_objtab_sweep(struct kma_objtab *t, struct kma_bucket *b,
		     kma_removed *removed, void *arg);

/**
 * kma_objtab_make_room() - sweep where an object could be, until a slot is free
 * @t: the table
 * @ptr: the object's address
 * @removed: as for kma_objtab_sweep()
 * @arg: as for kma_objtab_sweep()
 *
 * Once nothing was found it is not tried again in the same unit of time: in a
 * table that is full of live objects it is for nothing.
 * Context: a probe, any context. Return: how many entries were removed.
 */
int kma_objtab_make_room(struct kma_objtab *t, unsigned long ptr,
			 kma_removed *removed, void *arg);

/**
 * kma_objtab_sweep_page() - remove all entries of a page
 * @t: the table
 * @page: the page's address; nothing on it is live
 * @removed: as for kma_objtab_sweep()
 * @arg: as for kma_objtab_sweep()
 *
 * Context: a probe, any context.
 */
void kma_objtab_sweep_page(struct kma_objtab *t, unsigned long page,
			   kma_removed *removed, void *arg);

/* x in [0, 2^32) to [0, n), as evenly as x was. */
static __always_inline u32 kma_scale(u32 x, u32 n)
{
	return ((u64)x * n) >> 32;
}

/* Objects of two pages that are so far apart share a bucket. */
#define KMA_SHARE	2048U
#define KMA_PAIR_SHIFT	(KMA_PAGE_SHIFT + 1)

/* The bucket where the object at @ptr belongs. */
static __always_inline struct kma_bucket *
kma_objtab_home(const struct kma_objtab *t, unsigned long ptr)
{
	const u32 low = ptr & (KMA_SHARE - 1), pair = ptr >> KMA_PAIR_SHIFT & U32_MAX;
	unsigned long first = ((u64)(pair * 0x9e3779b1U) * t->span) >> 32;
	/* (low >> 8) + (low >> 1), less what is above: bits 8 to 14 of low * 129. */
	u32 step = low * (129U << 17) >> 25;

	return &t->bucket[first + step];
}

static_assert(KMA_STEPS == 1 << (32 - 25));

/*
 * A multiplier has to keep apart what shares a bucket: objects of two pages that are
 * multiples of KMA_SHARE apart, and small ones that are 1,016 bytes from these.  Of 2^32,
 * KMA_SHARE times this one is a seventh and 1,016 times it is four: so up to seven of
 * them have a slot each, and those that are KMA_SHARE apart are neighbours.
 */
#define KMA_SLOT_MULTIPLIER	0x1004924cU

/* The slot of that bucket where it belongs. */
static __always_inline unsigned long kma_objtab_slot(unsigned long ptr)
{
	const u32 x = (u32)(ptr & U32_MAX) * KMA_SLOT_MULTIPLIER;

	return (u64)x * KMA_SLOTS >> 32;
}

/* An object is soon to be put there. Context: any. */
static inline void kma_objtab_expect(const struct kma_objtab *t, unsigned long ptr)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	unsigned long i = kma_objtab_slot(ptr);

	kma_env_prefetchw(&home->key[i]);
	kma_env_prefetchw(&home->entry[i]);
}

static __always_inline int kma_bucket_find(const struct kma_bucket *b,
					   unsigned long ptr)
{
	int i;

	kma_unroll(KMA_SLOTS)
	for (i = 0; i < KMA_SLOTS; i++)
		/*
		 * A plain load, for the compiler to compare memory directly:
		 * whoever goes on from here does so by a cmpxchg on the word.
		 */
		if (data_race(b->key[i] == ptr))
			return i;
	return -1;
}

/* Whether objects that belong here may not be in their slots, or may not be put. */
static __always_inline bool kma_bucket_spilled(const struct kma_bucket *b)
{
	/*
	 * Whoever frees an object got its address after it was put: it sees
	 * what was stored here before that.  Whoever puts one at an address
	 * that was taken before sees a sweep that began before; pairs with
	 * kma_sweep_begin().
	 */
	return data_race(b->spilled.counter != 0);
}

/* Make a free slot ours. */
static __always_inline int kma_bucket_claim(struct kma_bucket *b)
{
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (!READ_ONCE(b->key[i]) && !cmpxchg(&b->key[i], 0, KMA_BUSY))
			return i;
	return -1;
}

/* Begin to fill a slot that is ours. */
static __always_inline struct kma_entry *kma_bucket_begin(struct kma_bucket *b,
							  unsigned long i)
{
	struct kma_entry *e = &b->entry[i];

	/* Or the compiler would work out where its members are. */
	kma_env_hide(e);
	kma_inc_once(e->generation);
	smp_wmb(); /* generation before payload; pairs with kma_objtab_read() */
	return e;
}

/* Each value is worked out when it is stored: for all of them there are no registers. */
#define kma_entry_write(e, _bytes_req, _time, _tgid, _row, _cpu, _where) ({	\
	WRITE_ONCE((e)->bytes_req, _bytes_req);					\
	WRITE_ONCE((e)->time, _time);						\
	WRITE_ONCE((e)->tgid, _tgid);						\
	WRITE_ONCE((e)->row, _row);						\
	WRITE_ONCE((e)->cpu, _cpu);						\
	WRITE_ONCE((e)->where, _where);						\
})

/* It has been filled. */
static __always_inline void kma_bucket_publish(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/* Pairs with the acquire in kma_objtab_read() and with the cmpxchg in
	 * kma_bucket_take(): whoever sees the key sees the entry, and the hit
	 * that was counted before it.
	 */
	smp_store_release(&b->key[i], ptr);
}

/* All of that. */
static inline void kma_bucket_fill(struct kma_bucket *b, unsigned long i,
				   unsigned long ptr, const struct kma_entry *entry,
				   u32 gen, u32 depth)
{
	struct kma_entry *e = kma_bucket_begin(b, i);

	kma_entry_write(e, entry->bytes_req, entry->time, entry->tgid, entry->row,
			entry->cpu, kma_entry_where(gen, depth));
	kma_bucket_publish(b, i, ptr);
}

/* Its entry has been read. */
static __always_inline void kma_bucket_empty(struct kma_bucket *b, unsigned long i)
{
	/* Pairs with all that claim a slot, and see kma_objtab_claim_home(). */
	smp_store_release(&b->key[i], 0);
}

/* Empty slot @i if it still describes @ptr. */
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
 * What follows are the simple cases, inlined into the probes: nothing of them goes to
 * memory but the slot itself.
 */

/**
 * kma_objtab_claim_home() - claim an object's slot, if its home has not spilled
 * @b: its home
 * @i: its slot there
 *
 * Context: a probe, any context. Return: whether it may be filled, and has to be, by
 * kma_bucket_begin() and kma_bucket_publish(); if not, nothing was done, and
 * kma_objtab_put() is to be called.
 */
static __always_inline bool kma_objtab_claim_home(struct kma_bucket *b,
						  unsigned long i)
{
	unsigned long free = 0;

	/*
	 * Were the address in another slot, or bucket, it would have spilled.
	 * The mark is read after the key: pairs with the release of 0 in
	 * kma_bucket_take().  If a sweep took an entry of this address from
	 * here, and others that began before may still do so, there is a mark.
	 */
	return likely(kma_acquire_is(&b->key[i], 0UL) && !kma_bucket_spilled(b) &&
		      try_cmpxchg(&b->key[i], &free, KMA_BUSY));
}

/**
 * kma_objtab_in_home() - whether an object that is about to be freed is in its slot
 * @b: its home
 * @i: its slot there
 * @ptr: its address
 *
 * If not, and only if the home has spilled, it may be elsewhere.
 * Context: a probe, any context. Return: true if so.
 */
static __always_inline bool kma_objtab_in_home(struct kma_bucket *b, unsigned long i,
					       unsigned long ptr)
{
	/* Pairs with the release in kma_bucket_publish(). */
	return likely(kma_acquire_is(&b->key[i], ptr));
}

/**
 * kma_objtab_is_own() - whether nobody else can remove its entry
 * @t: the table
 * @e: the entry
 * @ptr: the object's address
 *
 * Context: a probe, any context; the object is about to be freed, and is not free
 * before that is over.  Return: whether the slot may simply be emptied,
 * kma_bucket_empty().
 */
static __always_inline bool kma_objtab_is_own(const struct kma_objtab *t,
					      const struct kma_entry *e,
					      unsigned long ptr)
{
	const kma_gen *gen = kma_pagegen_at(&t->pages, ptr);

	/*
	 * Plain, for the compiler to compare the lower half of `where` in memory.
	 * That the page's generation does not end now makes this mean what it says.
	 */
	return likely(data_race(*(const kma_gen *)&e->where == *gen));
}

/**
 * kma_objtab_take_home() - remove an object from its slot
 * @b: its home
 * @ptr: its address
 * @entry: what was known of it
 *
 * Context: a probe, any context. Return: whether it was in its slot; if not, and
 * only if the home has spilled, it may be elsewhere: kma_objtab_take() looks.
 */
static __always_inline bool kma_objtab_take_home(struct kma_bucket *b,
						 unsigned long ptr,
						 struct kma_entry *entry)
{
	unsigned long i = kma_objtab_slot(ptr);

	/* Plain, as in kma_bucket_find(). */
	return likely(data_race(b->key[i] == ptr)) &&
	       kma_bucket_take(b, i, ptr, entry);
}

#endif /* KMA_CORE_OBJTAB_H */
