/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The livefilter: lets a free skip the look-up in the live table.
 *
 * While objects are sampled, nearly all frees are of objects that are not in the live table.
 * The filter has one byte for each KMA_LIVEFILTER_STEP bytes of address space; addresses that
 * are a multiple of KMA_LIVEFILTER_STEP * KMA_LIVEFILTER_BYTES apart share a byte.  The byte
 * counts the objects at these addresses that are in the live table.  If it is 0, the object is
 * not in the table, and its free needs no look-up.
 *
 *	add:    increments the byte, before the object is put into the live table
 *	remove: decrements the byte, after the object was taken out of the live table
 *	keep:   pins the byte: it never becomes 0 again, whatever is removed
 *
 * A context that frees an object got its address after the object was added, and so it sees
 * that the byte is not 0.
 *
 * Without sampling, the filter is neither updated nor read.  When sampling begins, the filter
 * is cleared, and the objects that are already in the live table are added to it
 * (kma_record_livefilter_start()).  An object that is freed before this is finished may or may
 * not have been added yet, so it is not removed from the filter.  A byte that has reached
 * KMA_LIVEFILTER_KEPT stays there.  So a byte may be too high, which only costs a look-up, but
 * it is never too low.
 */
#ifndef KMA_CORE_LIVEFILTER_H
#define KMA_CORE_LIVEFILTER_H

#include "env.h"

#define KMA_LIVEFILTER_BYTES	(256U << 10)
#define KMA_LIVEFILTER_STEP	256U
#define KMA_LIVEFILTER_KEPT	255

/* Static rather than allocated, which saves one instruction in each event. */
extern u8 kma_livefilter[KMA_LIVEFILTER_BYTES];

static __always_inline u8 *kma_livefilter_at(unsigned long ptr)
{
	return &kma_livefilter[ptr / KMA_LIVEFILTER_STEP % KMA_LIVEFILTER_BYTES];
}

/**
 * kma_livefilter_has() - test whether an object may be in the live table
 * @ptr: the object's address
 *
 * Context: any.
 * Return: false if the object is not in the live table; true if it may be.
 */
static __always_inline bool kma_livefilter_has(unsigned long ptr)
{
	/*
	 * A plain load, so that the compiler compares the byte in memory.  Pairs with
	 * the cmpxchg of kma_livefilter_add(): the context that frees an object got its
	 * address after that cmpxchg.
	 */
	return data_race(*kma_livefilter_at(ptr) != 0);
}

/**
 * kma_livefilter_add() - count an object that is about to be put into the live table
 * @ptr: the object's address
 *
 * Context: any.
 */
void kma_livefilter_add(unsigned long ptr);

/**
 * kma_livefilter_remove() - stop counting an object that was taken from the live table
 * @ptr: the object's address, which has been added
 *
 * Context: any.
 */
void kma_livefilter_remove(unsigned long ptr);

/**
 * kma_livefilter_keep() - keep the byte of an object from becoming 0 again
 * @ptr: the object's address, whether or not it has been added
 *
 * Context: any.
 */
void kma_livefilter_keep(unsigned long ptr);

/**
 * kma_livefilter_clear() - set all bytes to 0
 *
 * Context: any; no other context adds, removes or keeps objects at the same time.
 */
void kma_livefilter_clear(void);

#endif /* KMA_CORE_LIVEFILTER_H */
