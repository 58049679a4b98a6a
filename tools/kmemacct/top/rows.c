// SPDX-License-Identifier: GPL-2.0
/* The rows of a view of kmemacct top, over time.  See struct top_rows. */
#include <stdlib.h>
#include <string.h>

#include "../names/names.h"
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

/* Make an index of rows, which takes ownership of them. */
static struct top_index make_index(struct top_row *rows, size_t nr)
{
	struct top_index x = { .row = rows, .nr = nr, .nr_buckets = 16 };
	size_t i, at;

	/* At most half of the buckets are in use, so that probing ends soon. */
	while (x.nr_buckets < 2 * nr)
		x.nr_buckets *= 2;
	x.bucket = alloc(x.nr_buckets, sizeof(*x.bucket));
	for (i = 0; i < nr; i++) {
		at = rows[i].hash & (x.nr_buckets - 1);
		while (x.bucket[at])
			at = (at + 1) & (x.nr_buckets - 1);
		x.bucket[at] = i + 1;
	}
	return x;
}

static void free_index(struct top_index *x)
{
	free(x->row);
	free(x->bucket);
	*x = (struct top_index) {};
}

/* Find the row that is the same as @row of a table, and has not been paired yet; pair it. */
static struct top_row *pair_row(const struct top_index *x, const struct table *t,
				const struct row *row, u64 hash)
{
	struct top_row *found;
	size_t at;

	if (!x->nr_buckets)
		return NULL;
	for (at = hash & (x->nr_buckets - 1); x->bucket[at]; at = (at + 1) & (x->nr_buckets - 1)) {
		found = &x->row[x->bucket[at] - 1];
		if (found->hash != hash || found->paired || !is_same(t, found->now, row))
			continue;
		found->paired = true;
		return found;
	}
	return NULL;
}

/* Return: the rows of a table, each paired with the ones that it was before, and at the mark. */
static struct top_row *make_rows(struct top_rows *r, const struct table *t)
{
	struct top_row *rows = alloc(t->nr_rows, sizeof(*rows)), *before, *marked;
	size_t i;

	for (i = 0; i < r->marked.nr; i++)
		r->marked.row[i].paired = false;
	for (i = 0; i < t->nr_rows; i++) {
		rows[i] = (struct top_row) {
			.now = t->rows[i], .hash = hash_row(t, t->rows[i]), .slot = TOP_NO_SLOT,
		};
		before = pair_row(&r->all, t, t->rows[i], rows[i].hash);
		marked = pair_row(&r->marked, t, t->rows[i], rows[i].hash);
		rows[i].before = before ? before->now : NULL;
		rows[i].slot = before ? before->slot : TOP_NO_SLOT;
		rows[i].marked = marked ? marked->now : NULL;
	}
	return rows;
}

/*
 * Vanished rows give their slots back before new rows take any.  The history of a row without a
 * slot never begins later: it has none because there are too many rows.
 */
static void pair_rows(struct top_rows *r, const struct table *t)
{
	struct top_row *rows = make_rows(r, t);
	size_t i;

	for (i = 0; i < r->all.nr; i++)
		if (!r->all.row[i].paired)
			give_slot(r, r->all.row[i].slot);
	for (i = 0; i < t->nr_rows; i++)
		if (!rows[i].before)
			rows[i].slot = take_slot(r);
	free_index(&r->all);
	r->all = make_index(rows, t->nr_rows);
}

const struct top_row *top_rows_find(const struct top_rows *r, u64 hash)
{
	size_t i;

	for (i = 0; i < r->all.nr; i++)
		if (r->all.row[i].hash == hash)
			return &r->all.row[i];
	return NULL;
}

/* ---- the mark ------------------------------------------------------------- */

void top_rows_mark(struct top_rows *r)
{
	struct top_row *rows = alloc(r->all.nr, sizeof(*rows));
	size_t i;

	top_rows_unmark(r);
	r->mark = r->now;
	for (i = 0; i < r->all.nr; i++) {
		rows[i] = r->all.row[i];
		r->all.row[i].marked = r->all.row[i].now;
	}
	r->marked = make_index(rows, r->all.nr);
}

/* Free a table that is not needed any more, unless it is marked. */
static void free_table(const struct top_rows *r, struct table *t)
{
	if (t != r->mark)
		table_free(t);
}

void top_rows_unmark(struct top_rows *r)
{
	if (r->mark != r->now && r->mark != r->before)
		table_free(r->mark);
	r->mark = NULL;
	r->marked_ms = 0;
	free_index(&r->marked);
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

/* Find out what the kernel can shrink, for the views that show it. */
static struct table *flag_rows(struct table *t)
{
	return !strcmp(t->name, "callers") || !strcmp(t->name, "caches") ? reclaim_flag(t) : t;
}

bool top_rows_update(struct top_rows *r, struct table *t, u64 began_ms, u64 ended_ms)
{
	u64 waited_ms = began_ms > r->clock_ms ? began_ms - r->clock_ms : 0;

	r->clock_ms = ended_ms;
	if (r->now && is_same_table(r->now, t)) {
		table_free(t);
		return false;
	}
	t = flag_rows(t);
	r->elapsed_ms = r->now ? elapsed(r->now, t, waited_ms) : 0;
	r->marked_ms += r->elapsed_ms;
	if (!r->elapsed_ms)
		top_rows_unmark(r);
	pair_rows(r, t);
	free_table(r, r->before);
	r->before = r->now;
	r->now = t;
	begin_refresh(r, ended_ms);
	return true;
}

void top_rows_free(struct top_rows *r)
{
	size_t i;

	if (!r)
		return;
	top_rows_unmark(r);
	table_free(r->now);
	table_free(r->before);
	for (i = 0; i < TOP_DEPTH; i++)
		free(r->points[i]);
	free_index(&r->all);
	free(r);
}
