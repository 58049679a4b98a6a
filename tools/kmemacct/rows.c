// SPDX-License-Identifier: GPL-2.0
/* The rows of a table.  See rows.h. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "error.h"
#include "estimate.h"
#include "rows.h"

/* ---- selecting ------------------------------------------------------------ */

/* Return: the column of live sizes, and the number of bytes of its unit; -1 if there is none. */
static int size_column(const struct table *t, u64 *unit)
{
	const struct {
		const char *name;
		u64 unit;
	} names[] = {
		{ "live_bytes", 1 }, { "live_kb", 1024 }, { "bytes_alloc", 1 },
		{ "pages", sysconf(_SC_PAGESIZE) }, { "change_bytes", 1 },
	};
	size_t i;
	int column;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		column = table_column(t, names[i].name);
		*unit = names[i].unit;
		if (column >= 0)
			return column;
	}
	return -1;
}

static bool is_large(const struct table *t, const struct row *row, u64 min_bytes)
{
	u64 unit;
	int column = size_column(t, &unit);
	s64 size = row->v[column];

	if (t->columns[column].format == FORMAT_S64 && size < 0)
		return -(u64)size / unit >= (min_bytes + unit - 1) / unit;
	return row->v[column] >= (min_bytes + unit - 1) / unit;
}

/*
 * Copy the call site of a row, without what else is in its label: of a stall, the cause follows
 * it, and of a stack, its callers are before it.
 */
static void copy_site(const struct table *t, const char *label, char *site)
{
	const char *begin = strrchr(label, ';');

	if (!strcmp(t->name, "stalls"))
		sprintf(site, "%.*s", (int)strcspn(label, ";"), label);
	else
		sprintf(site, "%s", begin ? begin + 1 : label);
}

/* Test for a call site `symbol+0xoff [module]`, or without brackets if it is in no module. */
static bool is_in_module(const char *site, const char *module)
{
	const char *open = strstr(site, " [");
	size_t len = strlen(module);

	if (!open)
		return *site != '[' && !strcmp(module, "kernel");
	return !strncmp(open + 2, module, len) && open[2 + len] == ']';
}

/* A pattern may also be about the symbol alone, without its offset and module. */
static bool matches_part(char *part, const char *pattern)
{
	char *offset;

	if (!fnmatch(pattern, part, 0))
		return true;
	offset = strstr(part, "+0x");
	if (!offset)
		return false;
	*offset = '\0';
	return !fnmatch(pattern, part, 0);
}

/* Match the whole label, or one of its parts: the frames of a stack, a command, a cause. */
static bool matches(const char *label, const char *pattern, char *copy)
{
	char *part;

	if (!fnmatch(pattern, label, 0))
		return true;
	sprintf(copy, "%s", label);
	while ((part = strsep(&copy, ";")))
		if (matches_part(part, pattern))
			return true;
	return false;
}

static bool is_any(const struct rows_match *match)
{
	return !match->min_bytes && !match->module && !match->site;
}

bool rows_matches(const struct table *t, const struct row *row, const struct rows_match *match)
{
	bool ret = true;
	char *copy;

	if (is_any(match))
		return true;
	copy = alloc_copy(row->label);
	if (match->min_bytes)
		ret = is_large(t, row, match->min_bytes);
	if (ret && match->module) {
		copy_site(t, row->label, copy);
		ret = is_in_module(copy, match->module);
	}
	if (ret && match->site)
		ret = matches(row->label, match->site, copy);
	free(copy);
	return ret;
}

int rows_check(const struct table *t, const struct rows_match *match)
{
	u64 unit;

	if (match->min_bytes && size_column(t, &unit) < 0)
		return fail("%s has no sizes of what is live: omit --min", t->name);
	return 0;
}

int rows_select(struct table *t, const struct rows_match *match)
{
	size_t i, nr = 0;

	if (rows_check(t, match))
		return -1;
	for (i = 0; i < t->nr_rows; i++)
		if (rows_matches(t, t->rows[i], match))
			t->rows[nr++] = t->rows[i];
	t->filtered += t->nr_rows - nr;
	t->nr_rows = nr;
	return 0;
}

/* ---- the total ------------------------------------------------------------ */

/* Say how many rows there are, and how many of them are not printed. */
static void set_label(struct table *t)
{
	const size_t nr = t->nr_rows + table_left_out(t);
	char cut[64] = "";

	free(t->sum_label);
	t->sum_label = NULL;
	if (nr > t->nr_rows)
		snprintf(cut, sizeof(cut), ", %zu not printed", nr - t->nr_rows);
	if (asprintf(&t->sum_label, "sum of %zu row%s%s%s", nr, nr == 1 ? "" : "s",
		     !t->filtered ? "" : nr == 1 ? " that matches" : " that match", cut) < 0)
		t->sum_label = NULL;
	t->sum->label = t->sum_label ? t->sum_label : "sum";
}

void rows_cut(struct table *t, size_t nr)
{
	if (t->nr_rows <= nr)
		return;
	t->left_out += t->nr_rows - nr;
	t->nr_rows = nr;
	if (t->sum)
		set_label(t);
}

static u64 add_up(const struct table *t, int column)
{
	u64 value, sum = 0, max = 0;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		value = t->rows[i]->v[column];
		/* A sum is not known if a part of it is not. */
		if (t->columns[column].format == FORMAT_ID && value == NO_ID)
			return NO_ID;
		sum += value;
		max = value > max ? value : max;
	}
	return t->columns[column].kind == KIND_MAX ? max : sum;
}

static u64 add_errors(const struct table *t, int column)
{
	double se, variance = 0;
	size_t i;

	/* Do not square a single one: the root may differ from it by rounding. */
	if (t->nr_rows == 1)
		return t->rows[0]->v[column];
	for (i = 0; i < t->nr_rows; i++) {
		se = t->rows[i]->v[column];
		variance += se * se;
	}
	return estimate_root(variance);
}

static u64 total_of(const struct table *t, int column)
{
	switch (t->columns[column].kind) {
	case KIND_ERROR:
		return add_errors(t, column);
	case KIND_COUNTER:
	case KIND_GAUGE:
	case KIND_MAX:
		return add_up(t, column);
	default:
		return 0;
	}
}

/* Ratios are those of the sums. */
static void set_ratios(const struct table *t)
{
	int frag = table_column(t, "frag_pct"), old = table_column(t, "old_pct");
	int req = table_column(t, "bytes_req"), alloc = table_column(t, "bytes_alloc");
	int live = table_column(t, "live_bytes"), all = table_column(t, "all_bytes");

	if (frag >= 0 && req >= 0 && alloc >= 0)
		t->sum->v[frag] = number_frag_milli(t->sum->v[req], t->sum->v[alloc]);
	if (old >= 0 && live >= 0 && all >= 0 && t->sum->v[all])
		t->sum->v[old] = 100000.0L * t->sum->v[live] / t->sum->v[all] + 0.5L;
}

void rows_total(struct table *t)
{
	int i;

	if (t->sum || !t->nr_rows)
		return;
	t->sum = alloc(1, sizeof(*t->sum) + t->nr_values * sizeof(u64));
	for (i = 0; i < t->nr_values; i++)
		t->sum->v[i] = total_of(t, i);
	set_ratios(t);
	columns_compute(t, t->sum);
	set_label(t);
}
