// SPDX-License-Identifier: GPL-2.0
/* The livefilter: updates.  See the overview in livefilter.h. */
#include "livefilter.h"

u8 kma_livefilter[KMA_LIVEFILTER_BYTES] __aligned(64);

/* Add @step to the byte of an object, unless the byte is KMA_LIVEFILTER_KEPT. */
static void kma_livefilter_count(unsigned long ptr, int step)
{
	u8 *at = kma_livefilter_at(ptr);
	u8 old;

	do {
		old = READ_ONCE(*at);
		if (old == KMA_LIVEFILTER_KEPT)
			return;
		/*
		 * The cmpxchg is a full barrier: the byte changes before the key of the
		 * object is published.  Pairs with the load in kma_livefilter_has().
		 */
	} while (cmpxchg(at, old, (u8)(old + step)) != old);
}

void kma_livefilter_add(unsigned long ptr)
{
	kma_livefilter_count(ptr, 1);
}

void kma_livefilter_remove(unsigned long ptr)
{
	kma_livefilter_count(ptr, -1);
}

void kma_livefilter_keep(unsigned long ptr)
{
	WRITE_ONCE(*kma_livefilter_at(ptr), KMA_LIVEFILTER_KEPT);
}

void kma_livefilter_clear(void)
{
	memset(kma_livefilter, 0, sizeof(kma_livefilter));
}
