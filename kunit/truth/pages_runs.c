// SPDX-License-Identifier: GPL-2.0
/* Blocks of all kinds: how they are allocated, and in which pieces they are freed. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "truth_compat.h"
#include "pages_account.h"
#include "pages_runs.h"
#include "pages_sites.h"

#define TRUTH_ORDERS	11

/* One of each migrate type, and one that is a compound page. */
static const gfp_t truth_gfps[] = {
	GFP_KERNEL | __GFP_NOWARN,
	GFP_KERNEL | __GFP_NOWARN | __GFP_MOVABLE,
	GFP_KERNEL | __GFP_NOWARN | __GFP_RECLAIMABLE,
	GFP_NOWAIT | __GFP_NOWARN | __GFP_COMP,
};

static int truth_run_one(const struct truth_way *way, unsigned int order, gfp_t gfp)
{
	struct page *page = way->alloc(order, gfp);

	return page ? truth_note_block(page, way->function, order, gfp, false) : -ENOMEM;
}

/* All orders and types by each call site; the third block is freed again. */
int truth_run_blocks(void)
{
	unsigned int order;
	int i, way, ret = 0;

	for (order = 0; order < TRUTH_ORDERS; order++) {
		for (i = 0; !ret && i < ARRAY_SIZE(truth_gfps); i++) {
			for (way = 0; !ret && way < ARRAY_SIZE(truth_ways); way++)
				ret = truth_run_one(&truth_ways[way], order,
						    truth_gfps[i]);
			if (!ret)
				truth_free(truth_nr_pieces - 1);
		}
	}
	return ret;
}

/* Two blocks are split and partly freed, one of them with its first page. */
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

/* For twelve KiB the allocator takes a block of sixteen, and frees the last page. */
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

/* Find two single pages that could be one block, among the pieces from @from on. */
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

/* Where memory is fragmented, it takes more pages than the CPU's lists have. */
#define TRUTH_TRIES	32

static int truth_take_halves(int *second)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	int i, tries, ret = 0, first = -EAGAIN, from = truth_nr_pieces;

	for (tries = 0; first < 0 && tries < TRUTH_TRIES; tries++) {
		for (i = 0; !ret && i < 64; i++)
			ret = truth_run_one(&truth_ways[i % 2], 0, gfp);
		if (ret)
			return ret;
		first = truth_halves(from, second);
	}
	return first;
}

/* Two single pages, perhaps of two call sites, are freed as one block. */
int truth_run_larger(void)
{
	int second, first = truth_take_halves(&second);
	struct page *page;

	if (first < 0)
		return first;
	page = truth_piece[first].page;
	/* The higher number first: the last piece takes the number of the forgotten one. */
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
		ret = truth_note_block(page[i], "truth_alloc_bulk", 0, gfp, true);
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

/* From the lowest 16 MiB and from nowhere else: they are soon used up. */
#define TRUTH_SCARCE	(__GFP_DMA | __GFP_NORETRY | __GFP_NOWARN)

/* Allocate scarce blocks until it fails, and keep them. */
static int truth_exhaust(const struct truth_way *way, unsigned int order)
{
	struct truth_kind *kind = truth_kind_of(way->function, order, TRUTH_SCARCE);
	int ret;

	do {
		ret = truth_run_one(way, order, TRUTH_SCARCE);
	} while (!ret);
	if (!kind || ret != -ENOMEM)
		return -ENOSPC;
	kind->failed++;
	return 0;
}

int truth_run_fail(void)
{
	unsigned int order;
	int way, ret = 0;

	for (order = TRUTH_ORDERS - 1; !ret && order > TRUTH_ORDERS - 4; order--)
		for (way = 0; !ret && way < ARRAY_SIZE(truth_ways); way++)
			ret = truth_exhaust(&truth_ways[way], order);
	return ret;
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
