// SPDX-License-Identifier: GPL-2.0
/* Rows regrouped: by module, of one cache, or by function without its offset. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

const char *group_module_of(const char *site)
{
	char *open = strstr(site, " [");

	if (!open)
		return *site == '[' ? site : "[kernel]";
	/* This changes the label in the table's text, which is not used as a site any more. */
	open[strlen(open) - 1] = '\0';
	return open + 2;
}

/*
 * Remove the keys, such as the order, but those in @keep, a list with commas: they tell rows of a
 * site apart, and have no sums.
 */
static void drop_keys(struct table *t, const char *keep)
{
	const int nr_values = t->nr_values;
	int from, to = 0;
	size_t i;

	for (from = 0; from < nr_values; from++) {
		if (t->columns[from].kind == KIND_KEY && !text_lists(keep, t->columns[from].name))
			continue;
		for (i = 0; i < t->nr_rows; i++)
			t->rows[i]->v[to] = t->rows[i]->v[from];
		t->columns[to++] = t->columns[from];
	}
	t->columns[to] = t->columns[nr_values];
	t->nr_values = to;
}

void group_modules(struct table *t)
{
	size_t i, same, nr = 0;

	t->name = t->at[AT_live_kb] == NONE ? "modules" : "page_modules";
	t->columns[t->nr_values].name = "module";
	drop_keys(t, NULL);
	table_link(t);
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->label = group_module_of(t->rows[i]->label);
	view_sort_by_label(t);
	for (i = 0; i < t->nr_rows; i += same) {
		same = view_same(t, i);
		view_add_up(t, &t->rows[i], same, t->rows[i]);
		t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

static int compare_keys(const void *a, const void *b, void *table)
{
	return view_compare_keys(table, *(struct row * const *)a, *(struct row * const *)b);
}

/* Return: number of rows from row @i on that have the same keys. */
static size_t same_keys(const struct table *t, size_t i)
{
	size_t nr = 1;

	while (i + nr < t->nr_rows && !view_compare_keys(t, t->rows[i], t->rows[i + nr]))
		nr++;
	return nr;
}

/* Add up rows that have the same keys.  Sums have no keys, so those of a row are kept. */
static void add_up(struct table *t, struct row **rows, size_t nr)
{
	struct row *sum = table_row(t);
	int i;

	view_add_up(t, rows, nr, sum);
	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].kind != KIND_KEY)
			rows[0]->v[i] = sum->v[i];
	free(sum);
}

void group_by(struct table *t, const char *keys)
{
	size_t i, same, nr = 0;

	drop_keys(t, keys);
	for (i = 0; i < t->nr_rows && !text_lists(keys, table_label(t)); i++)
		t->rows[i]->label = "";
	if (!text_lists(keys, table_label(t)))
		t->columns[t->nr_values].name = NULL;
	table_link(t);
	if (t->nr_rows)
		qsort_r(t->rows, t->nr_rows, sizeof(t->rows[0]), compare_keys, t);
	for (i = 0; i < t->nr_rows; i += same) {
		same = same_keys(t, i);
		add_up(t, &t->rows[i], same);
		t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

void group_cache(struct table *t, const char *cache)
{
	const char *site;
	size_t i, nr = 0;

	t->name = "callers";
	t->columns[t->nr_values].name = "site";
	table_link(t);
	for (i = 0; i < t->nr_rows; i++) {
		site = site_of_cache(t->rows[i]->label, cache);
		if (!site)
			continue;
		t->rows[i]->label = site;
		t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
	if (!cache)
		group_by(t, "site");
}

/* Remove a column, which is not one of those that a group is made by. */
static void drop_column(struct table *t, int column)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		memmove(&t->rows[i]->v[column], &t->rows[i]->v[column + 1],
			(t->nr_values - column - 1) * sizeof(u64));
	memmove(&t->columns[column], &t->columns[column + 1],
		(t->nr_values - column) * sizeof(*t->columns));
	t->nr_values--;
	table_link(t);
}

/* Test whether two rows differ in no key, and have the same label. */
static bool is_one(const struct table *t, const struct row *a, const struct row *b)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].kind == KIND_KEY && a->v[i] != b->v[i])
			return false;
	return !strcmp(a->label, b->label);
}

/* Add up the rows from row @i on that differ in no key.  Return: their number. */
static size_t add_up_same(struct table *t, size_t i)
{
	struct row *row = t->rows[i];
	u64 keys[t->nr_values + 1];
	size_t nr = 1;
	int k;

	while (i + nr < t->nr_rows && is_one(t, row, t->rows[i + nr]))
		nr++;
	memcpy(keys, row->v, t->nr_values * sizeof(*keys));
	view_add_up(t, &t->rows[i], nr, row);
	for (k = 0; k < t->nr_values; k++)
		if (t->columns[k].kind == KIND_KEY)
			row->v[k] = keys[k];
	return nr;
}

void group_failures(struct table *t, bool by_task, bool by_gfp)
{
	struct sort sort = {};
	const char *site;
	size_t i, same, nr = 0;
	int k;

	if (!by_gfp)
		drop_column(t, t->at[AT_gfp]);
	for (i = 0; !by_task && i < t->nr_rows; i++) {
		site = strchr(t->rows[i]->label, ';');
		t->rows[i]->label = site ? site + 1 : t->rows[i]->label;
	}
	if (!by_task)
		t->columns[t->nr_values].name = "site";
	table_link(t);
	for (k = 0; k <= t->nr_values; k++)
		if (k == t->nr_values || t->columns[k].kind == KIND_KEY)
			sort.key[sort.nr++] = k;
	view_sort(t, &sort);
	for (i = 0; i < t->nr_rows; i += same) {
		same = add_up_same(t, i);
		t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

void group_plain(struct table *t)
{
	const char *from;
	size_t i;
	char *to;

	for (i = 0; i < t->nr_rows; i++) {
		from = t->rows[i]->label;
		to = table_own(t, alloc_copy(from));
		t->rows[i]->label = to;
		while (*from) {
			if (text_begins(from, "+0x"))
				from += 3 + strspn(from + 3, "0123456789abcdef");
			else
				*to++ = *from++;
		}
		*to = '\0';
	}
}
