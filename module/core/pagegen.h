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

/**
 * kma_pagegen_bytes() - memory that page generations would take
 * @pfns: number of page frames
 *
 * Context: process, may sleep.
 * Return: bytes.
 */
static inline u64 kma_pagegen_bytes(u64 pfns)
{
	return pfns ? kma_env_pfns_forecast(pfns, sizeof(kma_gen)) : 0;
}

/**
 * kma_pagegen_init() - allocate page generations, for pages that have no recorded objects
 * @m: the page generations
 * @pfns: number of page frames, a power of two, at least 4
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM with no memory left allocated.
 */
int kma_pagegen_init(struct kma_pagegen *m, u64 pfns);

/**
 * kma_pagegen_destroy() - free the page generations
 * @m: the page generations; may be zeroed memory
 *
 * Context: process, may sleep; no other context uses the page generations any more.
 */
void kma_pagegen_destroy(struct kma_pagegen *m);

/**
 * kma_pagegen_at() - find the generation of an object's page
 * @m: the page generations
 * @ptr: the object's address
 *
 * Context: any.
 * Return: pointer to the generation.
 */
static __always_inline kma_gen *kma_pagegen_at(const struct kma_pagegen *m,
					       unsigned long ptr)
{
	/* Both may change, but each pair of values that a probe can see is valid: memhotplug.c. */
	return &data_race(m->gen)[(ptr >> KMA_PAGE_SHIFT) & data_race(m->mask)];
}

/**
 * kma_pagegen_read() - read the generation of an object's page
 * @m: the page generations
 * @ptr: the object's address
 *
 * Context: any.
 * Return: the generation.
 */
static __always_inline kma_gen kma_pagegen_read(const struct kma_pagegen *m,
						unsigned long ptr)
{
	return READ_ONCE(*kma_pagegen_at(m, ptr));
}

/**
 * kma_pagegen_enter() - make the generation of a page odd, before an object is recorded
 * @m: the page generations
 * @ptr: the object's address
 *
 * Context: a probe, any context.
 * Return: the generation of the page, which is odd.
 */
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

/**
 * kma_pagegen_used() - test whether objects were recorded on a page since it was last freed
 * @m: the page generations
 * @page: address of the page
 *
 * Context: any.
 * Return: true if objects were recorded on the page.
 */
static __always_inline bool kma_pagegen_used(const struct kma_pagegen *m,
					     unsigned long page)
{
	return kma_pagegen_read(m, page) & 1;
}

/**
 * kma_pagegen_used_at() - kma_pagegen_used() for an address that is already shifted
 * @m: the page generations
 * @number: address of the page, shifted right by KMA_PAGE_SHIFT; bits that @m->mask does not
 *	have are ignored
 *
 * Context: any.
 * Return: true if objects were recorded on the page since it was last freed.
 */
static __always_inline bool kma_pagegen_used_at(const struct kma_pagegen *m,
						unsigned long number)
{
	/* A plain load, so that the compiler tests one byte in memory. */
	return data_race(m->gen[number & m->mask]) & 1;
}

/**
 * kma_pagegen_leave() - end the generation of a page that is about to be freed
 * @m: the page generations
 * @page: address of the page
 *
 * A page without recorded objects is ignored.
 *
 * Context: a probe, any context; the page has no live objects.
 * Return: true if the generation has wrapped around: the caller has to remove all entries of
 * the page now.
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

/**
 * kma_pagegen_range() - find the generations of pages that are about to be freed
 * @m: the page generations
 * @page: address of the first page, aligned to the size of all of them
 * @order: binary logarithm of the number of pages, at least 2
 *
 * Context: any.
 * Return: the range, which is within the array for any address.
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

/**
 * kma_genrange_used() - test whether objects were recorded on any page of a range
 * @r: the range; leading words of pages without recorded objects are dropped from it
 *
 * Context: any.
 * Return: true if objects were recorded on any of the pages since the page was last freed.
 */
static __always_inline bool kma_genrange_used(struct kma_genrange *r)
{
	do {
		if (READ_ONCE(*r->at) & KMA_GENS_ODD)
			return true;
	} while (++r->at != r->end);
	return false;
}

/**
 * kma_genrange_end() - end the generations of pages that are about to be freed
 * @r: the range
 *
 * Context: a probe, any context; the pages have no live objects, and @fixed of the page
 * generations is false.
 * Return: true if all generations are ended; false if a generation would wrap around: then the
 * caller has to call kma_pagegen_leave() for each page.
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
