// SPDX-License-Identifier: GPL-2.0
/*
 * The difference of two readings of one table, by what each column counts.
 *
 * Live values may be compared in any case, by name.  Counters may be subtracted only if they count
 * from the same moment, and if the names mean the same: the identity in the heads says so.
 */
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* ---- how two tables are related ------------------------------------------- */

static bool is_same(const struct table *before, const struct table *after, const char *key)
{
	const char *b = table_field(before, key), *a = table_field(after, key);

	return !strcmp(b ?: "", a ?: "");
}

struct relation delta_relate(const struct table *before, const struct table *after)
{
	struct relation r = {
		.same_load = table_field(after, "load_id") && is_same(before, after, "load_id"),
		.same_kernel = is_same(before, after, "kernel"),
		.same_filter = is_same(before, after, "filter") &&
			       is_same(before, after, "live_filter"),
	};

	r.same_resets = r.same_load && is_same(before, after, "resets");
	r.same_modules = r.same_load && is_same(before, after, "module_changes");
	return r;
}

int delta_order(const char *before, const char *after)
{
	if (!before || !after)
		return before ? -1 : 1;
	return strcmp(before, after);
}

int delta_check_reset(const struct table *before, const struct table *after, u64 elapsed_ms)
{
	if (table_window_ms(after) + 1 >= table_window_ms(before) + elapsed_ms)
		return 0;
	return fail("the counts were reset while the command ran: run it again");
}

/* ---- values --------------------------------------------------------------- */

/* A difference of counts or of sizes may be negative; a number of samples and an error are not. */
static bool is_signed(const struct column *c)
{
	return (c->kind == KIND_GAUGE || c->kind == KIND_COUNTER) && c->unit != UNIT_SAMPLES &&
	       c->format == FORMAT_U64;
}

/* The variance of the growth of a counter is the growth of its variance. */
static u64 error_of_growth(u64 before, u64 after)
{
	if (after <= before)
		return 0;
	return estimate_root((double)(after - before) * ((double)after + before));
}

/*
 * Upper bound on the standard error of a change of what is live: the errors of both readings
 * together.  What is live in both adds to both errors, although it cancels out in the difference.
 */
static u64 error_of_change(u64 before, u64 after)
{
	double b = before, a = after;

	return estimate_root(b * b + a * a);
}

/* Test for a column change_*, or for its standard error. */
static bool is_of_window(const struct table *t, int column)
{
	const int of = t->columns[column].of;

	return t->columns[of == NONE ? column : of].kind == KIND_CHANGE;
}

/* No memory has so many bytes that a difference could be UNKNOWN. */
static u64 difference(const struct table *t, int column, u64 before, u64 after)
{
	const struct column *c = &t->columns[column];

	/* The change is that of a window of time which ends at the reading. */
	if (is_of_window(t, column))
		return UNKNOWN;
	/* A maximum that has not grown does not tell the maximum of the time in between. */
	if (c->kind == KIND_MAX)
		return after > before ? after : NO_ID;
	if (c->kind == KIND_ERROR)
		return c->of != NONE && t->columns[c->of].kind == KIND_GAUGE ?
		       error_of_change(before, after) : error_of_growth(before, after);
	/* The change of a live value is based on the samples of both readings. */
	if (column == t->at[AT_live_samples])
		return before + after;
	/* The samples of a row that was recycled meanwhile are in [other]. */
	if (c->unit == UNIT_SAMPLES && after < before)
		return 0;
	return after - before == UNKNOWN ? UNKNOWN + 1 : after - before;
}

static u64 frag_of(const struct table *t, const struct row *row)
{
	const s64 req = table_at(t, row, AT_bytes_req), alloc = table_at(t, row, AT_bytes_alloc);

	return req >= 0 && alloc > 0 ? number_frag_milli(req, alloc) : 0;
}

static u64 mean_of(const struct table *t, const struct row *row)
{
	const enum place count = t->at[AT_calls] == NONE ? AT_count : AT_calls;

	return number_ratio(table_at(t, row, AT_total_us), table_at(t, row, count), 1000);
}

/* ---- rows ----------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *table)
{
	const struct row *x = **(struct row ** const *)a, *y = **(struct row ** const *)b;
	int ret = view_compare_keys(table, x, y);

	return ret ? ret : x < y ? -1 : x > y;
}

/* Return: the places of the rows, ordered by labels and keys. */
static struct row ***sorted(struct table *t)
{
	struct row ***at = alloc(t->nr_rows, sizeof(*at));
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		at[i] = &t->rows[i];
	if (t->nr_rows)
		qsort_r(at, t->nr_rows, sizeof(*at), compare_rows, t);
	return at;
}

/* Add a row, unless it has not changed.  Without a label, all rows are needed. */
static void add_row(struct table *t, const struct row *before, const struct row *after)
{
	struct row *row = table_add(t);
	const struct row *any = after ?: before;
	u64 changed = !table_label(t);
	int i;

	row->label = any->label;
	for (i = 0; i < t->nr_values; i++) {
		row->v[i] = t->columns[i].kind == KIND_KEY ? any->v[i] :
			    difference(t, i, before ? before->v[i] : 0, after ? after->v[i] : 0);
		if (t->columns[i].format == FORMAT_S64 && !is_of_window(t, i))
			changed |= row->v[i];
	}
	if (t->at[AT_frag_pct] != NONE)
		row->v[t->at[AT_frag_pct]] = frag_of(t, row);
	if (t->at[AT_mean_us] != NONE)
		row->v[t->at[AT_mean_us]] = mean_of(t, row);
	t->nr_rows -= !changed;
}

/* ---- recycled rows -------------------------------------------------------- */

#define HEIR	"[other]"

/* Test for a row that counts from 0 again: the module has recycled it, and its key came back. */
static bool is_anew(const struct table *t, const struct row *before, const struct row *after)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].kind == KIND_COUNTER && after->v[i] < before->v[i])
			return true;
	return false;
}

static void add_to(struct row *sum, const struct table *t, struct row *row)
{
	struct row *pair[] = { sum, row };

	view_add_up(t, pair, ARRAY_SIZE(pair), sum);
}

/*
 * The module adds the counts of a row that it recycles to the row [other].  Do this with the rows
 * of the earlier reading, too, so that no counter decreases.
 * @match: for each row of @after, its row in @before, or NULL; @found: of @before, which have one
 */
static void move_recycled(struct table *before, const struct table *after, struct row **match,
			  bool *found)
{
	struct row *sum = table_own(before, table_row(before));
	bool is_heir;
	size_t i;

	for (i = 0; i < after->nr_rows; i++) {
		is_heir = !strcmp(after->rows[i]->label, HEIR);
		if (match[i] && (is_heir || is_anew(after, match[i], after->rows[i]))) {
			add_to(sum, before, match[i]);
			match[i] = NULL;
		}
		if (is_heir)
			match[i] = sum;
	}
	for (i = 0; i < before->nr_rows; i++)
		if (!found[i])
			add_to(sum, before, before->rows[i]);
	memset(found, true, before->nr_rows * sizeof(*found));
}

static void set_formats(struct table *t)
{
	struct column *c;

	for (c = t->columns; c < t->columns + t->nr_values; c++) {
		c->format = is_signed(c) ? FORMAT_S64 : c->kind == KIND_MAX ? FORMAT_ID : c->format;
		c->change |= c->format == FORMAT_S64 && c->kind == KIND_GAUGE;
	}
	if (t->at[AT_total_us] != NONE)
		t->columns[t->at[AT_total_us]].change = true;
}

struct table *delta_make(const char *name, struct table *before, struct table *after)
{
	struct table *t = table_new(name, after->columns, before->sampled || after->sampled,
				    before->nr_rows + after->nr_rows);
	struct row ***old = sorted(before), ***now = sorted(after);
	struct row **match = alloc(after->nr_rows, sizeof(*match));
	bool *found = alloc(before->nr_rows, sizeof(*found));
	size_t b = 0, a = 0, i;
	int order;

	t->from[0] = before;
	t->from[1] = after;
	table_inherit(t, after);
	set_formats(t);
	while (b < before->nr_rows && a < after->nr_rows) {
		order = view_compare_keys(t, *old[b], *now[a]);
		if (!order) {
			match[now[a] - after->rows] = *old[b];
			found[old[b] - before->rows] = true;
		}
		b += order <= 0;
		a += order >= 0;
	}
	if (t->at[AT_us_1] != NONE)
		move_recycled(before, after, match, found);
	for (i = 0; i < after->nr_rows; i++)
		add_row(t, match[i], after->rows[i]);
	for (i = 0; i < before->nr_rows; i++)
		if (!found[i])
			add_row(t, before->rows[i], NULL);
	free(old);
	free(now);
	free(match);
	free(found);
	return t;
}

void delta_pairs(struct table *t, const struct table *before)
{
	int i, column;

	for (i = 0; i < t->nr_values; i++) {
		column = table_column(before, t->columns[i].name);
		if (column == NONE)
			continue;
		t->rows[0]->v[i] -= before->rows[0]->v[column];
		t->columns[i].format = FORMAT_S64;
	}
}
