/* SPDX-License-Identifier: GPL-2.0 */
/*
 * History: how much memory of each call site and cache was live at earlier times.
 *
 *	slot_of[row number] --> slot: what was live at each mark
 *
 * A mark is a time at which the worker has read all rows.  There are three series of marks, each a
 * ring buffer: one every 10 s for the last minute, one every minute for the last hour, and one
 * every hour for the last two days.  The slots that change most have more marks of the first series
 * (recent.h).
 *
 * The history belongs to what is counted, not to the row: to a call site and a cache or, for
 * samples, to a stack and a cache.  A row is linked to its slot at the first mark after the
 * row is made.  Rows of samples that were taken with another N are linked to the same slot.  So a
 * change of N does not look as if memory had been freed and allocated.
 *
 * When a row is recycled, nothing of it is live.  If it was the last row of its slot, the history
 * of the slot is added to that of the row [other] of the cache, where the counts of the row are,
 * too; and when the number of a cache is recycled, to that of the cache [other].  A new row of the
 * same call site then begins with nothing.  Samples and exact objects have an [other] each, because
 * `stacks` shows samples only.
 *
 * After a module was unloaded, other code may be at its addresses.  So a slot whose rows get no new
 * events is closed: no further row is linked to it.  These are rows that were retired with their
 * module, and rows that are being recycled.
 *
 * The change of an estimate from a mark to now has a variance.  Two bounds of it are known, and the
 * smaller one is used: the sum of the variances of both estimates; and the variance of all that was
 * allocated and freed in between, because a sample that is live at both times adds nothing to the
 * change.
 *
 * There are as many slots as rows for call sites, and KMA_HISTORY_OTHERS more for the rows [other]
 * of caches with exact objects, and as many for those with samples.  Further ones share the slots
 * of the cache [other].
 *
 * Functions accept zeroed memory in place of a history, and then keep none.
 *
 * Context of all functions: process; the caller prevents concurrent calls, and the recycling of
 * rows during a call.  Probes may run.  Times are in seconds, since an arbitrary moment, and never
 * decrease.
 */
#ifndef KMA_CORE_HISTORY_H
#define KMA_CORE_HISTORY_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "history_word.h"
#include "recent.h"
#include "sitetab.h"

#define KMA_HISTORY_SERIES	3
/* The number of marks of each series, which is named for the time from one mark to the next */
#define KMA_HISTORY_MARKS_10S	8
#define KMA_HISTORY_MARKS_1M	60
#define KMA_HISTORY_MARKS_1H	48
#define KMA_HISTORY_MARKS	(KMA_HISTORY_MARKS_10S + KMA_HISTORY_MARKS_1M + \
				 KMA_HISTORY_MARKS_1H)

#define KMA_HISTORY_NONE	U16_MAX

/* Slots with these keys are those of rows [other], for exact objects and for samples. */
#define KMA_HISTORY_EXACT	0
#define KMA_HISTORY_SAMPLED	1
/* The most caches with such a slot, for each of the two.  The first two slots are shared. */
#define KMA_HISTORY_OTHERS	128

/**
 * struct kma_history_slot - the history of a call site or stack, and a cache
 * @key: hash of the call site and its stack; KMA_HISTORY_EXACT or KMA_HISTORY_SAMPLED for [other]
 * @counted: the variance of all that its rows have allocated and freed since they were made, when
 *	they were last read
 * @churn: for each series, the variance of what was allocated and freed since its last mark
 * @word: what was live at each mark (history_word.h)
 * @cache: number of the cache
 * @row: the first of its rows; KMA_HISTORY_NONE if there is none
 * @next: the next slot with this hash or, if the slot is not in use, the next of these
 * @sampled: whether its rows count samples
 * @used: whether the slot is in use
 * @open: whether rows may be linked to it
 * @recent: its entry among those that change most, or KMA_RECENT_NONE
 */
struct kma_history_slot {
	u64 key;
	u64 counted;
	u64 churn[KMA_HISTORY_SERIES];
	u32 word[KMA_HISTORY_MARKS];
	u16 cache;
	u16 row;
	u16 next;
	u16 sampled : 1;
	u16 used : 1;
	u16 open : 1;
	u16 recent : 13;
};

/* With 8,192 rows, all slots take less than 4 MiB. */
static_assert(sizeof(struct kma_history_slot) == 512);

/**
 * struct kma_history - the history of all call sites
 * @slot: the slots
 * @nr_slots: number of slots
 * @used: number of slots in use
 * @others: for each of the two keys of [other], the number of these
 * @spare: the first slot that is not in use
 * @head: for each hash, the first slot
 * @slot_of: for each row, its slot, or KMA_HISTORY_NONE
 * @next_of: for each row, the next row of its slot, or KMA_HISTORY_NONE
 * @nr_rows: number of rows
 * @recent: more marks of the first series, for the slots that change most
 * @time: for each mark, its time; KMA_HISTORY_NEVER if there was none
 * @newest: for each series, the index of its newest mark
 * @step: the seconds between marks of the first series, which grow if marks take long
 * @due: the series that get a mark, as bits, while rows are read
 * @next: the next slot to read
 * @marks: number of times that all rows were read
 * @full: number of times that a row [other] had to share the slot of the cache [other]
 */
struct kma_history {
	struct kma_history_slot *slot;
	u32 nr_slots;
	u32 used;
	u32 others[2];
	u16 spare;
	u16 *head;
	u16 *slot_of;
	u16 *next_of;
	u32 nr_rows;
	struct kma_recent *recent;
	u64 time[KMA_HISTORY_MARKS];
	u32 newest[KMA_HISTORY_SERIES];
	u32 step;
	u32 due;
	u32 next;
	u64 marks;
	u64 full;
};

#define KMA_HISTORY_NEVER	U64_MAX

/**
 * struct kma_history_mark - an earlier time
 * @index: the index of its words; from KMA_HISTORY_MARKS on, that of struct kma_recent; -1 if there
 *	is none
 * @age: seconds from the mark to now
 */
struct kma_history_mark {
	int index;
	u32 age;
};

/**
 * struct kma_history_change - how much more is live now than at a mark
 * @kib: the change in KiB
 * @variance: its variance (history_word.h)
 */
struct kma_history_change {
	s64 kib;
	u64 variance;
};

/**
 * struct kma_history_marks - the marks that there are, the oldest first
 * @nr: for each series, their number
 * @mark: for each series, the marks
 */
struct kma_history_marks {
	u32 nr[KMA_HISTORY_SERIES];
	struct kma_history_mark mark[KMA_HISTORY_SERIES][KMA_HISTORY_MARKS_1M];
};

/* Bytes that the history of a table with @sites_max rows for call sites takes. */
u64 kma_history_bytes(u32 sites_max);

/* Allocate an empty history of the rows of @t, which begins at @now.  Returns 0 or -ENOMEM. */
int kma_history_init(struct kma_history *h, const struct kma_sitetab *t, u64 now);

/* Free @h, which may be zeroed memory. */
void kma_history_destroy(struct kma_history *h);

/* Whether a series has to get a mark. */
bool kma_history_due(const struct kma_history *h, u64 now);

/*
 * Read all rows, and set the marks that are due.  The caller calls kma_history_begin() once, then
 * kma_history_some() until it returns false.  Between these calls, rows may be recycled.
 */
void kma_history_begin(struct kma_history *h, const struct kma_sitetab *t, u64 now);
bool kma_history_some(struct kma_history *h, const struct kma_sitetab *t);

/*
 * Choose the step of the first series so that reading all rows takes at most 1 % of one CPU; @ns is
 * how long it took this time.
 */
void kma_history_pace(struct kma_history *h, u64 ns);

/* A row is being recycled.  @sum is what it has counted. */
void kma_history_row_leaves(struct kma_history *h, const struct kma_sitetab *t, u32 id,
			    const struct kma_row *sum);

/* The number of a cache is being recycled, after its rows. */
void kma_history_cache_leaves(struct kma_history *h, u32 cache);

/* Find the mark that is nearest to @seconds ago, among those from 2/3 to twice as old. */
struct kma_history_mark kma_history_at(const struct kma_history *h, u64 now, u32 seconds);

/* All marks have an index below this. */
#define KMA_HISTORY_INDEXES	(KMA_HISTORY_MARKS + KMA_RECENT_MARKS)

/*
 * Get all marks but those that are being set.  Those of the first series that only @recent has come
 * before the others.
 */
void kma_history_list(const struct kma_history *h, u64 now, struct kma_history_marks *marks);

/* The time of a mark, or KMA_HISTORY_NEVER. */
u64 kma_history_time(const struct kma_history *h, u32 index);

/* The seconds between two marks of a series, unless marks take long. */
u32 kma_history_seconds(int series);

/*
 * Get slot number @s, below @nr_slots.  @id is set to a row of @t with the cache and the call site
 * of the slot.  Returns NULL if the slot is not in use, or if nothing was live in it at any mark.
 */
const struct kma_history_slot *kma_history_past(const struct kma_history *h,
						const struct kma_sitetab *t, u32 s, u32 *id);

/**
 * kma_history_changed() - the changes of a slot since some marks
 * @h: the history
 * @t: the table whose rows it describes
 * @id: number of a row in use, or of any row [other]
 * @samples: leave out exact objects; for a row [other], whose history has both
 * @mark: @nr marks; those without an index are skipped
 * @nr: number of marks
 * @change: the results; those of marks that are skipped do not change
 *
 * The change of each slot is that of one of its rows, so that the changes of all rows can be added
 * up.  For a row that has no slot yet, all that is live is its change.  No marks were set since
 * kma_history_at() has returned @mark.
 *
 * Return: false if the row has no change, because that of its slot is the change of another row.
 */
bool kma_history_changed(const struct kma_history *h, const struct kma_sitetab *t, u32 id,
			 bool samples, const struct kma_history_mark *mark, int nr,
			 struct kma_history_change *change);

#endif /* KMA_CORE_HISTORY_H */
