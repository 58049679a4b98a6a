// SPDX-License-Identifier: GPL-2.0
/* Tables derived from other tables.  See derive.h. */
#include <string.h>

#include "derive.h"
#include "error.h"
#include "estimate.h"
#include "sort.h"

/*
 * Sums are modulo 2^64, as in the module.  frag_pct is not summed, but computed from the
 * sums of bytes_req and bytes_alloc.
 */

/* ---- by module ------------------------------------------------------------ */

const char *derive_module_of(const char *site)
{
	char *open = strstr(site, " [");

	if (!open)
		return *site == '[' ? site : "[kernel]";
	/* This changes the label in the table's text, which is not used as a site any more. */
	open[strlen(open) - 1] = '\0';
	return open + 2;
}

static u64 sum_of(struct row **rows, size_t nr, int column)
{
	u64 sum = 0;

	while (nr--)
		sum += (*rows++)->v[column];
	return sum;
}

/* Each object is sampled independently of all others, so variances add up. */
static u64 se_of_sum(struct row **rows, size_t nr, int column)
{
	double variance = 0, se;

	/* Do not square a single one: the root may differ from it by rounding. */
	if (nr == 1)
		return rows[0]->v[column];
	while (nr--) {
		se = (*rows++)->v[column];
		variance += se * se;
	}
	return estimate_root(variance);
}

/* Add up @nr rows, in the first of them. */
static void add_rows(const struct table *t, struct row **rows, size_t nr)
{
	u64 *v = rows[0]->v;
	int i;

	for (i = 0; i < t->nr_values; i++)
		v[i] = estimate_is_se(t, i) ? se_of_sum(rows, nr, i) :
					      sum_of(rows, nr, i);
	v[COUNT_frag_pct] = number_frag_milli(v[COUNT_bytes_req], v[COUNT_bytes_alloc]);
}

/* Return: number of rows at the start of @rows that have the same label. */
static size_t count_same(struct row **rows, size_t nr)
{
	size_t same = 1;

	while (same < nr && !strcmp(rows[same]->label, rows[0]->label))
		same++;
	return same;
}

static void merge_rows(struct table *t)
{
	size_t i, same, nr = 0;

	for (i = 0; i < t->nr_rows; i += same) {
		same = count_same(&t->rows[i], t->nr_rows - i);
		add_rows(t, &t->rows[i], same);
		t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

void derive_modules(struct table *callers)
{
	size_t i;

	callers->name = "modules";
	callers->columns[callers->nr_values].name = "module";
	for (i = 0; i < callers->nr_rows; i++)
		callers->rows[i]->label = derive_module_of(callers->rows[i]->label);
	sort_by_label(callers);
	merge_rows(callers);
}

/* ---- the difference ------------------------------------------------------- */

static const struct column callers_columns[] = { KMA_CALLERS_COLUMNS(COLUMN) };

/* A difference may be negative, but its number of samples and its errors are not. */
static void set_signs(struct table *t)
{
	int i;

	for (i = 0; i < COUNT_frag_pct; i++) {
		t->columns[i].format = FORMAT_S64;
		t->columns[i].change = t->columns[i].kind == KIND_GAUGE;
	}
}

static u64 difference_frag(const struct row *row)
{
	s64 req = row->v[COUNT_bytes_req];
	s64 alloc = row->v[COUNT_bytes_alloc];

	return req >= 0 && alloc > 0 ? number_frag_milli(req, alloc) : 0;
}

/* Return: a value of a row, or 0 if the table lacks the row, which is then NULL. */
static u64 value(const struct row *row, int column)
{
	return row ? row->v[column] : 0;
}

/* Standard error of the growth of a counter: its variance is the growth of the variance. */
static u64 se_of_growth(u64 before, u64 after)
{
	if (after <= before)
		return 0;
	return estimate_root((double)(after - before) * ((double)after + before));
}

/*
 * Upper bound on the standard error of a change of live objects: the errors of both
 * snapshots together.  Objects that are live in both snapshots add to both errors, although
 * they cancel out in the difference.
 */
static u64 se_of_change(u64 before, u64 after)
{
	double b = before, a = after;

	return estimate_root(b * b + a * a);
}

static u64 difference_value(int column, u64 before, u64 after)
{
	switch (column) {
	case COUNT_live_samples:
		/* The difference is based on the samples of both snapshots. */
		return before + after;
	case COUNT_live_bytes_se:
	case COUNT_live_objs_se:
	case COUNT_confirmed_bytes_se:
		return se_of_change(before, after);
	default:
		if (column > COUNT_live_samples)
			return se_of_growth(before, after);
		return after - before;
	}
}

static void add_difference(struct table *t, const struct row *before,
			   const struct row *after)
{
	struct row *row = table_add(t);
	u64 any = 0;
	int i;

	row->label = after ? after->label : before->label;
	for (i = 0; i < t->nr_values; i++) {
		row->v[i] = difference_value(i, value(before, i), value(after, i));
		if (i < COUNT_frag_pct)
			any |= row->v[i];
	}
	row->v[COUNT_frag_pct] = difference_frag(row);
	if (!any)
		t->nr_rows--;
}

int derive_order(const char *before, const char *after)
{
	if (!before || !after)
		return before ? -1 : 1;
	return strcmp(before, after);
}

/* Return: the label of row @i, or NULL after the last one. */
static const char *label_at(const struct table *t, size_t i)
{
	return i < t->nr_rows ? t->rows[i]->label : NULL;
}

struct table *derive_difference(struct table *before, struct table *after)
{
	struct table *t = table_new("run", callers_columns,
				    before->sampled || after->sampled,
				    before->nr_rows + after->nr_rows);
	size_t b = 0, a = 0;
	int order;

	t->from[0] = before;
	t->from[1] = after;
	set_signs(t);
	table_inherit(t, after);
	sort_by_label(before);
	sort_by_label(after);
	while (b < before->nr_rows || a < after->nr_rows) {
		order = derive_order(label_at(before, b), label_at(after, a));
		add_difference(t, order <= 0 ? before->rows[b] : NULL,
			       order >= 0 ? after->rows[a] : NULL);
		b += order <= 0;
		a += order >= 0;
	}
	return t;
}

/* ---- an object by its address --------------------------------------------- */

/* Kernel addresses are in the upper half of the address space; hashes have only 32 bits. */
static bool is_address(u64 ptr)
{
	return ptr >> 63;
}

/* A hash can only be compared for equality; with an address, test the whole object. */
static bool has_address(const struct row *object, u64 addr)
{
	u64 ptr = object->v[ALLOC_ptr];

	if (!is_address(ptr))
		return ptr && ptr == addr;
	return addr - ptr < object->v[ALLOC_bytes_alloc] || addr == ptr;
}

int derive_object(struct table *allocs, u64 addr)
{
	bool addresses = false, hashes = false;
	struct row *row;
	size_t i, nr = 0;

	for (i = 0; i < allocs->nr_rows; i++) {
		row = allocs->rows[i];
		addresses |= is_address(row->v[ALLOC_ptr]);
		hashes |= !is_address(row->v[ALLOC_ptr]) && row->v[ALLOC_ptr];
		if (has_address(row, addr))
			allocs->rows[nr++] = row;
	}
	allocs->nr_rows = nr;
	if (nr)
		return 0;
	if (addresses || !i)
		return fail("no live object at %#llx: %s", addr,
			    "it was freed, or not recorded (older than the module, not sampled, or filtered out)");
	if (hashes)
		return fail("no object is listed as %016llx, and addresses are hashed: %s", addr,
			    "sysctl kernel.kptr_restrict=1 shows them");
	return fail("addresses are hidden: sysctl kernel.kptr_restrict=1 shows them");
}
