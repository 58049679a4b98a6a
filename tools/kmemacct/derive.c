// SPDX-License-Identifier: GPL-2.0
/* Tables made of tables.  See derive.h. */
#include <string.h>

#include "derive.h"
#include "error.h"
#include "sort.h"

/*
 * Sums are modulo 2^64, as the module's own are.  frag_pct is never summed but
 * made of the sums.
 */

/* ---- by module ------------------------------------------------------------ */

static const struct column modules_columns[] = {
	KMA_COUNTS_COLUMNS(COLUMN)
	{ "module", FORMAT_LABEL },
};

/*
 * `symbol+0xoff [module]` is of that module, and without one of the kernel.
 * [other], [unknown] and [unloaded], which are no sites, stay what they are; no
 * module looks like them, since its brackets go.
 */
static const char *module_of(const char *site)
{
	char *open = strstr(site, " [");

	if (!open)
		return *site == '[' ? site : "[kernel]";
	/* It is the table's own text, and read as a site for the last time. */
	open[strlen(open) - 1] = '\0';
	return open + 2;
}

static void add_row(struct row *sum, const struct row *more)
{
	int i;

	for (i = 0; i < COUNT_NR; i++)
		sum->v[i] += more->v[i];
}

/* Rows of one name are next to each other: make them one. */
static void merge_rows(struct table *t)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr_rows; i++) {
		if (nr && !strcmp(t->rows[nr - 1]->label, t->rows[i]->label))
			add_row(t->rows[nr - 1], t->rows[i]);
		else
			t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

void derive_modules(struct table *callers)
{
	struct row *row;
	size_t i;

	callers->name = "modules";
	callers->columns = modules_columns;
	for (i = 0; i < callers->nr_rows; i++)
		callers->rows[i]->label = module_of(callers->rows[i]->label);
	sort_by_label(callers);
	merge_rows(callers);
	for (i = 0; i < callers->nr_rows; i++) {
		row = callers->rows[i];
		row->v[COUNT_frag_pct] = number_frag_milli(row->v[COUNT_bytes_req],
							   row->v[COUNT_bytes_alloc]);
	}
}

/* ---- leaks ---------------------------------------------------------------- */

#define LEAKS_COLUMNS(X)	\
	X(live_bytes, U64)	\
	X(live_objs, U64)	\
	X(oldest_ms, U64)	\
	X(site, LABEL)

static const struct column leaks_columns[] = { LEAKS_COLUMNS(COLUMN) };

enum {
#define X(name, format) LEAK_##name,
	LEAKS_COLUMNS(X)
#undef X
};

static void inherit(struct table *t, const struct table *from)
{
	memcpy(t->fields, from->fields, sizeof(t->fields));
	t->nr_fields = from->nr_fields;
}

/* Objects of one site are next to each other. */
static void add_leak(struct table *leaks, const struct row *object)
{
	struct row *row = NULL;

	if (leaks->nr_rows)
		row = leaks->rows[leaks->nr_rows - 1];
	if (!row || strcmp(row->label, object->label)) {
		row = table_add(leaks);
		row->label = object->label;
	}
	row->v[LEAK_live_bytes] += object->v[ALLOC_bytes_alloc];
	row->v[LEAK_live_objs]++;
	if (row->v[LEAK_oldest_ms] < object->v[ALLOC_age_ms])
		row->v[LEAK_oldest_ms] = object->v[ALLOC_age_ms];
}

struct table *derive_leaks(struct table *allocs, u64 older_ms)
{
	struct table *leaks = table_new("leaks", leaks_columns, allocs->nr_rows);
	size_t i;

	leaks->from[0] = allocs;
	inherit(leaks, allocs);
	sort_by_label(allocs);
	for (i = 0; i < allocs->nr_rows; i++)
		if (allocs->rows[i]->v[ALLOC_age_ms] >= older_ms)
			add_leak(leaks, allocs->rows[i]);
	return leaks;
}

/* ---- the difference ------------------------------------------------------- */

/* A difference may be negative, whatever it is of. */
#define FORMAT_DIFF_U64		FORMAT_S64
#define FORMAT_DIFF_MILLI	FORMAT_MILLI
#define FORMAT_DIFF_LABEL	FORMAT_LABEL
#define DIFF_COLUMN(_name, _format) { #_name, FORMAT_DIFF_##_format },

static const struct column difference_columns[] = {
	KMA_CALLERS_COLUMNS(DIFF_COLUMN)
};

static u64 difference_frag(const struct row *row)
{
	s64 req = row->v[COUNT_bytes_req];
	s64 alloc = row->v[COUNT_bytes_alloc];

	return req >= 0 && alloc > 0 ? number_frag_milli(req, alloc) : 0;
}

/* A site that a table does not have, NULL, stands for zeroes. */
static void add_difference(struct table *t, const struct row *before,
			   const struct row *after)
{
	struct row *row = table_add(t);
	u64 any = 0;
	int i;

	row->label = after ? after->label : before->label;
	for (i = 0; i < COUNT_frag_pct; i++) {
		row->v[i] = (after ? after->v[i] : 0) - (before ? before->v[i] : 0);
		any |= row->v[i];
	}
	row->v[COUNT_frag_pct] = difference_frag(row);
	if (!any)
		t->nr_rows--;
}

struct table *derive_difference(struct table *before, struct table *after)
{
	struct table *t = table_new("run", difference_columns,
				    before->nr_rows + after->nr_rows);
	size_t b = 0, a = 0;
	int order;

	t->from[0] = before;
	t->from[1] = after;
	inherit(t, after);
	sort_by_label(before);
	sort_by_label(after);
	while (b < before->nr_rows || a < after->nr_rows) {
		if (b == before->nr_rows)
			order = 1;
		else if (a == after->nr_rows)
			order = -1;
		else
			order = strcmp(before->rows[b]->label, after->rows[a]->label);
		add_difference(t, order <= 0 ? before->rows[b] : NULL,
			       order >= 0 ? after->rows[a] : NULL);
		b += order <= 0;
		a += order >= 0;
	}
	return t;
}

/* ---- one object ----------------------------------------------------------- */

/* The kernel's half of the address space; hashes have 32 bits. */
static bool is_address(u64 ptr)
{
	return ptr >> 63;
}

/* Of a hash it is only the same that means something. */
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
		return fail("no live object at %#llx: it was freed, or is older than the module",
			    addr);
	if (hashes)
		return fail("no object is shown as %016llx: try sysctl kernel.kptr_restrict=1",
			    addr);
	return fail("addresses are hidden: sysctl kernel.kptr_restrict=1 shows them");
}
