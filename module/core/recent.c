// SPDX-License-Identifier: GPL-2.0
/* The slots of the history that change most.  See recent.h. */
#include <linux/kernel.h>

#include "recent.h"

void kma_recent_begin(struct kma_recent *r, u64 now)
{
	struct kma_recent_entry *e;

	r->newest = (r->newest + 1) % KMA_RECENT_MARKS;
	r->time[r->newest] = now;
	r->least -= DIV_ROUND_UP(r->least, 16);
	for (e = r->entry; e < r->entry + KMA_RECENT_ENTRIES; e++) {
		e->score -= DIV_ROUND_UP(e->score, 16);
		e->word[r->newest] = 0;
		if (e->nr)
			e->nr = min(e->nr + 1, KMA_RECENT_MARKS);
	}
}

/* Find an entry that is not in use, or else the one with the lowest score. */
static struct kma_recent_entry *kma_recent_lowest(struct kma_recent *r)
{
	struct kma_recent_entry *e, *lowest = r->entry;

	for (e = r->entry; lowest->nr && e < r->entry + KMA_RECENT_ENTRIES; e++)
		if (!e->nr || e->score < lowest->score)
			lowest = e;
	r->least = lowest->nr ? lowest->score : 0;
	return lowest;
}

/* Give the slot an entry, with the past that is known of it. */
static int kma_recent_take(struct kma_recent *r, struct kma_recent_entry *e, u32 slot,
			   const u32 *past, u32 nr_past)
{
	const int before = e->nr ? e->slot : -1;
	u32 i;

	e->slot = slot;
	e->nr = nr_past;
	e->score = 0;
	for (i = 0; i < nr_past; i++)
		e->word[(r->newest + KMA_RECENT_MARKS - i) % KMA_RECENT_MARKS] =
			past[nr_past - 1 - i];
	return before;
}

int kma_recent_store(struct kma_recent *r, u16 *nr, u32 slot, u32 changed, const u32 *past,
		     u32 nr_past)
{
	struct kma_recent_entry *e;
	int before = -1;

	if (*nr != KMA_RECENT_NONE) {
		e = &r->entry[*nr - 1];
		e->word[r->newest] = past[nr_past - 1];
	} else {
		if (changed <= r->least)
			return -1;
		e = kma_recent_lowest(r);
		if (e->nr && changed <= e->score)
			return -1;
		before = kma_recent_take(r, e, slot, past, nr_past);
		*nr = e - r->entry + 1;
	}
	e->score = min_t(u64, (u64)e->score + changed, U32_MAX);
	return before;
}

void kma_recent_drop(struct kma_recent *r, u16 nr)
{
	if (nr == KMA_RECENT_NONE)
		return;
	r->entry[nr - 1].nr = 0;
	r->entry[nr - 1].score = 0;
	r->least = 0;
}

bool kma_recent_word(const struct kma_recent *r, u16 nr, u32 index, u32 *word)
{
	const u32 ago = (r->newest + KMA_RECENT_MARKS - index) % KMA_RECENT_MARKS;

	if (nr == KMA_RECENT_NONE || ago >= r->entry[nr - 1].nr)
		return false;
	*word = r->entry[nr - 1].word[index];
	return true;
}

bool kma_recent_is_empty(const struct kma_recent *r, u16 nr)
{
	u32 i, word;

	for (i = 0; i < KMA_RECENT_MARKS; i++)
		if (kma_recent_word(r, nr, i, &word) && word)
			return false;
	return true;
}
