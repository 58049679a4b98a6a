// SPDX-License-Identifier: GPL-2.0
/* The rows of a view of kmemacct top, over time.  See struct top_rows. */
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* The constants of the hash function FNV-1a, for 64 bits. */
#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

/* window_s in a head is rounded to milliseconds, as is each time that it is compared with. */
#define ROUNDING_MS	2

/* ---- the history ---------------------------------------------------------- */

/* Return: a slot for a new row, from the next refresh on; or TOP_NO_SLOT. */
static u64 take_slot(struct top_rows *r)
{
	u64 slot = TOP_NO_SLOT;

	if (r->nr_unused)
		slot = r->unused[--r->nr_unused];
	else if (r->nr_slots < TOP_HISTORY)
		slot = r->nr_slots++;
	if (slot != TOP_NO_SLOT)
		r->born[slot] = r->refresh + 1;
	return slot;
}

static void give_slot(struct top_rows *r, u64 slot)
{
	if (slot != TOP_NO_SLOT)
		r->unused[r->nr_unused++] = slot;
}

/* Begin a refresh.  All slots have been taken before. */
static void begin_refresh(struct top_rows *r, u64 ms)
{
	const size_t at = ++r->refresh % TOP_DEPTH;

	r->ms[at] = ms;
	if (r->room[at] >= r->nr_slots)
		return;
	free(r->points[at]);
	r->points[at] = alloc(r->nr_slots, sizeof(*r->points[at]));
	r->room[at] = r->nr_slots;
}

void top_rows_store(struct top_rows *r, const struct top_row *row, struct top_point point)
{
	if (row->slot != TOP_NO_SLOT)
		r->points[r->refresh % TOP_DEPTH][row->slot] = point;
}

int top_rows_read(const struct top_rows *r, const struct top_row *row,
		  struct top_point points[TOP_DEPTH], u64 ms[TOP_DEPTH])
{
	u64 refresh;
	int nr = 0;

	if (row->slot == TOP_NO_SLOT || !r->refresh)
		return 0;
	refresh = r->born[row->slot];
	if (r->refresh >= TOP_DEPTH && refresh <= r->refresh - TOP_DEPTH)
		refresh = r->refresh - TOP_DEPTH + 1;
	for (; refresh <= r->refresh; refresh++, nr++) {
		points[nr] = r->points[refresh % TOP_DEPTH][row->slot];
		ms[nr] = r->ms[refresh % TOP_DEPTH];
	}
	return nr;
}

void top_rows_free(struct top_rows *r)
{
	size_t i;

	if (!r)
		return;
	table_free(r->now);
	table_free(r->before);
	for (i = 0; i < TOP_DEPTH; i++)
		free(r->points[i]);
	free(r->row);
	free(r->bucket);
	free(r);
}

/* ---- identity ------------------------------------------------------------- */

/* A process keeps its identity when it gets another parent. */
static bool is_identity(const struct column *c)
{
	return c->kind == KIND_KEY && strcmp(c->name, "parent");
}

static u64 hash_text(u64 hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
	return hash;
}

static u64 hash_row(const struct table *t, const struct row *row)
{
	u64 hash = hash_text(FNV_BASIS, row->label);
	int i;

	for (i = 0; i < t->nr_values; i++) {
		if (!is_identity(&t->columns[i]))
			continue;
		if (t->columns[i].format == FORMAT_NAME)
			hash = hash_text(hash, row_name(row, i));
		else
			hash = (hash ^ row->v[i]) * FNV_PRIME;
	}
	return hash;
}

static bool is_same(const struct table *t, const struct row *a, const struct row *b)
{
	int i;

	if (strcmp(a->label, b->label))
		return false;
	for (i = 0; i < t->nr_values; i++) {
		if (!is_identity(&t->columns[i]))
			continue;
		if (t->columns[i].format == FORMAT_NAME ?
		    strcmp(row_name(a, i), row_name(b, i)) != 0 : a->v[i] != b->v[i])
			return false;
	}
	return true;
}

/* ---- pairing -------------------------------------------------------------- */

/* Find the row of the table before that is the same as @row, and has not been paired yet. */
static struct top_row *find_before(struct top_rows *r, const struct table *t,
				   const struct row *row, u64 hash)
{
	struct top_row *found;
	size_t at;

	if (!r->nr_buckets)
		return NULL;
	for (at = hash & (r->nr_buckets - 1); r->bucket[at];
	     at = (at + 1) & (r->nr_buckets - 1)) {
		found = &r->row[r->bucket[at] - 1];
		if (found->hash == hash && !found->paired && is_same(t, found->now, row))
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
	free(r->bucket);
	r->bucket = alloc(nr, sizeof(*r->bucket));
	r->nr_buckets = nr;
	for (i = 0; i < r->nr; i++) {
		at = r->row[i].hash & (nr - 1);
		while (r->bucket[at])
			at = (at + 1) & (nr - 1);
		r->bucket[at] = i + 1;
	}
}

/*
 * Vanished rows give their slots back before new rows take any.  The history of a row without a
 * slot never begins later: it has none because there are too many rows.
 */
static void pair_rows(struct top_rows *r, struct table *t)
{
	struct top_row *rows = alloc(t->nr_rows, sizeof(*rows)), *before;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		rows[i] = (struct top_row) {
			.now = t->rows[i], .hash = hash_row(t, t->rows[i]), .slot = TOP_NO_SLOT,
		};
		before = find_before(r, t, t->rows[i], rows[i].hash);
		if (!before)
			continue;
		before->paired = true;
		rows[i].before = before->now;
		rows[i].slot = before->slot;
	}
	for (i = 0; i < r->nr; i++)
		if (!r->row[i].paired)
			give_slot(r, r->row[i].slot);
	for (i = 0; i < t->nr_rows; i++)
		if (!rows[i].before)
			rows[i].slot = take_slot(r);
	free(r->row);
	r->row = rows;
	r->nr = t->nr_rows;
	fill_buckets(r);
}

const struct top_row *top_rows_find(const struct top_rows *r, u64 hash)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (r->row[i].hash == hash)
			return &r->row[i];
	return NULL;
}

/* ---- time ----------------------------------------------------------------- */

static bool find_window(const struct table *t, u64 *ms)
{
	const char *window = table_field(t, "window_s");

	return window && !number_parse_milli(window, ms);
}

static bool is_same_since(const struct table *a, const struct table *b)
{
	const char *x = table_field(a, "since"), *y = table_field(b, "since");

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

	if (!find_window(before, &from) || !find_window(now, &to) || !is_same_since(before, now))
		return 0;
	if (to <= from || to - from + ROUNDING_MS < waited_ms)
		return 0;
	return to - from;
}

static bool is_same_table(const struct table *before, const struct table *now)
{
	u64 from, to;

	return find_window(before, &from) && find_window(now, &to) && from == to &&
	       is_same_since(before, now);
}

bool top_rows_update(struct top_rows *r, struct table *t, u64 began_ms, u64 ended_ms)
{
	u64 waited_ms = began_ms > r->clock_ms ? began_ms - r->clock_ms : 0;

	r->clock_ms = ended_ms;
	if (r->now && is_same_table(r->now, t)) {
		table_free(t);
		return false;
	}
	r->elapsed_ms = r->now ? elapsed(r->now, t, waited_ms) : 0;
	pair_rows(r, t);
	table_free(r->before);
	r->before = r->now;
	r->now = t;
	begin_refresh(r, ended_ms);
	return true;
}
