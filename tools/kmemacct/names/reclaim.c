// SPDX-License-Identifier: GPL-2.0
/* Rows of slab caches that the kernel can shrink: the column `reclaimable`.  See names.h. */
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Make a map whose keys are the lines of a text, in place. */
static struct map map_lines(char *text)
{
	struct map lines = { .compare = map_compare_texts };
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line && !map_find(&lines, line))
			map_put(&lines, line, 0);
	return lines;
}

/* Test for the cache of a label, which a call site follows if @site is not NULL. */
static bool has_cache(const struct map *caches, const char *label, const char *site)
{
	char *cache = site ? alloc_print("%.*s", (int)(site - 1 - label), label) : NULL;
	const bool found = map_find(caches, cache ?: label);

	free(cache);
	return found;
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

/* Flag rows of caches or cache_sites, in which a call site without a semicolon may follow. */
static void flag_caches(struct table *t, const struct map *caches)
{
	const char *label, *site;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		label = t->rows[i]->label;
		site = t->at[AT_cache_site] == NONE ? NULL : site_of_cache(label, NULL);
		t->rows[i]->v[t->at[AT_reclaimable]] = has_cache(caches, label, site);
	}
}

static int compare(const void *label, const void *row)
{
	return strcmp(label, (*(struct row * const *)row)->label);
}

/*
 * Flag call sites by the caches that they allocate from.  A row [other] may stand for any call
 * site, so it stays unknown.
 */
static void flag_sites(struct table *t, const struct map *caches)
{
	struct table *pairs = source_table(t->source, "cache_sites");
	const int at = t->at[AT_reclaimable];
	struct row **found;
	size_t i;

	if (!pairs)
		return;
	pairs = add_column(pairs);
	flag_caches(pairs, caches);
	group_cache(pairs, NULL);
	for (i = 0; i < t->nr_rows; i++) {
		found = bsearch(t->rows[i]->label, pairs->rows, pairs->nr_rows,
				sizeof(*pairs->rows), compare);
		if (found && strcmp((*found)->label, "[other]"))
			t->rows[i]->v[at] = (*found)->v[pairs->at[AT_reclaimable]];
	}
	table_free(pairs);
}

struct table *reclaim_flag(struct table *t)
{
	struct map caches;
	char *text;
	size_t len;

	t = add_column(t);
	text = t->source ? slabs_reclaimable(t->source, &len) : NULL;
	if (!text)
		return t;
	caches = map_lines(text);
	if (t->at[AT_site] == NONE)
		flag_caches(t, &caches);
	else
		flag_sites(t, &caches);
	map_clear(&caches);
	free(text);
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
