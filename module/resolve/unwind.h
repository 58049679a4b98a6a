/* SPDX-License-Identifier: GPL-2.0 */
/* Recognizing a stack: where on it each return address is. */
#ifndef KMA_RESOLVE_UNWIND_H
#define KMA_RESOLVE_UNWIND_H

#include <linux/kernel.h>

#include "../compat.h"

#ifdef KMA_HAVE_UNWINDER
/**
 * kma_unwind_place() - where the unwinder found the current return address
 * @state: the state of the unwinder
 * @sp: the lowest address at which it can be; places are counted from here
 * @at: the result, in words from @sp
 *
 * Context: any.
 * Return: true if the place is known: the return address is where the call has put it,
 * unchanged, and less than THREAD_SIZE above @sp.
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
