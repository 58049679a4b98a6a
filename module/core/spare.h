/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spare numbers: a ring buffer of numbers that are not in use.
 *
 * Probes take numbers without a lock.  Process context gives numbers back, after a wait for all
 * running probes (kma_env_wait_for_probes()).
 *
 *	taken           given
 *	  v               v
 *	  | 7 | 3 | 4 | 9 |
 *
 * Context, unless a function says otherwise: process; no probe uses the ring buffer.
 */
#ifndef KMA_CORE_SPARE_H
#define KMA_CORE_SPARE_H

#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/types.h>

#include "env.h"

/**
 * struct kma_spare - a ring buffer of numbers
 * @number: the numbers
 * @nr: how many numbers there are, those in use included
 * @mask: number of places, a power of two, minus one
 * @taken: how many numbers were taken so far
 * @given: how many numbers were given so far
 */
struct kma_spare {
	u16 *number;
	u32 nr;
	u32 mask;
	atomic_t taken;
	int given;
};

/* Bytes that a ring buffer of at most @nr numbers takes.  Context: any. */
static inline size_t kma_spare_bytes(u32 nr)
{
	return roundup_pow_of_two(nr) * sizeof(u16);
}

/* Allocate a ring buffer with the numbers below @nr.  Returns 0 or -ENOMEM.  May sleep. */
int kma_spare_init(struct kma_spare *s, u32 nr);

/* Put all numbers back.  No probe uses them any more. */
void kma_spare_reset(struct kma_spare *s);

/* Free @s, which may be zeroed memory.  May sleep. */
void kma_spare_destroy(struct kma_spare *s);

/* How many numbers can be taken.  Context: any, NMI included. */
static inline u32 kma_spare_left(const struct kma_spare *s)
{
	const int taken = atomic_read(&s->taken);

	/* Pairs with the release in kma_spare_give(). */
	return (u32)(smp_load_acquire(&s->given) - taken);
}

/* Take a number; return -1 if no more than @keep are left.  Context: a probe, NMI included. */
int kma_spare_take(struct kma_spare *s, u32 keep);

/*
 * Give back a number that was taken, and that no running probe can still use.  Context: process,
 * while probes run; calls for one ring buffer do not run concurrently.
 */
void kma_spare_give(struct kma_spare *s, u32 number);

#endif /* KMA_CORE_SPARE_H */
