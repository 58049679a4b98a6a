/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinding a stack, and recognizing it when it comes again.
 *
 * Unwinding costs some 450 instructions for each stack frame.  Most code that allocates does so
 * again and again from the same place in the same task.  So a walk along the stack records a
 * trail: words of the stack, and their places.  If the stack pointer is the same, and all words
 * are in their places again, then the return addresses are the same.
 *
 * The words prove this from the inside out.  The first return address is at a fixed place.  A
 * return address says which function has the next stack frame, and from where in it the call was
 * made.  If the function finds its own return address by the stack pointer, this determines the
 * size of the frame, and so the place of the next return address.
 *
 * Some functions find it by the frame pointer: those that align their stack frame, or that have
 * arrays of variable size.  kmem_cache_alloc() is one of them on 6.12, for a local variable that is
 * aligned to 16 bytes.  The size of such a frame differs from call to call, and a return address
 * of an earlier call may still be at its old place.  So the trail also records each word of the
 * inner frames that equals the frame pointer.  One of them is where an inner function has saved it,
 * and that place is already proven.
 *
 * Other functions keep the address of the end of their frame in a word of the frame.  They find
 * this word by the frame pointer, and their return address by this word.  On 6.12,
 * __kmalloc_node_track_caller_noprof() is one of them.  So the trail also records each word of such
 * a frame, below the frame pointer, that has this address.
 *
 * If the unwinder finds a return address in any other way, the stack is not remembered: beyond an
 * interrupt, on another stack, or by a guess.  All words of a trail are on one stack, so it is safe
 * to read them while a context runs on this stack at the same stack pointer.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_RESOLVE_TRAIL_H
#define KMA_RESOLVE_TRAIL_H

#include <linux/kernel.h>
#include <linux/stacktrace.h>

#include "../compat.h"
#include "../core/env.h"

/* In the address of a stack frame: unwinding began at a return address. */
#define KMA_TRAIL_FROM	1UL
/* The largest number of words in a trail. */
#define KMA_TRAIL_WORDS	48

/**
 * struct kma_trail - what is on a stack that was unwound
 * @sp: address of the stack frame where unwinding began, with KMA_TRAIL_FROM if it began at @ip; 0
 *	if the stack is not remembered
 * @ip: return address where unwinding began, or not used
 * @bp: frame pointer at @ip, or not used
 * @since: kma_trails_since when it was unwound
 * @nr: number of words, at least 1 if @sp is not 0
 * @at: place of each word, in words from @sp
 * @word: the words
 */
struct kma_trail {
	unsigned long sp;
	unsigned long ip;
	unsigned long bp;
	u32 since;
	u32 nr;
	u16 at[KMA_TRAIL_WORDS];
	unsigned long word[KMA_TRAIL_WORDS];
};

/* Incremented by kma_trail_forget(): trails with another @since are not valid. */
extern u32 kma_trails_since;

#ifdef KMA_HAVE_UNWINDER
/**
 * struct kma_walk - a walk along a stack
 * @trail: the trail that it records, or NULL
 * @known: whether the trail proves all return addresses so far
 * @first: whether kma_walk_next() was not called yet
 * @from: KMA_TRAIL_FROM if it began at a return address, otherwise 0
 * @sp: address of the stack frame where it began
 * @inner: place of the latest return address; @sp at first
 * @bp: the frame pointer of the function that this address is in
 * @bp_from: the innermost place where @bp may have been saved
 * @end: the end of the stack
 * @state: the state of the unwinder
 */
struct kma_walk {
	struct kma_trail *trail;
	bool known;
	bool first;
	unsigned long from;
	unsigned long sp;
	unsigned long inner;
	unsigned long bp;
	unsigned long bp_from;
	unsigned long *end;
	struct unwind_state state;
};
#else
/* The largest number of stack frames on a walk. */
#define KMA_WALK_MAX	48

/**
 * struct kma_walk - a walk along a stack
 * @nr: number of return addresses
 * @next: index of the next one
 * @addr: the return addresses
 */
struct kma_walk {
	unsigned int nr;
	unsigned int next;
	unsigned long addr[KMA_WALK_MAX];
};
#endif

/**
 * kma_walk_begin() - begin to unwind the stack of the current context
 * @w: the walk
 * @trail: the trail to record, or NULL
 * @sp: __builtin_frame_address(0) of a function, and if @trail is not NULL, the function has not
 *	returned.  Its return address comes first; without an unwinder that tells where it finds
 *	return addresses, those of its inner functions come before.
 */
void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp);

/*
 * Begin to unwind the stack of the current context at the function that @from->ip is in: its own
 * return address comes first.  @trail is as for kma_walk_begin().
 */
void kma_walk_begin_from(struct kma_walk *w, struct kma_trail *trail,
			 const struct kma_return *from);

/* The next return address, in the same function as kma_walk_begin(); 0 at the end of the stack. */
unsigned long kma_walk_next(struct kma_walk *w);

/*
 * Remember the stack up to the return address that kma_walk_next() gave last, but only if the
 * trail proves all the return addresses, and the end of the stack if that was reached.
 */
void kma_walk_end(struct kma_walk *w);

/* Forget all stacks.  Call this when code is loaded or unloaded. */
void kma_trail_forget(void);

/* Whether all words of a trail are in their places. */
static __always_inline bool kma_trail_words_hold(const struct kma_trail *t, unsigned long sp)
{
	const unsigned long *stack = (unsigned long *)sp;
	u32 i = 0;

	do {
		if (READ_ONCE_NOCHECK(stack[t->at[i]]) != t->word[i])
			return false;
	} while (++i < t->nr);
	return true;
}

/*
 * Whether the stack is the one that a trail was recorded on, so that kma_walk_next() would give
 * the same return addresses.  @sp is __builtin_frame_address(0) of the same function as in
 * kma_walk_begin().
 */
static __always_inline bool kma_trail_holds(const struct kma_trail *t, unsigned long sp)
{
	return t->sp == sp && t->since == READ_ONCE(kma_trails_since) &&
	       kma_trail_words_hold(t, sp);
}

/* Like kma_trail_holds(), for a trail of kma_walk_begin_from(). */
static inline bool kma_trail_holds_from(const struct kma_trail *t, const struct kma_return *from)
{
	return t->sp == (from->sp | KMA_TRAIL_FROM) && t->ip == from->ip && t->bp == from->bp &&
	       t->since == READ_ONCE(kma_trails_since) && kma_trail_words_hold(t, from->sp);
}

#endif /* KMA_RESOLVE_TRAIL_H */
