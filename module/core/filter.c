// SPDX-License-Identifier: GPL-2.0
/* Which frees need not be looked up.  See the overview in filter.h. */
#include "filter.h"

u8 kma_filter[KMA_FILTER_BYTES] __aligned(64);

/* By @step, unless it is kept. */
static void kma_filter_count(unsigned long ptr, int step)
{
	u8 *at = kma_filter_at(ptr);
	u8 old;

	do {
		old = READ_ONCE(*at);
		if (old == KMA_FILTER_KEPT)
			return;
		/* A full barrier: the count is seen before the object's key is. */
	} while (cmpxchg(at, old, (u8)(old + step)) != old);
}

void kma_filter_add(unsigned long ptr)
{
	kma_filter_count(ptr, 1);
}

void kma_filter_remove(unsigned long ptr)
{
	kma_filter_count(ptr, -1);
}

void kma_filter_keep(unsigned long ptr)
{
	WRITE_ONCE(*kma_filter_at(ptr), KMA_FILTER_KEPT);
}

void kma_filter_clear(void)
{
	memset(kma_filter, 0, sizeof(kma_filter));
}
