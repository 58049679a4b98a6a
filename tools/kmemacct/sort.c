// SPDX-License-Identifier: GPL-2.0
/* Sorting of rows.  See sort.h. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "error.h"
#include "sort.h"

/* ---- keys ----------------------------------------------------------------- */

int sort_parse(struct sort *sort, const struct table *t, const char *keys)
{
	size_t len;
	int column;

	sort->nr = 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		column = columns_find(t, keys, len);
		if (column < 0)
			return columns_fail(t, "sort key", keys, len);
		if (sort->nr == SORT_KEYS)
			return fail("-s takes at most %d keys", SORT_KEYS);
		sort->key[sort->nr++] = column;
		if (!keys[len])
			return 0;
	}
}

/* ---- rows ----------------------------------------------------------------- */

struct job {
	const struct table *table;
	const struct sort *sort;
};

static int compare_column(const struct table *t, int column,
			  const struct row *a, const struct row *b)
{
	u64 x, y;

	if (t->columns[column].format == FORMAT_LABEL)
		return strcmp(a->label, b->label);
	if (t->columns[column].format == FORMAT_NAME)
		return strcmp(row_name(a, column), row_name(b, column));
	x = a->v[column];
	y = b->v[column];
	if (t->columns[column].format == FORMAT_S64)
		return (s64)x > (s64)y ? -1 : (s64)x < (s64)y;
	return x > y ? -1 : x < y;
}

int sort_compare(const struct table *t, const struct sort *sort, const struct row *a,
		 const struct row *b)
{
	int i, ret = 0;

	for (i = 0; !ret && i < sort->nr; i++)
		ret = compare_column(t, sort->key[i], a, b);
	return ret;
}

static int compare_rows(const void *a, const void *b, void *priv)
{
	const struct row *x = *(struct row * const *)a;
	const struct row *y = *(struct row * const *)b;
	const struct job *job = priv;
	int ret = sort_compare(job->table, job->sort, x, y);

	/* Make the sort stable, which qsort_r() is not: see the overview in table.h. */
	return ret ? ret : x < y ? -1 : x > y;
}

void sort_rows(struct table *t, const struct sort *sort)
{
	struct job job = { .table = t, .sort = sort };

	if (sort->nr)
		qsort_r(t->rows, t->nr_rows, sizeof(t->rows[0]), compare_rows, &job);
}

void sort_by_label(struct table *t)
{
	const struct sort sort = { .key = { t->nr_values }, .nr = 1 };

	sort_rows(t, &sort);
}
