// SPDX-License-Identifier: GPL-2.0
/* The call sites that are exported.  See the overview in series.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "estimate.h"
#include "rows.h"
#include "series.h"
#include "sort.h"

#define OTHER	"other"

/* The columns that each number is the sum of. */
static const struct {
	const char *column[2];
} sums[SERIES_VALUES] = {
	[SERIES_LIVE_BYTES] = { { "live_bytes" } },
	[SERIES_LIVE_OBJECTS] = { { "live_objs" } },
	[SERIES_ALLOCATIONS] = { { "objs_alloc" } },
	[SERIES_FREES] = { { "frees" } },
	[SERIES_ALLOCATED_BYTES] = { { "bytes_alloc", "bulk_bytes" } },
};

int series_add_pattern(struct series_patterns *p, const char *pattern)
{
	if (p->nr == SERIES_PATTERNS)
		return -1;
	p->pattern[p->nr++] = pattern;
	return 0;
}

/* ---- sums ----------------------------------------------------------------- */

static void add(struct series *sum, const struct series *more)
{
	int i;

	for (i = 0; i < SERIES_VALUES; i++) {
		sum->value[i] += more->value[i];
		sum->variance[i] += more->variance[i];
	}
}

static struct series row_series(const struct table *t, const struct row *row)
{
	struct series s = { .site = row->label };
	int i, at, column;

	for (i = 0; i < SERIES_VALUES; i++) {
		for (at = 0; at < 2 && sums[i].column[at]; at++) {
			column = table_column(t, sums[i].column[at]);
			s.value[i] += row->v[column];
			s.variance[i] += estimate_variance(t, row, column);
		}
	}
	return s;
}

/* ---- selecting ------------------------------------------------------------ */

static bool matches_any(const struct table *t, const struct row *row,
			const struct series_patterns *p)
{
	struct rows_match match = {};
	int i;

	for (i = 0; i < p->nr; i++) {
		match.site = p->pattern[i];
		if (rows_matches(t, row, &match))
			return true;
	}
	return false;
}

/* The module's own row [other] has several call sites, so it is none that could be listed. */
static bool is_chosen(const struct table *t, const struct row *row,
		      const struct series_choice *choice)
{
	if (!strcmp(row->label, "[other]"))
		return false;
	return (!choice->include.nr || matches_any(t, row, &choice->include)) &&
	       !matches_any(t, row, &choice->exclude);
}

static void add_other(struct series_list *list, const struct series *s)
{
	add(&list->other, s);
	list->nr_other++;
}

/* Add up the rows of each name, which are neighbors. */
static void merge(struct series_list *list, const struct table *t,
		  const struct series_choice *choice)
{
	struct series s, more;
	size_t i, next;

	for (i = 0; i < t->nr_rows; i = next) {
		s = row_series(t, t->rows[i]);
		for (next = i + 1; next < t->nr_rows &&
		     !strcmp(t->rows[next]->label, t->rows[i]->label); next++) {
			more = row_series(t, t->rows[next]);
			add(&s, &more);
		}
		add(&list->total, &s);
		if (is_chosen(t, t->rows[i], choice))
			list->listed[list->nr++] = s;
		else
			add_other(list, &s);
	}
}

/* The most live bytes come first, then the most allocated ones, and then names as they sort. */
static int compare(const void *a, const void *b)
{
	static const enum series_value keys[] = { SERIES_LIVE_BYTES, SERIES_ALLOCATED_BYTES };
	const struct series *x = a, *y = b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (x->value[keys[i]] != y->value[keys[i]])
			return x->value[keys[i]] > y->value[keys[i]] ? -1 : 1;
	return strcmp(x->site, y->site);
}

/* ---- names ---------------------------------------------------------------- */

/* Split `symbol+0xoff [module]`. */
static void split(struct series *s)
{
	char *open = strstr(s->site, " [");

	if (!open) {
		s->module = *s->site == '[' ? s->site : "kernel";
		return;
	}
	*open = '\0';
	s->module = open + 2;
	open[strlen(open + 2) + 1] = '\0';
}

/* ---- the list ------------------------------------------------------------- */

void series_make(struct series_list *list, struct table *callers,
		 const struct series_choice *choice)
{
	size_t i;

	*list = (struct series_list) {
		.listed = alloc(callers->nr_rows + 1, sizeof(*list->listed)),
		.other = { .site = OTHER, .module = OTHER },
	};
	sort_by_label(callers);
	merge(list, callers, choice);
	qsort(list->listed, list->nr, sizeof(*list->listed), compare);
	while (list->nr > choice->sites)
		add_other(list, &list->listed[--list->nr]);
	for (i = 0; i < list->nr; i++)
		split(&list->listed[i]);
}

void series_free(struct series_list *list)
{
	free(list->listed);
}
