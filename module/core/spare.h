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

/**
 * kma_spare_bytes() - memory that a ring buffer takes
 * @nr: the most numbers that it will have
 *
 * Return: bytes.
 */
static inline size_t kma_spare_bytes(u32 nr)
{
	return roundup_pow_of_two(nr) * sizeof(u16);
}

/**
 * kma_spare_init() - allocate a ring buffer with the numbers below @nr
 * @s: the ring buffer
 * @nr: how many numbers
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kma_spare_init(struct kma_spare *s, u32 nr);

/**
 * kma_spare_reset() - put all numbers back
 * @s: the ring buffer
 *
 * Context: process; no probe uses the ring buffer or its numbers.
 */
void kma_spare_reset(struct kma_spare *s);

/**
 * kma_spare_destroy() - free a ring buffer
 * @s: the ring buffer; may be zeroed memory
 *
 * Context: process, may sleep.
 */
void kma_spare_destroy(struct kma_spare *s);

/**
 * kma_spare_left() - how many numbers can be taken
 * @s: the ring buffer
 *
 * Context: any.
 * Return: the count.
 */
static inline u32 kma_spare_left(const struct kma_spare *s)
{
	const int taken = atomic_read(&s->taken);

	/* Pairs with the release in kma_spare_give(). */
	return (u32)(smp_load_acquire(&s->given) - taken);
}

/**
 * kma_spare_take() - take a number
 * @s: the ring buffer
 * @keep: how many numbers to leave in it
 *
 * Context: a probe, any context.
 * Return: the number, or -1 if no more than @keep are left.
 */
int kma_spare_take(struct kma_spare *s, u32 keep);

/**
 * kma_spare_give() - give a number back
 * @s: the ring buffer
 * @number: a number that was taken, and that no running probe can still use
 *
 * Context: process; calls for one ring buffer do not run concurrently.
 */
void kma_spare_give(struct kma_spare *s, u32 number);

#endif /* KMA_CORE_SPARE_H */
