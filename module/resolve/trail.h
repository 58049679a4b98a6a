/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinding a stack, and recognizing it when it comes again.
 *
 * Unwinding costs some 450 instructions for each stack frame.  Most code that allocates does so
 * again and again from the same place in the same task.  So a walk along the stack records a
 * trail: words that are on the stack, and their places.  If the stack pointer is the same, and
 * all the words are in their places again, then the return addresses are the same.
 *
 * The words prove this from the inside out.  The first return address is at a fixed place.  A
 * return address tells which function has the next stack frame, and where in the function its
 * call is.  If the function finds its return address by the stack pointer, then these two
 * determine the size of the frame, and so the place of the next return address.
 *
 * Some functions find it by the frame pointer: those that align their stack frame or that have
 * arrays of variable size.  kmem_cache_alloc() is one of them from 6.1 on, for a local variable of
 * 16 bytes.  The size of such a frame differs from call to call, and a return address of an
 * earlier call may be left at its old place.  So the trail has the frame pointer, too, at all
 * places in the inner frames where it was found: one of them is where a function that was called
 * has saved it, and that place is proven.
 *
 * A frame that is neither of these ends the trail: it cannot be recognized then.
 */
#ifndef KMA_RESOLVE_TRAIL_H
#define KMA_RESOLVE_TRAIL_H

#include <linux/kernel.h>
#include <linux/stacktrace.h>

#include "../compat.h"

/* The largest number of words in a trail. */
#define KMA_TRAIL_WORDS	48

/**
 * struct kma_trail - what is on a stack that was unwound
 * @sp: address of the stack frame from which on it was unwound; 0 if it cannot be recognized
 * @nr: number of words
 * @at: place of each word, in words from @sp
 * @word: the words
 */
struct kma_trail {
	unsigned long sp;
	u32 nr;
	u16 at[KMA_TRAIL_WORDS];
	unsigned long word[KMA_TRAIL_WORDS];
};

/**
 * struct kma_walk - a walk along a stack
 * @trail: the trail that it records, or NULL
 * @sp: address of the stack frame from which on it goes
 * @known: whether the trail proves all return addresses so far
 * @state: the state of the unwinder
 * @place: address of the latest return address
 * @bp: the frame pointer of the function it returns to
 * @nr: number of entries
 * @next: index of the next entry
 * @entry: the return addresses
 */
struct kma_walk {
	struct kma_trail *trail;
	unsigned long sp;
	bool known;
#ifdef KMA_HAVE_UNWINDER
	struct unwind_state state;
	unsigned long place;
	unsigned long bp;
#else
	unsigned int nr;
	unsigned int next;
	unsigned long entry[KMA_TRAIL_WORDS];
#endif
};

/**
 * kma_walk_begin() - begin to unwind the stack of the current context
 * @w: the walk
 * @trail: the trail to record, or NULL
 * @sp: the caller's __builtin_frame_address(0), or that of a function that has called it; the walk
 *	begins with the return address of this function
 *
 * Context: any, NMI included.
 */
void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp);

/**
 * kma_walk_next() - go to the next return address
 * @w: the walk
 *
 * Context: as kma_walk_begin(), and in the same function.
 * Return: the return address; 0 at the end of the stack.
 */
unsigned long kma_walk_next(struct kma_walk *w);

/**
 * kma_walk_end() - end a walk at the return address that kma_walk_next() gave last
 * @w: the walk
 *
 * If the trail proves all the return addresses, it can be recognized from now on.
 *
 * Context: as kma_walk_begin().
 */
void kma_walk_end(struct kma_walk *w);

/**
 * kma_trail_holds() - whether the stack is the one that a trail was recorded on
 * @t: the trail
 * @sp: __builtin_frame_address(0) of the same function as that given to kma_walk_begin()
 *
 * Context: any, NMI included.
 * Return: true if kma_walk_next() would give the same return addresses.
 */
static __always_inline bool kma_trail_holds(const struct kma_trail *t, unsigned long sp)
{
	const unsigned long *stack = (unsigned long *)sp;
	u32 i;

	if (t->sp != sp)
		return false;
	for (i = 0; i < t->nr; i++)
		if (READ_ONCE_NOCHECK(stack[t->at[i]]) != t->word[i])
			return false;
	return true;
}

#endif /* KMA_RESOLVE_TRAIL_H */
