// SPDX-License-Identifier: GPL-2.0
/* Counts of objects, computed from the recorded rows.  See sitecount.h. */
#include <linux/string.h>

#include "sitecount.h"
#include "state.h"

/* The last columns are the standard errors, in the order of the columns they belong to. */
static_assert(KMA_COUNT_live_bytes == 0);
static_assert(KMA_COUNT_confirmed_bytes == KMA_COUNT_ESTIMATES - 1);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_frees == KMA_COUNT_frees_se);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_pingpong == KMA_COUNT_pingpong_se);
static_assert(KMA_COUNT_ERRORS + KMA_COUNT_confirmed_bytes == KMA_COUNT_CHANGES_ERRORS - 1);
static_assert(KMA_COUNT_CHANGES + KMA_WINDOWS == KMA_COUNT_ERRORS);
static_assert(KMA_COUNT_CHANGES_ERRORS + KMA_WINDOWS == KMA_COUNT_NR);

void kma_sitecount_raw_set(struct kma_sitecount_raw *raw, int cache, int shift)
{
	raw->cache = &kma_core.sites.caches.info[cache];
	raw->weight = kma_sample_weight(raw->cache->size, shift);
	raw->sampled = shift > KMA_SHIFT_EXACT;
}

/* The number of objects that a column counts, or whose bytes it adds up. */
static u64 kma_sitecount_objects(const struct kma_sitecount_raw *raw, enum kma_site_column column)
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

/* The number that each of these objects adds to the column. */
static u64 kma_sitecount_each(const struct kma_sitecount_raw *raw, enum kma_site_column column)
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
static bool kma_sitecount_differs(const struct kma_sitecount_raw *raw, enum kma_site_column column)
{
	return column == KMA_COUNT_bytes_req && !raw->cache->object_size;
}

/* Return: the estimate before it is rounded: kma_weigh(). */
static kma_u128 kma_sitecount_weighed(const struct kma_sitecount_raw *raw,
				      enum kma_site_column column)
{
	u64 n = kma_sitecount_differs(raw, column) ? raw->since.bytes_req :
		kma_sitecount_objects(raw, column) * kma_sitecount_each(raw, column);

	return kma_weigh(n, raw->weight);
}

/*
 * The variance needs the sum of the squares of the sizes.  Those of all requests are not recorded,
 * but none is larger than the cache's objects, so that sum is at most their bytes times this size.
 */
static kma_u128 kma_sitecount_variance(const struct kma_sitecount_raw *raw,
				       enum kma_site_column column)
{
	const u64 each = kma_sitecount_each(raw, column);

	if (kma_sitecount_differs(raw, column))
		return kma_weigh_variance((kma_u128)raw->since.bytes_req * raw->cache->size,
					  raw->weight);
	return kma_weigh_variance((kma_u128)kma_sitecount_objects(raw, column) * each * each,
				  raw->weight);
}

static void kma_sitecount_set(struct kma_site_counts *counts, enum kma_site_column column,
			      kma_u128 estimate, kma_u128 variance)
{
	counts->v[column] = kma_estimate_round(estimate);
	counts->estimate[column] = estimate;
	counts->variance[column] = variance;
}

void kma_sitecount_read(struct kma_site_counts *counts, const struct kma_sitecount_raw *raw)
{
	int column;

	for (column = 0; column < KMA_COUNT_ESTIMATES; column++)
		kma_sitecount_set(counts, column, kma_sitecount_weighed(raw, column),
				  kma_sitecount_variance(raw, column));
	counts->v[KMA_COUNT_samples] = raw->sampled ? raw->since.hits + raw->since.bulk : 0;
	counts->v[KMA_COUNT_live_samples] = raw->sampled ? raw->live : 0;
	memset(counts->change, 0, sizeof(counts->change));
	counts->id = raw->id;
}

void kma_sitecount_add(struct kma_site_counts *sum, const struct kma_site_counts *more)
{
	int i;

	for (i = 0; i < KMA_COUNT_ESTIMATES; i++)
		kma_sitecount_set(sum, i, sum->estimate[i] + more->estimate[i],
				  sum->variance[i] + more->variance[i]);
	sum->v[KMA_COUNT_samples] += more->v[KMA_COUNT_samples];
	sum->v[KMA_COUNT_live_samples] += more->v[KMA_COUNT_live_samples];
	for (i = 0; i < KMA_WINDOWS; i++) {
		sum->change[i].kib += more->change[i].kib;
		sum->change[i].variance += more->change[i].variance;
	}
}
