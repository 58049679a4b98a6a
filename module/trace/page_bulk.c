// SPDX-License-Identifier: GPL-2.0
/* Follow allocations of pages in bulk.  See page_bulk.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "../compat.h"
#include "../match/filter.h"
#include "../state.h"
#include "ftrace_hook.h"
#include "kretprobe.h"
#include "page.h"
#include "page_bulk.h"

#ifdef KMA_ALLOC_PAGES_BULK
/* Whether a caller may pass a list, which receives the pages, instead of an array. */
#define KMA_PAGE_BULK_LIST						\
	kma_ftrace_hook_fits(KMA_ALLOC_PAGES_BULK, unsigned long, gfp_t gfp, int nid, \
		      nodemask_t *nodemask, int nr, struct list_head *list, \
		      struct page **page)

static_assert(KMA_PAGE_BULK_LIST ||
	      kma_ftrace_hook_fits(KMA_ALLOC_PAGES_BULK, unsigned long, gfp_t gfp, int nid,
				   nodemask_t *nodemask, int nr, struct page **page));

/**
 * struct kma_page_bulk - a call of the bulk allocator
 * @gfp: gfp flags
 * @nr: pages wanted, including those that were in the array before the call
 * @had: number of entries at the start of the array that had a page before the call
 * @mixed: true if entries after an empty one had a page before the call, too
 * @since: when the function was called, kma_env_now()
 * @page: the array of pages
 */
struct kma_page_bulk {
	gfp_t gfp;
	int nr;
	int had;
	bool mixed;
	u32 since;
	struct page **page;
};

/* Number of calls with a list instead of an array. */
static atomic64_t kma_page_bulk_lists;

/* Computes the same as gfp_migratetype(), which uses a variable that is not exported to modules. */
static unsigned int kma_gfp_type(gfp_t gfp)
{
	return (__force u32)(gfp & (__GFP_RECLAIMABLE | __GFP_MOVABLE)) /
	       (__force u32)__GFP_MOVABLE;
}

/* Find the entries that have a page already: the function allocates no pages for them. */
static void kma_page_bulk_look(struct kma_page_bulk *args)
{
	int i;

	args->had = 0;
	args->mixed = false;
	while (args->had < args->nr && args->page[args->had])
		args->had++;
	for (i = args->had; i < args->nr; i++)
		args->mixed = args->mixed || args->page[i];
}

static int kma_page_bulk_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kma_page_bulk *args = (struct kma_page_bulk *)ri->data;

	args->gfp = (__force gfp_t)regs_get_kernel_argument(regs, 0);
	args->nr = regs_get_kernel_argument(regs, 3);
	args->since = kma_env_now();
	args->page = (struct page **)regs_get_kernel_argument(regs,
						KMA_PAGE_BULK_LIST ? 5 : 4);
	/* No caller in the kernel passes a list: count such a call as missed. */
	if (!args->page) {
		atomic64_inc(&kma_page_bulk_lists);
		return 1;
	}
	kma_page_bulk_look(args);
	return 0;
}

/*
 * Whether an event has already recorded the page, which is the only one that the call
 * allocated.  If the bulk allocator gets no page from the CPU's lists, it calls the allocator
 * of single pages, which emits an event.  A record may also be left from an earlier
 * allocation of the page whose free was not seen: that record is older than the call, or has
 * the tgid of another process.
 */
static bool kma_page_bulk_traced(const struct kma_page_bulk *args,
				 const struct kma_pfn *f)
{
	const u32 what = READ_ONCE(f->what);

	if (!what)
		return false;
	/*
	 * The record of a page that is not sampled has no time.  Assume that it is from the
	 * event, as it nearly always is.
	 */
	if (kma_pagealloc_is_sampled(&kma_pagealloc, kma_pfn_row(what)))
		return true;
	return kma_pfn_is_since(f, args->since, kma_env_now()) &&
	       READ_ONCE(f->tgid) == kma_env_tgid();
}

static bool kma_page_bulk_known(const struct kma_page_bulk *args,
				const struct kma_pfn *f, bool only)
{
	/*
	 * New pages are between pages that were in the array before the call.  Assume that
	 * those with a record are not new.  No known caller passes such an array.
	 */
	if (args->mixed)
		return READ_ONCE(f->what);
	return only && kma_page_bulk_traced(args, f);
}

static void kma_page_bulk_one(const struct kma_page_bulk *args, const struct page *page,
			      bool only, enum kma_pages_mode mode)
{
	struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page));
	const struct kma_page_event ev = {
		.class = kma_class(0, kma_gfp_type(args->gfp), (__force u32)args->gfp),
		.bulk = true,
	};

	if (f && kma_page_bulk_known(args, f, only))
		return;
	kma_stat_inc(page_bulk);
	if (mode != KMA_PAGES_OFF && kma_filter_on() &&
	    !kma_filter_pagealloc(page, 0, args->gfp, 0))
		kma_stat_inc(page_filtered);
	else
		kma_page_record_bulk(f, &ev, mode);
}

/*
 * The function has not returned to its caller yet, so no other code can free the pages
 * before they are recorded.
 */
static int kma_page_bulk_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_page_bulk *args = (struct kma_page_bulk *)ri->data;
	const enum kma_pages_mode mode = kma_page_mode();
	int i, new = 0, nr = min_t(u64, regs_return_value(regs), args->nr);

	for (i = args->had; i < nr; i++)
		new += !!args->page[i];
	preempt_disable_notrace();
	for (i = args->had; i < nr; i++)
		if (args->page[i])
			kma_page_bulk_one(args, args->page[i], new == 1, mode);
	preempt_enable_notrace();
	return 0;
}

static struct kretprobe kma_page_bulk = {
	.kp.symbol_name = __stringify(KMA_ALLOC_PAGES_BULK),
	.entry_handler = kma_page_bulk_entered,
	.handler = kma_page_bulk_returned,
	.data_size = sizeof(struct kma_page_bulk),
};

static bool kma_page_bulk_attached;

u64 kma_page_bulk_forecast(void)
{
	return kma_config.bulk ? kma_kretprobe_forecast(&kma_page_bulk, KMA_KRETPROBE_FEW) : 0;
}

void kma_page_bulk_start(void)
{
	if (!kma_config.bulk)
		return;
	atomic64_set(&kma_page_bulk_lists, 0);
	kma_page_bulk_attached = kma_kretprobe_register(&kma_page_bulk, KMA_KRETPROBE_FEW);
	if (!kma_page_bulk_attached)
		pr_warn("bulk allocations of pages cannot be followed: their pages are not in the tables\n");
}

void kma_page_bulk_stop(void)
{
	if (kma_page_bulk_attached)
		kma_kretprobe_unregister(&kma_page_bulk);
	kma_page_bulk_attached = false;
}

bool kma_page_bulk_followed(void)
{
	return READ_ONCE(kma_page_bulk_attached);
}

u64 kma_page_bulk_missed(void)
{
	return kma_kretprobe_missed(&kma_page_bulk) + atomic64_read(&kma_page_bulk_lists);
}
#else
u64 kma_page_bulk_forecast(void)
{
	return 0;
}

void kma_page_bulk_start(void)
{
}

void kma_page_bulk_stop(void)
{
}

bool kma_page_bulk_followed(void)
{
	return false;
}

u64 kma_page_bulk_missed(void)
{
	return 0;
}
#endif
