// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of counters of objects.  See rows_site.h. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../baseline.h"
#include "../core/recycle.h"
#include "../selftest.h"
#include "../state.h"
#include "../trace/bulk.h"
#include "rows_site.h"

/* The last columns are the standard errors, in the order of the columns they belong to. */
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
	/* Keep 100,000 * waste below 2^64.  This changes the quotient by less than 2^-45. */
	while (bytes_alloc >> 46) {
		bytes_alloc >>= 1;
		waste >>= 1;
	}
	return div64_u64(100000 * waste + bytes_alloc / 2, bytes_alloc);
}

/*
 * Whether the free of an object of this row was missed, or may have been missed.  If so, fewer
 * objects may be live than are counted.
 */
static bool kma_rows_site_suspect(const struct kma_row *sum)
{
	return sum->repaired || !kma_bulk_frees_followed() || kma_selftest_doubts();
}

/**
 * struct kma_rows_site_raw - what was recorded of objects of one cache that were sampled alike
 * @id: number of the row, as in struct kma_site_counts
 * @sampled: they were sampled, rather than all recorded
 * @since: what was counted since the last reset; a sample counts as one
 * @live: live records
 * @confirmed: those that are certainly live
 * @cache: the cache
 * @weight: weight of each sample
 */
struct kma_rows_site_raw {
	u32 id;
	bool sampled;
	struct kma_row since;
	u64 live;
	u64 confirmed;
	const struct kma_cache_info *cache;
	u64 weight;
};

/* The number of objects that a column counts, or whose bytes it adds up. */
static u64 kma_rows_site_objects(const struct kma_rows_site_raw *raw, enum kma_site_column column)
{
	const struct kma_row *since = &raw->since;

	switch (column) {
	case KMA_COUNT_live_bytes:
	case KMA_COUNT_live_objs:
		return raw->live;
	case KMA_COUNT_confirmed_bytes:
		return raw->confirmed;
	case KMA_COUNT_objs_alloc:
		return since->hits + since->bulk;
	case KMA_COUNT_frees:
	case KMA_COUNT_bytes_freed:
		return since->frees;
	case KMA_COUNT_no_entry:
		return since->no_entry;
	case KMA_COUNT_pingpong:
		return since->pingpong;
	case KMA_COUNT_cross_node:
		return since->cross_node;
	case KMA_COUNT_bulk_objs:
	case KMA_COUNT_bulk_bytes:
		return since->bulk;
	default:
		return since->hits;
	}
}

/* What each of these objects adds to the column. */
static u64 kma_rows_site_each(const struct kma_rows_site_raw *raw, enum kma_site_column column)
{
	switch (column) {
	case KMA_COUNT_live_bytes:
	case KMA_COUNT_confirmed_bytes:
	case KMA_COUNT_bytes_alloc:
	case KMA_COUNT_bytes_freed:
	case KMA_COUNT_bulk_bytes:
		return raw->cache->size;
	case KMA_COUNT_bytes_req:
		return raw->cache->object_size;
	default:
		return 1;
	}
}

/* Test for a column whose objects do not all add the same: bytes_req of kmalloc(). */
static bool kma_rows_site_differs(const struct kma_rows_site_raw *raw, enum kma_site_column column)
{
	return column == KMA_COUNT_bytes_req && !raw->cache->object_size;
}

static kma_u128 kma_rows_site_weighed(const struct kma_rows_site_raw *raw,
				      enum kma_site_column column)
{
	u64 n = kma_rows_site_differs(raw, column) ? raw->since.bytes_req :
		kma_rows_site_objects(raw, column) * kma_rows_site_each(raw, column);

	return kma_weigh(n, raw->weight);
}

/*
 * The variance needs the sum of the squares of the sizes.  Those of all requests are not recorded,
 * but none is larger than the cache's objects, so that sum is at most their bytes times this size.
 */
static kma_u128 kma_rows_site_variance(const struct kma_rows_site_raw *raw,
				       enum kma_site_column column)
{
	const u64 each = kma_rows_site_each(raw, column);

	if (kma_rows_site_differs(raw, column))
		return kma_weigh_variance((kma_u128)raw->since.bytes_req * raw->cache->size,
					  raw->weight);
	return kma_weigh_variance((kma_u128)kma_rows_site_objects(raw, column) * each * each,
				  raw->weight);
}

static void kma_rows_site_set(struct kma_site_counts *counts, enum kma_site_column column,
			      kma_u128 weighed, kma_u128 variance)
{
	counts->v[column] = kma_weighed(weighed);
	counts->weighed[column] = weighed;
	counts->variance[column] = variance;
}

/* What the counters of a row have counted since the last reset. */
static struct kma_row kma_rows_site_since(u32 id, const struct kma_row *sum)
{
	struct kma_row since = *sum;
	const struct kma_row *base = &kma_baseline.row[id];

	if (!kma_baseline.row)
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

static void kma_rows_site_set_cache(struct kma_rows_site_raw *raw, int cache, int shift)
{
	raw->cache = &kma_core.sites.caches.info[cache];
	raw->weight = kma_sample_weight(raw->cache->size, shift);
	raw->sampled = shift > KMA_SHIFT_EXACT;
}

static bool kma_rows_site_read_row(u32 id, struct kma_rows_site_raw *raw)
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);
	struct kma_row sum;

	if (!info)
		return false;
	kma_sitetab_sum(&kma_core.sites, id, &sum);
	raw->id = id;
	raw->since = kma_rows_site_since(id, &sum);
	raw->live = kma_row_live(&sum);
	raw->confirmed = kma_rows_site_suspect(&sum) ? 0 : raw->live;
	kma_rows_site_set_cache(raw, info->cache, READ_ONCE(info->shift));
	return true;
}

/* The shift of one of the KMA_PAST_SHIFTS sets of counters of recycled rows that a cache has. */
static int kma_rows_site_past_shift(int kind)
{
	return kind ? KMA_SHIFT_MIN + kind - 1 : KMA_SHIFT_EXACT;
}

static bool kma_rows_site_read_past(u32 i, struct kma_rows_site_raw *raw)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const int cache = i / KMA_PAST_SHIFTS;
	const int shift = kma_rows_site_past_shift(i % KMA_PAST_SHIFTS);
	const struct kma_row *past = kma_recycle_past(t, cache, shift);

	/* Without recycled rows, the description of the cache may not be complete yet: skip it. */
	if (!memchr_inv(past, 0, sizeof(*past)))
		return false;
	*raw = (struct kma_rows_site_raw) { .id = t->sites_max + cache, .since = *past };
	kma_rows_site_set_cache(raw, cache, shift);
	return true;
}

static bool kma_rows_site_empty(const struct kma_rows_site_raw *raw)
{
	return !raw->since.hits && !raw->since.bulk && !raw->since.frees && !raw->live;
}

/* Read row @i of kma_rows_site_nr().  Return false if the tables leave it out. */
static bool kma_rows_site_read_raw(u32 i, bool samples, struct kma_rows_site_raw *raw)
{
	const u32 rows = kma_sitetab_rows(&kma_core.sites);

	lockdep_assert_held(&kma_lock);
	if (!(i < rows ? kma_rows_site_read_row(i, raw) : kma_rows_site_read_past(i - rows, raw)))
		return false;
	return !kma_rows_site_empty(raw) && (!samples || raw->sampled);
}

u32 kma_rows_site_nr(void)
{
	const struct kma_sitetab *t = &kma_core.sites;

	return kma_sitetab_rows(t) + kma_cachetab_used(&t->caches) * KMA_PAST_SHIFTS;
}

bool kma_rows_site_recorded(u32 i, struct kma_row *since, u64 *live)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const u32 rows = kma_sitetab_rows(t);
	struct kma_row sum;

	lockdep_assert_held(&kma_lock);
	*live = 0;
	if (i >= rows) {
		i -= rows;
		*since = *kma_recycle_past(t, i / KMA_PAST_SHIFTS,
					   kma_rows_site_past_shift(i % KMA_PAST_SHIFTS));
		return true;
	}
	if (!kma_sitetab_info(t, i))
		return false;
	kma_sitetab_sum(t, i, &sum);
	*since = kma_rows_site_since(i, &sum);
	*live = kma_row_live(&sum);
	return true;
}

bool kma_rows_site_read(u32 i, bool samples, struct kma_site_counts *counts)
{
	struct kma_rows_site_raw raw;
	int column;

	if (!kma_rows_site_read_raw(i, samples, &raw))
		return false;
	for (column = 0; column < KMA_COUNT_ESTIMATES; column++)
		kma_rows_site_set(counts, column, kma_rows_site_weighed(&raw, column),
				  kma_rows_site_variance(&raw, column));
	counts->v[KMA_COUNT_samples] = raw.sampled ? raw.since.hits + raw.since.bulk : 0;
	counts->v[KMA_COUNT_live_samples] = raw.sampled ? raw.live : 0;
	counts->id = raw.id;
	return true;
}

bool kma_rows_site_read_column(u32 i, bool samples, int column, u32 *id, kma_u128 *weighed)
{
	struct kma_rows_site_raw raw;

	if (!kma_rows_site_read_raw(i, samples, &raw))
		return false;
	*id = raw.id;
	*weighed = kma_rows_site_weighed(&raw, column);
	return true;
}

void kma_rows_site_add(struct kma_site_counts *sum, const struct kma_site_counts *more)
{
	int i;

	for (i = 0; i < KMA_COUNT_ESTIMATES; i++)
		kma_rows_site_set(sum, i, sum->weighed[i] + more->weighed[i],
				  sum->variance[i] + more->variance[i]);
	sum->v[KMA_COUNT_samples] += more->v[KMA_COUNT_samples];
	sum->v[KMA_COUNT_live_samples] += more->v[KMA_COUNT_live_samples];
}

u64 kma_rows_site_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_site_counts *counts = row;

	if (column >= KMA_COUNT_ERRORS)
		return kma_standard_error(counts->variance[column - KMA_COUNT_ERRORS]);
	if (column == KMA_COUNT_frag_pct)
		return kma_frag_milli(counts->v[KMA_COUNT_bytes_req],
				      counts->v[KMA_COUNT_bytes_alloc]);
	return counts->v[column];
}

const char *kma_rows_site_label(const struct kma_snapshot *snap, const void *row)
{
	const struct kma_site_counts *counts = row;

	return counts->label;
}

void kma_rows_site_merge(struct kma_snapshot *snap)
{
	const struct kma_sort by_label = { .key = { KMA_COUNT_NR }, .nr = 1 };
	struct kma_site_counts *row = snap->rows;
	size_t i, nr = 0;

	kma_snapshot_sort(snap, &by_label);
	for (i = 0; i < snap->nr_rows; i++) {
		if (nr && !strcmp(row[nr - 1].label, row[i].label))
			kma_rows_site_add(&row[nr - 1], &row[i]);
		else
			row[nr++] = row[i];
		cond_resched();
	}
	snap->nr_rows = nr;
}

/* A look-up takes long, so the counters of all rows have been copied before. */
static int kma_rows_site_name(struct kma_snapshot *snap,
			      const char *(*name)(struct kma_names *, u32))
{
	struct kma_site_counts *row = snap->rows;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < snap->nr_rows; i++) {
		row[i].label = name(snap->names, row[i].id);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

int kma_rows_site_fill(struct kma_snapshot *snap,
		       const char *(*name)(struct kma_names *, u32), bool samples)
{
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_site_counts counts, *row;
	u32 i, nr = kma_rows_site_nr();

	snap->names = kma_names_new(t);
	if (!snap->names || kma_snapshot_room(snap, nr))
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		cond_resched();
		if (!kma_rows_site_read(i, samples, &counts))
			continue;
		row = kma_snapshot_add(snap);
		*row = counts;
	}
	return kma_rows_site_name(snap, name);
}
