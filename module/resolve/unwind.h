/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks that are known again: where on a stack its return addresses are.
 */
#ifndef KMA_RESOLVE_UNWIND_H
#define KMA_RESOLVE_UNWIND_H

#include <linux/kernel.h>

#include "../compat.h"

#ifdef KMA_HAVE_UNWINDER
/**
 * kma_unwind_place() - where the unwinder found what it returns now
 * @state: the unwinder
 * @sp: where to count from; below that, and far above, is nothing
 * @at: the result, in words from there
 *
 * Context: any. Return: whether it is known, since a call has put it there and nothing
 * has changed it.
 */
static inline bool kma_unwind_place(const struct unwind_state *state, unsigned long sp,
				    u16 *at)
{
	const unsigned long place = state->sp - sizeof(long);

	if (place < sp || place >= sp + THREAD_SIZE ||
	    READ_ONCE_NOCHECK(*(unsigned long *)place) != state->ip)
		return false;
	*at = (place - sp) / sizeof(long);
	return true;
}
#endif

#endif /* KMA_RESOLVE_UNWIND_H */
