/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The history of the rows of a view of kmemacct top: two numbers of each row at each of the
 * last refreshes.
 *
 * A row has a slot, from its first refresh to its last one.  A refresh has an array with the
 * numbers of all slots, so that storing them writes to consecutive memory.  The arrays form a
 * ring: the oldest one is overwritten.  Rows beyond TOP_HISTORY_ROWS have no history, so the
 * memory is bounded by TOP_HISTORY_ROWS * TOP_HISTORY_DEPTH * sizeof(struct top_point), which
 * is 24 MB.  A graph has far less resolution than a float.
 */
#ifndef TOP_HISTORY_H
#define TOP_HISTORY_H

#include "base.h"

/* Three minutes at a refresh each second. */
#define TOP_HISTORY_DEPTH	180
#define TOP_HISTORY_ROWS	16384
/* The slot of a row that has no history. */
#define TOP_NO_SLOT		U64_MAX

/**
 * struct top_point - the numbers of a row at a refresh
 * @value: the value that the row is sorted by at first
 * @rate: the rate of the second graph; NAN if it is not known
 */
struct top_point {
	float value;
	float rate;
};

/**
 * struct top_history - the history of the rows of a view
 * @refresh: number of the last refresh; the first one is 1
 * @points: the arrays; that of refresh N is at N % TOP_HISTORY_DEPTH
 * @room: for each array, its size
 * @ms: for each array, the time of its refresh
 * @born: for each slot, its first refresh
 * @nr_slots: number of slots that have ever been in use
 * @unused: slots that are in use no longer
 * @nr_unused: number of @unused
 */
struct top_history {
	u64 refresh;
	struct top_point *points[TOP_HISTORY_DEPTH];
	size_t room[TOP_HISTORY_DEPTH];
	u64 ms[TOP_HISTORY_DEPTH];
	u64 born[TOP_HISTORY_ROWS];
	size_t nr_slots;
	u64 unused[TOP_HISTORY_ROWS];
	size_t nr_unused;
};

/* Return: a slot for a new row, which the next refresh is the first of; or TOP_NO_SLOT. */
u64 top_history_take(struct top_history *h);

/* Give back the slot of a row that has vanished. */
void top_history_give(struct top_history *h, u64 slot);

/* Begin a refresh at a time in milliseconds.  All slots have to be taken before. */
void top_history_begin(struct top_history *h, u64 ms);

/* Store the numbers of a row at the refresh that has begun. */
void top_history_store(struct top_history *h, u64 slot, struct top_point point);

/**
 * top_history_read() - read the numbers of a row, the oldest first
 * @h: the history
 * @slot: slot of the row
 * @points: set to the numbers
 * @ms: set to the times of these refreshes in milliseconds
 *
 * Return: how many there are.
 */
int top_history_read(const struct top_history *h, u64 slot,
		     struct top_point points[TOP_HISTORY_DEPTH],
		     u64 ms[TOP_HISTORY_DEPTH]);

/* Free the memory of the arrays. */
void top_history_free(struct top_history *h);

#endif /* TOP_HISTORY_H */
