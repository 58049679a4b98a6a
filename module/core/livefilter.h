/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The livefilter: lets a free skip the look-up in the live table.
 *
 * While objects are sampled, nearly all frees are of objects that are not in the live table.
 * The filter is an array of cells, one for each KMA_LIVEFILTER_STEP bytes of address space.
 * Addresses that are a multiple of the array's range apart share a cell.  A cell describes the
 * objects at its addresses that are in the live table:
 *
 *	bits 0 to 5	the number of these objects
 *	bits 6 to 10	the tag of the first of them, a hash of its address
 *	bits 11 to 15	the tag of the second of them, or 0
 *
 * A tag is never 0.  If both tags are 0, the tags of the objects are not known, because there
 * were more than two objects since the cell was last 0.
 *
 * A free first tests whether the cell is 0 (kma_livefilter_used()); this test is inlined into the
 * probe.  If the cell is not 0, the free compares the tags (kma_livefilter_has()).  If either test
 * rules the object out, it is not in the live table, and its free needs no look-up.  The live table
 * is large, so a look-up usually misses the CPU's caches.  The tags save nearly all look-ups of
 * objects that share a cell with another object, such as a neighbour on the same slab page.
 *
 *	add:    counts the object and its tag, before the object is put into the live table
 *	remove: takes both off, after the object was taken out of the live table
 *	keep:   pins the cell: it never becomes 0 again, whatever is removed
 *
 * Number and tags are one word, so that a cmpxchg changes all of them.  A context that frees an
 * object got its address after the object was added, and so it sees that the cell has it.
 *
 * Without sampling, the filter is neither updated nor read.  When sampling begins, the filter
 * is cleared, and the objects that are already in the live table are added to it
 * (kma_record_livefilter_start()).  An object that is freed before this is finished may or may
 * not have been added yet, so it is not removed from the filter.  A cell that has reached
 * KMA_LIVEFILTER_KEPT stays there.  So a cell may have objects that are not in the live table,
 * which only costs look-ups, but it never lacks one that is.
 *
 * The array has one byte for KMA_LIVEFILTER_PAGES page frames: at an N of 512 KiB (sample.h), one
 * cell in eight is used if all of the memory is slab, and one in forty if a fifth of it is.  A
 * machine of up to KMA_LIVEFILTER_SMALL page frames has a smaller array, which stays in the cache
 * of a CPU.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free memory: process, may sleep.
 */
#ifndef KMA_CORE_LIVEFILTER_H
#define KMA_CORE_LIVEFILTER_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "env.h"

#define KMA_LIVEFILTER_BYTES_MIN	(256ULL << 10)
#define KMA_LIVEFILTER_BYTES_MAX	(64ULL << 20)
#define KMA_LIVEFILTER_PAGES		8U
#define KMA_LIVEFILTER_SMALL		(8ULL << 20)	/* 16 GiB with a hole below 4 GiB */
#define KMA_LIVEFILTER_STEP		256U

/* The number of objects in a cell, and a cell that has too many of them to be updated. */
#define KMA_LIVEFILTER_NUMBER		0x003fU
#define KMA_LIVEFILTER_KEPT		KMA_LIVEFILTER_NUMBER

/**
 * struct kma_livefilter - the livefilter
 * @cell: the cells
 * @mask: the number of cells, a power of two, minus one
 */
struct kma_livefilter {
	u16 *cell;
	unsigned long mask;
};

/* Bytes, a power of two, that a livefilter for @pfns page frames takes. */
u64 kma_livefilter_bytes(u64 pfns);

/* Allocate a livefilter for @pfns page frames, a power of two.  Returns 0 or -ENOMEM. */
int kma_livefilter_init(struct kma_livefilter *f, u64 pfns);

/* Free @f, which may be zeroed memory, and which no other context uses any more. */
void kma_livefilter_destroy(struct kma_livefilter *f);

/* The cell of an object. */
static __always_inline u16 *kma_livefilter_at(const struct kma_livefilter *f,
					      unsigned long ptr)
{
	return &f->cell[ptr / KMA_LIVEFILTER_STEP & f->mask];
}

/*
 * Whether an object may be in the live table, by its cell; kma_livefilter_has() also tests its tag.
 */
static __always_inline bool kma_livefilter_used(const struct kma_livefilter *f,
						unsigned long ptr)
{
	/*
	 * A plain load, so that the compiler compares the cell in memory.  Pairs with
	 * the cmpxchg of kma_livefilter_add(): the context that frees an object got its
	 * address after that cmpxchg.
	 */
	return data_race(*kma_livefilter_at(f, ptr) != 0);
}

/* Whether an object may be in the live table, by its tag as well. */
bool kma_livefilter_has(const struct kma_livefilter *f, unsigned long ptr);

/* Add an object that is about to be put into the live table. */
void kma_livefilter_add(struct kma_livefilter *f, unsigned long ptr);

/* Remove an object that has been added, and was taken from the live table. */
void kma_livefilter_remove(struct kma_livefilter *f, unsigned long ptr);

/* Keep the cell of an object from becoming 0 again, whether or not the object has been added. */
void kma_livefilter_keep(struct kma_livefilter *f, unsigned long ptr);

/* Set all cells to 0.  Context: process, may sleep; no other context uses @f meanwhile. */
void kma_livefilter_clear(struct kma_livefilter *f);

#endif /* KMA_CORE_LIVEFILTER_H */
