// SPDX-License-Identifier: GPL-2.0
/* What is live, by name.  See live.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "error.h"
#include "estimate.h"
#include "live.h"
#include "suggest.h"

#define KB	1024

static const char * const names[] = {
	"callers", "modules", "caches", "stacks", "page_callers",
};

const char *live_table(int nr)
{
	return nr < (int)ARRAY_SIZE(names) ? names[nr] : NULL;
}

const char *live_find(const char *table)
{
	struct suggestion s;
	size_t i;

	suggest_begin(&s, table, strlen(table));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (suggest_is(names[i], table))
			return names[i];
		suggest_try(&s, names[i]);
	}
	suggest_fail(&s, "use callers, modules, caches, stacks or page_callers",
		     "'%.64s' cannot be compared", table);
	return NULL;
}

/* ---- rows ----------------------------------------------------------------- */

enum {
#define X(name, ...) PAGE_##name,
	KMA_PAGE_CALLERS_COLUMNS(X)
#undef X
};

/* Standard errors are rounded down.  One without samples is that of an exact number. */
static double most_variance(u64 se, u64 samples)
{
	return se || samples ? ((double)se + 1) * ((double)se + 1) : 0;
}

static double least_variance(u64 se)
{
	return (double)se * se;
}

static struct live live_objects(const struct row *row)
{
	const u64 *v = row->v;

	return (struct live) {
		.name = row->label,
		.bytes = v[COUNT_live_bytes],
		.reading = {
			.variance = most_variance(v[COUNT_live_bytes_se], v[COUNT_live_samples]),
			.samples = v[COUNT_live_samples],
		},
		.allocated = {
			.variance = least_variance(v[COUNT_bytes_alloc_se]) +
				    least_variance(v[COUNT_bulk_bytes_se]),
			.samples = v[COUNT_samples],
		},
		.allocated_most = most_variance(v[COUNT_bytes_alloc_se], v[COUNT_samples]) +
				  most_variance(v[COUNT_bulk_bytes_se], v[COUNT_samples]),
		.allocs = v[COUNT_objs_alloc],
		.frees = v[COUNT_frees],
	};
}

static struct live live_pages(const struct row *row)
{
	const u64 *v = row->v;

	return (struct live) {
		.name = row->label,
		.bytes = v[PAGE_live_kb] * KB,
		.reading = {
			.variance = KB * KB * most_variance(v[PAGE_live_kb_se],
							    v[PAGE_live_samples]),
			.samples = v[PAGE_live_samples],
		},
		.allocated = {
			.variance = KB * KB * least_variance(v[PAGE_kb_se]),
			.samples = v[PAGE_samples],
		},
		.allocated_most = KB * KB * most_variance(v[PAGE_kb_se], v[PAGE_samples]),
		.allocs = v[PAGE_hits] + v[PAGE_bulk_allocs],
		.frees = v[PAGE_frees],
		/* No column has the size of these. */
		.uncounted = v[PAGE_bulk_allocs],
	};
}

/* ---- names ---------------------------------------------------------------- */

/* Copy a name without the offsets `+0x...` of its functions.  Return: what follows the copy. */
static char *copy_plain(char *to, const char *name)
{
	while (*name) {
		if (!strncmp(name, "+0x", 3))
			name += 3 + strspn(name + 3, "0123456789abcdef");
		else
			*to++ = *name++;
	}
	*to++ = '\0';
	return to;
}

static void make_plain(struct live_list *list)
{
	size_t i, size = 0;
	char *at;

	for (i = 0; i < list->nr; i++)
		size += strlen(list->live[i].name) + 1;
	at = alloc(size, 1);
	list->names = at;
	for (i = 0; i < list->nr; i++) {
		char *next = copy_plain(at, list->live[i].name);

		list->live[i].name = at;
		at = next;
	}
}

/* ---- sums ----------------------------------------------------------------- */

static void add_reading(struct reading *to, const struct reading *from)
{
	to->variance += from->variance;
	to->samples += from->samples;
}

static void add(struct live *to, const struct live *from)
{
	to->bytes += from->bytes;
	add_reading(&to->reading, &from->reading);
	add_reading(&to->allocated, &from->allocated);
	to->allocated_most += from->allocated_most;
	to->allocs += from->allocs;
	to->frees += from->frees;
	to->uncounted |= from->uncounted;
}

static int compare(const void *a, const void *b)
{
	const struct live *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void sum_up(struct live_list *list)
{
	size_t i, nr = 0;

	qsort(list->live, list->nr, sizeof(*list->live), compare);
	for (i = 0; i < list->nr; i++) {
		if (nr && !strcmp(list->live[nr - 1].name, list->live[i].name))
			add(&list->live[nr - 1], &list->live[i]);
		else
			list->live[nr++] = list->live[i];
	}
	list->nr = nr;
	for (i = 0; i < nr; i++)
		list->live[i].reading.bytes = list->live[i].bytes;
}

int live_check_module(const char *table)
{
	if (strcmp(table, "modules") && strcmp(table, "caches"))
		return 0;
	return fail("--module needs call sites, and %s has none: omit one", table);
}

void live_list_make(struct live_list *list, const struct table *t, bool plain)
{
	const bool pages = !strcmp(t->name, "page_callers");
	size_t i;

	*list = (struct live_list) {
		.nr = t->nr_rows,
		.live = alloc(t->nr_rows, sizeof(*list->live)),
	};
	for (i = 0; i < t->nr_rows; i++)
		list->live[i] = pages ? live_pages(t->rows[i]) : live_objects(t->rows[i]);
	if (t->sampled) {
		list->unit = table_number(t, "sample_bytes");
		list->most_unit = fmax(list->unit, estimate_unit(t));
	}
	if (plain)
		make_plain(list);
	sum_up(list);
}

void live_list_free(struct live_list *list)
{
	free(list->live);
	free(list->names);
	*list = (struct live_list) {};
}
