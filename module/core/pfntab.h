/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page frames: for which row each one was allocated.
 *
 * A block of pages is recorded page by page, so that it may be freed in pieces or
 * together with others, which no record of the block as a whole would survive.
 * What is asked of a page is found from its frame's number alone: there is no hash,
 * nothing to claim, and no room to run out of.
 *
 *	chunk[number / KMA_CHUNK_PFNS]: one for each stretch with RAM in it
 *	   [number % KMA_CHUNK_PFNS]: sixteen bytes
 *
 * Chunks come with memory that is added, and stay when it goes.  A block is aligned
 * to its size, which is less than that of a chunk: it never lies in two.
 *
 * A record is written by whoever just got the page, and ended by whoever is about
 * to give it back: there is no other writer, and the allocator orders the two.  Who
 * reads meanwhile takes `what` and time before and after the rest: if they are the
 * same there was no other record in between, or one of the same row in the same unit
 * of time, and then either is as good.
 */
#ifndef KMA_CORE_PFNTAB_H
#define KMA_CORE_PFNTAB_H

#include "env.h"

/* 64 MiB; memory comes and goes in multiples of that. */
#define KMA_CHUNK_SHIFT		14
#define KMA_CHUNK_PFNS	16384UL		/* by KMA_CHUNK_SHIFT */

/**
 * struct kma_pfn - what is recorded of a page
 * @what: the number of its row, and one, in the lower bits, and KMA_PFN_REST and the
 *	like in the upper ones; 0: nothing is recorded
 * @time: when it was allocated, kma_env_now()
 * @tgid: for which process, 0 for none
 * @cpu: on which CPU
 *
 * Of a row that counts blocks of all call sites only @what is recorded while some are
 * sampled: see pagealloc.h.
 */
struct kma_pfn {
	u32 what;
	u32 time;
	u32 tgid;
	u16 cpu;
};

#define KMA_PFN_ROW		0x00ffffffU
/* It is not the first page of its block. */
#define KMA_PFN_REST		0x01000000U
/* Its block is counted by its class as well: see pagealloc.h. */
#define KMA_PFN_SAMPLED	0x02000000U
/* It is in memory that is not known: so are all records of @nowhere, for ever. */
#define KMA_PFN_NOWHERE	0x04000000U

/* Context: any. Return: the number of the row of a page that is recorded. */
static __always_inline u32 kma_pfn_row(u32 what)
{
	return (what & KMA_PFN_ROW) - 1;
}

static_assert(KMA_CHUNK_PFNS >> KMA_CHUNK_SHIFT == 1);
/* Of a page of 4 KiB: 0.4 % of the RAM. */
static_assert(sizeof(struct kma_pfn) == 16);

/**
 * struct kma_pfntab - all of them
 * @chunk: by the number of the stretch; @nowhere where no RAM is known to be
 * @nr_chunks: how many stretches there may be
 * @nr_there: how many there are; it never becomes less
 * @nowhere: what all of those share
 */
struct kma_pfntab {
	struct kma_pfn **chunk;
	u64 nr_chunks;
	struct kma_pfn *nowhere;
	u64 nr_there;
};

/**
 * kma_pfntab_init() - make a table of no stretches
 * @t: the table
 * @nr_chunks: how many there may be
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_pfntab_init(struct kma_pfntab *t, u64 nr_chunks);

/**
 * kma_pfntab_add() - there is RAM in a stretch
 * @t: the table
 * @i: which, below @t->nr_chunks; it may have been there before
 *
 * Context: process, may sleep; one at a time. Return: 0 or -ENOMEM.
 */
int kma_pfntab_add(struct kma_pfntab *t, u64 i);

/**
 * kma_pfntab_destroy() - free a table
 * @t: the table; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses the table any more.
 */
void kma_pfntab_destroy(struct kma_pfntab *t);

/* Context: process. Return: bytes that a stretch takes. */
static inline u64 kma_pfntab_chunk_bytes(void)
{
	return KMA_CHUNK_PFNS * sizeof(struct kma_pfn);
}

/* Context: any. Return: whether a number can be that of a page frame. */
static __always_inline bool kma_pfntab_has(const struct kma_pfntab *t,
					   unsigned long pfn)
{
	return pfn >> KMA_CHUNK_SHIFT < t->nr_chunks;
}

/**
 * kma_pfntab_at() - the record of a page
 * @t: the table
 * @pfn: the number of its frame: kma_pfntab_has()
 *
 * Context: any. Return: it; those of the following pages of its block come after it.
 */
static __always_inline struct kma_pfn *
kma_pfntab_at(const struct kma_pfntab *t, unsigned long pfn)
{
	/* Changed once, with the release in kma_pfntab_add(). */
	return data_race(t->chunk[pfn >> KMA_CHUNK_SHIFT]) + pfn % KMA_CHUNK_PFNS;
}

/* Context: any. Return: the same, or NULL if nothing can be recorded of the page. */
static inline struct kma_pfn *kma_pfntab_find(const struct kma_pfntab *t,
					      unsigned long pfn)
{
	struct kma_pfn *f;

	if (!kma_pfntab_has(t, pfn))
		return NULL;
	f = kma_pfntab_at(t, pfn);
	return READ_ONCE(f->what) == KMA_PFN_NOWHERE ? NULL : f;
}

/* What kma_pfn_set() records besides the row. Context: a probe, any context. */
static __always_inline void kma_pfn_describe(struct kma_pfn *f)
{
	WRITE_ONCE(f->time, kma_env_now());
	/* Pairs with the second barrier in kma_pfn_read(). */
	smp_wmb();
	WRITE_ONCE(f->tgid, kma_env_tgid());
	WRITE_ONCE(f->cpu, kma_env_cpu());
}

/**
 * kma_pfn_set() - a page was allocated
 * @f: its frame, of which nothing is recorded
 * @what: the number of its row, and one, and KMA_PFN_REST and the like
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_pfn_set(struct kma_pfn *f, u32 what)
{
	/* Pairs with the acquire in kma_pfn_read(). */
	smp_store_release(&f->what, what);
}

/**
 * kma_pfn_clear() - a page is about to be freed, or was without a word
 * @f: its frame
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_pfn_clear(struct kma_pfn *f)
{
	WRITE_ONCE(f->what, 0);
}

/**
 * kma_pfn_read() - what is recorded of a page, while others write
 * @f: its frame
 * @copy: the result
 *
 * Context: any. Return: whether anything is.
 */
bool kma_pfn_read(const struct kma_pfn *f, struct kma_pfn *copy);

#endif /* KMA_CORE_PFNTAB_H */
