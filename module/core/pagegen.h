/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generations of page frames: the second net under frees that nobody sees.
 *
 * When the page allocator gets a page back, nothing on it is live.  An entry of
 * the live table that still names an address there is of an object whose free
 * was not seen.  To look for such entries at each free of a page would take a
 * look at all of its 128 buckets, nearly always for nothing.  Instead each page
 * frame has a number, its generation, and each entry that of its page:
 *
 *	first object recorded on a page		even --> odd
 *	page is freed				odd --> even
 *
 * An entry whose generation is not that of its page frame is stale.  Stale entries are
 * removed when their slot or their address is needed, and all of them before a
 * table is shown (kma_objtab_sweep()).  A generation has sixteen bits: when it comes
 * round, after 32,768 frees of a page that held objects, the page's buckets are
 * looked at after all, so that no stale entry ever sees its generation again.
 *
 * There is no barrier.  A generation becomes odd before the object's address is known
 * to its caller, and even by code that the allocator orders after the free of
 * the last object; in between nobody changes it.
 *
 * The array has a power of two of generations and is indexed by the low bits of the
 * page's number, so that no address can lead out of it.  If memory is added
 * beyond it, two frames share a generation.  Then generations must not end any more
 * (`fixed`): no entry becomes stale, and the net is gone.
 */
#ifndef KMA_CORE_PAGEGEN_H
#define KMA_CORE_PAGEGEN_H

#include "event.h"

typedef u16 kma_gen;
#define KMA_GEN_LAST	((kma_gen)U16_MAX)

/**
 * struct kma_pagegen - the generations
 * @gen: of each page frame; odd if objects were recorded there in this generation
 * @mask: their number, a power of two, less one
 * @fixed: generations do not end
 */
struct kma_pagegen {
	kma_gen *gen;
	unsigned long mask;
	bool fixed;
};

/**
 * kma_pagegen_bytes() - memory that a map takes
 * @pfns: page frames
 *
 * Context: any. Return: bytes.
 */
static inline u64 kma_pagegen_bytes(u64 pfns)
{
	return pfns * sizeof(kma_gen);
}

/**
 * kma_pagegen_init() - make a map on which nothing is recorded
 * @m: the map
 * @pfns: page frames, a power of two, at least 4
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_pagegen_init(struct kma_pagegen *m, u64 pfns);

/**
 * kma_pagegen_destroy() - free a map
 * @m: the map; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the map any more.
 */
void kma_pagegen_destroy(struct kma_pagegen *m);

static __always_inline kma_gen *kma_pagegen_at(const struct kma_pagegen *m,
					       unsigned long ptr)
{
	return &m->gen[(ptr >> KMA_PAGE_SHIFT) & m->mask];
}

/**
 * kma_pagegen_read() - the generation of an object's page
 * @m: the map
 * @ptr: the object's address
 *
 * Context: any. Return: the generation.
 */
static __always_inline kma_gen kma_pagegen_read(const struct kma_pagegen *m,
						unsigned long ptr)
{
	return READ_ONCE(*kma_pagegen_at(m, ptr));
}

/**
 * kma_pagegen_enter() - an object is about to be recorded
 * @m: the map
 * @ptr: its address
 *
 * Context: a probe, any context. Return: the generation of its page, which is odd.
 */
static __always_inline u32 kma_pagegen_enter(const struct kma_pagegen *m,
					     unsigned long ptr)
{
	kma_gen *at = kma_pagegen_at(m, ptr);
	u32 gen = READ_ONCE(*at);

	/* Or the compiler would copy what it has read. */
	kma_env_hide(gen);
	/* Whoever else is first there writes the same; an even one is not the last. */
	if (unlikely(!(gen & 1)))
		WRITE_ONCE(*at, ++gen);
	return gen;
}

/**
 * kma_pagegen_used() - whether objects were recorded on a page in this generation
 * @m: the map
 * @page: its address
 *
 * Context: any. Return: true if so.
 */
static __always_inline bool kma_pagegen_used(const struct kma_pagegen *m,
					     unsigned long page)
{
	return kma_pagegen_read(m, page) & 1;
}

/* Context: any. Return: the same, by the upper bits of the page's address alone. */
static __always_inline bool kma_pagegen_used_at(const struct kma_pagegen *m,
						unsigned long number)
{
	return data_race(m->gen[number & m->mask]) & 1;	/* one byte */
}

/**
 * kma_pagegen_leave() - a page is about to be freed
 * @m: the map
 * @page: its address
 *
 * Context: a probe, any context; nothing on the page is live.
 * Return: whether its generations begin anew: what is still recorded there is to be
 * removed now.
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

/* The lowest bit of each of four generations, and the highest. */
#define KMA_GENS_ODD	0x0001000100010001ULL
#define KMA_GENS_HIGH	0x8000800080008000ULL

static_assert(sizeof(kma_gen) == sizeof(u64) / 4);

/**
 * struct kma_genrange - the generations of a block of at least four pages
 * @at: the first four, of which there are some
 * @end: behind the last
 */
struct kma_genrange {
	u64 *at;
	u64 *end;
};

/**
 * kma_pagegen_range() - the generations of a block that is about to be freed
 * @m: the map
 * @page: address of the first page, aligned to all of them
 * @order: binary logarithm of their number, at least 2
 *
 * Context: any. Return: the generations, all of them in the map whatever the address is.
 */
static __always_inline struct kma_genrange
kma_pagegen_range(const struct kma_pagegen *m, unsigned long page, unsigned int order)
{
	unsigned long nr = min_t(unsigned long, 1UL << order, m->mask + 1);
	unsigned long first = page >> KMA_PAGE_SHIFT & m->mask & -nr;

	return (struct kma_genrange) {
		.at = (u64 *)&m->gen[first],
		.end = (u64 *)&m->gen[first + nr],
	};
}

/**
 * kma_genrange_used() - whether objects were recorded on one of the pages
 * @l: their generations; those at the front that are not used are dropped
 *
 * Context: any. Return: true if so.
 */
static __always_inline bool kma_genrange_used(struct kma_genrange *l)
{
	do {
		if (READ_ONCE(*l->at) & KMA_GENS_ODD)
			return true;
	} while (++l->at != l->end);
	return false;
}

/**
 * kma_genrange_end() - a block of pages is about to be freed
 * @l: their generations
 *
 * Context: as kma_pagegen_leave(), and generations are not fixed. Return: whether that was
 * all; if not, kma_pagegen_leave() is to be called for each page.
 */
static __always_inline bool kma_genrange_end(struct kma_genrange l)
{
	u64 gens, next;

	do {
		gens = READ_ONCE(*l.at);
		next = gens + (gens & KMA_GENS_ODD);
		/* The highest bit goes if one was KMA_GEN_LAST, and only then. */
		if (unlikely(gens & ~next & KMA_GENS_HIGH))
			return false;
		if (next != gens)
			WRITE_ONCE(*l.at, next);
	} while (++l.at != l.end);
	return true;
}

#endif /* KMA_CORE_PAGEGEN_H */
