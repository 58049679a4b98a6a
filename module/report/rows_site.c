// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of counters of objects.  See rows_site.h. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../baseline.h"
#include "../core/recycle.h"
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
	return sum->repaired || !kma_bulk_frees_followed();
}

static void kma_rows_site_set(struct kma_site_counts *counts, enum kma_site_column column,
			      kma_u128 weighed, kma_u128 variance)
{
	counts->v[column] = kma_weighed(weighed);
	counts->weighed[column] = weighed;
	counts->variance[column] = variance;
}

/*
 * Set an estimate of a number of objects (@each is 1), or of the bytes that they take (@each is
 * the bytes of one).
 */
static void kma_rows_site_estimate(struct kma_site_counts *counts, enum kma_site_column column,
				   u64 objects, u64 each, u64 weight)
{
	kma_rows_site_set(counts, column, kma_weigh(objects * each, weight),
			  kma_weigh_variance((kma_u128)objects * each * each, weight));
}

/*
 * The variance needs the sum of the squares of the sizes of all requests.  The sizes are not
 * recorded, but none is larger than @most, so that sum is at most @bytes * @most.
 */
static void kma_rows_site_bytes_req(struct kma_site_counts *counts, u64 bytes, u64 most,
				    u64 weight)
{
	kma_rows_site_set(counts, KMA_COUNT_bytes_req, kma_weigh(bytes, weight),
			  kma_weigh_variance((kma_u128)bytes * most, weight));
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

static void kma_rows_site_live(struct kma_site_counts *counts, u64 live, u32 size, bool suspect,
			       u64 weight)
{
	kma_rows_site_estimate(counts, KMA_COUNT_live_objs, live, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_live_bytes, live, size, weight);
	if (!suspect)
		kma_rows_site_estimate(counts, KMA_COUNT_confirmed_bytes, live, size,
				       weight);
}

static void kma_rows_site_events(struct kma_site_counts *counts, const struct kma_row *since,
				 const struct kma_cache_info *cache, u64 weight)
{
	const u32 size = cache->size;

	kma_rows_site_estimate(counts, KMA_COUNT_hits, since->hits, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_bytes_alloc, since->hits, size, weight);
	if (cache->object_size)
		kma_rows_site_estimate(counts, KMA_COUNT_bytes_req, since->hits,
				       cache->object_size, weight);
	else
		kma_rows_site_bytes_req(counts, since->bytes_req, size, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_frees, since->frees, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_bytes_freed, since->frees, size, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_no_entry, since->no_entry, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_pingpong, since->pingpong, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_cross_node, since->cross_node, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_bulk_objs, since->bulk, 1, weight);
	kma_rows_site_estimate(counts, KMA_COUNT_bulk_bytes, since->bulk, size, weight);
}

static bool kma_rows_site_empty(const struct kma_site_counts *counts)
{
	return !counts->v[KMA_COUNT_hits] && !counts->v[KMA_COUNT_bulk_objs] &&
	       !counts->v[KMA_COUNT_frees] && !counts->v[KMA_COUNT_live_objs];
}

/* Counts of a row, or of rows, whose objects are from one cache and were sampled alike. */
static void kma_rows_site_count(struct kma_site_counts *counts, int cache, int shift,
				const struct kma_row *since, u64 live, bool suspect)
{
	const struct kma_cache_info *info = &kma_core.sites.caches.info[cache];
	const u64 weight = kma_sample_weight(info->size, shift);

	memset(counts, 0, offsetof(struct kma_site_counts, label));
	kma_rows_site_live(counts, live, info->size, suspect, weight);
	kma_rows_site_events(counts, since, info, weight);
	if (shift > KMA_SHIFT_EXACT) {
		counts->v[KMA_COUNT_samples] = since->hits + since->bulk;
		counts->v[KMA_COUNT_live_samples] = live;
	}
}

static bool kma_rows_site_read_row(u32 id, bool samples, struct kma_site_counts *counts)
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);
	struct kma_row since, sum;

	if (!info || (samples && !kma_sitetab_is_sampled(&kma_core.sites, id)))
		return false;
	kma_sitetab_sum(&kma_core.sites, id, &sum);
	since = kma_rows_site_since(id, &sum);
	kma_rows_site_count(counts, info->cache, READ_ONCE(info->shift), &since,
			    kma_row_live(&sum), kma_rows_site_suspect(&sum));
	counts->id = id;
	return !kma_rows_site_empty(counts);
}

static bool kma_rows_site_read_past(u32 i, bool samples, struct kma_site_counts *counts)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const int cache = i / KMA_PAST_SHIFTS, kind = i % KMA_PAST_SHIFTS;
	const int shift = kind ? KMA_SHIFT_MIN + kind - 1 : KMA_SHIFT_EXACT;
	const struct kma_row *past = kma_recycle_past(t, cache, shift);

	/* Without recycled rows, the description of the cache may not be complete yet: skip it. */
	if ((samples && !kind) || !memchr_inv(past, 0, sizeof(*past)))
		return false;
	kma_rows_site_count(counts, cache, shift, past, 0, false);
	counts->id = t->sites_max + cache;
	return !kma_rows_site_empty(counts);
}

u32 kma_rows_site_nr(void)
{
	const struct kma_sitetab *t = &kma_core.sites;

	return kma_sitetab_rows(t) + kma_cachetab_used(&t->caches) * KMA_PAST_SHIFTS;
}

bool kma_rows_site_read(u32 i, bool samples, struct kma_site_counts *counts)
{
	const u32 rows = kma_sitetab_rows(&kma_core.sites);

	lockdep_assert_held(&kma_lock);
	return i < rows ? kma_rows_site_read_row(i, samples, counts) :
			  kma_rows_site_read_past(i - rows, samples, counts);
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
