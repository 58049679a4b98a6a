// SPDX-License-Identifier: GPL-2.0
/* Growth from one table to another.  statistics.h has how significant it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

#define KB	1024

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
	X(growth_bytes_s, S64, GAUGE, BYTES, .title = "growth/s", .change = true)	\
	X(allocs, ID, COUNTER, OBJS)						\
	X(frees, ID, COUNTER, OBJS)						\
	X(fdr_pct, MILLI, RATIO, PCT, .hidden = true)				\
	X(significant, NAME, KEY, NONE)						\
	X(state, NAME, KEY, NONE)

#define X(name, ...) GROWTH_##name,
enum { GROWTH_COLUMNS(X) GROWTH_NR };
#undef X

static const struct column all_columns[] = { GROWTH_COLUMNS(COLUMN) };

static const char * const tables[] = {
	"callers", "modules", "caches", "stacks", "page_callers", "waits", "latency",
};

const char *growth_table(int nr)
{
	return nr < (int)ARRAY_SIZE(tables) ? tables[nr] : NULL;
}

const char *growth_find(const char *table)
{
	struct suggestion s;
	size_t i;

	suggest_begin(&s, table, strlen(table));
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (suggest_is(tables[i], table))
			return tables[i];
		suggest_try(&s, tables[i]);
	}
	suggest_fail(&s, "use callers, modules, caches, stacks, page_callers, waits or latency",
		     "'%.64s' cannot be compared", table);
	return NULL;
}

bool growth_is_timed(const char *table)
{
	return !strcmp(table, "waits") || !strcmp(table, "latency");
}

int growth_check(const char *table, const struct match *match)
{
	static const char others[] = "modules,caches,latency";

	if (match->module && text_lists(others, table))
		return fail("--module needs call sites, and %s has none: omit one", table);
	if (match->min_bytes && growth_is_timed(table))
		return fail("%s has no live sizes: omit --min", table);
	return 0;
}

/* ---- what is live, by name ------------------------------------------------ */

/**
 * struct live - what is live of one name, and the counters since the last reset
 * @name: the name
 * @bytes: live bytes
 * @reading: the same as an estimate
 * @allocated: allocations since the last reset; its variance is a lower bound
 * @allocated_most: an upper bound of that variance
 * @allocs: number of objects or page allocations since then
 * @frees: number of those that were freed
 * @uncounted: @allocated lacks something
 */
struct live {
	const char *name;
	u64 bytes;
	struct reading reading;
	struct reading allocated;
	double allocated_most;
	u64 allocs;
	u64 frees;
	bool uncounted;
};

/* Standard errors are rounded down.  Without samples, the number is exact. */
static double most_variance(u64 se, u64 samples)
{
	return se || samples ? ((double)se + 1) * ((double)se + 1) : 0;
}

static double least_variance(u64 se)
{
	return (double)se * se;
}

static void add_objects(struct live *l, const u64 *v)
{
	l->bytes += v[COUNT_live_bytes];
	l->reading.variance += most_variance(v[COUNT_live_bytes_se], v[COUNT_live_samples]);
	l->reading.samples += v[COUNT_live_samples];
	l->allocated.variance += least_variance(v[COUNT_bytes_alloc_se]) +
				 least_variance(v[COUNT_bulk_bytes_se]);
	l->allocated.samples += v[COUNT_samples];
	l->allocated_most += most_variance(v[COUNT_bytes_alloc_se], v[COUNT_samples]) +
			     most_variance(v[COUNT_bulk_bytes_se], v[COUNT_samples]);
	l->allocs += v[COUNT_objs_alloc];
	l->frees += v[COUNT_frees];
}

static void add_pages(struct live *l, const u64 *v)
{
	l->bytes += v[PAGE_CALLER_live_kb] * KB;
	l->reading.variance += KB * KB * most_variance(v[PAGE_CALLER_live_kb_se],
						       v[PAGE_CALLER_live_samples]);
	l->reading.samples += v[PAGE_CALLER_live_samples];
	l->allocated.variance += KB * KB * least_variance(v[PAGE_CALLER_kb_se]);
	l->allocated.samples += v[PAGE_CALLER_samples];
	l->allocated_most += KB * KB * most_variance(v[PAGE_CALLER_kb_se],
						     v[PAGE_CALLER_samples]);
	l->allocs += v[PAGE_CALLER_hits] + v[PAGE_CALLER_bulk_allocs];
	l->frees += v[PAGE_CALLER_frees];
	/* No column has the number of KiB that were allocated in bulk. */
	l->uncounted |= v[PAGE_CALLER_bulk_allocs];
}

static void add_live(struct live *l, const struct table *t, const struct row *row)
{
	if (!strcmp(t->name, "page_callers"))
		add_pages(l, row->v);
	else
		add_objects(l, row->v);
	l->name = row->label;
	l->reading.bytes = l->bytes;
}

/* Add up the rows with the name of row @*i, and set @i to the first row of the next name. */
static struct live next_live(const struct table *t, size_t *i)
{
	size_t nr = *i < t->nr_rows ? view_same(t, *i) : 0;
	struct live l = {};

	while (nr--)
		add_live(&l, t, t->rows[(*i)++]);
	return l;
}

/* ---- pairs ---------------------------------------------------------------- */

/**
 * struct pair - a name in both tables
 * @before: the live memory of the name before; without a name if there was none
 * @after: the live memory of the name after
 * @significance: how sure the change is
 * @order: the pair's place before sorting, that of its @tested
 */
struct pair {
	struct live before;
	struct live after;
	struct significance significance;
	size_t order;
};

/**
 * struct work - a comparison that is being made
 * @o: how
 * @g: the result
 * @heads: the larger of the T in both heads
 * @same_unit: the T in both heads are the same, and not 0
 * @unit: the largest T that both tables show; 0: nothing was sampled
 * @at: for each column, its index in the table, or NONE
 * @pair: the names that have changed
 * @tested: how sure each of these changes is
 * @nr: number of @pair
 */
struct work {
	const struct growth_options *o;
	struct growth g;
	double heads;
	bool same_unit;
	double unit;
	int at[GROWTH_NR];
	struct pair *pair;
	struct tested *tested;
	size_t nr;
};

/* Return: the change, limited to what 63 bits hold. */
static s64 change_of(const struct pair *p)
{
	const u64 before = p->before.bytes, after = p->after.bytes;
	const u64 change = after > before ? after - before : before - after;
	const s64 size = change > INT64_MAX ? INT64_MAX : change;

	return after > before ? size : -size;
}

/*
 * The module gives the row of a name that nothing lives of to another one.  If the first name comes
 * back, it counts from 0.
 */
static bool has_counters(const struct pair *p)
{
	return p->after.name && p->after.allocs >= p->before.allocs &&
	       p->after.frees >= p->before.frees;
}

static u64 allocs_of(const struct pair *p)
{
	return has_counters(p) ? p->after.allocs - p->before.allocs : NO_ID;
}

static u64 frees_of(const struct pair *p)
{
	return has_counters(p) ? p->after.frees - p->before.frees : NO_ID;
}

/* Return: T, or more if the samples of a name show that it was more. */
static double unit_of(double unit, const struct reading *r)
{
	return r->samples > 0 ? fmax(unit, sqrt(r->variance / r->samples)) : unit;
}

static struct significance classify(const struct work *w, const struct pair *p)
{
	const struct live *b = &p->before, *a = &p->after;
	struct change c = {
		.before = b->reading,
		.after = a->reading,
		.counted = w->o->counted && has_counters(p) && !a->uncounted,
		.allocated = {
			.variance = fmax(a->allocated_most - b->allocated.variance, 0),
			.samples = fmax(a->allocated.samples - b->allocated.samples, 0),
		},
		.same_unit = w->same_unit,
	};

	if (w->unit)
		c.unit = unit_of(unit_of(w->heads, &b->reading), &a->reading);
	/* Without any sample of this name, the largest T of all is on the safe side. */
	if (w->unit && (!c.unit || !(b->reading.samples + a->reading.samples)))
		c.unit = w->unit;
	return change_classify(&c);
}

/* Add a pair, unless nothing has changed, or, with @churn, nothing was allocated or freed. */
static void add_pair(struct work *w, struct pair p)
{
	const bool churn = w->o->churn && w->o->counted && has_counters(&p) &&
			   (allocs_of(&p) || frees_of(&p));

	w->g.before += p.before.bytes;
	w->g.after += p.after.bytes;
	if (!change_of(&p) && !churn)
		return;
	p.order = w->nr;
	p.significance = classify(w, &p);
	w->tested[w->nr] = (struct tested) {
		.p = p.significance.p,
		.least_p = p.significance.least_p,
	};
	w->pair[w->nr++] = p;
}

static void add_pairs(struct work *w, const struct table *before, const struct table *after)
{
	static const struct live none;
	size_t i = 0, j = 0;
	struct live b = next_live(before, &i), a = next_live(after, &j);
	int order;

	while (b.name || a.name) {
		order = delta_order(b.name, a.name);
		add_pair(w, (struct pair) { order <= 0 ? b : none, order >= 0 ? a : none });
		if (order <= 0)
			b = next_live(before, &i);
		if (order >= 0)
			a = next_live(after, &j);
	}
}

static int compare(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;
	const u64 x = llabs(change_of(p)), y = llabs(change_of(q));

	return x > y ? -1 : x < y ? 1 : p->order < q->order ? -1 : 1;
}

/* ---- rows ----------------------------------------------------------------- */

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
		w->at[i] = has_column(w, i) ? nr : NONE;
		columns[nr] = all_columns[i];
		nr += has_column(w, i);
	}
	columns[nr] = *label;
	return table_new(name, columns, w->g.sampled, w->nr);
}

static const char *state_of(const struct pair *p)
{
	if (!p->before.bytes)
		return p->after.bytes ? "new" : "-";
	return p->after.bytes ? "-" : "gone";
}

/* Limits are beyond all numbers of 64 bits if nothing is known. */
static u64 limit(double value)
{
	return (s64)fmax(fmin(value, 0x1p62), -0x1p62);
}

static void add_row(struct work *w, const struct pair *p)
{
	const struct tested *tested = &w->tested[p->order];
	const s64 change = change_of(p);
	const bool significant = change && (!tested->p || tested->fdr <= w->o->fdr);
	const s64 ms = w->o->elapsed_ms ?: 1;
	const u64 v[GROWTH_NR] = {
		[GROWTH_before_bytes] = p->before.bytes,
		[GROWTH_after_bytes] = p->after.bytes,
		[GROWTH_change_bytes] = change,
		[GROWTH_low_bytes] = limit(floor(change - p->significance.below)),
		[GROWTH_high_bytes] = limit(ceil(change + p->significance.above)),
		[GROWTH_growth_bytes_s] = (s64)((__int128)change * 1000 / ms),
		[GROWTH_allocs] = allocs_of(p),
		[GROWTH_frees] = frees_of(p),
		[GROWTH_fdr_pct] = ceil(tested->fdr * 100000),
		[GROWTH_significant] = (uintptr_t)(significant ? "yes" : "no"),
		[GROWTH_state] = (uintptr_t)state_of(p),
	};
	struct row *row = table_add(w->g.table);
	int i;

	row->label = p->after.name ?: p->before.name;
	for (i = 0; i < GROWTH_NR; i++)
		if (w->at[i] != NONE)
			row->v[w->at[i]] = v[i];
}

static double head_unit(const struct table *t)
{
	return t->sampled ? table_number(t, "sample_bytes") : 0;
}

static double most_unit(const struct table *t)
{
	return t->sampled ? estimate_unit(t) : 0;
}

/* Begin a comparison of two tables. */
static struct work begin_work(const struct table *before, const struct table *after,
			      const struct growth_options *o)
{
	return (struct work) {
		.o = o, .unit = fmax(most_unit(before), most_unit(after)),
		.heads = fmax(head_unit(before), head_unit(after)),
		.same_unit = head_unit(before) == head_unit(after) && head_unit(after),
	};
}

struct bounds growth_bounds(const struct table *before, const struct row *b,
			    const struct table *after, const struct row *a)
{
	static const struct growth_options counted = { .counted = true };
	const struct work w = begin_work(before, after, &counted);
	struct significance s;
	struct pair p = {};

	if (b)
		add_live(&p.before, before, b);
	add_live(&p.after, after, a);
	s = classify(&w, &p);
	return (struct bounds) { s.below, s.above };
}

struct growth growth_make(const char *name, struct table *before, struct table *after,
			  const struct growth_options *o)
{
	const size_t nr = before->nr_rows + after->nr_rows;
	struct work w = begin_work(before, after, o);
	size_t i;

	w.pair = alloc(nr, sizeof(*w.pair));
	w.tested = alloc(nr, sizeof(*w.tested));
	/* If no sample is left, all is exact, whatever was sampled before. */
	w.g.sampled = w.unit > 0;
	w.g.unsampled = ceil(fmin(bounds_unsampled(w.unit), 0x1p63));
	if (o->plain) {
		group_plain(before);
		group_plain(after);
	}
	view_sort_by_label(before);
	view_sort_by_label(after);
	add_pairs(&w, before, after);
	fdr_adjust(w.tested, w.nr, o->fdr);
	if (w.nr)
		qsort(w.pair, w.nr, sizeof(*w.pair), compare);
	w.g.table = make_table(&w, name, &after->columns[after->nr_values]);
	for (i = 0; i < w.nr; i++)
		add_row(&w, &w.pair[i]);
	free(w.pair);
	free(w.tested);
	return w.g;
}

struct table *growth_columns(struct table *t)
{
	const struct growth_options all = { .counted = true, .elapsed_ms = 1 };
	struct work w = { .o = &all, .g.sampled = true };
	struct table *growth = make_table(&w, "diff", &t->columns[t->nr_values]);

	growth->from[0] = t;
	return growth;
}

size_t growth_count(const struct table *t)
{
	const int significant = table_column(t, "significant");
	size_t i, nr = 0;

	if (t->at[AT_change_bytes] == NONE)
		return t->nr_rows;
	for (i = 0; i < t->nr_rows; i++)
		nr += (s64)table_at(t, t->rows[i], AT_change_bytes) > 0 &&
		      (significant == NONE || !strcmp(row_name(t->rows[i], significant), "yes"));
	return nr;
}
