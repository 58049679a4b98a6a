// SPDX-License-Identifier: GPL-2.0
/*
 * Old records of pages, as left behind by frees that kmemacct did not see.
 *
 * A test cannot make kmemacct miss a free.  Instead, this calls the probes of
 * mm_page_alloc for free pages, so that kmemacct has a record of them when the bulk
 * allocator returns them.
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "pages_account.h"
#include "pages_runs.h"
#include "pages_sites.h"

u64 truth_stales;

static struct tracepoint *truth_tp_alloc, *truth_tp_free;

static void truth_find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "mm_page_alloc"))
		truth_tp_alloc = tp;
	else if (!strcmp(tp->name, "mm_page_free"))
		truth_tp_free = tp;
}

void __init truth_stale_start(void)
{
	for_each_kernel_tracepoint(truth_find, NULL);
}

/* Call the probes of mm_page_alloc, as if the page had been allocated. */
static noinline __noclone void truth_probe_alloc(struct page *page, gfp_t gfp)
{
	const struct tracepoint_func *f;

	for (f = rcu_dereference_sched(truth_tp_alloc->funcs); f && f->func; f++)
		((void (*)(void *data, struct page *page, unsigned int order, gfp_t gfp,
			   int type))f->func)(f->data, page, 0, gfp, 0);
}

/* Call the probes of mm_page_free, as if the page had been freed. */
static void truth_probe_free(struct page *page)
{
	const struct tracepoint_func *f;

	for (f = rcu_dereference_sched(truth_tp_free->funcs); f && f->func; f++)
		((void (*)(void *data, struct page *page,
			   unsigned int order))f->func)(f->data, page, 0);
}

static bool truth_has(struct page **page, unsigned long nr, const struct page *one)
{
	while (nr--)
		if (page[nr] == one)
			return true;
	return false;
}

/*
 * Free some pages and call the probes of mm_page_alloc for them.  The CPU's free lists first return
 * the pages that were freed last, so the bulk allocator gets most of these pages.  For the others,
 * delete the record.  Return: number of pages with a record that it got.
 */
static unsigned long truth_stale(gfp_t gfp, struct page **bulk, unsigned long *nr)
{
	struct page *page[TRUTH_BULK];
	unsigned long i, left, again = 0;

	for (left = 0; left < TRUTH_BULK; left++) {
		page[left] = alloc_page(gfp);
		if (!page[left])
			break;
	}
	for (i = 0; i < left; i++)
		__free_page(page[i]);
	for (i = 0; i < left; i++)
		truth_probe_alloc(page[i], gfp);
	*nr = truth_alloc_bulk(gfp, TRUTH_BULK, bulk);
	for (i = 0; i < left; i++) {
		if (truth_has(bulk, *nr, page[i]))
			again++;
		else
			truth_probe_free(page[i]);
	}
	return again;
}

int truth_run_stale(void)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;
	struct page *page[TRUTH_BULK] = {};
	unsigned long i, again, nr, flags;
	int ret = 0;

	/*
	 * Interrupts are off, so that no other context gets these pages.  PREEMPT_RT forbids
	 * allocations with interrupts off.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	local_irq_save(flags);
	again = truth_stale(gfp, page, &nr);
	local_irq_restore(flags);
	truth_stales += again;
	for (i = 0; !ret && i < nr; i++)
		ret = truth_note_alloc(page[i], "truth_alloc_bulk", 0, gfp, true);
	return ret ?: again ? 0 : -EAGAIN;
}
