/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lives of page frames: the second net under frees that nobody sees.
 *
 * When the page allocator gets a page back, nothing on it is live.  An entry of
 * the live table that still names an address there is of an object whose free
 * was not seen.  To look for such entries at each free of a page would take a
 * look at all of its 128 buckets, nearly always for nothing.  Instead each page
 * frame has a number, its life, and each entry that of its page:
 *
 *	first object recorded on a page		even --> odd
 *	page is freed				odd --> even
 *
 * An entry whose life is not that of its page frame is stale.  Stale entries are
 * removed when their slot or their address is needed, and all of them before a
 * table is shown (kma_objtab_sweep()).  A life has sixteen bits: when it comes
 * round, after 32,768 frees of a page that held objects, the page's buckets are
 * looked at after all, so that no stale entry ever sees its life again.
 *
 * There is no barrier.  A life becomes odd before the object's address is known
 * to its caller, and even by code that the allocator orders after the free of
 * the last object; in between nobody changes it.
 *
 * The array has a power of two of lives and is indexed by the low bits of the
 * page's number, so that no address can lead out of it.  If memory is added
 * beyond it, two frames share a life.  Then lives must not end any more
 * (`fixed`): no entry becomes stale, and the net is gone.
 */
#ifndef KMA_CORE_PAGEMAP_H
#define KMA_CORE_PAGEMAP_H

#include "event.h"

typedef u16 kma_life;
#define KMA_LIFE_LAST	((kma_life)U16_MAX)

/**
 * struct kma_pagemap - the lives
 * @life: of each page frame; odd if objects were recorded there in this life
 * @mask: their number, a power of two, less one
 * @fixed: lives do not end
 */
struct kma_pagemap {
	kma_life *life;
	unsigned long mask;
	bool fixed;
};

/**
 * kma_pagemap_bytes() - memory that a map takes
 * @frames: page frames
 *
 * Context: any. Return: bytes.
 */
static inline u64 kma_pagemap_bytes(u64 frames)
{
	return frames * sizeof(kma_life);
}

/**
 * kma_pagemap_init() - make a map on which nothing is recorded
 * @m: the map
 * @frames: page frames, a power of two, at least 4
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_pagemap_init(struct kma_pagemap *m, u64 frames);

/**
 * kma_pagemap_destroy() - free a map
 * @m: the map; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the map any more.
 */
void kma_pagemap_destroy(struct kma_pagemap *m);

static __always_inline kma_life *kma_pagemap_at(const struct kma_pagemap *m,
						unsigned long ptr)
{
	return &m->life[(ptr >> KMA_PAGE_SHIFT) & m->mask];
}

/**
 * kma_pagemap_life() - the life of an object's page
 * @m: the map
 * @ptr: the object's address
 *
 * Context: any. Return: the life.
 */
static __always_inline kma_life kma_pagemap_life(const struct kma_pagemap *m,
						 unsigned long ptr)
{
	return READ_ONCE(*kma_pagemap_at(m, ptr));
}

/**
 * kma_pagemap_enter() - an object is about to be recorded
 * @m: the map
 * @ptr: its address
 *
 * Context: a probe, any context. Return: the life of its page, which is odd.
 */
static __always_inline u32 kma_pagemap_enter(const struct kma_pagemap *m,
					     unsigned long ptr)
{
	kma_life *at = kma_pagemap_at(m, ptr);
	u32 life = READ_ONCE(*at);

	/* Or the compiler would copy what it has read. */
	kma_env_hide(life);
	/* Whoever else is first there writes the same; an even one is not the last. */
	if (unlikely(!(life & 1)))
		WRITE_ONCE(*at, ++life);
	return life;
}

/**
 * kma_pagemap_used() - whether objects were recorded on a page in this life
 * @m: the map
 * @page: its address
 *
 * Context: any. Return: true if so.
 */
static __always_inline bool kma_pagemap_used(const struct kma_pagemap *m,
					     unsigned long page)
{
	return kma_pagemap_life(m, page) & 1;
}

/* Context: any. Return: the same, by the upper bits of the page's address alone. */
static __always_inline bool kma_pagemap_used_at(const struct kma_pagemap *m,
						unsigned long number)
{
	return data_race(m->life[number & m->mask]) & 1;	/* one byte */
}

/**
 * kma_pagemap_leave() - a page is about to be freed
 * @m: the map
 * @page: its address
 *
 * Context: a probe, any context; nothing on the page is live.
 * Return: whether its lives begin anew: what is still recorded there is to be
 * removed now.
 */
static inline bool kma_pagemap_leave(struct kma_pagemap *m, unsigned long page)
{
	kma_life *at = kma_pagemap_at(m, page);
	kma_life life = READ_ONCE(*at);

	if (!(life & 1) || READ_ONCE(m->fixed))
		return false;
	WRITE_ONCE(*at, life + 1);
	return life == KMA_LIFE_LAST;
}

/* The lowest bit of each of four lives, and the highest. */
#define KMA_LIVES_ODD	0x0001000100010001ULL
#define KMA_LIVES_HIGH	0x8000800080008000ULL

static_assert(sizeof(kma_life) == sizeof(u64) / 4);

/**
 * struct kma_lives - the lives of a block of at least four pages
 * @at: the first four, of which there are some
 * @end: behind the last
 */
struct kma_lives {
	u64 *at;
	u64 *end;
};

/**
 * kma_pagemap_lives() - the lives of a block that is about to be freed
 * @m: the map
 * @page: address of the first page, aligned to all of them
 * @order: binary logarithm of their number, at least 2
 *
 * Context: any. Return: the lives, all of them in the map whatever the address is.
 */
static __always_inline struct kma_lives
kma_pagemap_lives(const struct kma_pagemap *m, unsigned long page, unsigned int order)
{
	unsigned long nr = min_t(unsigned long, 1UL << order, m->mask + 1);
	unsigned long first = page >> KMA_PAGE_SHIFT & m->mask & -nr;

	return (struct kma_lives) {
		.at = (u64 *)&m->life[first],
		.end = (u64 *)&m->life[first + nr],
	};
}

/**
 * kma_lives_used() - whether objects were recorded on one of the pages
 * @l: their lives; those at the front that are not used are dropped
 *
 * Context: any. Return: true if so.
 */
static __always_inline bool kma_lives_used(struct kma_lives *l)
{
	do {
		if (READ_ONCE(*l->at) & KMA_LIVES_ODD)
			return true;
	} while (++l->at != l->end);
	return false;
}

/**
 * kma_lives_end() - a block of pages is about to be freed
 * @l: their lives
 *
 * Context: as kma_pagemap_leave(), and lives are not fixed. Return: whether that was
 * all; if not, kma_pagemap_leave() is to be called for each page.
 */
static __always_inline bool kma_lives_end(struct kma_lives l)
{
	u64 lives, next;

	do {
		lives = READ_ONCE(*l.at);
		next = lives + (lives & KMA_LIVES_ODD);
		/* The highest bit goes if one was KMA_LIFE_LAST, and only then. */
		if (unlikely(lives & ~next & KMA_LIVES_HIGH))
			return false;
		if (next != lives)
			WRITE_ONCE(*l.at, next);
	} while (++l.at != l.end);
	return true;
}

#endif /* KMA_CORE_PAGEMAP_H */
