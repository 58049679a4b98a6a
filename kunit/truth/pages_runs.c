// SPDX-License-Identifier: GPL-2.0
/* Scenarios: page allocations of all kinds, and the pieces in which they are freed. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "truth_compat.h"
#include "pages_account.h"
#include "pages_runs.h"
#include "pages_sites.h"

#define TRUTH_ORDERS	11

/* Flags for each migrate type, and for a compound page. */
static const gfp_t truth_gfps[] = {
	GFP_KERNEL | __GFP_NOWARN,
	GFP_KERNEL | __GFP_NOWARN | __GFP_MOVABLE,
	GFP_KERNEL | __GFP_NOWARN | __GFP_RECLAIMABLE,
	GFP_NOWAIT | __GFP_NOWARN | __GFP_COMP,
};

static int truth_run_one(const struct truth_page_site *site, unsigned int order, gfp_t gfp)
{
	struct page *page = site->alloc(order, gfp);

	return page ? truth_note_alloc(page, site->function, order, gfp, false) : -ENOMEM;
}

/* All orders and flags, at each of three call sites; every third allocation is freed again. */
int truth_run_blocks(void)
{
	unsigned int order;
	int i, site, ret = 0;

	for (order = 0; order < TRUTH_ORDERS; order++) {
		for (i = 0; !ret && i < ARRAY_SIZE(truth_gfps); i++) {
			for (site = 0; !ret && site < ARRAY_SIZE(truth_page_sites); site++)
				ret = truth_run_one(&truth_page_sites[site], order,
						    truth_gfps[i]);
			if (!ret)
				truth_free(truth_nr_pieces - 1);
		}
	}
	return ret;
}

/* Split two page allocations and free a part of each; one loses its first page. */
int truth_run_split(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct truth_kind *kind;
	struct page *page;
	int i, k;

	for (i = 0; i < 2; i++) {
		page = truth_alloc_pages(3, gfp);
		if (!page)
			return -ENOMEM;
		kind = truth_note("truth_alloc_pages", 3, gfp, false);
		if (!kind)
			return -ENOSPC;
		split_page(page, 3);
		for (k = 0; k < 8; k++)
			truth_note_piece(page + k, 0, kind, !k);
		truth_free(truth_nr_pieces - 8 + i);
		truth_free(truth_nr_pieces - 3);
	}
	return 0;
}

/* For 12 KiB, alloc_pages_exact() allocates 16 KiB and frees the last page. */
int truth_run_exact(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	void *mem = truth_alloc_pages_exact(3 * PAGE_SIZE, gfp);
	struct truth_kind *kind;
	int k;

	if (!mem)
		return -ENOMEM;
	kind = truth_note("truth_alloc_pages_exact", 2, gfp, false);
	for (k = 0; kind && k < 3; k++)
		truth_note_piece(virt_to_page(mem) + k, 0, kind, !k);
	return kind ? 0 : -ENOSPC;
}

/*
 * Find two single pages that can be freed as one allocation of order 1, among the pieces
 * from @from on.  Return: index of the first one, or -EAGAIN.
 */
static int truth_halves(int from, int *second)
{
	int i, k;

	for (i = from; i < truth_nr_pieces; i++)
		for (k = from; k < truth_nr_pieces; k++)
			if (truth_piece[k].page == truth_piece[i].page + 1 &&
			    !(page_to_pfn(truth_piece[i].page) & 1)) {
				*second = k;
				return i;
			}
	return -EAGAIN;
}

/* While memory is fragmented, no two pages from the CPU's free lists may be neighbours. */
#define TRUTH_TRIES	32

static int truth_take_halves(int *second)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	int i, tries, ret = 0, first = -EAGAIN, from = truth_nr_pieces;

	for (tries = 0; first < 0 && tries < TRUTH_TRIES; tries++) {
		for (i = 0; !ret && i < 64; i++)
			ret = truth_run_one(&truth_page_sites[i % 2], 0, gfp);
		if (ret)
			return ret;
		first = truth_halves(from, second);
	}
	return first;
}

/* Free two single pages, perhaps of two call sites, as one allocation of order 1. */
int truth_run_larger(void)
{
	int second, first = truth_take_halves(&second);
	struct page *page;

	if (first < 0)
		return first;
	page = truth_piece[first].page;
	/*
	 * Free the piece with the higher index first, because the last piece takes the index of a
	 * deleted one.
	 */
	truth_forget(max(first, second));
	truth_forget(min(first, second));
	set_page_count(page + 1, 0);
	__free_pages(page, 1);
	return 0;
}

int truth_run_bulk(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct page *page[TRUTH_BULK] = {};
	unsigned long i, nr = truth_alloc_bulk(gfp, TRUTH_BULK, page);
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = truth_note_alloc(page[i], "truth_alloc_bulk", 0, gfp, true);
	return ret;
}

int truth_run_list(void)
{
#ifdef KMA_HAVE_ALLOC_PAGES_LIST
	struct page *page, *next;
	LIST_HEAD(list);

	if (!alloc_pages_bulk_list(GFP_KERNEL, TRUTH_BULK, &list))
		return -ENOMEM;
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

/* Allocate from the lowest 16 MiB only, which are soon used up. */
#define TRUTH_SCARCE	(__GFP_DMA | __GFP_NORETRY | __GFP_NOWARN)

/* Allocate scarce pages until that fails, and keep them. */
static int truth_exhaust(const struct truth_page_site *site, unsigned int order)
{
	struct truth_kind *kind = truth_kind_of(site->function, order, TRUTH_SCARCE);
	int ret;

	do {
		ret = truth_run_one(site, order, TRUTH_SCARCE);
	} while (!ret);
	if (!kind || ret != -ENOMEM)
		return -ENOSPC;
	kind->failed++;
	return 0;
}

/* The order of allocations in truth_run_fail_often(). */
#define TRUTH_FAIL_ORDER	3

int truth_run_fail(void)
{
	unsigned int order;
	int site, ret = 0;

	for (order = TRUTH_ORDERS - 1; !ret && order > TRUTH_ORDERS - 4; order--)
		for (site = 0; !ret && site < ARRAY_SIZE(truth_page_sites); site++)
			ret = truth_exhaust(&truth_page_sites[site], order);
	return ret;
}

/* Count @times allocations that fail. */
static int truth_fail_often(const struct truth_page_site *site, unsigned int order, gfp_t gfp,
			    int times)
{
	struct truth_kind *kind = truth_kind_of(site->function, order, gfp);
	int ret;

	if (!kind)
		return -ENOSPC;
	for (; times; times--) {
		ret = truth_run_one(site, order, gfp);
		if (ret != -ENOMEM)
			return ret ?: -EPROTO;
		kind->failed++;
	}
	return 0;
}

int truth_run_fail_often(void)
{
	const struct truth_page_site *site = truth_page_sites;
	int ret = truth_exhaust(&site[0], TRUTH_FAIL_ORDER);

	return ret ?: truth_fail_often(&site[0], TRUTH_FAIL_ORDER, TRUTH_SCARCE, 6) ?:
	       truth_fail_often(&site[0], TRUTH_FAIL_ORDER, TRUTH_SCARCE & ~__GFP_NOWARN, 5) ?:
	       truth_fail_often(&site[1], TRUTH_FAIL_ORDER + 1, TRUTH_SCARCE, 4);
}

void *truth_area;

int truth_run_vmalloc(void)
{
	if (truth_area)
		return -EBUSY;
	truth_area = truth_vmalloc(TRUTH_AREA);
	return truth_area ? 0 : -ENOMEM;
}

int truth_run_drop(void)
{
	while (truth_nr_pieces)
		truth_free(truth_nr_pieces - 1);
	vfree(truth_area);
	truth_area = NULL;
	return 0;
}
