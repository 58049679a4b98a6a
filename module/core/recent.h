/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last ten minutes in steps of 10 s, of the slots of the history that change most.
 *
 * All slots have the last marks of the series of 10 s (history.h).  A slot whose live size changes
 * also takes an entry here; from then on, more of its marks are kept.  The score of an entry is the
 * sum of the changes of its slot, of which a sixteenth, rounded up, fades away at each mark.  Once
 * all entries are in use, a slot that changes by more than the lowest score replaces that entry.
 *
 *	mark --> kma_recent_begin(), then for each slot kma_recent_store()
 *
 * Context of all functions: process; the caller prevents concurrent calls.
 */
#ifndef KMA_CORE_RECENT_H
#define KMA_CORE_RECENT_H

#include <linux/types.h>

#define KMA_RECENT_ENTRIES	256
#define KMA_RECENT_MARKS	60

/* A slot without an entry */
#define KMA_RECENT_NONE		0

/**
 * struct kma_recent_entry - a slot that changes
 * @slot: its number
 * @nr: how many of the last marks are known; 0: the entry is not in use
 * @score: how much it has changed lately, in KiB
 * @word: what was live at each mark (history_word.h)
 */
struct kma_recent_entry {
	u16 slot;
	u16 nr;
	u32 score;
	u32 word[KMA_RECENT_MARKS];
};

/**
 * struct kma_recent - the slots that change most
 * @newest: index of the newest mark
 * @least: no entry has a lower score; if it is not 0, all entries are in use
 * @time: for each mark, its time in seconds
 * @entry: the entries
 */
struct kma_recent {
	u32 newest;
	u32 least;
	u64 time[KMA_RECENT_MARKS];
	struct kma_recent_entry entry[KMA_RECENT_ENTRIES];
};

/* Begin a mark at @now: scores fade, and what is live is 0 until it is stored. */
void kma_recent_begin(struct kma_recent *r, u64 now);

/**
 * kma_recent_store() - store what is live in a slot at the newest mark
 * @r: the entries
 * @nr: the number of the slot's entry, or KMA_RECENT_NONE; set to that of the entry that it takes
 * @slot: number of the slot
 * @changed: how much it has changed since the mark before, in KiB
 * @past: what was live at the last marks, the newest last, with which a new entry begins
 * @nr_past: their number, at least 1
 *
 * Return: the number of the slot that has lost its entry, or a negative number.
 */
int kma_recent_store(struct kma_recent *r, u16 *nr, u32 slot, u32 changed, const u32 *past,
		     u32 nr_past);

/* Take the entry, if there is one, from a slot. */
void kma_recent_drop(struct kma_recent *r, u16 nr);

/* Find out what was live at mark @index.  Returns false if it is not known. */
bool kma_recent_word(const struct kma_recent *r, u16 nr, u32 index, u32 *word);

/* Whether nothing was live at any mark that is known. */
bool kma_recent_is_empty(const struct kma_recent *r, u16 nr);

#endif /* KMA_CORE_RECENT_H */
