/* SPDX-License-Identifier: GPL-2.0 */
/* Where on the stack a return address is, so that the stack can be recognized later. */
#ifndef KMA_RESOLVE_UNWIND_H
#define KMA_RESOLVE_UNWIND_H

#include <linux/kernel.h>

#include "../compat.h"

#ifdef KMA_HAVE_UNWINDER
/**
 * kma_unwind_place() - where the unwinder found the current return address
 * @state: the state of the unwinder
 * @sp: the lowest address at which the return address can be; places are counted from there
 * @at: the result, in words from @sp
 *
 * Context: any.
 * Return: true if the place is known: the return address is still where the call instruction
 * has put it, and that is less than THREAD_SIZE above @sp.
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
