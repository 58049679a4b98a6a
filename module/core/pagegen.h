/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page generations: they identify entries of the live table whose objects were freed without
 * an event that the module saw.
 *
 * When a page returns to the page allocator, no live object is left on it.  If the live table
 * still has an entry for an address on that page, the free of the object was not seen.
 * Looking for such entries whenever a page is freed would mean searching all 128 buckets of
 * the page, nearly always without finding any.  Instead, each page frame has a number, its
 * generation, and each entry stores the generation that the page frame had when the object was
 * recorded:
 *
 *	first object recorded on a page		even --> odd
 *	page freed				odd --> even
 *
 * An entry is stale if its generation differs from that of its page frame.  A stale entry
 * is removed when its slot or its address is needed, and all stale entries are removed
 * before a table is shown (kma_objtab_sweep()).  A generation has 16 bits, so it wraps around
 * after 32,768 frees of a page that had recorded objects.  When it wraps around, all entries of
 * the page are looked for and removed.  Otherwise a stale entry would seem valid when the page
 * has the generation of the entry again.
 *
 * The only barrier that this needs is the release of the entry's key.  A generation becomes
 * odd before the caller of the allocation gets the object's address.  It becomes even in the
 * free of the page, which the allocator orders after the free of the last object.  In
 * between, no context changes it.
 *
 * The number of generations is a power of two, and the low bits of the page number are the
 * index, so that no address leads out of the array.  Generations lie on the node of their page
 * frames.  Where there is no RAM, generations share memory (kma_env_pfns_alloc()).
 *
 * When memory is added, the generations of its page frames get memory, and the array grows if need
 * be (kma_memhotplug_add()).  If that fails, page frames share generations.  From then on
 * generations must not change from odd to even (@fixed): no more entries become stale, and
 * objects whose free was not seen stay in the live table.
 *
 * Context, unless a function says otherwise: a probe, or any context with preemption off; NMI
 * included; for functions that size, allocate or free memory: process, may sleep.
 */
#ifndef KMA_CORE_PAGEGEN_H
#define KMA_CORE_PAGEGEN_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "event.h"

typedef u16 kma_gen;
#define KMA_GEN_LAST	((kma_gen)U16_MAX)

/*
 * The first generations of four page frames in a row.  They differ, because all pages of a slab are
 * freed at the same time: if all their generations wrapped around at once, the search for entries
 * would take long.
 */
#define KMA_GENS_FIRST	0x0006000400020000ULL

/**
 * struct kma_pagegen - the page generations
 * @gen: generation of each page frame; odd if objects were recorded on the page since it was
 *	last freed.  When memory is added, this changes to another mapping of the same memory.
 *	So only probes, and code with preemption off, may use it
 * @mask: the number of generations, a power of two, minus one; may grow when memory is added
 * @fixed: true if generations must not end any more, see above
 */
struct kma_pagegen {
	kma_gen *gen;
	unsigned long mask;
	bool fixed;
};

/* Bytes that the generations of @pfns page frames would take. */
static inline u64 kma_pagegen_bytes(u64 pfns)
{
	return pfns ? kma_env_pfns_forecast(pfns, sizeof(kma_gen)) : 0;
}

/* Allocate generations of @pfns pages, a power of two, 4 or more.  Returns 0 or -ENOMEM. */
int kma_pagegen_init(struct kma_pagegen *m, u64 pfns);

/* Free @m, which may be zeroed memory, and which no other context uses any more. */
void kma_pagegen_destroy(struct kma_pagegen *m);

/* Find the generation of an object's page. */
static __always_inline kma_gen *kma_pagegen_at(const struct kma_pagegen *m,
					       unsigned long ptr)
{
	/*
	 * Both may change, but each pair of values that a probe can see is valid: see memhotplug.c.
	 */
	return &data_race(m->gen)[(ptr >> KMA_PAGE_SHIFT) & data_race(m->mask)];
}

static __always_inline kma_gen kma_pagegen_read(const struct kma_pagegen *m,
						unsigned long ptr)
{
	return READ_ONCE(*kma_pagegen_at(m, ptr));
}

/* Make the generation of an object's page odd, before the object is recorded, and return it. */
static __always_inline u32 kma_pagegen_enter(const struct kma_pagegen *m,
					     unsigned long ptr)
{
	kma_gen *at = kma_pagegen_at(m, ptr);
	u32 gen = READ_ONCE(*at);

	/* Hide the value from the compiler: otherwise the compiler copies it. */
	OPTIMIZER_HIDE_VAR(gen);
	/*
	 * Other contexts that record the first object of the page at the same time write
	 * the same value.  KMA_GEN_LAST is odd, so this increment does not wrap around.
	 * The release in kma_bucket_publish() comes after the store.  It pairs with the
	 * acquire in kma_objtab_read(), after which kma_objtab_stale() reads the generation.
	 */
	if (unlikely(!(gen & 1)))
		WRITE_ONCE(*at, ++gen);
	return gen;
}

/* Whether objects were recorded on a page since it was last freed. */
static __always_inline bool kma_pagegen_used(const struct kma_pagegen *m,
					     unsigned long page)
{
	return kma_pagegen_read(m, page) & 1;
}

/* Like kma_pagegen_used(), for an address >> KMA_PAGE_SHIFT; bits above @m->mask are ignored. */
static __always_inline bool kma_pagegen_used_at(const struct kma_pagegen *m,
						unsigned long number)
{
	/* A plain load, so that the compiler tests one byte in memory. */
	return data_race(m->gen[number & m->mask]) & 1;
}

/*
 * End the generation of a page that is about to be freed, and has no live objects.  A page without
 * recorded objects is ignored.  Returns true if the generation has wrapped around: the caller has
 * to remove all entries of the page now.
 */
static inline bool kma_pagegen_leave(struct kma_pagegen *m, unsigned long page)
{
	kma_gen *at = kma_pagegen_at(m, page);
	kma_gen gen = READ_ONCE(*at);

	if (!(gen & 1) || READ_ONCE(m->fixed))
		return false;
	WRITE_ONCE(*at, gen + 1);
	return gen == KMA_GEN_LAST;
}

/* For words of four generations: the lowest bits, and the highest bits, of all four. */
#define KMA_GENS_ODD	0x0001000100010001ULL
#define KMA_GENS_HIGH	0x8000800080008000ULL

static_assert(sizeof(kma_gen) == sizeof(u64) / 4);

/**
 * struct kma_genrange - the generations of four or more consecutive pages
 * @at: the first word, of four generations
 * @end: the end of the range, after its last word; never equal to @at
 */
struct kma_genrange {
	u64 *at;
	u64 *end;
};

/*
 * Find the generations of 2^@order pages that are about to be freed.  @page, the address of the
 * first one, is aligned to the size of all of them; @order is at least 2.  The range is within the
 * array for any address.
 */
static __always_inline struct kma_genrange
kma_pagegen_range(const struct kma_pagegen *m, unsigned long page, unsigned int order)
{
	const unsigned long mask = data_race(m->mask);	/* see kma_pagegen_at() */
	unsigned long nr = min_t(unsigned long, 1UL << order, mask + 1);
	kma_gen *gen = data_race(m->gen);	/* see kma_pagegen_at() */
	kma_gen *first = gen + (page >> KMA_PAGE_SHIFT & mask & -nr);

	return (struct kma_genrange) {
		.at = (u64 *)first,
		.end = (u64 *)(first + nr),
	};
}

/*
 * Whether objects were recorded on any page of a range since the page was last freed.  Drops
 * leading words of pages without recorded objects from the range.
 */
static __always_inline bool kma_genrange_used(struct kma_genrange *r)
{
	do {
		if (READ_ONCE(*r->at) & KMA_GENS_ODD)
			return true;
	} while (++r->at != r->end);
	return false;
}

/*
 * End the generations of pages that are about to be freed, and have no live objects; @fixed of
 * struct kma_pagegen is false.  Returns false if a generation would wrap around: then the caller
 * has to call kma_pagegen_leave() for each page.
 */
static __always_inline bool kma_genrange_end(struct kma_genrange r)
{
	u64 gens, next;

	do {
		gens = READ_ONCE(*r.at);
		next = gens + (gens & KMA_GENS_ODD);
		/* A highest bit changes to 0 if and only if its generation is KMA_GEN_LAST. */
		if (unlikely(gens & ~next & KMA_GENS_HIGH))
			return false;
		if (next != gens)
			WRITE_ONCE(*r.at, next);
	} while (++r.at != r.end);
	return true;
}

#endif /* KMA_CORE_PAGEGEN_H */
