// SPDX-License-Identifier: GPL-2.0
/* Stacks in the folded format, for flame graphs. */
#include <string.h>

#include "out.h"

/* Test whether a column has counts, which a flame graph can add up. */
static bool is_count(const struct table *t, int column)
{
	return t->columns[column].format == FORMAT_U64 && t->columns[column].of == NONE;
}

static int fail_column(const struct table *t, const char *name)
{
	char names[1024] = "";
	int i;

	for (i = 0; i < t->nr_values; i++) {
		if (!is_count(t, i))
			continue;
		strcat(names, i ? ", " : "");
		strcat(names, t->columns[i].name);
	}
	return fail("folded needs a column of counts, not '%s': use %s", name, names);
}

int folded_print(FILE *out, const struct table *t, const char *name)
{
	int column = table_column(t, name);
	bool any = false;
	size_t i;

	if (column == NONE || column >= t->nr_values || !is_count(t, column))
		return fail_column(t, name);
	for (i = 0; i < t->nr_rows; i++) {
		if (!t->rows[i]->v[column])
			continue;
		fprintf(out, "%s %llu\n", t->rows[i]->label, t->rows[i]->v[column]);
		any = true;
	}
	return any ? 0 : fail("%s is 0 for all stacks: try again later, or use another column",
			      name);
}
