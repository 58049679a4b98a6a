// SPDX-License-Identifier: GPL-2.0
/* Rows: which are shown, in which order, and their total. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view.h"

void view_begin(struct view *v, struct table *t)
{
	*v = (struct view) { .t = t, .nr = t->nr_rows };
}

void view_complete(struct view *v)
{
	v->t = schema_complete(v->t);
	v->nr = v->t->nr_rows;
	v->whole = schema_whole(v->t);
}

void view_end(struct view *v)
{
	table_free(v->t);
	v->t = NULL;
}

const char *view_own(struct view *v, char *text)
{
	return table_own(v->t, text);
}

/* ---- the order ------------------------------------------------------------ */

int view_sort_by(struct view *v, const char *keys)
{
	size_t len;
	int column;

	v->sort.nr = 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		column = schema_find(v->t, keys, len);
		if (column == NONE)
			return schema_fail(v->t, "sort key", keys, len);
		if (v->sort.nr == SORT_KEYS)
			return fail("-s takes at most %d keys", SORT_KEYS);
		v->sort.key[v->sort.nr++] = column;
		if (!keys[len])
			return 0;
	}
}

/* Values that are not known come last. */
static int compare_rates(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a > b ? -1 : a < b;
}

static int compare_column(const struct table *t, int column, const struct row *a,
			  const struct row *b)
{
	const u64 x = a->v[column], y = b->v[column];

	switch (t->columns[column].format) {
	case FORMAT_NAME:
		return strcmp(row_name(a, column), row_name(b, column));
	case FORMAT_S64:
		return (s64)x > (s64)y ? -1 : (s64)x < (s64)y;
	case FORMAT_RATE:
		return compare_rates(rate_of(x), rate_of(y));
	case FORMAT_ID:
	case FORMAT_BOUND:
	case FORMAT_FLAG:
		/* NO_ID becomes 0, so that unknown values come last. */
		return x + 1 > y + 1 ? -1 : x + 1 < y + 1;
	default:
		return x > y ? -1 : x < y;
	}
}

int view_compare(const struct table *t, const struct sort *sort, const struct row *a,
		 const struct row *b)
{
	int i, ret = 0;

	for (i = 0; !ret && i < sort->nr; i++)
		ret = sort->key[i] == t->nr_values ? strcmp(a->label, b->label) :
						     compare_column(t, sort->key[i], a, b);
	return ret;
}

int view_compare_keys(const struct table *t, const struct row *a, const struct row *b)
{
	int i, ret = strcmp(a->label, b->label);

	for (i = 0; !ret && i < t->nr_values; i++) {
		if (t->columns[i].kind != KIND_KEY)
			continue;
		if (t->columns[i].format == FORMAT_NAME)
			ret = strcmp(row_name(a, i), row_name(b, i));
		else
			ret = a->v[i] < b->v[i] ? -1 : a->v[i] > b->v[i];
	}
	return ret;
}

struct job {
	const struct table *t;
	const struct sort *sort;
};

static int compare_rows(const void *a, const void *b, void *priv)
{
	const struct row *x = *(struct row * const *)a, *y = *(struct row * const *)b;
	const struct job *job = priv;
	int ret = view_compare(job->t, job->sort, x, y);

	/* Make the sort stable, which qsort_r() is not: see @rows of struct table. */
	return ret ? ret : x < y ? -1 : x > y;
}

void view_sort(struct table *t, const struct sort *sort)
{
	if (sort->nr)
		qsort_r(t->rows, t->nr_rows, sizeof(t->rows[0]), compare_rows,
			&(struct job) { t, sort });
}

void view_sort_by_label(struct table *t)
{
	view_sort(t, &(struct sort) { .key = { t->nr_values }, .nr = 1 });
}

size_t view_same(const struct table *t, size_t i)
{
	size_t nr = 1;

	while (i + nr < t->nr_rows && !strcmp(t->rows[i + nr]->label, t->rows[i]->label))
		nr++;
	return nr;
}

/* ---- selecting ------------------------------------------------------------ */

/* Return: the column of live sizes, and the number of bytes of its unit; or NONE. */
static int size_column(const struct table *t, u64 *unit)
{
	const struct {
		enum place place;
		u64 unit;
	} sizes[] = {
		{ AT_live_bytes, 1 }, { AT_live_kb, 1024 }, { AT_bytes_alloc, 1 },
		{ AT_pages, sysconf(_SC_PAGESIZE) }, { AT_change_bytes, 1 },
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(sizes) - 1 && t->at[sizes[i].place] == NONE)
		i++;
	*unit = sizes[i].unit;
	return t->at[sizes[i].place];
}

static bool is_large(const struct table *t, const struct row *row, u64 min_bytes)
{
	u64 unit;
	const int column = size_column(t, &unit);
	s64 size = row->v[column];

	min_bytes = (min_bytes + unit - 1) / unit;
	if (t->columns[column].format == FORMAT_S64 && size < 0)
		return -(u64)size / unit >= min_bytes;
	return row->v[column] >= min_bytes;
}

/* Test for a call site `symbol+0xoff [module]`, or without brackets if it is in no module. */
static bool is_in_module(const char *site, const char *module)
{
	size_t len;
	const char *found = site_module(site, &len);

	return found && strlen(module) == len && !strncmp(found, module, len);
}

/*
 * Any function of a stack may be in the module.  Otherwise, the call site is the last part of a
 * label, and of a stall the first one, which the cause follows.
 */
static bool matches_module(const struct table *t, char *label, const char *module)
{
	char *last = strrchr(label, ';'), *frame;

	if (t->at[AT_stack] != NONE) {
		while ((frame = strsep(&label, ";")) && !is_in_module(frame, module))
			;
		return frame;
	}
	if (t->at[AT_site_cause] == NONE)
		return is_in_module(last ? last + 1 : label, module);
	label[strcspn(label, ";")] = '\0';
	return is_in_module(label, module);
}

/* Match the whole label, or one of its parts, with or without its offset and module. */
static bool matches_site(const char *label, const char *pattern, char *copy)
{
	char *part, *offset;

	/* A whole name may end in ` [module]`, which a pattern takes for a set of letters. */
	if (!strcmp(pattern, label) || !fnmatch(pattern, label, 0))
		return true;
	while ((part = strsep(&copy, ";"))) {
		if (!strcmp(pattern, part) || !fnmatch(pattern, part, 0))
			return true;
		offset = strstr(part, "+0x");
		if (!offset)
			continue;
		*offset = '\0';
		if (!fnmatch(pattern, part, 0))
			return true;
	}
	return false;
}

/* Test whether a page of an allocation is in a range of page frames. */
static bool overlaps(const struct table *t, const struct row *row, const struct pfns *range)
{
	const u64 pfn = row->v[t->at[AT_pfn]];

	return pfn <= range->last && pfn + row->v[t->at[AT_pages]] > range->first;
}

bool view_matches(const struct table *t, const struct row *row, const struct match *match)
{
	bool ret = true;
	char *copy;

	if (match->min_bytes)
		ret = is_large(t, row, match->min_bytes);
	if (ret && match->pfn)
		ret = overlaps(t, row, match->pfn);
	if (ret && match->module) {
		copy = alloc_copy(row->label);
		ret = matches_module(t, copy, match->module);
		free(copy);
	}
	if (ret && match->site) {
		copy = alloc_copy(row->label);
		ret = matches_site(row->label, match->site, copy);
		free(copy);
	}
	return ret;
}

int view_check(const struct table *t, const struct match *match)
{
	u64 unit;

	if (match->min_bytes && size_column(t, &unit) == NONE)
		return fail("%s has no live sizes: omit --min", t->name);
	return 0;
}

int view_select(struct view *v, const struct match *match)
{
	struct table *t = v->t;
	size_t i, nr = 0;

	if (view_check(t, match))
		return -1;
	for (i = 0; i < t->nr_rows; i++)
		if (view_matches(t, t->rows[i], match))
			t->rows[nr++] = t->rows[i];
	v->filtered += t->nr_rows - nr;
	v->unmatched = nr || match->min_bytes ? NULL : match->site;
	t->nr_rows = nr;
	v->nr = nr;
	return 0;
}

void view_keep(struct view *v, bool (*keep)(const struct row *row, u64 arg), u64 arg)
{
	size_t i, nr = 0;

	for (i = 0; i < v->t->nr_rows; i++)
		if (keep(v->t->rows[i], arg))
			v->t->rows[nr++] = v->t->rows[i];
	v->t->nr_rows = nr;
	v->nr = nr;
}

/* ---- the total ------------------------------------------------------------ */

/* Say how many rows there are, and how many of them are not printed. */
static void set_label(struct view *v)
{
	const size_t nr = v->nr + view_left_out(v);
	char cut[64] = "";

	if (nr > v->nr)
		snprintf(cut, sizeof(cut), ", %zu not printed", nr - v->nr);
	v->total_label = view_own(v, alloc_print("sum of %zu row%s%s%s", nr, nr == 1 ? "" : "s",
						 !v->filtered ? "" : nr == 1 ? " that matches" :
						 " that match", cut));
	v->total->label = v->total_label;
}

void view_cut(struct view *v, size_t nr)
{
	if (v->nr <= nr)
		return;
	v->nr = nr;
	if (v->total)
		set_label(v);
}

/*
 * Add up a column.  A sum with an unknown part is unknown.  The flag of a sum is 0 if any part's is
 * 0, otherwise unknown if any is unknown, otherwise 1.
 */
static u64 add_up(const struct table *t, int column, struct row * const *rows, size_t nr)
{
	const struct column *c = &t->columns[column];
	u64 value, sum = 0, max = 0, min = U64_MAX;
	double variance = 0, rate = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		value = rows[i]->v[column];
		if (c->format == FORMAT_RATE && !isnan(rate_of(value)))
			rate += rate_of(value);
		if (c->format == FORMAT_ID && value == NO_ID)
			return NO_ID;
		if (c->format == FORMAT_S64 && value == UNKNOWN)
			return UNKNOWN;
		sum += value;
		max = value > max ? value : max;
		min = value < min ? value : min;
		variance += (double)value * value;
	}
	if (c->format == FORMAT_RATE)
		return rate_bits(rate);
	if (c->format == FORMAT_FLAG)
		return min ? max : 0;
	switch (c->kind) {
	case KIND_MAX:
		return max;
	case KIND_ERROR:
		/* The root of a single square may differ from it by rounding. */
		return nr == 1 ? sum : estimate_root(variance);
	case KIND_COUNTER:
	case KIND_GAUGE:
	case KIND_CHANGE:
		return sum;
	default:
		return 0;
	}
}

/* Return: the mean time of all rows, from rounded sums if there are several. */
static u64 mean_of(const struct table *t, struct row * const *rows, size_t nr)
{
	const enum place count = t->at[AT_calls] == NONE ? AT_count : AT_calls;
	u64 total = 0, sum = 0;
	size_t i;

	if (nr == 1)
		return table_at(t, rows[0], AT_mean_us);
	for (i = 0; i < nr; i++) {
		total += table_at(t, rows[i], AT_total_us);
		sum += table_at(t, rows[i], count);
	}
	return number_ratio(total, sum, 1000);
}

/* Return: the end of the last bucket that is not empty; 0 if all are, NO_ID if it has no end. */
static u64 longest_of(const struct table *t, const struct row *row)
{
	int i = BUCKET_NR;

	while (i && !row->v[t->at[AT_us_1] + i - 1])
		i--;
	return i == BUCKET_NR ? NO_ID : i ? 1ULL << i : 0;
}

/*
 * In a difference, a maximum is known only if it has grown.
 * Return: the largest one that is known; NO_ID if the histogram of another row may have a longer
 * time.
 */
static u64 max_of(const struct table *t, struct row * const *rows, size_t nr)
{
	u64 max, known = 0, other = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		max = table_at(t, rows[i], AT_max_us);
		if (max != NO_ID)
			known = max > known ? max : known;
		else if (longest_of(t, rows[i]) > other)
			other = longest_of(t, rows[i]);
	}
	return known >= other ? known : NO_ID;
}

static bool has_differences(const struct table *t)
{
	return t->at[AT_us_1] != NONE && t->columns[t->at[AT_max_us]].format == FORMAT_ID;
}

void view_add_up(const struct table *t, struct row * const *rows, size_t nr, struct row *sum)
{
	const u64 mean = mean_of(t, rows, nr), max = has_differences(t) ? max_of(t, rows, nr) : 0;
	u64 v[t->nr_values + 1];
	int i;

	/* @sum may be one of the rows. */
	for (i = 0; i < t->nr_values; i++)
		v[i] = add_up(t, i, rows, nr);
	memcpy(sum->v, v, t->nr_values * sizeof(*v));
	if (t->at[AT_frag_pct] != NONE && t->at[AT_bytes_req] != NONE)
		sum->v[t->at[AT_frag_pct]] = number_frag_milli(table_at(t, sum, AT_bytes_req),
							       table_at(t, sum, AT_bytes_alloc));
	if (t->at[AT_mean_us] != NONE && t->at[AT_total_us] != NONE)
		sum->v[t->at[AT_mean_us]] = mean;
	if (has_differences(t))
		sum->v[t->at[AT_max_us]] = max;
	if (t->at[AT_old_pct] != NONE && table_at(t, sum, AT_all_bytes))
		sum->v[t->at[AT_old_pct]] = 100000.0L * table_at(t, sum, AT_live_bytes) /
					    table_at(t, sum, AT_all_bytes) + 0.5L;
}

void view_total(struct view *v)
{
	if (v->total || !v->t->nr_rows)
		return;
	v->total = table_own(v->t, table_row(v->t));
	view_add_up(v->t, v->t->rows, v->t->nr_rows, v->total);
	schema_compute(v->t, v->total, v->whole);
	set_label(v);
}
