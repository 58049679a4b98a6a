/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Countmaps: maps from a key to a row of per-CPU counters.
 *
 *	key --hash--> slot: number of the row --> its counters on this CPU
 *	info[number]: the key, and the text to print for it
 *
 * The user of a countmap chooses what a key stands for, such as a process, a cgroup, or a
 * command and a call site, and what each counter counts.  The first event with a new key makes
 * a row for it, in the context of that event and without a lock: claim a free slot, describe
 * the row, publish its number.  Two CPUs that see a new key at the same time may make two
 * rows.  A reader adds the counters of both, and shows them as the row that
 * kma_countmap_first() returns.
 *
 * When all rows are in use, events with a new key are counted in row 0, [other].  Such an event
 * writes to no shared memory except the counters of that row.  Rows of keys that will not be seen
 * again, and idle rows, are used for other keys (countmap_recycle.h).  kma_countmap_clear() removes
 * all rows, while no probe counts.
 *
 * A search begins at the slot that the hash of the key picks, and ends at a free slot.  So the slot
 * of a row that has left becomes a tombstone: a search goes on after it, and a new row may take the
 * slot.  Recycling frees the tombstones that no search needs.
 *
 * Counters of rare events need not be per-CPU, which would take memory on each CPU.  Such a
 * countmap is shared: all CPUs together have a few copies of the counters, and add to them by
 * atomic instructions.  Its rows may also have counters that keep a maximum.  A countmap with few
 * rows, some of whose events are frequent, is local instead: each CPU has counters of its own, in
 * one chunk of per-CPU memory.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free memory: process, may sleep.
 */
#ifndef KMA_CORE_COUNTMAP_H
#define KMA_CORE_COUNTMAP_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/types.h>

#include "env.h"
#include "spare.h"
#include "stat.h"

#define KMA_COUNTMAP_WORDS	3
/* The counters of a per-CPU row, and the most counters of a shared row. */
#define KMA_COUNTMAP_COUNTERS	16
#define KMA_COUNTMAP_SHARED	32
/* The number of copies of the counters of a shared countmap: a power of two. */
#define KMA_COUNTMAP_COPIES	8
#define KMA_COUNTMAP_TEXT	112

/* The row [other]: it counts events whose key has no row of its own. */
#define KMA_COUNTMAP_OTHER	0

/**
 * struct kma_countmap_key - what a row stands for
 * @word: the words of the key; the user of the countmap chooses their meaning
 */
struct kma_countmap_key {
	u64 word[KMA_COUNTMAP_WORDS];
};

/**
 * struct kma_countmap_row - the counters of one row, on one CPU
 * @v: the counters; the user of the countmap chooses what each of them counts
 */
struct kma_countmap_row {
	u64 v[KMA_COUNTMAP_COUNTERS];
};

/**
 * struct kma_countmap_sum - the counters of one row, added up
 * @v: the counters
 */
struct kma_countmap_sum {
	u64 v[KMA_COUNTMAP_SHARED];
};

/* Rows in one chunk of kma_env_zalloc_percpu(). */
#define KMA_COUNTMAP_PER_CHUNK						\
	(KMA_PERCPU_CHUNK_BYTES / sizeof(struct kma_countmap_row))

/**
 * struct kma_countmap_info - description of a row
 * @key: the key
 * @more: one more word about the row, chosen by the user of the countmap
 * @seen: for recycling: the sum of the counters when a search for idle rows last read the row, plus
 *	1; 0 if no search has read it
 * @gen: generation: changes when the row leaves the map, and again when it may be used for another
 *	key; in between it is odd
 * @ready: 1 once the row is in use, and @key, @more and @text are valid
 * @retired: 1 once the row is retired: its name is in @text, because the key (for example an
 *	address) may refer to something else by now
 * @gone: 1 once a probe has seen the end of what the key stands for
 * @leaving: for recycling: why the row leaves; 0 if it stays
 * @text: text to print for the row, chosen by the user of the countmap; may be empty
 */
struct kma_countmap_info {
	struct kma_countmap_key key;
	u64 more;
	u64 seen;
	u32 gen;
	u8 ready;
	u8 retired;
	u8 gone;
	u8 leaving;
	char text[KMA_COUNTMAP_TEXT] __aligned(8);
};

/**
 * struct kma_countmap - a countmap
 * @rows: number of rows, [other] included
 * @reserve: rows that only kma_countmap_add_reserved() may take
 * @spare: the numbers of rows that are not in use, minus 1
 * @hand: for recycling: the row at which the search for idle rows goes on
 * @left: for recycling: number of rows that this search has still to read; 0 if there is none
 * @recycled: number of rows that were recycled since the countmap was last empty
 * @mask: number of slots, a power of two, minus one
 * @slot: for each slot, the number of its row, or a special value (countmap.c)
 * @info: description of each row
 * @row: the counters of each row
 * @chunk: the per-CPU memory that @row points into
 * @counters: number of counters of a row, if the countmap is shared or local; otherwise 0
 * @maxima: bit mask of the counters that keep a maximum, if the countmap is shared or local
 * @shared: the counters, if the countmap is shared; in each copy, @counters for each row
 * @local: the counters, if the countmap is local; on each CPU, @counters for each row
 */
struct kma_countmap {
	u32 rows;
	u32 reserve;
	struct kma_spare spare;
	u32 hand;
	u32 left;
	u64 recycled;
	u32 mask;
	u32 *slot;
	struct kma_countmap_info *info;
	struct kma_countmap_row __percpu **row;
	struct kma_countmap_row __percpu **chunk;
	u32 counters;
	u32 maxima;
	atomic64_t *shared;
	u64 __percpu *local;
};

/* Bytes that a countmap takes, with @rows rows, [other] included. */
u64 kma_countmap_bytes(u32 rows, unsigned int nr_cpus);

/*
 * Allocate an empty countmap with @rows rows, [other] included, and at least 2.  The caller may
 * set its @reserve afterwards.  Returns 0 or -ENOMEM.
 */
int kma_countmap_init(struct kma_countmap *t, u32 rows);

/* Bytes that a shared countmap takes. */
u64 kma_countmap_shared_bytes(u32 rows, u32 counters);

/**
 * kma_countmap_init_shared() - like kma_countmap_init(), with counters that CPUs share
 * @t: the countmap; the caller may set its @reserve afterwards
 * @rows: number of rows, [other] included; at least 2
 * @counters: number of counters of a row, up to KMA_COUNTMAP_SHARED
 * @maxima: bit mask of the counters that kma_countmap_raise() is used for
 *
 * Return: 0 or -ENOMEM.
 */
int kma_countmap_init_shared(struct kma_countmap *t, u32 rows, u32 counters, u32 maxima);

/* Bytes that a countmap of kma_countmap_init_local() takes. */
u64 kma_countmap_local_bytes(u32 rows, unsigned int nr_cpus);

/*
 * Like kma_countmap_init_shared(), with few rows, and counters on each CPU.  All counters of a CPU
 * take at most KMA_PERCPU_CHUNK_BYTES.
 */
int kma_countmap_init_local(struct kma_countmap *t, u32 rows, u32 counters, u32 maxima);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_countmap_destroy(struct kma_countmap *t);

/*
 * Remove all rows, and set all counters to 0: the countmap is as empty as after
 * kma_countmap_init().  Context: process, may sleep; no probe and no reader uses @t at the same
 * time.
 */
void kma_countmap_clear(struct kma_countmap *t);

/* The number of a key's row, or KMA_COUNTMAP_OTHER if the key has no row. */
u32 kma_countmap_find(const struct kma_countmap *t, const struct kma_countmap_key *key);

/*
 * Make a row for a key that has no row yet, from @key, @more and @text of @info.  Returns the
 * number of the row, or KMA_COUNTMAP_OTHER if there is no room.
 */
u32 kma_countmap_add(struct kma_countmap *t, const struct kma_countmap_info *info);

/* Like kma_countmap_add(), but may also use the reserve, which is for rows that count many keys. */
u32 kma_countmap_add_reserved(struct kma_countmap *t, const struct kma_countmap_info *info);

/* Number of rows in use, [other] included. */
static inline u32 kma_countmap_used(const struct kma_countmap *t)
{
	return t->rows - kma_spare_left(&t->spare);
}

/* Whether a new key gets a row, not only a reserved one.  Test this before making its text. */
static inline bool kma_countmap_has_room(const struct kma_countmap *t)
{
	return kma_countmap_used(t) < t->rows - t->reserve;
}

/*
 * Let new keys use row @id, whose counters are 0.  Context: process; the caller prevents
 * concurrent calls, and no probe uses the row.
 */
void kma_countmap_give(struct kma_countmap *t, u32 id);

/* Note that a key, with or without a row, will not be seen again: its rows may be recycled. */
void kma_countmap_gone(struct kma_countmap *t, const struct kma_countmap_key *key);

/*
 * The row that look-ups with the key of row @id find, if several rows have this key; @id itself if
 * that row is retired, or if look-ups find no row.  A reader adds the counters of all rows with
 * this key to those of the row returned.  Context: process.
 */
u32 kma_countmap_first(const struct kma_countmap *t, u32 id);

/*
 * Find or make the row of @info->key; @more and @text are for a new row.  Returns the number of
 * the row; KMA_COUNTMAP_OTHER if there is no room, which increments the counter countmap_other.
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

/* Like kma_countmap_get(), but may also use the reserve. */
static inline u32 kma_countmap_get_reserved(struct kma_countmap *t,
					    const struct kma_countmap_info *info)
{
	u32 id = kma_countmap_find(t, &info->key);

	if (likely(id != KMA_COUNTMAP_OTHER))
		return id;
	id = kma_countmap_add_reserved(t, info);
	if (id == KMA_COUNTMAP_OTHER)
		kma_stat_inc(countmap_other);
	return id;
}

/* The description of a row; NULL if the row is not in use. */
static inline const struct kma_countmap_info *
kma_countmap_info(const struct kma_countmap *t, u32 id)
{
	/* Pairs with the release in kma_countmap_make(). */
	return smp_load_acquire(&t->info[id].ready) ? &t->info[id] : NULL;
}

/*
 * Make a reference to a row, for kma_countmap_deref(), which may be kept after the probe has
 * ended; 0 for KMA_COUNTMAP_OTHER and for a row that is leaving.  Context: the RCU read-side
 * critical section in which the row was found.
 */
static inline u64 kma_countmap_ref(const struct kma_countmap *t, u32 id)
{
	const u32 gen = READ_ONCE(t->info[id].gen);

	return id == KMA_COUNTMAP_OTHER || gen & 1 ? 0 : (u64)gen << 32 | id;
}

/*
 * The number of the row that @ref leads to, in which the caller may count until its RCU read-side
 * critical section ends; KMA_COUNTMAP_OTHER if the row has left, or if @ref is 0.
 */
static inline u32 kma_countmap_deref(const struct kma_countmap *t, u64 ref)
{
	const u32 id = ref;

	/*
	 * The generation in a reference is even.  When the row leaves, its generation changes, and
	 * then recycling waits for all probes before it reads the counters.  So what this probe
	 * counts is not lost.
	 */
	return READ_ONCE(t->info[id].gen) == ref >> 32 ? id : KMA_COUNTMAP_OTHER;
}

/*
 * Give a row in use a permanent name, because its key loses its meaning: the key is an address in
 * a module that is being unloaded.  Afterwards look-ups no longer find the row, and an event with
 * the same key makes a new row.  Context: process; the caller prevents concurrent calls.
 */
void kma_countmap_retire(struct kma_countmap *t, u32 id, const char *name);

/*
 * Change the first 16 bytes of a row's text to @name, padded with zeroes.  A concurrent reader may
 * see one word of the old name and one word of the new name.
 */
static inline void kma_countmap_rename(struct kma_countmap *t, u32 id, const u64 name[2])
{
	u64 *text = (u64 *)t->info[id].text;

	if (likely(READ_ONCE(text[0]) == name[0] && READ_ONCE(text[1]) == name[1]))
		return;
	WRITE_ONCE(text[0], name[0]);
	WRITE_ONCE(text[1], name[1]);
}

/* Read the 16 bytes that kma_countmap_rename() changes into @buf, padded with zeroes. */
static inline void kma_countmap_comm(const struct kma_countmap_info *info, char *buf)
{
	const u64 *text = (const u64 *)info->text;
	const u64 name[2] = { READ_ONCE(text[0]), READ_ONCE(text[1]) };

	memcpy(buf, name, sizeof(name));
}

/* Add @n to a counter of a row on this CPU; @counter is below KMA_COUNTMAP_COUNTERS. */
#define kma_countmap_count(t, id, counter, n) this_cpu_add((t)->row[id]->v[counter], n)

/* Add @n to @counter, below @t->counters, of a row of a shared or local countmap. */
void kma_countmap_add_to(struct kma_countmap *t, u32 id, u32 counter, u64 n);

/* Set a counter of @t->maxima, of a shared or local countmap, to @n if the counter is smaller. */
void kma_countmap_raise(struct kma_countmap *t, u32 id, u32 counter, u64 n);

/*
 * Add the counters of a row, of all CPUs or copies, to @sum, while probes may run; of those that
 * keep a maximum, @sum gets the larger value.
 */
void kma_countmap_sum(const struct kma_countmap *t, u32 id, struct kma_countmap_sum *sum);

/*
 * Move what row @from has counted, in which no probe counts, to row @to, in which probes may
 * count.  The counters of @from become 0.  Context: process.
 */
void kma_countmap_move(struct kma_countmap *t, u32 from, u32 to);

/* Free the tombstones that no search needs, while probes may run.  Context: process, may sleep. */
void kma_countmap_free_slots(struct kma_countmap *t);

/*
 * Remove a row from the map, so that no look-up finds it any more.  Returns false if the row
 * cannot be removed, because a probe has not published it yet.  Context: process; the caller
 * prevents concurrent calls.
 */
bool kma_countmap_unmap(struct kma_countmap *t, u32 id);

/* Add @more to @sum; of the counters in the bit mask @maxima, @sum gets the larger value. */
void kma_countmap_merge(u32 maxima, struct kma_countmap_sum *sum,
			const struct kma_countmap_sum *more);

#endif /* KMA_CORE_COUNTMAP_H */
