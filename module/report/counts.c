// SPDX-License-Identifier: GPL-2.0
/* Rows of `callers` and `caches`.  See counts.h. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "counts.h"

static_assert(KMA_COUNT_frag_pct == KMA_COUNT_NR - 1);

u64 kma_frag_milli(u64 bytes_req, u64 bytes_alloc)
{
	u64 waste = bytes_alloc - bytes_req;

	if (!bytes_alloc || bytes_req >= bytes_alloc)
		return 0;
	/* Keep 100,000 * waste below 2^64; what is lost is below 2^-46. */
	while (bytes_alloc >> 46) {
		bytes_alloc >>= 1;
		waste >>= 1;
	}
	return div64_u64(100000 * waste + bytes_alloc / 2, bytes_alloc);
}

/* A free of it has gone unseen, or may have: what is live may be less. */
static bool kma_counts_suspect(const struct kma_row *sum)
{
	return sum->repaired || !kma_bulk_frees_followed();
}

void kma_counts_row(u32 id, struct kma_counts *counts)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	const struct kma_cache_info *cache = &t->caches.info[info->cache];
	u64 *v = counts->v;
	struct kma_row base = {}, sum;
	u64 live;

	lockdep_assert_held(&kma_lock);
	kma_sitetab_sum(t, id, &sum);
	if (kma_base.row)
		base = kma_base.row[id];
	live = kma_row_live(&sum);
	v[KMA_COUNT_live_objs] = live;
	v[KMA_COUNT_live_bytes] = live * cache->size;
	v[KMA_COUNT_hits] = sum.hits - base.hits;
	v[KMA_COUNT_bytes_alloc] = v[KMA_COUNT_hits] * cache->size;
	v[KMA_COUNT_bytes_req] = cache->object_size ?
		v[KMA_COUNT_hits] * cache->object_size :
		sum.bytes_req - base.bytes_req;
	v[KMA_COUNT_frees] = sum.frees - base.frees;
	v[KMA_COUNT_bytes_freed] = v[KMA_COUNT_frees] * cache->size;
	v[KMA_COUNT_no_entry] = sum.no_entry - base.no_entry;
	v[KMA_COUNT_pingpong] = sum.pingpong - base.pingpong;
	v[KMA_COUNT_cross_node] = sum.cross_node - base.cross_node;
	v[KMA_COUNT_bulk_objs] = sum.bulk - base.bulk;
	v[KMA_COUNT_bulk_bytes] = v[KMA_COUNT_bulk_objs] * cache->size;
	v[KMA_COUNT_confirmed_bytes] = kma_counts_suspect(&sum) ? 0 :
				       v[KMA_COUNT_live_bytes];
	v[KMA_COUNT_frag_pct] = 0;
}

void kma_counts_add(struct kma_counts *sum, const struct kma_counts *more)
{
	int i;

	for (i = 0; i < KMA_COUNT_NR; i++)
		sum->v[i] += more->v[i];
}

u64 kma_counts_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_counts *counts = row;

	if (column == KMA_COUNT_frag_pct)
		return kma_frag_milli(counts->v[KMA_COUNT_bytes_req],
				      counts->v[KMA_COUNT_bytes_alloc]);
	return counts->v[column];
}

const char *kma_counts_label(const struct kma_snapshot *snap, const void *row)
{
	const struct kma_counts *counts = row;

	return counts->label;
}

static bool kma_counts_empty(const struct kma_counts *counts)
{
	return !counts->v[KMA_COUNT_hits] && !counts->v[KMA_COUNT_bulk_objs] &&
	       !counts->v[KMA_COUNT_frees] && !counts->v[KMA_COUNT_live_objs];
}

/* Rows of one name are next to each other: make them one. */
static void kma_counts_merge(struct kma_snapshot *snap)
{
	struct kma_counts *row = snap->rows;
	size_t i, nr = 0;

	for (i = 0; i < snap->nr_rows; i++) {
		if (nr && !strcmp(row[nr - 1].label, row[i].label))
			kma_counts_add(&row[nr - 1], &row[i]);
		else
			row[nr++] = row[i];
	}
	snap->nr_rows = nr;
}

int kma_counts_fill(struct kma_snapshot *snap,
		    const char *(*name)(struct kma_names *, u32))
{
	const struct kma_sort by_label = { .key = { KMA_COUNT_NR }, .nr = 1 };
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_counts counts, *row;
	u32 id;

	snap->names = kma_names_new(kma_sitetab_rows(t));
	if (!snap->names || kma_snapshot_room(snap, kma_sitetab_rows(t)))
		return -ENOMEM;
	for (id = 0; id < kma_sitetab_rows(t); id++) {
		if (!kma_sitetab_info(t, id))
			continue;
		kma_counts_row(id, &counts);
		if (kma_counts_empty(&counts))
			continue;
		counts.label = name(snap->names, id);
		if (!counts.label)
			return -ENOMEM;
		row = kma_snapshot_add(snap);
		*row = counts;
		cond_resched();
	}
	kma_snapshot_sort(snap, &by_label);
	kma_counts_merge(snap);
	return 0;
}
