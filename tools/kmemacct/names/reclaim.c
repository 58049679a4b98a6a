// SPDX-License-Identifier: GPL-2.0
/* Rows of slab caches that the kernel can shrink: the column `reclaimable`.  See names.h. */
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Test for a line with the first @len characters of a text. */
static bool has_line(const char *lines, const char *text, size_t len)
{
	for (; *lines; lines += strcspn(lines, "\n"), lines += !!*lines)
		if (!strncmp(lines, text, len) && lines[len] == '\n')
			return true;
	return false;
}

static struct table *add_column(struct table *t)
{
	static const struct column reclaimable = {
		.name = "reclaimable", .format = FORMAT_FLAG, .kind = KIND_GAUGE, .title = "",
		.computed = true,
	};
	size_t i;

	t = table_extend(t, t->nr_values, &reclaimable, 1);
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->v[t->at[AT_reclaimable]] = NO_ID;
	return t;
}

/* Mark rows of caches or cache_sites, in which a call site without a semicolon may follow. */
static void mark_caches(struct table *t, const char *caches)
{
	const char *label, *site;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		label = t->rows[i]->label;
		site = t->at[AT_cache_site] == NONE ? NULL : strrchr(label, ';');
		t->rows[i]->v[t->at[AT_reclaimable]] =
			has_line(caches, label, site ? (size_t)(site - label) : strlen(label));
	}
}

static int compare(const void *label, const void *row)
{
	return strcmp(label, (*(struct row * const *)row)->label);
}

/*
 * Mark call sites by the caches that they allocate from.  A row [other] may stand for any call
 * site, so it stays unknown.
 */
static void mark_sites(struct table *t, const char *caches)
{
	struct table *pairs = source_table(t->source, "cache_sites");
	const int at = t->at[AT_reclaimable];
	struct row **found;
	size_t i;

	if (!pairs)
		return;
	pairs = add_column(pairs);
	mark_caches(pairs, caches);
	group_cache(pairs, NULL);
	for (i = 0; i < t->nr_rows; i++) {
		found = bsearch(t->rows[i]->label, pairs->rows, pairs->nr_rows,
				sizeof(*pairs->rows), compare);
		if (found && strcmp((*found)->label, "[other]"))
			t->rows[i]->v[at] = (*found)->v[pairs->at[AT_reclaimable]];
	}
	table_free(pairs);
}

struct table *reclaim_mark(struct table *t)
{
	char *caches;
	size_t len;

	t = add_column(t);
	caches = t->source ? slabs_reclaimable(t->source, &len) : NULL;
	if (caches && t->at[AT_site] == NONE)
		mark_caches(t, caches);
	else if (caches)
		mark_sites(t, caches);
	free(caches);
	return t;
}

#define UNKNOWN_CACHES	"%s does not show which caches are reclaimable"
#define OMIT	": omit --unreclaimable"

int reclaim_check(const struct source *s)
{
	char path[FILE_PATH], *caches;
	size_t len;

	caches = slabs_reclaimable(s, &len);
	free(caches);
	if (caches)
		return 0;
	if (source_is_snapshot(s))
		return fail(UNKNOWN_CACHES
			    " (taken by an earlier version, or without /sys/kernel/slab)" OMIT,
			    source_path(s));
	source_sys_path(path, "kernel/slab");
	return fail(UNKNOWN_CACHES OMIT, path);
}
