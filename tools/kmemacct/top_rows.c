// SPDX-License-Identifier: GPL-2.0
/* The rows of a view of kmemacct top, over time.  See the overview in top_rows.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_rows.h"

/* The constants of the hash function FNV-1a, for 64 bits. */
#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

/* window_s in a head is rounded to milliseconds, as is each time that it is compared with. */
#define ROUNDING_MS	2

struct top_rows *top_rows_new(const struct top_view *view)
{
	struct top_rows *r = alloc(1, sizeof(*r));

	r->view = view;
	return r;
}

void top_rows_free(struct top_rows *r)
{
	if (!r)
		return;
	table_free(r->now);
	table_free(r->before);
	top_history_free(&r->history);
	free(r->row);
	free(r->bucket);
	free(r);
}

/* ---- identity ------------------------------------------------------------- */

static void find_identity(struct top_rows *r, const struct table *t)
{
	int i, column;

	r->nr_identity = 0;
	for (i = 0; i < TOP_IDENTITY && r->view->identity[i]; i++) {
		column = table_column(t, r->view->identity[i]);
		if (column >= 0)
			r->identity[r->nr_identity++] = column;
	}
}

static u64 hash_text(u64 hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
	return hash;
}

static u64 hash_row(const struct top_rows *r, const struct table *t, const struct row *row)
{
	u64 hash = hash_text(FNV_BASIS, row->label);
	int i, column;

	for (i = 0; i < r->nr_identity; i++) {
		column = r->identity[i];
		if (t->columns[column].format == FORMAT_NAME)
			hash = hash_text(hash, row_name(row, column));
		else
			hash = (hash ^ row->v[column]) * FNV_PRIME;
	}
	return hash;
}

/* @t: a table of the rows, to tell which columns are names. */
static bool is_same(const struct top_rows *r, const struct table *t, const struct row *a,
		    const struct row *b)
{
	int i, column;

	if (strcmp(a->label, b->label))
		return false;
	for (i = 0; i < r->nr_identity; i++) {
		column = r->identity[i];
		if (t->columns[column].format == FORMAT_NAME) {
			if (strcmp(row_name(a, column), row_name(b, column)))
				return false;
		} else if (a->v[column] != b->v[column]) {
			return false;
		}
	}
	return true;
}

/* ---- pairing -------------------------------------------------------------- */

/* Find the row of the table before that is the same as @row, and has not been paired yet. */
static struct top_row *find_before(struct top_rows *r, const struct table *t,
				   const struct row *row, u64 hash)
{
	size_t at;
	struct top_row *found;

	if (!r->nr_buckets)
		return NULL;
	for (at = hash & (r->nr_buckets - 1); r->bucket[at];
	     at = (at + 1) & (r->nr_buckets - 1)) {
		found = &r->row[r->bucket[at] - 1];
		if (found->hash == hash && !found->paired && is_same(r, t, found->now, row))
			return found;
	}
	return NULL;
}

static void fill_buckets(struct top_rows *r)
{
	size_t i, at, nr = 16;

	/* At most half of the buckets are in use, so that probing ends soon. */
	while (nr < 2 * r->nr)
		nr *= 2;
	if (nr != r->nr_buckets) {
		free(r->bucket);
		r->bucket = alloc(nr, sizeof(*r->bucket));
		r->nr_buckets = nr;
	} else {
		memset(r->bucket, 0, nr * sizeof(*r->bucket));
	}
	for (i = 0; i < r->nr; i++) {
		at = r->row[i].hash & (nr - 1);
		while (r->bucket[at])
			at = (at + 1) & (nr - 1);
		r->bucket[at] = i + 1;
	}
}

static struct top_row make_row(struct top_rows *r, const struct table *t, const struct row *row)
{
	u64 hash = hash_row(r, t, row);
	struct top_row *before = find_before(r, t, row, hash);

	if (!before)
		return (struct top_row) { .now = row, .hash = hash, .slot = TOP_NO_SLOT };
	before->paired = true;
	return (struct top_row) {
		.now = row, .before = before->now, .hash = hash, .slot = before->slot,
	};
}

/*
 * Vanished rows give their slots back before new rows take any.  The history of a row without a
 * slot never begins later: it has none because there are too many rows.
 */
static void move_slots(struct top_rows *r, struct top_row *row, size_t nr)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (!r->row[i].paired)
			top_history_give(&r->history, r->row[i].slot);
	for (i = 0; i < nr; i++)
		if (!row[i].before)
			row[i].slot = top_history_take(&r->history);
}

static void pair_rows(struct top_rows *r, struct table *t)
{
	struct top_row *row = alloc(t->nr_rows, sizeof(*row));
	size_t i;

	find_identity(r, t);
	for (i = 0; i < t->nr_rows; i++)
		row[i] = make_row(r, t, t->rows[i]);
	move_slots(r, row, t->nr_rows);
	free(r->row);
	r->row = row;
	r->nr = t->nr_rows;
	fill_buckets(r);
}

/* ---- time ----------------------------------------------------------------- */

static bool find_window(const struct table *t, u64 *ms)
{
	const char *window = table_field(t, "window_s");

	return window && !number_parse_milli(window, ms);
}

static bool is_equal_field(const struct table *a, const struct table *b, const char *key)
{
	const char *x = table_field(a, key), *y = table_field(b, key);

	return x && y ? !strcmp(x, y) : x == y;
}

/*
 * Compute the time between two tables.  Without a reset, the window grows by at least the time
 * for which the reader was not reading.
 * Return: 0 if it is not known.
 */
static u64 elapsed(const struct table *before, const struct table *now, u64 waited_ms)
{
	u64 from, to;

	if (!find_window(before, &from) || !find_window(now, &to))
		return 0;
	if (!is_equal_field(before, now, "since"))
		return 0;
	if (to <= from || to - from + ROUNDING_MS < waited_ms)
		return 0;
	return to - from;
}

static bool is_same_table(const struct table *before, const struct table *now)
{
	u64 from, to;

	return find_window(before, &from) && find_window(now, &to) && from == to &&
	       is_equal_field(before, now, "since");
}

/* Numbers can be compared only if both tables have the same columns. */
static bool has_same_columns(const struct table *a, const struct table *b)
{
	int i;

	if (a->nr_values != b->nr_values)
		return false;
	for (i = 0; i < a->nr_values; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name))
			return false;
	return true;
}

/* Forget the last table. */
static void forget(struct top_rows *r)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		top_history_give(&r->history, r->row[i].slot);
	r->nr = 0;
	r->nr_buckets = 0;
	free(r->bucket);
	r->bucket = NULL;
	table_free(r->now);
	r->now = NULL;
}

bool top_rows_update(struct top_rows *r, struct table *t, u64 began_ms, u64 ended_ms)
{
	u64 waited_ms = began_ms > r->clock_ms ? began_ms - r->clock_ms : 0;

	r->clock_ms = ended_ms;
	if (r->now && is_same_table(r->now, t)) {
		table_free(t);
		return false;
	}
	if (r->now && !has_same_columns(r->now, t))
		forget(r);
	r->elapsed_ms = r->now ? elapsed(r->now, t, waited_ms) : 0;
	pair_rows(r, t);
	table_free(r->before);
	r->before = r->now;
	r->now = t;
	top_history_begin(&r->history, ended_ms);
	return true;
}

long top_rows_find(const struct top_rows *r, u64 hash)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (r->row[i].hash == hash)
			return i;
	return -1;
}
