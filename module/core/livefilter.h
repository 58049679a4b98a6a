/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which frees need not be looked up.
 *
 * While objects are sampled nearly all frees are of objects that nobody recorded.
 * For each KMA_LIVEFILTER_STEP bytes of addresses, modulo the size of the filter,
 * there is a byte that counts the objects there that are recorded; where it is
 * zero there is none, and that is all that such a free looks at.
 *
 *	add:    before the object is put into the live table
 *	remove: after it was taken
 *	keep:   this byte is not zero any more, whatever is removed
 *
 * Who frees an object got its address after it was added, and sees that.
 *
 * Without sampling the filter is neither kept nor asked.  So it begins empty when
 * sampling begins, and what was recorded before is added (kma_record_livefilter_start()); of what
 * is freed meanwhile it is not known whether it was, so that stays.  A byte that has
 * counted to KMA_LIVEFILTER_KEPT stays there: it may be wrong in one direction only, which
 * costs time and nothing else.
 */
#ifndef KMA_CORE_LIVEFILTER_H
#define KMA_CORE_LIVEFILTER_H

#include "env.h"

#define KMA_LIVEFILTER_BYTES	(256U << 10)
#define KMA_LIVEFILTER_STEP		256U
#define KMA_LIVEFILTER_KEPT		255

/* Not allocated: that saves an instruction of each event. */
extern u8 kma_livefilter[KMA_LIVEFILTER_BYTES];

static __always_inline u8 *kma_livefilter_at(unsigned long ptr)
{
	return &kma_livefilter[ptr / KMA_LIVEFILTER_STEP % KMA_LIVEFILTER_BYTES];
}

/**
 * kma_livefilter_has() - whether an object may be recorded
 * @ptr: its address
 *
 * Context: any. Return: false: it is not.
 */
static __always_inline bool kma_livefilter_has(unsigned long ptr)
{
	/* Plain, for the compiler to compare it in memory. */
	return data_race(*kma_livefilter_at(ptr) != 0);
}

/* Context: any, for all of these. See above. */
void kma_livefilter_add(unsigned long ptr);
void kma_livefilter_remove(unsigned long ptr);
void kma_livefilter_keep(unsigned long ptr);

/* Context: nobody adds or removes. */
void kma_livefilter_clear(void);

#endif /* KMA_CORE_LIVEFILTER_H */
