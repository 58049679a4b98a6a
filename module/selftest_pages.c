// SPDX-License-Identifier: GPL-2.0
/* The paths of pages that the self-test tries.  See selftest_pages.h. */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "compat.h"
#include "selftest_pages.h"
#include "state.h"
#include "trace/page.h"
#include "trace/page_bulk.h"
#include "witness.h"

#define KMA_SELFTEST_PAGE_EVENTS	32

/* The page allocations of a step.  @lost: there were more.  Protected by kma_lock. */
static struct {
	int nr;
	bool lost;
	struct {
		const struct kma_pfn *f;
		struct kma_page_event ev;
	} event[KMA_SELFTEST_PAGE_EVENTS];
} kma_selftest_page_log;

static void kma_selftest_page_heard(const struct kma_pfn *f, const struct kma_page_event *ev)
{
	const int nr = kma_selftest_page_log.nr;

	if (nr == KMA_SELFTEST_PAGE_EVENTS) {
		kma_selftest_page_log.lost = true;
		return;
	}
	kma_selftest_page_log.event[nr].f = f;
	kma_selftest_page_log.event[nr].ev = *ev;
	kma_selftest_page_log.nr++;
}

static void kma_selftest_page_listen(bool on)
{
	if (on) {
		kma_selftest_page_log.nr = 0;
		kma_selftest_page_log.lost = false;
	}
	kma_page_listen(on ? kma_selftest_page_heard : NULL);
}

/* Test that one allocation of @page was seen, and that it was right. */
static const char *kma_selftest_page_allocated(const struct page *page, unsigned int order,
					       bool bulk)
{
	const struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page));
	const struct kma_page_event *ev = NULL;
	int i, nr = 0;

	/* Pages of memory that was added late may have no records. */
	if (!f || kma_selftest_page_log.lost)
		return kma_witness_untested;
	for (i = 0; i < kma_selftest_page_log.nr; i++) {
		if (kma_selftest_page_log.event[i].f != f)
			continue;
		ev = &kma_selftest_page_log.event[i].ev;
		nr++;
	}
	if (!nr)
		return "the allocation was not seen";
	if (nr > 1)
		return "the allocation was seen more than once";
	if (ev->bulk != bulk)
		return "the allocation was seen by another probe";
	if (ev->order != order || kma_class_order(ev->class) != order)
		return "the allocation has the wrong order";
	return (kma_class_gfp(ev->class) & (__force u32)KMA_WITNESS_GFP) ==
	       (__force u32)KMA_WITNESS_GFP ? NULL : "the allocation has the wrong gfp flags";
}

/* ---- the records of pages --------------------------------------------------- */

static u32 kma_selftest_page_row(void)
{
	return kma_pagealloc.sites.sites_max;
}

/* Make records of the pages of an allocation. */
static void kma_selftest_page_put(const struct page *page, unsigned int order)
{
	struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page));
	const u32 what = kma_selftest_page_row() + 1;
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		kma_pfn_describe(f + i, KMA_OWNER_NONE);
		kma_pfn_set(f + i, i ? what | KMA_PFN_REST : what);
	}
}

/* Test that the free of pages was recorded, and set the counters of the row to 0. */
static const char *kma_selftest_page_freed(const struct page *page, unsigned int order)
{
	struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page));
	const u64 rest = (1U << order) - 1;
	const u32 row = kma_selftest_page_row();
	struct kma_row sum;
	unsigned int i;
	int cpu;

	kma_sitetab_sum(&kma_pagealloc.sites, row, &sum);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(kma_pagealloc.sites.row[row], cpu), 0, sizeof(struct kma_row));
	/* Outside of the self-test, these pages have no record: count their free as such. */
	kma_stat_add(page_frees_only, sum.frees);
	kma_stat_add(pages_free_only, sum.frees + sum.rest_freed);
	if (sum.frees == 1 && sum.rest_freed == rest)
		return NULL;
	/* Nothing else changes these records, because frees of pages are not seen. */
	for (i = 0; i <= rest; i++)
		kma_pfn_clear(f + i);
	return "the free was not seen";
}

/* ---- the paths ------------------------------------------------------------- */

static const char *kma_selftest_pages_of(unsigned int order)
{
	struct page *page;
	const char *wrong;

	kma_selftest_page_listen(true);
	page = alloc_pages(KMA_WITNESS_GFP, order);
	kma_selftest_page_listen(false);
	if (!page)
		return kma_witness_untested;
	wrong = kma_selftest_page_allocated(page, order, false);
	if (!wrong)
		kma_selftest_page_put(page, order);
	__free_pages(page, order);
	return wrong ?: kma_selftest_page_freed(page, order);
}

const char *kma_selftest_pages(void)
{
	return kma_selftest_pages_of(0) ?: kma_selftest_pages_of(2);
}

#ifdef KMA_ALLOC_PAGES_BULK
#define KMA_SELFTEST_PAGES_NR	4

const char *kma_selftest_page_bulk(void)
{
	struct page *page[KMA_SELFTEST_PAGES_NR] = {};
	const char *wrong = NULL;
	int i, nr;

	if (!kma_page_bulk_followed())
		return kma_witness_untested;
	kma_selftest_page_listen(true);
	nr = kma_alloc_pages_bulk(KMA_WITNESS_GFP, KMA_SELFTEST_PAGES_NR, page);
	kma_selftest_page_listen(false);
	for (i = 0; !wrong && i < nr; i++)
		wrong = kma_selftest_page_allocated(page[i], 0, true);
	for (i = 0; i < nr; i++)
		__free_page(page[i]);
	/* If the CPU's lists are empty, the function gets a single page, which has an event. */
	return nr < 2 ? kma_witness_untested : wrong;
}
#else
const char *kma_selftest_page_bulk(void)
{
	return kma_witness_untested;
}
#endif
