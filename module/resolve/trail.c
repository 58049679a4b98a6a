// SPDX-License-Identifier: GPL-2.0
/* Unwind a stack, and record what to recognize it by.  See trail.h. */
#include "trail.h"

static void kma_trail_clear(struct kma_trail *t)
{
	if (!t)
		return;
	t->sp = 0;
	t->nr = 0;
}

#ifdef KMA_HAVE_UNWINDER

static unsigned long kma_walk_word(unsigned long place)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)place);
}

static bool kma_walk_add(struct kma_walk *w, unsigned long place)
{
	struct kma_trail *t = w->trail;

	if (t->nr == KMA_TRAIL_WORDS)
		return false;
	t->at[t->nr] = (place - w->sp) / sizeof(long);
	t->word[t->nr++] = kma_walk_word(place);
	return true;
}

/* Add the frame pointer of the latest function, wherever the functions that it called have it. */
static bool kma_walk_add_bp(struct kma_walk *w)
{
	const u32 nr = w->trail->nr;
	unsigned long place;

	for (place = w->sp; place < w->place; place += sizeof(long))
		if (kma_walk_word(place) == w->bp && !kma_walk_add(w, place))
			return false;
	return w->trail->nr > nr;
}

/*
 * Whether a function has its return address at @place, and a copy of it behind its frame pointer.
 * gcc makes this copy if it can find @place only by yet another word in the stack frame.
 */
static bool kma_walk_copied(const struct kma_walk *w, unsigned long place)
{
	const unsigned long copy = w->bp + sizeof(long);

	return copy > w->place && copy < place && IS_ALIGNED(copy, sizeof(long)) &&
	       kma_walk_word(copy) == kma_walk_word(place);
}

/* Add the return address at @place.  Return whether the words of the trail prove it. */
static bool kma_walk_add_return(struct kma_walk *w, unsigned long place)
{
	const unsigned long frame = place - sizeof(long);

	/* Interrupts, and return addresses that a tracer has replaced, are not recognized. */
	if (w->state.regs || place >= w->sp + THREAD_SIZE || kma_walk_word(place) != w->state.ip)
		return false;
	if (w->bp == frame && frame != w->sp && !kma_walk_add_bp(w))
		return false;
	return !kma_walk_copied(w, place) && kma_walk_add(w, place);
}

void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp)
{
	w->trail = trail;
	w->sp = sp;
	w->known = trail;
	w->place = sp;
	w->bp = sp;
	kma_trail_clear(trail);
	unwind_start(&w->state, current, NULL, NULL);
	/* Skip the functions between this one and that of the stack frame. */
	while (!unwind_done(&w->state) && w->state.sp - sizeof(long) < sp)
		unwind_next_frame(&w->state);
}

unsigned long kma_walk_next(struct kma_walk *w)
{
	const unsigned long addr = unwind_get_return_address(&w->state);
	const unsigned long place = w->state.sp - sizeof(long);

	if (unwind_done(&w->state) || !addr)
		return 0;
	w->known = w->known && kma_walk_add_return(w, place);
	w->place = place;
	w->bp = w->state.bp;
	unwind_next_frame(&w->state);
	return addr;
}

void kma_walk_end(struct kma_walk *w)
{
	if (w->known)
		w->trail->sp = w->sp;
}

#else

void kma_walk_begin(struct kma_walk *w, struct kma_trail *trail, unsigned long sp)
{
	kma_trail_clear(trail);
	w->nr = stack_trace_save(w->entry, KMA_TRAIL_WORDS, 0);
	w->next = 0;
}

unsigned long kma_walk_next(struct kma_walk *w)
{
	return w->next < w->nr ? w->entry[w->next++] : 0;
}

void kma_walk_end(struct kma_walk *w)
{
}

#endif
