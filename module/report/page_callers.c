// SPDX-License-Identifier: GPL-2.0
/* `page_callers`: page allocations by call site, order, migrate type and gfp flags. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "../state.h"
#include "../trace/page_track.h"
#include "failures.h"
#include "rows_page.h"

enum {
#define X(name, ...) KMA_PAGE_CALLER_##name,
	KMA_PAGE_CALLERS_COLUMNS(X)
#undef X
	KMA_PAGE_CALLER_NR
};

/* The first columns are the estimates; their standard errors are in the same order. */
static_assert(KMA_PAGE_CALLER_bulk_allocs == (int)KMA_ROWS_PAGE_bulk_allocs);
static_assert(KMA_PAGE_CALLER_live_kb_se + (int)KMA_ROWS_PAGE_bulk_allocs ==
	      KMA_PAGE_CALLER_bulk_allocs_se);

static u64 kma_page_caller_value(const struct kma_snapshot *snap, const void *row,
				 int column)
{
	const struct kma_page_counts *counts = row;

	switch (column) {
	case KMA_PAGE_CALLER_failed:
		return counts->failed;
	case KMA_PAGE_CALLER_order:
		return kma_class_order(counts->class);
	case KMA_PAGE_CALLER_migratetype:
		return kma_class_type(counts->class);
	case KMA_PAGE_CALLER_gfp:
		return kma_class_gfp(counts->class);
	case KMA_PAGE_CALLER_samples:
		return counts->samples;
	case KMA_PAGE_CALLER_live_samples:
		return counts->live_samples;
	}
	if (column < KMA_ROWS_PAGE_ESTIMATES)
		return counts->v[column];
	return kma_standard_error(counts->variance[column - KMA_PAGE_CALLER_live_kb_se]);
}

static const char *kma_page_caller_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_page_counts *)row)->label;
}

/* Merge rows with the same name and class. */
static void kma_page_callers_merge(struct kma_snapshot *snap)
{
	const struct kma_sort by_row = {
		.key = { KMA_PAGE_CALLER_site, KMA_PAGE_CALLER_order,
			 KMA_PAGE_CALLER_migratetype, KMA_PAGE_CALLER_gfp },
		.nr = 4,
	};
	struct kma_page_counts *row = snap->rows;
	size_t i, nr = 0;

	kma_snapshot_sort(snap, &by_row);
	for (i = 0; i < snap->nr_rows; i++) {
		if (nr && row[nr - 1].class == row[i].class &&
		    !strcmp(row[nr - 1].label, row[i].label))
			kma_rows_page_add(&row[nr - 1], &row[i]);
		else
			row[nr++] = row[i];
		cond_resched();
	}
	snap->nr_rows = nr;
}

/* Whether a row has counted nothing since the last reset, and has no live pages. */
static bool kma_page_caller_empty(const struct kma_page_counts *counts)
{
	return !counts->v[KMA_ROWS_PAGE_hits] && !counts->v[KMA_ROWS_PAGE_bulk_allocs] &&
	       !counts->v[KMA_ROWS_PAGE_frees] && !counts->v[KMA_ROWS_PAGE_live_kb];
}

static void kma_page_callers_copy_row(struct kma_snapshot *snap, const struct kma_page_raw *raw)
{
	struct kma_page_counts counts, *row;

	kma_rows_page_counts(raw, &counts);
	if (kma_page_caller_empty(&counts))
		return;
	row = kma_snapshot_add(snap);
	*row = counts;
}

/*
 * A row that counts all page allocations of a class, while samples of them have rows of their
 * own, has no call site, and is not shown.
 */
static int kma_page_callers_copy(struct kma_snapshot *snap)
{
	const u32 nr = kma_rows_page_nr();
	struct kma_page_raw raw;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		if (kma_rows_page_raw(i, &raw) && !raw.cache->sampled)
			kma_page_callers_copy_row(snap, &raw);
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* The most rows that a snapshot can have.  Most pairs of class and shift have no recycled rows. */
static u32 kma_page_callers_most(void)
{
	const u32 rows = kma_sitetab_rows(&kma_pagealloc.sites), nr = kma_rows_page_nr();
	struct kma_page_raw raw;
	const struct kma_countmap *failures = kma_countmap_locked(KMA_COUNTMAP_FAILURES);
	u32 most = rows + (failures ? failures->rows : 0), i;

	for (i = rows; i < nr; i++) {
		most += kma_rows_page_raw(i, &raw);
		cond_resched();
	}
	return most;
}

/* A look-up takes long, so the counters of all rows have been copied before. */
static int kma_page_callers_name(struct kma_snapshot *snap)
{
	struct kma_page_counts *row = snap->rows;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < snap->nr_rows; i++) {
		row[i].label = kma_names_site(snap->names, row[i].id);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

/* Add a row for each row of failures that counts pages: kma_page_callers_merge() merges both. */
static int kma_page_callers_add_failed(struct kma_snapshot *snap)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_FAILURES);
	/* Protected by kma_lock, which is not dropped while a row is named. */
	static char buf[KMA_SYMBOL_LEN];
	struct kma_page_counts counts, *row;
	int ret = 0;
	u32 id;

	for (id = 0; !ret && t && id < t->rows; id++) {
		if (!kma_rows_page_failed(t, id, &counts))
			continue;
		kma_failure_site_print(kma_countmap_info(t, id), buf);
		counts.label = kma_names_add(snap->names, buf);
		row = kma_snapshot_add(snap);
		*row = counts;
		ret = counts.label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

static int kma_page_callers_fill(struct kma_snapshot *snap)
{
	if (!kma_pages_tracked())
		return kma_snapshot_room(snap, 0);
	snap->names = kma_names_new(&kma_pagealloc.sites);
	if (!snap->names || kma_snapshot_room(snap, kma_page_callers_most()))
		return -ENOMEM;
	return kma_page_callers_copy(snap) ?: kma_page_callers_name(snap) ?:
	       kma_page_callers_add_failed(snap);
}

const struct kma_table_ops kma_page_callers_ops = {
	.row_size = sizeof(struct kma_page_counts),
	.sort = { .key = { KMA_PAGE_CALLER_live_kb, KMA_PAGE_CALLER_hits }, .nr = 2 },
	.pages = true,
	.fill = kma_page_callers_fill,
	.merge = kma_page_callers_merge,
	.value = kma_page_caller_value,
	.label = kma_page_caller_label,
};
