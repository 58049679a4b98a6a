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

/* Remove the keys, such as the order: they tell rows of a site apart, and have no sums. */
static void drop_keys(struct table *t)
{
	const int nr_values = t->nr_values;
	int from, to = 0;
	size_t i;

	for (from = 0; from < nr_values; from++) {
		if (t->columns[from].kind == KIND_KEY)
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
	drop_keys(t);
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

void group_cache(struct table *t, const char *cache)
{
	const char *label, *site;
	size_t i, nr = 0;

	t->name = "callers";
	t->columns[t->nr_values].name = "site";
	table_link(t);
	for (i = 0; i < t->nr_rows; i++) {
		label = t->rows[i]->label;
		site = strrchr(label, ';');
		if (!site || (size_t)(site - label) != strlen(cache) ||
		    strncmp(label, cache, site - label))
			continue;
		t->rows[i]->label = site + 1;
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
