/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a view of kmemacct top, over time.
 *
 * Each refresh brings a table.  This table and the one before it are kept, and a row has a
 * pointer into each: its rates are the differences.  A row is the same one in both if its
 * label is the same, and so are its columns in top_view.identity.  Two rows of one table may
 * be alike: then they are paired in their order.
 *
 * The time between two tables is the difference of window_s in their heads, which the module
 * takes together with the numbers.  If the counts were reset in between, that time is not
 * known, and no rates are shown until the next refresh.  A window that has not advanced means
 * that the table is the one that was read before.
 */
#ifndef TOP_ROWS_H
#define TOP_ROWS_H

#include "table.h"
#include "top_history.h"
#include "top_view.h"

/**
 * struct top_row - a row
 * @now: the row in the last table
 * @before: the row in the table before it; NULL if it is new
 * @hash: hash of what identifies it
 * @slot: its slot in the history
 * @paired: the row has been found in the next table
 */
struct top_row {
	const struct row *now;
	const struct row *before;
	u64 hash;
	u64 slot;
	bool paired;
};

/**
 * struct top_rows - the rows of a view
 * @view: the view
 * @now: the last table; NULL before the first refresh
 * @before: the table before it, or NULL
 * @elapsed_ms: time between these; 0: not known
 * @clock_ms: time of the last refresh by the clock of the reader
 * @row: the rows, in the order of the table
 * @nr: number of @row
 * @bucket: hash table of indexes of @row plus 1; 0: empty
 * @nr_buckets: number of @bucket, a power of two
 * @identity: indexes of the columns that identify a row
 * @nr_identity: number of @identity
 * @history: the history of the rows
 */
struct top_rows {
	const struct top_view *view;
	struct table *now;
	struct table *before;
	u64 elapsed_ms;
	u64 clock_ms;
	struct top_row *row;
	size_t nr;
	size_t *bucket;
	size_t nr_buckets;
	int identity[TOP_IDENTITY];
	int nr_identity;
	struct top_history history;
};

/* Make the rows of a view, without any row. */
struct top_rows *top_rows_new(const struct top_view *view);

void top_rows_free(struct top_rows *r);

/**
 * top_rows_update() - take over a new table
 * @r: the rows
 * @t: the table, which this function takes ownership of
 * @began_ms: when the reading of the table began, by a clock that goes on during suspend
 * @ended_ms: when it ended
 *
 * After it, the caller stores the numbers of the new refresh in the history.
 *
 * Return: true; false if the table is the same as the last one, and nothing has changed.
 */
bool top_rows_update(struct top_rows *r, struct table *t, u64 began_ms, u64 ended_ms);

/*
 * Find a row by the hash of what identifies it.
 * Return: its index, or -1 if it has vanished.
 */
long top_rows_find(const struct top_rows *r, u64 hash);

#endif /* TOP_ROWS_H */
