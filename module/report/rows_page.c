// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of page allocations.  See rows_page.h. */
#include <linux/mm.h>
#include <linux/string.h>

#include "../baseline.h"
#include "../core/failure.h"
#include "../core/recycle.h"
#include "../state.h"
#include "rows_page.h"

#define KMA_PAGE_KB	(PAGE_SIZE / 1024)

static void kma_rows_page_set(struct kma_page_counts *counts, enum kma_rows_page_count column,
			      kma_u128 estimate, kma_u128 variance)
{
	counts->v[column] = kma_estimate_round(estimate);
	counts->estimate[column] = estimate;
	counts->variance[column] = variance;
}

/*
 * Set an estimate of a number of allocations (@each is 1), or of the KiB that they take (@each is
 * the KiB of one).
 */
static void kma_rows_page_estimate(struct kma_page_counts *counts,
				   enum kma_rows_page_count column, u64 allocs, u64 each,
				   u64 weight)
{
	kma_rows_page_set(counts, column, kma_weigh(allocs * each, weight),
			  kma_weigh_variance((kma_u128)allocs * each * each, weight));
}

/*
 * Some pages of an allocation may have been freed.  How many pages of each allocation are live
 * is not known, but at most all of them.  So the variance is an upper bound.
 */
static void kma_rows_page_live(struct kma_page_counts *counts, const struct kma_page_raw *raw,
			       unsigned int order, u64 weight)
{
	const u64 kb = raw->live_pages * KMA_PAGE_KB, most = KMA_PAGE_KB << order;

	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_live_allocs, raw->live_allocs, 1, weight);
	kma_rows_page_set(counts, KMA_ROWS_PAGE_live_kb, kma_weigh(kb, weight),
			  kma_weigh_variance((kma_u128)kb * most, weight));
}

static void kma_rows_page_set_cache(struct kma_page_raw *raw, int cache, int shift)
{
	raw->cache = &kma_pagealloc.sites.caches.info[cache];
	raw->shift = shift;
}

static bool kma_rows_page_raw_row(u32 id, struct kma_page_raw *raw)
{
	const struct kma_sitetab *t = &kma_pagealloc.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	struct kma_row *since = &raw->since;

	if (!info)
		return false;
	raw->id = id;
	kma_rows_page_set_cache(raw, info->cache, READ_ONCE(info->shift));
	kma_sitetab_sum(t, id, since);
	raw->live_allocs = kma_row_live(since);
	raw->live_pages = kma_row_live_pages(since, kma_class_order(raw->cache->class));
	if (kma_baseline.page_row)
		kma_row_subtract(since, &kma_baseline.page_row[id]);
	return true;
}

static bool kma_rows_page_raw_past(u32 i, struct kma_page_raw *raw)
{
	const struct kma_sitetab *t = &kma_pagealloc.sites;
	const int cache = i / KMA_PAST_SHIFTS, shift = kma_past_shift(i % KMA_PAST_SHIFTS);
	const struct kma_row *past = kma_recycle_past(t, cache, shift);

	if (!memchr_inv(past, 0, sizeof(*past)))
		return false;
	*raw = (struct kma_page_raw) { .id = t->sites_max + cache, .since = *past };
	kma_rows_page_set_cache(raw, cache, shift);
	return true;
}

u32 kma_rows_page_nr(void)
{
	const struct kma_sitetab *t = &kma_pagealloc.sites;

	return kma_sitetab_rows(t) + (t->past ? t->caches.nr * KMA_PAST_SHIFTS : 0);
}

bool kma_rows_page_raw(u32 i, struct kma_page_raw *raw)
{
	const u32 rows = kma_sitetab_rows(&kma_pagealloc.sites);

	lockdep_assert_held(&kma_lock);
	return i < rows ? kma_rows_page_raw_row(i, raw) : kma_rows_page_raw_past(i - rows, raw);
}

void kma_rows_page_counts(const struct kma_page_raw *raw, struct kma_page_counts *counts)
{
	const unsigned int order = kma_class_order(raw->cache->class);
	const u64 weight = kma_sample_weight(raw->cache->size, raw->shift);
	const struct kma_row *since = &raw->since;

	memset(counts, 0, sizeof(*counts));
	counts->class = raw->cache->class;
	counts->id = raw->id;
	kma_rows_page_live(counts, raw, order, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_hits, since->hits, 1, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_kb, since->hits, KMA_PAGE_KB << order, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_frees, since->frees, 1, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_bulk_allocs, since->bulk, 1, weight);
	if (!kma_rows_page_exact(raw)) {
		counts->samples = since->hits + since->bulk;
		counts->live_samples = raw->live_allocs;
	}
}

void kma_rows_page_add(struct kma_page_counts *sum, const struct kma_page_counts *more)
{
	int i;

	for (i = 0; i < KMA_ROWS_PAGE_ESTIMATES; i++)
		kma_rows_page_set(sum, i, sum->estimate[i] + more->estimate[i],
				  sum->variance[i] + more->variance[i]);
	sum->samples += more->samples;
	sum->live_samples += more->live_samples;
	sum->failed += more->failed;
}

bool kma_rows_page_failed(const struct kma_countmap *t, u32 id, struct kma_page_counts *counts)
{
	const struct kma_countmap_info *info = kma_countmap_info(t, id);
	struct kma_countmap_sum sum = {};
	u64 what;

	lockdep_assert_held(&kma_lock);
	if (!info)
		return false;
	kma_countmap_sum(t, id, &sum);
	what = info->key.word[KMA_FAILURE_WHAT];
	*counts = (struct kma_page_counts) {
		.class = kma_class(kma_failure_shift(what), kma_failure_type(what),
				   kma_failure_gfp(what)),
		.failed = sum.v[KMA_FAILURE_TRACKED],
	};
	return counts->failed;
}
