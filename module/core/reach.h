/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a search of a hash table has to go.
 *
 * A search begins at a first slot.  The reach of that slot is the number of the farthest slot that
 * was ever claimed in such a search, so that a miss does not read all slots that could be used.
 */
#ifndef KMA_CORE_REACH_H
#define KMA_CORE_REACH_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "env.h"

/**
 * kma_reach_extend() - extend the searches that begin at a slot
 * @reach: the reach of that slot
 * @i: number of the slot that was claimed; the first one has the number 0
 *
 * Call this before the claimed slot is published.
 *
 * Context: a probe, any context.
 */
static inline void kma_reach_extend(u8 *reach, u32 i)
{
	u8 old = READ_ONCE(*reach), was;

	while (old < i) {
		was = cmpxchg(reach, old, (u8)i);
		if (was == old)
			break;
		old = was;
	}
}

#endif /* KMA_CORE_REACH_H */
