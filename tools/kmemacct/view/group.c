// SPDX-License-Identifier: GPL-2.0
/* Rows that are added up by a name: of modules, and of functions without offsets. */
#include <string.h>

#include "view.h"

const char *group_module(const char *site, size_t *len)
{
	const char *open = strstr(site, " [");

	*len = open ? strcspn(open + 2, "]") : strlen("kernel");
	return open ? open + 2 : *site == '[' ? NULL : "kernel";
}

const char *group_module_of(const char *site)
{
	char *open = strstr(site, " [");

	if (!open)
		return *site == '[' ? site : "[kernel]";
	/* This changes the label in the table's text, which is not used as a site any more. */
	open[strlen(open) - 1] = '\0';
	return open + 2;
}

void group_modules(struct table *t)
{
	size_t i, same, nr = 0;

	t->name = "modules";
	t->columns[t->nr_values].name = "module";
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
