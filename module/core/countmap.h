/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Countmaps: what somebody did, counted on each CPU, by a key.
 *
 *	key --hash--> slot: number of the row --> its counters on this CPU
 *	info[number]: the key, and what to call it
 *
 * Who or what the key stands for is up to who counts: a process, a cgroup, a command
 * and a call site.  Rows are made when a key is first seen, by whatever context sees
 * it, without a lock: claim a free slot, describe the row, publish its number.  Two
 * CPUs that see a new key at the same time may make two rows; kma_countmap_first()
 * says which one to add the other to.
 *
 * What comes when all rows are taken counts in the first one, [other].  A row is never
 * removed: to begin anew, all of them are, while nobody counts.
 */
#ifndef KMA_CORE_COUNTMAP_H
#define KMA_CORE_COUNTMAP_H

#include "env.h"
#include "stat.h"

#define KMA_COUNTMAP_WORDS		3
#define KMA_COUNTMAP_COUNTERS	16
#define KMA_COUNTMAP_TEXT		112

/* The row of what has no row of its own. */
#define KMA_COUNTMAP_OTHER		0

/**
 * struct kma_countmap_key - what a row stands for
 * @word: anything
 */
struct kma_countmap_key {
	u64 word[KMA_COUNTMAP_WORDS];
};

/**
 * struct kma_countmap_row - the counters of one row, on one CPU
 * @v: what they count is up to who counts
 */
struct kma_countmap_row {
	u64 v[KMA_COUNTMAP_COUNTERS];
};

/* They are in memory for rows of call sites. */
#define KMA_COUNTMAP_PER_CHUNK						\
	(KMA_PERCPU_CHUNK_BYTES / sizeof(struct kma_countmap_row))

/**
 * struct kma_countmap_info - a row
 * @key: what it stands for
 * @more: something else about it, from who made it
 * @ready: it is in use; @key, @more and @text are there
 * @retired: @text is its name, since what the key says may be somebody else's by now
 * @text: likewise, or empty
 */
struct kma_countmap_info {
	struct kma_countmap_key key;
	u64 more;
	int ready;
	int retired;
	char text[KMA_COUNTMAP_TEXT] __aligned(8);
};

/**
 * struct kma_countmap - a countmap
 * @rows: how many, [other] included
 * @used: those handed out
 * @mask: slots, a power of two, less one
 * @slot: number of a row, or 0, or a mark
 * @info: of each row
 * @row: counters of each row
 * @chunk: the memory behind @row
 */
struct kma_countmap {
	u32 rows;
	atomic_t used;
	u32 mask;
	u32 *slot;
	struct kma_countmap_info *info;
	struct kma_countmap_row __percpu **row;
	struct kma_countmap_row __percpu **chunk;
};

/**
 * kma_countmap_bytes() - memory that a countmap takes
 * @rows: rows
 * @nr_cpus: CPUs that may ever count
 *
 * Context: any. Return: bytes.
 */
u64 kma_countmap_bytes(u32 rows, unsigned int nr_cpus);

/**
 * kma_countmap_init() - make an empty countmap
 * @t: the countmap
 * @rows: how many rows, at least 2, [other] included
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_countmap_init(struct kma_countmap *t, u32 rows);

/**
 * kma_countmap_destroy() - free a countmap
 * @t: the countmap; zeroed memory will do
 *
 * Context: process, may sleep; nobody uses it any more.
 */
void kma_countmap_destroy(struct kma_countmap *t);

/* As kma_countmap_init() made it. Context: process, may sleep; nobody uses it meanwhile. */
void kma_countmap_clear(struct kma_countmap *t);

/**
 * kma_countmap_find() - the row of a key
 * @t: the countmap
 * @key: the key
 *
 * Context: any, NMI included. Return: its number, or KMA_COUNTMAP_OTHER if there is none.
 */
u32 kma_countmap_find(const struct kma_countmap *t, const struct kma_countmap_key *key);

/**
 * kma_countmap_add() - a row for a key that has none
 * @t: the countmap
 * @info: what it is to be: key, more and text
 *
 * Context: any, NMI included. Return: its number, or KMA_COUNTMAP_OTHER if there is no room.
 */
u32 kma_countmap_add(struct kma_countmap *t, const struct kma_countmap_info *info);

/**
 * kma_countmap_first() - of several rows of one key, that which others are added to
 * @t: the countmap
 * @id: any of them, in use
 *
 * Context: process. Return: its number, or @id if it is retired.
 */
u32 kma_countmap_first(const struct kma_countmap *t, u32 id);

/**
 * kma_countmap_get() - the row of a key, a new one if need be
 * @t: the countmap
 * @info: what a new one is to be
 *
 * Context: any, NMI included. Return: its number, or KMA_COUNTMAP_OTHER if there is no
 * room; that has been counted.
 */
static inline u32 kma_countmap_get(struct kma_countmap *t, const struct kma_countmap_info *info)
{
	u32 id = kma_countmap_find(t, &info->key);

	if (likely(id != KMA_COUNTMAP_OTHER))
		return id;
	id = kma_countmap_add(t, info);
	if (id == KMA_COUNTMAP_OTHER)
		kma_stat_inc(countmap_other);
	return id;
}

/* Context: any. Return: what a row is, or NULL if it is not in use. */
static inline const struct kma_countmap_info *kma_countmap_info(const struct kma_countmap *t, u32 id)
{
	/* Pairs with the release in kma_countmap_add(). */
	return smp_load_acquire(&t->info[id].ready) ? &t->info[id] : NULL;
}

/**
 * kma_countmap_retire() - what a key says will soon be somebody else's
 * @t: the countmap
 * @id: the row, in use
 * @name: what to call it from now on
 *
 * Context: process, one at a time.
 */
void kma_countmap_retire(struct kma_countmap *t, u32 id, const char *name);

/**
 * kma_countmap_rename() - what a row is called has changed
 * @t: the countmap
 * @id: the row
 * @name: two words of text, which end in zeroes
 *
 * Context: any, NMI included.  Who reads it meanwhile may see one word of each name.
 */
static inline void kma_countmap_rename(struct kma_countmap *t, u32 id, const u64 name[2])
{
	u64 *text = (u64 *)t->info[id].text;

	if (likely(READ_ONCE(text[0]) == name[0] && READ_ONCE(text[1]) == name[1]))
		return;
	WRITE_ONCE(text[0], name[0]);
	WRITE_ONCE(text[1], name[1]);
}

/* The text that kma_countmap_rename() changes: 16 bytes, which end in zeroes. Context: any. */
static inline void kma_countmap_comm(const struct kma_countmap_info *info, char *buf)
{
	const u64 *text = (const u64 *)info->text;
	const u64 name[2] = { READ_ONCE(text[0]), READ_ONCE(text[1]) };

	memcpy(buf, name, sizeof(name));
}

/* Add to a counter of a row. Context: any, NMI included. */
#define kma_countmap_count(t, id, counter, n) this_cpu_add((t)->row[id]->v[counter], n)

/**
 * kma_countmap_sum() - add up the counters of a row over all CPUs
 * @t: the countmap
 * @id: the row
 * @sum: what they are added to
 *
 * Context: any.
 */
void kma_countmap_sum(const struct kma_countmap *t, u32 id, struct kma_countmap_row *sum);

#endif /* KMA_CORE_COUNTMAP_H */
