/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idtabs: tables that give numbers to keys.
 *
 *	key --hash--> one of KMA_ID_PLACES groups of KMA_ID_GROUP slots
 *	slot: a tag, and a record that begins with the key; the slot's index is the number
 *
 * The tag of a slot is 0 if the slot is free, a special value (idtab.c), or bits of the key's hash,
 * so that a look-up reads few records.  The tags of a group fill one cache line.
 *
 * Probes add keys without a lock: claim a free slot, write the record, publish the tag.  Two CPUs
 * that see a new key at the same time may give it two numbers.  This is harmless: tables add up
 * what belongs to the same key.  If all groups of a key are full, the key gets no number.  A full
 * table is a normal state: a look-up then reads KMA_ID_PLACES cache lines of tags.
 *
 * Numbers that nothing refers to any more are given to other keys.  The table does not know what
 * refers to its numbers.  So a search for them goes like this:
 *
 *	mark:	the user calls kma_idtab_mark() for each number that is referred to
 *	leave:	a number without a mark becomes LEAVING: look-ups do not find it any more
 *	wait:	for all running probes; then no probe has the number
 *	mark:	as before
 *	finish:	a LEAVING number with a mark is in use again; the others are free
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or free
 * the table, and for those of the search: process, may sleep.
 */
#ifndef KMA_CORE_IDTAB_H
#define KMA_CORE_IDTAB_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "env.h"

#define KMA_ID_GROUP	16U	/* slots in a group */
#define KMA_ID_PLACES	4	/* groups that a key may be in */
#define KMA_ID_MAX	65536U	/* the most numbers that a table may have */

/* The number of no key. */
#define KMA_ID_NONE	0U

/**
 * struct kma_idtab - a table that gives numbers to keys
 * @nr: number of slots, a power of two
 * @reserved: the numbers below this one, KMA_ID_NONE among them, are not given to keys
 * @words: number of u64 words in a key
 * @bytes: size of a record
 * @used: number of keys that have a number
 * @tag: for each slot, 0 if it is free, a special value (idtab.c), or bits of the key's hash
 * @mark: for each slot, whether kma_idtab_mark() was called in this search
 * @record: the records
 */
struct kma_idtab {
	u32 nr;
	u32 reserved;
	u32 words;
	u32 bytes;
	atomic_t used;
	u32 *tag;
	u8 *mark;
	void *record;
};

/* Bytes that a table takes.  The arguments are as for kma_idtab_init().  Context: any. */
u64 kma_idtab_bytes(u32 nr, u32 bytes);

/**
 * kma_idtab_init() - allocate an empty table
 * @t: the table
 * @nr: number of slots, a power of two, at least KMA_ID_GROUP, at most KMA_ID_MAX
 * @reserved: how many of the lowest numbers are not given to keys; 1 to KMA_ID_GROUP - 1
 * @words: number of u64 words in a key, at least 1
 * @bytes: size of a record, a multiple of 8
 *
 * Return: 0 or -ENOMEM.
 */
int kma_idtab_init(struct kma_idtab *t, u32 nr, u32 reserved, u32 words, u32 bytes);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_idtab_destroy(struct kma_idtab *t);

/* The number of a key, or KMA_ID_NONE if it has none. */
u32 kma_idtab_find(const struct kma_idtab *t, const u64 *key);

/*
 * Like kma_idtab_find(), but also finds a number that leaves, unless the key has another number by
 * now.  Context: process.
 */
u32 kma_idtab_find_leaving(const struct kma_idtab *t, const u64 *key);

/* Give a number to the key that @record begins with, and that has none.  KMA_ID_NONE: no room. */
u32 kma_idtab_add(struct kma_idtab *t, const void *record);

/*
 * The record of a number, which may be any; NULL if it is the number of no key.  The record stays
 * valid until the number is recycled.
 */
void *kma_idtab_record(const struct kma_idtab *t, u32 id);

/* Number of keys that have a number. */
static inline u32 kma_idtab_used(const struct kma_idtab *t)
{
	return atomic_read(&t->used);
}

/* Remove all marks. */
void kma_idtab_unmark(struct kma_idtab *t);

/* Mark a number, reserved or not; @id is below @t->nr.  Returns whether it had no mark yet. */
bool kma_idtab_mark(struct kma_idtab *t, u32 id);

/* Let all numbers without a mark leave.  Returns how many leave. */
u32 kma_idtab_leave(struct kma_idtab *t);

/* Free the numbers that leave and have no mark.  Returns how many were freed. */
u32 kma_idtab_finish(struct kma_idtab *t);

#endif /* KMA_CORE_IDTAB_H */
