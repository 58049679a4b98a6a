/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live objects: a hash table that probes fill and empty without a lock.
 *
 * An object allocated on one CPU is often freed on another, so whoever frees
 * must find the entry from the address alone.  The table is cut into shards,
 * one for each possible CPU and in memory of that CPU's node; a hash of the
 * page that the object lies on picks the shard.
 *
 *	shard --> | bucket | bucket | bucket | ...		256 bytes each
 *		     |
 *		     +--> key[7] spilled | entry[0] ... entry[6] | pad
 *			  one cache line   what is known of key[i]
 *
 * Within the shard the same hash picks a first bucket, and the object's offset
 * in its page, in steps of KMA_STEP bytes, is added to that.  SLUB hands a slab
 * page to one CPU at a time: the objects of a page lie in consecutive buckets,
 * whose lines stay in that CPU's cache and whose pages stay in its TLB.
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
 *
 * Who loses the cmpxchg does nothing: the winner counts the removal.  Readers
 * never claim a slot.  They copy the entry and accept the copy if the key and
 * the generation, which changes whenever a slot is filled, are the same before
 * and after (kma_objtab_read()).
 *
 * A bucket whose seven slots are taken spills: the object goes to one of up to
 * KMA_DEPTHS other buckets, anywhere in the table, that a hash of its whole
 * address names.  The home bucket's word `spilled` counts, in four bits for
 * each depth, how many of its objects are at that depth.  So the free of an
 * address that is not in the table, the most common event of all, costs the
 * home bucket's key line and no more, unless objects really have spilled.
 *
 * The table has room for KMA_SPARE times the objects that were promised.  With
 * that, and sixteen places to spill to, no object is dropped while fewer than
 * live_max are recorded, whatever their sizes; design.rst has the figures.
 */
#ifndef KMA_CORE_OBJTAB_H
#define KMA_CORE_OBJTAB_H

#include "env.h"

#define KMA_SLOTS	7
#define KMA_DEPTHS	16
#define KMA_SPARE	2
#define KMA_BUSY	1UL
#define KMA_PAGE_SHIFT	12
#define KMA_STEP_SHIFT	5
#define KMA_STEPS	(1U << (KMA_PAGE_SHIFT - KMA_STEP_SHIFT))

/**
 * struct kma_entry - what is known of a live object
 * @bytes_req: bytes asked of kmalloc; 0 for an object of a kmem_cache
 * @time: when it was allocated, kma_env_now()
 * @tgid: by which process; 0 outside task context
 * @row: number of its call site's row, which also says its cache
 * @cpu: on which CPU
 * @generation: changes each time the slot is filled
 * @unused: 0
 * @depth: 0 in the home bucket, else which of the other buckets this is
 */
struct kma_entry {
	u32 bytes_req;
	u32 time;
	u32 tgid;
	u16 row;
	u16 cpu;
	u32 generation;
	u8 unused[3];
	u8 depth;
};

static_assert(sizeof(struct kma_entry) == 24);

struct kma_bucket {
	unsigned long key[KMA_SLOTS];
	atomic64_t spilled;
	struct kma_entry entry[KMA_SLOTS];
} __aligned(256);

static_assert(sizeof(struct kma_bucket) == 256);

/**
 * struct kma_objtab - the table
 * @shard: the shards' buckets
 * @nr_shards: how many there are
 * @nr_buckets: buckets of one shard, at least KMA_STEPS
 * @span: how many of them can be the first of a page
 */
struct kma_objtab {
	struct kma_bucket **shard;
	u32 nr_shards;
	u32 nr_buckets;
	u32 span;
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
 * @nr_shards: how many shards it has
 *
 * Context: any. Return: bytes.
 */
u64 kma_objtab_bytes(u64 live_max, unsigned int nr_shards);

/**
 * kma_objtab_init() - make an empty table
 * @t: the table
 * @live_max: it never refuses an object while it holds fewer than this
 * @nr_shards: how many shards to cut it into, usually nr_cpu_ids
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_objtab_init(struct kma_objtab *t, u64 live_max, unsigned int nr_shards);

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

/* How many buckets there are in all shards. */
static inline u64 kma_objtab_buckets(const struct kma_objtab *t)
{
	return (u64)t->nr_shards * t->nr_buckets;
}

/* Bucket number @i of all; not for probes. */
static inline struct kma_bucket *kma_objtab_bucket(const struct kma_objtab *t,
						   u64 i)
{
	u32 bucket;
	u64 shard = div_u64_rem(i, t->nr_buckets, &bucket);

	return &t->shard[shard][bucket];
}

/**
 * kma_objtab_put() - record a live object
 * @t: the table
 * @ptr: its address; not 0 or KMA_BUSY
 * @entry: what is known of it; @generation and @depth are not read
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

/* x in [0, 2^32) to [0, n), as evenly as x was. */
static __always_inline u32 kma_scale(u32 x, u32 n)
{
	return ((u64)x * n) >> 32;
}

/* The bucket where the object at @ptr belongs. */
static __always_inline struct kma_bucket *
kma_objtab_home(const struct kma_objtab *t, unsigned long ptr)
{
	u64 hash = (u64)(ptr >> KMA_PAGE_SHIFT) * 0x9e3779b97f4a7c15ULL;
	u32 first = kma_scale(hash & U32_MAX, t->span);
	u32 step = (ptr >> KMA_STEP_SHIFT) % KMA_STEPS;

	return &t->shard[kma_scale(hash >> 32, t->nr_shards)][first + step];
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

/* Whether objects that belong here may be in other buckets. */
static __always_inline bool kma_bucket_spilled(const struct kma_bucket *b)
{
	/*
	 * Whoever frees an object got its address after it was put: it sees
	 * what was stored here before that.
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

/* Fill and publish a slot that is ours. */
static __always_inline void kma_bucket_fill(struct kma_bucket *b, int i,
					    unsigned long ptr,
					    const struct kma_entry *entry,
					    u8 depth)
{
	struct kma_entry *e = &b->entry[i];

	WRITE_ONCE(e->generation, e->generation + 1);
	smp_wmb(); /* generation before payload; pairs with kma_objtab_read() */
	WRITE_ONCE(e->bytes_req, entry->bytes_req);
	WRITE_ONCE(e->time, entry->time);
	WRITE_ONCE(e->tgid, entry->tgid);
	WRITE_ONCE(e->row, entry->row);
	WRITE_ONCE(e->cpu, entry->cpu);
	WRITE_ONCE(e->depth, depth);
	/* Pairs with the acquire in kma_objtab_read() and with the cmpxchg in
	 * kma_bucket_take(): whoever sees the key sees the entry, and the hit
	 * that was counted before it.
	 */
	smp_store_release(&b->key[i], ptr);
}

/* Empty slot @i if it still describes @ptr. */
static __always_inline bool kma_bucket_take(struct kma_bucket *b, int i,
					    unsigned long ptr,
					    struct kma_entry *entry)
{
	if (unlikely(cmpxchg(&b->key[i], ptr, KMA_BUSY) != ptr))
		return false;
	*entry = b->entry[i];
	smp_store_release(&b->key[i], 0); /* pairs with kma_bucket_claim() */
	return true;
}

/*
 * The two that follow are the simple cases, inlined into the probes.  They take
 * and give entries by value as far as the compiler is concerned: nothing of
 * them goes to memory but the slot itself.
 */

/**
 * kma_objtab_put_home() - record an object whose home is not crowded
 * @b: its home
 * @ptr: its address
 * @entry: what is known of it
 *
 * Context: a probe, any context. Return: whether that was all; if not, nothing
 * was done, and kma_objtab_put() is to be called.
 */
static __always_inline bool kma_objtab_put_home(struct kma_bucket *b,
						unsigned long ptr,
						const struct kma_entry *entry)
{
	int i;

	if (unlikely(kma_bucket_find(b, ptr) >= 0 || kma_bucket_spilled(b)))
		return false;
	i = kma_bucket_claim(b);
	if (unlikely(i < 0))
		return false;
	kma_bucket_fill(b, i, ptr, entry, 0);
	return true;
}

/**
 * kma_objtab_take_home() - remove an object from its home
 * @b: its home
 * @ptr: its address
 * @entry: what was known of it
 *
 * Context: a probe, any context. Return: whether it was there; if not, and only
 * if the home has spilled, it may be elsewhere: kma_objtab_take() looks.
 */
static __always_inline bool kma_objtab_take_home(struct kma_bucket *b,
						 unsigned long ptr,
						 struct kma_entry *entry)
{
	int i = kma_bucket_find(b, ptr);

	return likely(i >= 0) && kma_bucket_take(b, i, ptr, entry);
}

#endif /* KMA_CORE_OBJTAB_H */
