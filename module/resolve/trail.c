// SPDX-License-Identifier: GPL-2.0
/* Unwind a stack, and record a trail to recognize the stack by.  See trail.h. */
#include <linux/cache.h>
#include <linux/ptrace.h>

#include "trail.h"

u32 kma_trails_since __read_mostly;

void kma_trail_forget(void)
{
	WRITE_ONCE(kma_trails_since, kma_trails_since + 1);
}

static void kma_trail_clear(struct kma_trail *t)
{
	if (!t)
		return;
	t->sp = 0;
	t->nr = 0;
	t->since = READ_ONCE(kma_trails_since);
	/* Read the count before any code is looked at.  Pairs with kma_caller_forget(). */
	smp_rmb();
}

#ifdef KMA_HAVE_UNWINDER

static unsigned long kma_walk_word(unsigned long place)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)place);
}

static bool kma_walk_add(struct kma_walk *w, unsigned long place, unsigned long word)
{
	struct kma_trail *t = w->trail;

	if (t->nr == KMA_TRAIL_WORDS)
		return false;
	t->at[t->nr] = (place - w->sp) / sizeof(long);
	t->word[t->nr++] = word;
	return true;
}

/*
 * Add all words from @from up to @to that are @word.  Return: true if there was at least one, and
 * there was room for all.
 */
static bool kma_walk_add_all(struct kma_walk *w, unsigned long from, unsigned long to,
			     unsigned long word)
{
	const u32 nr = w->trail->nr;
	unsigned long place;

	for (place = from; place < to; place += sizeof(long))
		if (kma_walk_word(place) == word && !kma_walk_add(w, place, word))
			return false;
	return w->trail->nr > nr;
}

/*
 * Add the frame pointer of the latest function, at each place where it may have been saved.  If no
 * function has saved it, it is still that of the beginning, which the trail has.
 */
static bool kma_walk_add_bp(struct kma_walk *w)
{
	if (w->from && w->bp_from == w->sp)
		return true;
	return kma_walk_add_all(w, w->bp_from, w->inner, w->bp);
}

/*
 * Add each word in the frame of the latest function, below its frame pointer, that has the address
 * of the frame's end.  One of them is the word by which the function finds its return address, at
 * @place.
 */
static bool kma_walk_add_end(struct kma_walk *w, unsigned long place)
{
	return kma_walk_add_all(w, w->inner + sizeof(long), w->bp, place + sizeof(long));
}

/*
 * Whether the latest function has a copy of its return address, at @place, above its frame pointer.
 * gcc makes this copy if the function finds @place only through another word of its frame.
 */
static bool kma_walk_copied(const struct kma_walk *w, unsigned long place)
{
	const unsigned long copy = w->bp + sizeof(long);

	return copy > w->inner && copy < place && IS_ALIGNED(copy, sizeof(long)) &&
	       kma_walk_word(copy) == w->state.ip;
}

/* Add the return address at @place.  Return whether the words of the trail prove it. */
static bool kma_walk_add_return(struct kma_walk *w, unsigned long place)
{
	/*
	 * The words prove nothing after an interrupt, on another stack, or if a tracer has replaced
	 * the return address.
	 */
	if (w->state.regs || w->state.stack_info.end != w->end || place < w->inner ||
	    kma_walk_word(place) != w->state.ip)
		return false;
	/* The function finds @place by its frame pointer. */
	if (w->bp == place - sizeof(long) && !kma_walk_add_bp(w))
		return false;
	/* The function finds @place by a word of its frame, and that word by its frame pointer. */
	if (kma_walk_copied(w, place) && !(kma_walk_add_bp(w) && kma_walk_add_end(w, place)))
		return false;
	return kma_walk_add(w, place, w->state.ip);
}

static void kma_walk_prepare(struct kma_walk *w, struct kma_trail *trail, unsigned long sp)
{
	w->trail = trail;
	w->known = trail;
	w->first = true;
	w->from = 0;
	w->sp = sp;
	w->inner = sp;
	w->bp = 0;
	w->bp_from = sp;
	kma_trail_clear(trail);
}

void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp)
{
	kma_walk_prepare(w, trail, sp);
	unwind_start(&w->state, current, NULL, NULL);
	/* Skip the stack frames below @sp, such as that of this function. */
	while (!unwind_done(&w->state) && w->state.sp - sizeof(long) < sp)
		unwind_next_frame(&w->state);
	w->end = w->state.stack_info.end;
}

void kma_walk_begin_from(struct kma_walk *w, struct kma_trail *trail,
			 const struct kma_return *from)
{
	struct pt_regs regs = {
		.ip = from->ip, .sp = from->sp, .bp = from->bp, .cs = __KERNEL_CS,
	};

	kma_walk_prepare(w, trail, from->sp);
	w->from = KMA_TRAIL_FROM;
	w->bp = from->bp;
	if (trail) {
		trail->ip = from->ip;
		trail->bp = from->bp;
	}
	/* With registers, this goes on to the first return address. */
	unwind_start(&w->state, current, &regs, NULL);
	w->end = w->state.stack_info.end;
}

/* Whether the unwinder knows that the stack ends here. */
static bool kma_walk_ends(struct kma_walk *w)
{
	return !unwind_error(&w->state) && (!w->state.regs || user_mode(w->state.regs));
}

unsigned long kma_walk_next(struct kma_walk *w)
{
	unsigned long addr, place;

	if (!w->first)
		unwind_next_frame(&w->state);
	w->first = false;
	addr = unwind_get_return_address(&w->state);
	if (unwind_done(&w->state) || !addr) {
		w->known = w->known && kma_walk_ends(w);
		return 0;
	}
	place = w->state.sp - sizeof(long);
	w->known = w->known && kma_walk_add_return(w, place);
	/*
	 * If the caller has another frame pointer, the frame between @inner and @place has saved
	 * that pointer.
	 */
	if (w->state.bp != w->bp)
		w->bp_from = w->inner;
	w->inner = place;
	w->bp = w->state.bp;
	return addr;
}

void kma_walk_end(struct kma_walk *w)
{
	if (w->known)
		w->trail->sp = w->sp | w->from;
}

#else

void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp)
{
	kma_trail_clear(trail);
	w->nr = stack_trace_save(w->addr, KMA_WALK_MAX, 0);
	w->next = 0;
}

void kma_walk_begin_from(struct kma_walk *w, struct kma_trail *trail,
			 const struct kma_return *from)
{
	kma_walk_begin(w, trail, from->sp);
	while (w->next < w->nr && w->addr[w->next++] != from->ip)
		;
}

unsigned long kma_walk_next(struct kma_walk *w)
{
	return w->next < w->nr ? w->addr[w->next++] : 0;
}

void kma_walk_end(struct kma_walk *w)
{
}

#endif
