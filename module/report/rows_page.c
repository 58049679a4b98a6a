// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of page allocations.  See rows_page.h. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "../baseline.h"
#include "../state.h"
#include "rows_page.h"

#define KMA_PAGE_KB	(PAGE_SIZE / 1024)

bool kma_rows_page_exact(u32 id)
{
	return !kma_sitetab_is_sampled(&kma_pagealloc.sites, id);
}

static void kma_rows_page_set(struct kma_page_counts *counts, enum kma_rows_page_count column,
			      kma_u128 weighed, kma_u128 variance)
{
	counts->v[column] = kma_weighed(weighed);
	counts->weighed[column] = weighed;
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
static void kma_rows_page_live(struct kma_page_counts *counts, const struct kma_row *sum,
			       unsigned int order, u64 weight)
{
	const u64 allocs = kma_row_live(sum);
	const u64 pages = ((sum->hits + sum->bulk - sum->no_entry) << order) -
			  kma_row_pages_gone(sum);
	const u64 kb = pages * KMA_PAGE_KB, most = KMA_PAGE_KB << order;

	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_live_allocs, allocs, 1, weight);
	kma_rows_page_set(counts, KMA_ROWS_PAGE_live_kb, kma_weigh(kb, weight),
			  kma_weigh_variance((kma_u128)kb * most, weight));
}

/* Reduce the counters of a row to what they have counted since the last reset. */
static void kma_rows_page_since(u32 id, struct kma_row *sum)
{
	const struct kma_row *base = &kma_baseline.page_row[id];

	if (!kma_baseline.page_row)
		return;
	sum->hits -= base->hits;
	sum->frees -= base->frees;
	sum->bulk -= base->bulk;
}

void kma_rows_page_read(u32 id, struct kma_page_counts *counts)
{
	const struct kma_sitetab *t = &kma_pagealloc.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	const struct kma_cache_info *cache = &t->caches.info[info->cache];
	const unsigned int order = kma_class_order(cache->class);
	const u64 weight = kma_sample_weight(cache->size, READ_ONCE(info->shift));
	struct kma_row sum;
	u64 live;

	lockdep_assert_held(&kma_lock);
	memset(counts, 0, offsetof(struct kma_page_counts, label));
	counts->class = cache->class;
	kma_sitetab_sum(t, id, &sum);
	live = kma_row_live(&sum);
	kma_rows_page_live(counts, &sum, order, weight);
	kma_rows_page_since(id, &sum);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_hits, sum.hits, 1, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_kb, sum.hits, KMA_PAGE_KB << order, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_frees, sum.frees, 1, weight);
	kma_rows_page_estimate(counts, KMA_ROWS_PAGE_bulk_allocs, sum.bulk, 1, weight);
	if (!kma_rows_page_exact(id)) {
		counts->samples = sum.hits + sum.bulk;
		counts->live_samples = live;
	}
}

void kma_rows_page_add(struct kma_page_counts *sum, const struct kma_page_counts *more)
{
	int i;

	for (i = 0; i < KMA_ROWS_PAGE_ESTIMATES; i++)
		kma_rows_page_set(sum, i, sum->weighed[i] + more->weighed[i],
				  sum->variance[i] + more->variance[i]);
	sum->samples += more->samples;
	sum->live_samples += more->live_samples;
}
