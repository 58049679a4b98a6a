// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of counters.  See counts.h. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "counts.h"

/* The standard errors have the order of what they belong to, and come last. */
static_assert(KMA_COUNT_live_bytes == 0);
static_assert(KMA_COUNT_confirmed_bytes == KMA_COUNT_ESTIMATES - 1);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_frees == KMA_COUNT_frees_se);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_pingpong == KMA_COUNT_pingpong_se);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_confirmed_bytes == KMA_COUNT_NR - 1);

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

static void kma_counts_set(struct kma_counts *counts, enum kma_count column,
			   kma_u128 weighed, kma_u128 variance)
{
	counts->v[column] = kma_weighed(weighed);
	counts->weighed[column] = weighed;
	counts->variance[column] = variance;
}

/* What a number of objects, of so many bytes each or of 1, stands for. */
static void kma_counts_estimate(struct kma_counts *counts, enum kma_count column,
				u64 objects, u64 each, u64 weight)
{
	kma_counts_set(counts, column, kma_weigh(objects * each, weight),
		       kma_weigh_variance((kma_u128)objects * each * each, weight));
}

/* The squares are not known one by one: none of them is more than this. */
static void kma_counts_bytes_req(struct kma_counts *counts, u64 bytes, u64 most,
				 u64 weight)
{
	kma_counts_set(counts, KMA_COUNT_bytes_req, kma_weigh(bytes, weight),
		       kma_weigh_variance((kma_u128)bytes * most, weight));
}

/* Of a row's counters, those since the last reset. */
static struct kma_row kma_counts_since(u32 id, const struct kma_row *sum)
{
	struct kma_row since = *sum;
	const struct kma_row *base = &kma_base.row[id];

	if (!kma_base.row)
		return since;
	since.hits -= base->hits;
	since.bytes_req -= base->bytes_req;
	since.frees -= base->frees;
	since.no_entry -= base->no_entry;
	since.pingpong -= base->pingpong;
	since.cross_node -= base->cross_node;
	since.bulk -= base->bulk;
	return since;
}

static void kma_counts_live(struct kma_counts *counts, u64 live, u32 size, bool suspect,
			    u64 weight)
{
	kma_counts_estimate(counts, KMA_COUNT_live_objs, live, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_live_bytes, live, size, weight);
	if (!suspect)
		kma_counts_estimate(counts, KMA_COUNT_confirmed_bytes, live, size,
				    weight);
}

static void kma_counts_events(struct kma_counts *counts, const struct kma_row *since,
			      const struct kma_cache_info *cache, u64 weight)
{
	const u32 size = cache->size;

	kma_counts_estimate(counts, KMA_COUNT_hits, since->hits, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_bytes_alloc, since->hits, size, weight);
	if (cache->object_size)
		kma_counts_estimate(counts, KMA_COUNT_bytes_req, since->hits,
				    cache->object_size, weight);
	else
		kma_counts_bytes_req(counts, since->bytes_req, size, weight);
	kma_counts_estimate(counts, KMA_COUNT_frees, since->frees, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_bytes_freed, since->frees, size, weight);
	kma_counts_estimate(counts, KMA_COUNT_no_entry, since->no_entry, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_pingpong, since->pingpong, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_cross_node, since->cross_node, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_bulk_objs, since->bulk, 1, weight);
	kma_counts_estimate(counts, KMA_COUNT_bulk_bytes, since->bulk, size, weight);
}

void kma_counts_row(u32 id, struct kma_counts *counts)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	const struct kma_cache_info *cache = &t->caches.info[info->cache];
	const u64 weight = kma_sample_weight(cache->size,
					     READ_ONCE(info->shift));
	struct kma_row since, sum;
	u64 live;

	lockdep_assert_held(&kma_lock);
	memset(counts, 0, offsetof(struct kma_counts, label));
	kma_sitetab_sum(t, id, &sum);
	since = kma_counts_since(id, &sum);
	live = kma_row_live(&sum);
	kma_counts_live(counts, live, cache->size, kma_counts_suspect(&sum), weight);
	kma_counts_events(counts, &since, cache, weight);
	if (kma_sitetab_is_sampled(t, id)) {
		counts->v[KMA_COUNT_samples] = since.hits + since.bulk;
		counts->v[KMA_COUNT_live_samples] = live;
	}
}

void kma_counts_add(struct kma_counts *sum, const struct kma_counts *more)
{
	int i;

	for (i = 0; i < KMA_COUNT_ESTIMATES; i++)
		kma_counts_set(sum, i, sum->weighed[i] + more->weighed[i],
			       sum->variance[i] + more->variance[i]);
	sum->v[KMA_COUNT_samples] += more->v[KMA_COUNT_samples];
	sum->v[KMA_COUNT_live_samples] += more->v[KMA_COUNT_live_samples];
}

u64 kma_counts_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_counts *counts = row;

	if (column >= KMA_COUNT_ERRORS)
		return kma_standard_error(counts->variance[column - KMA_COUNT_ERRORS]);
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
		    const char *(*name)(struct kma_names *, u32), bool samples)
{
	const struct kma_sort by_label = { .key = { KMA_COUNT_NR }, .nr = 1 };
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_counts counts, *row;
	u32 id;

	snap->names = kma_names_new(t);
	if (!snap->names || kma_snapshot_room(snap, kma_sitetab_rows(t)))
		return -ENOMEM;
	for (id = 0; id < kma_sitetab_rows(t); id++) {
		if (!kma_sitetab_info(t, id) ||
		    (samples && !kma_sitetab_is_sampled(t, id)))
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
