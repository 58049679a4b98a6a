// SPDX-License-Identifier: GPL-2.0
/* What has grown and shrunk.  See growth.h. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "derive.h"
#include "error.h"
#include "fdr.h"
#include "growth.h"
#include "live.h"

/* ---- columns -------------------------------------------------------------- */

/*
 * X(name, format, kind, unit, ...): all columns as in kmemacct_abi.h, and what else there is to say
 * of them.  A table has only those that are known: no rate without a time, no allocations and frees
 * without counters, and no errors without samples.
 */
#define GROWTH_COLUMNS(X)							\
	X(before_bytes, U64, GAUGE, BYTES, .title = "before")			\
	X(after_bytes, U64, GAUGE, BYTES, .title = "live")			\
	X(change_bytes, S64, GAUGE, BYTES, .title = "change", .change = true,	\
	  .limits = true)							\
	X(low_bytes, S64, RATIO, BYTES, .hidden = true)				\
	X(high_bytes, S64, RATIO, BYTES, .hidden = true)			\
	X(growth_bytes_s, S64, GAUGE, BYTES_PER_S, .title = "growth/s", .change = true) \
	X(allocs, ID, COUNTER, OBJECTS, .hidden = false)			\
	X(frees, ID, COUNTER, OBJECTS, .hidden = false)				\
	X(fdr_pct, MILLI, RATIO, PCT, .hidden = true)				\
	X(significant, TYPE, KEY, NONE, .hidden = false)			\
	X(state, TYPE, KEY, NONE, .hidden = false)

enum {
#define X(name, ...) GROWTH_##name,
	GROWTH_COLUMNS(X)
#undef X
	GROWTH_NR
};

static const struct column all_columns[] = {
#define X(_name, _format, _kind, _unit, ...) \
	{ #_name, COLUMN_##_format, .kind = KIND_##_kind, __VA_ARGS__ },
	GROWTH_COLUMNS(X)
#undef X
};

/**
 * struct work - a comparison that is being made
 * @o: how
 * @g: the result
 * @before: what was live
 * @after: what is live
 * @unit: the largest T of both; 0: nothing was sampled
 * @at: for each column, its index in the table, or -1
 * @pair: the names that have changed
 * @tested: how sure each of these changes is
 * @nr: number of @pair
 */
struct work {
	const struct growth_options *o;
	struct growth g;
	struct live_list before;
	struct live_list after;
	double unit;
	int at[GROWTH_NR];
	struct pair *pair;
	struct tested *tested;
	size_t nr;
};

static bool has_column(const struct work *w, int column)
{
	switch (column) {
	case GROWTH_low_bytes:
	case GROWTH_high_bytes:
	case GROWTH_fdr_pct:
	case GROWTH_significant:
		return w->g.sampled;
	case GROWTH_growth_bytes_s:
		return w->o->elapsed_ms;
	case GROWTH_allocs:
	case GROWTH_frees:
		return w->o->counted;
	default:
		return true;
	}
}

/* @label: the column of names of the tables that are compared. */
static struct table *make_table(struct work *w, const char *name, const struct column *label)
{
	struct column columns[GROWTH_NR + 1];
	int i, nr = 0;

	for (i = 0; i < GROWTH_NR; i++) {
		w->at[i] = has_column(w, i) ? nr : -1;
		columns[nr] = all_columns[i];
		nr += has_column(w, i);
	}
	columns[nr] = *label;
	return table_new(name, columns, w->g.sampled, w->nr);
}

/* ---- pairs ---------------------------------------------------------------- */

/**
 * struct pair - a name in both tables
 * @before: what was live of it, or NULL
 * @after: what is live, or NULL
 * @verdict: how sure the change is
 * @order: the pair's place before sorting, that of its @tested
 */
struct pair {
	const struct live *before;
	const struct live *after;
	struct verdict verdict;
	size_t order;
};

/* Return: the change; that of a number which no memory has is cut off. */
static s64 change_of(const struct pair *p)
{
	const u64 before = p->before ? p->before->bytes : 0, after = p->after ? p->after->bytes : 0;
	const u64 change = after > before ? after - before : before - after;
	const s64 size = change > INT64_MAX ? INT64_MAX : change;

	return after > before ? size : -size;
}

static u64 absolute(s64 change)
{
	return change < 0 ? -(u64)change : (u64)change;
}

/*
 * The module gives the row of a name that nothing lives of to another one.  If the first name comes
 * back, it counts from 0.
 */
static bool has_counters(const struct pair *p)
{
	if (!p->after)
		return false;
	return !p->before || (p->after->allocs >= p->before->allocs &&
			      p->after->frees >= p->before->frees);
}

static u64 allocs_of(const struct pair *p)
{
	return has_counters(p) ? p->after->allocs - (p->before ? p->before->allocs : 0) : NO_ID;
}

static u64 frees_of(const struct pair *p)
{
	return has_counters(p) ? p->after->frees - (p->before ? p->before->frees : 0) : NO_ID;
}

/* Test whether it is known that something was allocated or freed. */
static bool has_churn(const struct pair *p)
{
	return has_counters(p) && (allocs_of(p) || frees_of(p));
}

/* Return: T, or more if the samples of a name show that it was more. */
static double unit_of(double unit, const struct reading *r)
{
	return r->samples > 0 ? fmax(unit, sqrt(r->variance / r->samples)) : unit;
}

static struct verdict judge(const struct work *w, const struct pair *p)
{
	static const struct live none;
	const struct live *b = p->before ?: &none, *a = p->after ?: &none;
	const double heads = fmax(w->before.unit, w->after.unit);
	struct change c = {
		.before = b->reading,
		.after = a->reading,
		.counted = w->o->counted && has_counters(p) && !a->uncounted,
		.allocated = {
			.variance = fmax(a->allocated_most - b->allocated.variance, 0),
			.samples = fmax(a->allocated.samples - b->allocated.samples, 0),
		},
		.same_unit = w->before.unit == w->after.unit && w->after.unit,
	};

	if (w->unit)
		c.unit = unit_of(unit_of(heads, &b->reading), &a->reading);
	/* Without any sample of this name, the largest T of all is on the safe side. */
	if (w->unit && (!c.unit || !(b->reading.samples + a->reading.samples)))
		c.unit = w->unit;
	return change_judge(&c);
}

static void add_pair(struct work *w, const struct live *before, const struct live *after)
{
	struct pair p = { before, after, .order = w->nr };

	w->g.before += before ? before->bytes : 0;
	w->g.after += after ? after->bytes : 0;
	if (!change_of(&p) && !(w->o->churn && w->o->counted && has_churn(&p)))
		return;
	p.verdict = judge(w, &p);
	w->tested[w->nr] = (struct tested) { .p = p.verdict.p, .least_p = p.verdict.least_p };
	w->pair[w->nr++] = p;
}

static const struct live *next(const struct live_list *list, size_t i)
{
	return i < list->nr ? &list->live[i] : NULL;
}

static void add_pairs(struct work *w)
{
	const struct live *b, *a;
	size_t i = 0, j = 0;
	int order;

	while ((b = next(&w->before, i), a = next(&w->after, j), b || a)) {
		order = derive_order(b ? b->name : NULL, a ? a->name : NULL);
		add_pair(w, order <= 0 ? b : NULL, order >= 0 ? a : NULL);
		i += order <= 0;
		j += order >= 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;
	const u64 x = absolute(change_of(p)), y = absolute(change_of(q));

	return x > y ? -1 : x < y ? 1 : p->order < q->order ? -1 : 1;
}

/* ---- rows ----------------------------------------------------------------- */

static void set(const struct work *w, struct row *row, int column, u64 value)
{
	if (w->at[column] >= 0)
		row->v[w->at[column]] = value;
}

static void set_name(const struct work *w, struct row *row, int column, const char *name)
{
	set(w, row, column, (uintptr_t)name);
}

static const char *state_of(const struct pair *p)
{
	if (!p->before || !p->before->bytes)
		return p->after && p->after->bytes ? "new" : "-";
	return p->after && p->after->bytes ? "-" : "gone";
}

/* Limits are beyond all numbers of 64 bits if nothing is known. */
static u64 limit(double value)
{
	return (s64)fmax(fmin(value, 0x1p62), -0x1p62);
}

static u64 rate(const struct work *w, s64 change)
{
	return (s64)((__int128)change * 1000 / (s64)w->o->elapsed_ms);
}

static void add_row(struct work *w, const struct pair *p)
{
	const struct tested *tested = &w->tested[p->order];
	const bool significant = change_of(p) && (!tested->p || tested->fdr <= w->o->fdr);
	struct row *row = table_add(w->g.table);
	const s64 change = change_of(p);

	row->label = p->after ? p->after->name : p->before->name;
	set(w, row, GROWTH_before_bytes, p->before ? p->before->bytes : 0);
	set(w, row, GROWTH_after_bytes, p->after ? p->after->bytes : 0);
	set(w, row, GROWTH_change_bytes, change);
	set(w, row, GROWTH_low_bytes, limit(floor(change - p->verdict.below)));
	set(w, row, GROWTH_high_bytes, limit(ceil(change + p->verdict.above)));
	if (w->o->elapsed_ms)
		set(w, row, GROWTH_growth_bytes_s, rate(w, change));
	set(w, row, GROWTH_allocs, allocs_of(p));
	set(w, row, GROWTH_frees, frees_of(p));
	set(w, row, GROWTH_fdr_pct, ceil(tested->fdr * 100000));
	set_name(w, row, GROWTH_significant, significant ? "yes" : "no");
	set_name(w, row, GROWTH_state, state_of(p));
}

/* Names without offsets are in the lists, which are freed: copy them. */
static void keep_names(struct work *w)
{
	size_t i, size = 0;
	struct row *row;
	char *at;

	for (i = 0; i < w->g.table->nr_rows; i++)
		size += strlen(w->g.table->rows[i]->label) + 1;
	at = alloc(size, 1);
	w->g.table->cells = at;
	for (i = 0; i < w->g.table->nr_rows; i++) {
		row = w->g.table->rows[i];
		size = strlen(row->label) + 1;
		row->label = memcpy(at, row->label, size);
		at += size;
	}
}

static void add_rows(struct work *w, const char *name, const struct column *label)
{
	size_t i;

	fdr_adjust(w->tested, w->nr, w->o->fdr);
	qsort(w->pair, w->nr, sizeof(*w->pair), compare);
	w->g.table = make_table(w, name, label);
	for (i = 0; i < w->nr; i++)
		add_row(w, &w->pair[i]);
	keep_names(w);
}

struct growth growth_make(const char *name, const struct table *before, const struct table *after,
			  const struct growth_options *o)
{
	struct work w = { .o = o };

	live_list_make(&w.before, before, o->plain);
	live_list_make(&w.after, after, o->plain);
	w.unit = fmax(w.before.most_unit, w.after.most_unit);
	/* If no sample is left, all is exact, whatever was sampled before. */
	w.g.sampled = w.unit > 0;
	w.g.unsampled = ceil(fmin(bounds_unsampled(w.unit), 0x1p63));
	w.pair = alloc(w.before.nr + w.after.nr, sizeof(*w.pair));
	w.tested = alloc(w.before.nr + w.after.nr, sizeof(*w.tested));
	add_pairs(&w);
	add_rows(&w, name, &after->columns[after->nr_values]);
	free(w.pair);
	free(w.tested);
	live_list_free(&w.before);
	live_list_free(&w.after);
	return w.g;
}

struct table *growth_columns(struct table *t)
{
	const struct growth_options all = { .counted = true, .elapsed_ms = 1 };
	struct table *growth = growth_make("diff", t, t, &all).table;

	growth->from[0] = t;
	return growth;
}

size_t growth_count(const struct table *t)
{
	const int change = table_column(t, "change_bytes");
	const int significant = table_column(t, "significant");
	size_t i, nr = 0;

	for (i = 0; i < t->nr_rows; i++)
		nr += (s64)t->rows[i]->v[change] > 0 &&
		      (significant < 0 || !strcmp(row_name(t->rows[i], significant), "yes"));
	return nr;
}
