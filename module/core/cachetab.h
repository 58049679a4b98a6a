/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches that objects come from: a small table that probes add caches to.
 *
 * An event identifies a cache by one word, the cache word (event.h).  When a probe sees a new
 * cache word, it gives the cache a number and copies the name and the sizes of the cache.  It
 * has to copy them now: a cache cannot be destroyed while one of its objects is being
 * allocated, but it may be destroyed before anything reads the table.
 *
 *	map: cache word --hash--> number	info[number]: sizes, name
 *
 * When a kmem_cache is destroyed, it is retired: its cache word no longer leads to its number,
 * because the next kmem_cache may get the same address.  If a new cache has the name and the
 * sizes of a retired one, as when a file system is mounted again, it takes over the number of
 * the retired cache.  Otherwise the number is recycled (recycle.h), because numbers would run out:
 * some subsystems give each new cache a new name.
 *
 * When all numbers are in use, a new cache gets a reserved number, which it shares with other
 * caches of about the same size whose objects are charged to a cgroup as its own are.  A full table
 * is a normal state: from then on, an event of that cache only reads the slot.  Tables compute
 * bytes as if all caches of a reserved number had the same size.  For this, sizes are rounded up to
 * the next of four steps between powers of two.  Multiples of 8 up to 64 stay as they are, and
 * other sizes grow by less than a quarter.
 *
 * Two CPUs that see a new cache word at the same time may give it two numbers.  This is
 * harmless: the tables print caches with the same name as one.
 *
 * A table of page allocations has classes (event.h) in place of caches.  The gfp flags of a class
 * with a reserved number are unknown (KMA_CLASS_GFP_OTHER); its order and migrate type are right.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free the table: process, may sleep.
 */
#ifndef KMA_CORE_CACHETAB_H
#define KMA_CORE_CACHETAB_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "env.h"
#include "event.h"
#include "spare.h"

#define KMA_CACHES_MAX		1024
#define KMA_CACHES_MAP		(4 * KMA_CACHES_MAX)
#define KMA_CACHES_PROBES	64

/*
 * Reserved numbers begin at KMA_CACHES_MAX.  For objects, there are two for each step of sizes,
 * from 8 bytes, the first step, to KMA_CACHE_BYTES_MAX; the second one is for caches whose objects
 * are charged.
 */
#define KMA_CACHES_OTHER	(2 * (4 * (31 - 3) + 1))
/* For page allocations, there is one for each kind, order and migrate type. */
#define KMA_CLASSES_OTHER	512
#define KMA_CACHES_RESERVED	KMA_CLASSES_OTHER

static_assert(KMA_CLASSES_OTHER == 1UL << KMA_CLASS_GFP_SHIFT);
static_assert(KMA_CACHES_OTHER <= KMA_CACHES_RESERVED);

/**
 * enum kma_cache_state - the state of a number
 * @KMA_CACHE_UNUSED: not in use, or its description is being written
 * @KMA_CACHE_LIVE: in use
 * @KMA_CACHE_RETIRED: the kmem_cache was destroyed; a cache of the same name and sizes may take
 *	over the number
 * @KMA_CACHE_LEAVING: being recycled (recycle.h)
 */
enum kma_cache_state {
	KMA_CACHE_UNUSED,
	KMA_CACHE_LIVE,
	KMA_CACHE_RETIRED,
	KMA_CACHE_LEAVING,
};

/**
 * struct kma_cache_info - description of a cache
 * @class: page allocations only: the class, as computed by kma_class(); otherwise 0
 * @size: bytes that each object takes
 * @object_size: bytes that were requested for each object; 0 for a size of kmalloc, where each
 *	event has the number of bytes requested
 * @charge: KMA_CHARGE if all objects are charged to a cgroup (owner.h), otherwise 0
 * @sampled: page allocations only: rows of this class count all call sites, while samples of
 *	the class have rows of their own
 * @name: name of a kmem_cache; empty for a size of kmalloc
 */
struct kma_cache_info {
	unsigned long class;
	u32 size;
	u32 object_size;
	u8 charge;
	bool sampled;
	char name[KMA_CACHE_NAME_LEN];
};

/**
 * struct kma_cache_slot - a slot of the map: from a cache word to a number
 * @cache: the cache word, or a special value (cachetab.c)
 * @id: number of the cache
 * @reach: for caches whose search begins at this slot: the distance to the farthest slot that
 *	was ever claimed for one of them; it never decreases
 */
struct kma_cache_slot {
	unsigned long cache;
	s16 id;
	u8 reach;
};

static_assert(KMA_CACHES_PROBES <= 256);

/**
 * struct kma_cachetab - the table of caches
 * @map: the slots
 * @info: description of each cache, by its number
 * @state: for each number, an enum kma_cache_state; apart from @info, so that a search for retired
 *	caches reads few cache lines
 * @spare: numbers that are not in use
 * @nr: how many numbers there are, reserved ones included
 * @classes: true if cache words are classes of page allocations
 */
struct kma_cachetab {
	struct kma_cache_slot *map;
	struct kma_cache_info *info;
	u8 *state;
	struct kma_spare spare;
	u32 nr;
	bool classes;
};

/* How many numbers a table has, reserved ones included. */
static inline u32 kma_caches_nr(bool classes)
{
	return KMA_CACHES_MAX + (classes ? KMA_CLASSES_OTHER : KMA_CACHES_OTHER);
}

size_t kma_cachetab_bytes(bool classes);

/* Allocate an empty table.  Returns 0 or -ENOMEM. */
int kma_cachetab_init(struct kma_cachetab *t, bool classes);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_cachetab_destroy(struct kma_cachetab *t);

/* Find or assign the number of a cache; a reserved one if the table is full.  Context: a probe. */
int kma_cachetab_get(struct kma_cachetab *t, unsigned long cache);

/* Whether the table has a cache word. */
bool kma_cachetab_has(struct kma_cachetab *t, unsigned long cache);

/*
 * Retire a number of a kmem_cache that is about to be destroyed, and set @id to it.  Call this
 * until it returns false: a cache may have several numbers.  No object of the cache is being
 * allocated, unless @cache is a merged cache and only one of its names goes away: then the next
 * event gives it a number again.
 */
bool kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache, int *id);

/* The state of a number.  Unless it is KMA_CACHE_UNUSED, the number's description is valid. */
static inline enum kma_cache_state kma_cachetab_state(const struct kma_cachetab *t, u32 id)
{
	/* Pairs with the release in kma_cachetab_create(). */
	return smp_load_acquire(&t->state[id]);
}

/* Whether a number is a reserved one, which caches share. */
static inline bool kma_cache_is_other(u32 id)
{
	return id >= KMA_CACHES_MAX;
}

/* How many numbers are in use, apart from reserved ones. */
static inline u32 kma_cachetab_used(const struct kma_cachetab *t)
{
	return KMA_CACHES_MAX - kma_spare_left(&t->spare);
}

#endif /* KMA_CORE_CACHETAB_H */
