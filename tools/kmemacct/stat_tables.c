// SPDX-License-Identifier: GPL-2.0
/* The tables that `kmemacct stat` prints.  See stat_tables.h. */
#include <stdlib.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "estimate.h"
#include "files.h"
#include "gfp.h"
#include "run.h"
#include "settings.h"
#include "stat_tables.h"

/* ---- reading -------------------------------------------------------------- */

static int read_pages(struct stat_tables *s)
{
	/* The first one says what to do if pages are not tracked. */
	s->table[STAT_PAGE_CALLER] = settings_counted("page_callers");
	if (!s->table[STAT_PAGE_CALLER])
		return -1;
	s->orders = files_table("orders");
	if (!s->orders)
		return -1;
	s->pages = files_table("page_summary");
	return s->pages ? 0 : -1;
}

int stat_tables_begin(struct stat_tables *s, const struct stat_options *o)
{
	s->live = o->live;
	if (stat_options_slab(o)) {
		s->table[STAT_SLAB_CALLER] = files_table("callers");
		if (!s->table[STAT_SLAB_CALLER])
			return -1;
	}
	return stat_options_page(o) ? read_pages(s) : 0;
}

static int read_one_by_one(struct stat_tables *s, enum stat_table which, const char *name)
{
	s->table[which] = files_table(name);
	return s->table[which] ? 0 : -1;
}

static int read_flags(struct stat_tables *s)
{
	struct table *flags = files_table("gfp_flags");

	if (flags)
		s->flags = gfp_new(flags);
	return flags ? 0 : -1;
}

static bool counts_from_reset(const struct table *t)
{
	const char *since = t ? table_field(t, "since") : NULL;

	return since && !strcmp(since, "reset");
}

int stat_tables_read(struct stat_tables *s, const struct stat_options *o)
{
	if (stat_tables_begin(s, o))
		return -1;
	if (stat_options_slab(o) && o->alloc && read_one_by_one(s, STAT_SLAB_ALLOC, "allocs"))
		return -1;
	if (stat_options_page(o) && o->alloc && read_one_by_one(s, STAT_PAGE_ALLOC, "pages"))
		return -1;
	if (stat_options_page(o) && (o->caller || o->alloc) && read_flags(s))
		return -1;
	if (counts_from_reset(s->table[STAT_SLAB_CALLER]) ||
	    counts_from_reset(s->table[STAT_PAGE_CALLER]))
		s->window = STAT_SINCE_RESET;
	return 0;
}

void stat_tables_free(struct stat_tables *s)
{
	int i;

	for (i = 0; i < STAT_TABLES; i++)
		table_free(s->table[i]);
	table_free(s->orders);
	table_free(s->pages);
	gfp_free(s->flags);
	*s = (struct stat_tables) {};
}

/* ---- differences ---------------------------------------------------------- */

/* A row of page allocations is identified by all that is no counter. */
static bool is_key(const struct column *c)
{
	return c->format == FORMAT_NAME || c->format == FORMAT_HEX || !strcmp(c->name, "order");
}

static int compare_keys(const struct table *t, const struct row *a, const struct row *b)
{
	int i, ret = strcmp(a->label, b->label);

	for (i = 0; !ret && i < t->nr_values; i++) {
		if (!is_key(&t->columns[i]))
			continue;
		if (t->columns[i].format == FORMAT_NAME)
			ret = strcmp(row_name(a, i), row_name(b, i));
		else
			ret = a->v[i] < b->v[i] ? -1 : a->v[i] > b->v[i];
	}
	return ret;
}

static int compare_rows(const void *a, const void *b, void *table)
{
	return compare_keys(table, *(struct row * const *)a, *(struct row * const *)b);
}

/* What was sampled before adds nothing to the variance of the growth. */
static u64 growth_of_se(u64 before, u64 after)
{
	double b = before, a = after;

	return after > before ? estimate_root(a * a - b * b) : 0;
}

static void subtract_row(const struct table *t, struct row *row, const struct table *before,
			 const struct row *old)
{
	u64 value;
	int i, from;

	for (i = 0; i < t->nr_values; i++) {
		from = table_column(before, t->columns[i].name);
		if (from < 0 || is_key(&t->columns[i]))
			continue;
		value = old->v[from];
		row->v[i] = estimate_is_se(t, i) ? growth_of_se(value, row->v[i]) :
						   row->v[i] - value;
	}
}

/* Return: a copy of the pointers to the rows, sorted by what identifies a row. */
static struct row **sorted_rows(struct table *t)
{
	struct row **rows = alloc(t->nr_rows, sizeof(*rows));

	memcpy(rows, t->rows, t->nr_rows * sizeof(*rows));
	qsort_r(rows, t->nr_rows, sizeof(*rows), compare_rows, t);
	return rows;
}

/* Subtract the counters of @before, in rows of both tables that are the same. */
static void subtract(struct table *t, struct table *before)
{
	struct row **rows = sorted_rows(t), **old = sorted_rows(before);
	size_t i = 0, j = 0;
	int order;

	while (i < t->nr_rows && j < before->nr_rows) {
		order = compare_keys(t, old[j], rows[i]);
		if (!order)
			subtract_row(t, rows[i], before, old[j]);
		i += order >= 0;
		j += order <= 0;
	}
	free(rows);
	free(old);
}

/* Find the line of a table of pairs, or NULL. */
static struct row *find_pair(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; t && i < t->nr_rows; i++)
		if (!strcmp(t->rows[i]->label, name))
			return t->rows[i];
	return NULL;
}

static void subtract_pairs(struct table *t, const struct table *before)
{
	const struct row *old;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		old = find_pair(before, t->rows[i]->label);
		if (!old)
			continue;
		t->rows[i]->v[0] -= old->v[0];
		t->rows[i]->format = FORMAT_S64;
	}
}

/* Remove what was allocated before the table @before was read. */
static void remove_older(struct table *t, const struct table *before)
{
	const int age = table_column(t, "age_ms");
	const u64 most = table_window_ms(t) - table_window_ms(before);
	size_t i, nr = 0;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[age] < most)
			t->rows[nr++] = t->rows[i];
	t->nr_rows = nr;
}

static int subtract_slab(struct stat_tables *s, struct stat_tables *before, u64 elapsed_ms)
{
	struct table **t = &s->table[STAT_SLAB_CALLER];

	if (run_check_reset(before->table[STAT_SLAB_CALLER], *t, elapsed_ms))
		return -1;
	if (s->table[STAT_SLAB_ALLOC])
		remove_older(s->table[STAT_SLAB_ALLOC], before->table[STAT_SLAB_CALLER]);
	*t = derive_difference(before->table[STAT_SLAB_CALLER], *t);
	before->table[STAT_SLAB_CALLER] = NULL;
	return 0;
}

static int subtract_pages(struct stat_tables *s, struct stat_tables *before, u64 elapsed_ms)
{
	struct table *t = s->table[STAT_PAGE_CALLER];

	if (run_check_reset(before->table[STAT_PAGE_CALLER], t, elapsed_ms))
		return -1;
	if (s->table[STAT_PAGE_ALLOC])
		remove_older(s->table[STAT_PAGE_ALLOC], before->table[STAT_PAGE_CALLER]);
	subtract(t, before->table[STAT_PAGE_CALLER]);
	subtract(s->orders, before->orders);
	subtract_pairs(s->pages, before->pages);
	return 0;
}

int stat_tables_subtract(struct stat_tables *s, struct stat_tables *before, u64 elapsed_ms)
{
	static const char note[] = "changes on the whole machine while the command ran";

	s->window = STAT_COMMAND;
	if (s->table[STAT_SLAB_CALLER]) {
		if (subtract_slab(s, before, elapsed_ms))
			return -1;
		s->table[STAT_SLAB_CALLER]->note = note;
	}
	if (s->table[STAT_PAGE_CALLER]) {
		if (subtract_pages(s, before, elapsed_ms))
			return -1;
		s->table[STAT_PAGE_CALLER]->note = note;
	}
	return 0;
}

/* ---- sums and rows -------------------------------------------------------- */

static u64 sum_of(const struct table *t, int column)
{
	double variance = 0, se;
	bool is_se = estimate_is_se(t, column);
	u64 sum = 0;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		sum += t->rows[i]->v[column];
		se = t->rows[i]->v[column];
		variance += se * se;
	}
	return is_se && t->nr_rows > 1 ? estimate_root(variance) : sum;
}

void stat_tables_sum(struct stat_tables *s)
{
	struct table *t = s->table[STAT_SLAB_CALLER];
	int i;

	if (!t)
		return;
	t->sum = alloc(1, sizeof(*t->sum) + t->nr_values * sizeof(u64));
	t->sum->label = "sum";
	for (i = 0; i < t->nr_values; i++)
		t->sum->v[i] = sum_of(t, i);
	t->sum->v[COUNT_frag_pct] = number_frag_milli(t->sum->v[COUNT_bytes_req],
						      t->sum->v[COUNT_bytes_alloc]);
}

/* Remove the rows with a 0 in a column. */
static void cut(struct table *t, int column)
{
	size_t i, nr = 0;

	for (i = 0; t && i < t->nr_rows; i++)
		if (t->rows[i]->v[column])
			t->rows[nr++] = t->rows[i];
	if (t)
		t->nr_rows = nr;
}

void stat_tables_cut(struct stat_tables *s)
{
	cut(s->table[STAT_SLAB_CALLER], COUNT_hits);
	cut(s->table[STAT_PAGE_CALLER], s->live ? PAGE_CALLER_live_allocs : PAGE_CALLER_hits);
}

u64 stat_tables_pages(const struct stat_tables *s, const char *name)
{
	const struct row *row = find_pair(s->pages, name);

	return row ? row->v[0] : 0;
}

u64 stat_tables_uncounted(const struct stat_tables *s)
{
	return stat_tables_pages(s, "page_off") + stat_tables_pages(s, "page_filtered");
}

bool stat_tables_bulk_pages(const struct stat_tables *s)
{
	return stat_tables_pages(s, "bulk_kb");
}

/* Each order has a row for each type, in the order of their numbers. */
int stat_tables_type(const struct stat_tables *s, const char *name)
{
	const struct table *t = s->orders;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[ORDERS_order] != t->rows[0]->v[ORDERS_order] ||
		    !strcmp(row_name(t->rows[i], ORDERS_migratetype), name))
			break;
	return i;
}
