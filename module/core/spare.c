// SPDX-License-Identifier: GPL-2.0
/* Numbers that are not in use.  See the overview in spare.h. */
#include <linux/compiler.h>
#include <linux/errno.h>

#include "spare.h"

int kma_spare_init(struct kma_spare *s, u32 nr)
{
	*s = (struct kma_spare) { .nr = nr, .mask = roundup_pow_of_two(nr) - 1 };
	s->number = kma_env_zalloc(kma_spare_bytes(nr));
	if (!s->number)
		return -ENOMEM;
	kma_spare_reset(s);
	return 0;
}

void kma_spare_reset(struct kma_spare *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		s->number[i] = i;
	atomic_set(&s->taken, 0);
	s->given = s->nr;
}

void kma_spare_destroy(struct kma_spare *s)
{
	kma_env_free(s->number);
	*s = (struct kma_spare) {};
}

int kma_spare_take(struct kma_spare *s, u32 keep)
{
	int taken = atomic_read(&s->taken);

	do {
		/* Pairs with the release in kma_spare_give(). */
		if ((u32)(smp_load_acquire(&s->given) - taken) <= keep)
			return -1;
	} while (!atomic_try_cmpxchg(&s->taken, &taken, (int)(taken + 1U)));
	/*
	 * No other number is written to this place while this probe runs.  For that, this number or
	 * one that was taken later would have to be given back, and numbers are given back only
	 * after a wait for all running probes.
	 */
	return READ_ONCE(s->number[taken & s->mask]);
}

void kma_spare_give(struct kma_spare *s, u32 number)
{
	WRITE_ONCE(s->number[s->given & s->mask], number);
	/* Pairs with the acquires in kma_spare_take() and kma_spare_left(). */
	smp_store_release(&s->given, (int)(s->given + 1U));
}
