// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that wake kswapd and kcompactd, and do not wait for them.
 *
 * They are from the lowest 16 MiB (ZONE_DMA), which hardly anything else uses.  `fragment` takes
 * all of this memory in blocks of 32 KiB, and frees every other one.  Then nearly half of it is
 * free, but there is no large block, so that `wake` asks for one in vain.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "pages_account.h"
#include "pages_runs.h"
#include "pages_sites.h"

/* The order of the blocks, and those of the allocations that wake. */
#define TRUTH_SMALL	3
#define TRUTH_LARGE	7
#define TRUTH_LARGEST	9

#define TRUTH_WAKES	(GFP_NOWAIT | __GFP_DMA | __GFP_NOWARN)
/* Attempts of one `wake` for each order.  With as many failures, kswapd gives up. */
#define TRUTH_ATTEMPTS	8

int truth_run_fragment(void)
{
	/* Below the watermarks, too.  What is left there would be a large block. */
	const gfp_t gfp = __GFP_DMA | __GFP_MEMALLOC | __GFP_NORETRY | __GFP_NOWARN;
	const int from = truth_nr_pieces;
	struct page *page;
	int i, ret = 0;

	while (!ret && (page = truth_alloc_pages(TRUTH_SMALL, gfp)))
		ret = truth_note_alloc(page, "truth_alloc_pages", TRUTH_SMALL, gfp, false);
	/* From the last one on, because the last piece takes the index of one that is freed. */
	for (i = truth_nr_pieces - 1; i >= from; i--)
		if (page_to_pfn(truth_piece[i].page) >> TRUTH_SMALL & 1)
			truth_free(i);
	return ret;
}

/* Allocate and free one block, at the call site @site. */
static void truth_attempt(const struct truth_page_site *site, unsigned int order)
{
	struct page *page = site->alloc(order, TRUTH_WAKES);

	if (page)
		__free_pages(page, order);
}

static unsigned int truth_irq_order;

static void truth_attempt_in_irq(struct irq_work *unused)
{
	truth_attempt(&truth_page_sites[1], truth_irq_order);
}

/* Ask for large blocks at one call site in this task, and at another one in an interrupt. */
int truth_run_wake(void)
{
	struct irq_work work;
	int i;

	init_irq_work(&work, truth_attempt_in_irq);
	for (i = 0; i < TRUTH_ATTEMPTS * (TRUTH_LARGEST - TRUTH_LARGE + 1); i++) {
		truth_irq_order = TRUTH_LARGE + i / TRUTH_ATTEMPTS;
		truth_attempt(&truth_page_sites[0], truth_irq_order);
		/* Let the threads run, and begin to sleep. */
		usleep_range(4000, 5000);
		irq_work_queue(&work);
		irq_work_sync(&work);
		usleep_range(4000, 5000);
	}
	return 0;
}
