/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a search of a hash table has to go.
 *
 * A search begins at a first slot.  The reach of that slot is the number of the farthest slot that
 * was ever claimed in such a search, so that a miss does not read all slots that could be used.
 *
 * Context of all functions: a probe, any context, NMI included.
 */
#ifndef KMA_CORE_REACH_H
#define KMA_CORE_REACH_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "env.h"

/*
 * Extend the searches that begin at the slot with this @reach up to slot @i, which was claimed;
 * the first slot is slot 0.  Call this before the claimed slot is published.
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
