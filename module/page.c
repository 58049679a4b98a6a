// SPDX-License-Identifier: GPL-2.0
/*
 * The page allocator's tracepoints, while pages are tracked.
 *
 *	mm_page_alloc  --> kma_page_alloc_run --> one of three ways: core/pagealloc.h
 *	                                          with a filter, through filter.c
 *	mm_page_free   --> frames of its pages
 *	__alloc_pages_bulk(), which has no event: a kretprobe
 *
 * Tracking takes memory, sixteen bytes for each page of RAM, and is off until it is
 * asked for.  It begins and ends while everything else goes on: frees are followed
 * first and last, and blocks are recorded when all is attached.
 *
 * On kernels from 7.0 on these events come in NMI as well.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include "kmemacct.h"

struct kma_pagealloc kma_pagealloc;

/* Protected by kma_lock; others read it for a table. */
static enum kma_pages_mode kma_mode;
static u64 kma_pages_ns;
static u64 kma_page_bytes;

static const char * const kma_pages_mode_names[] = {
	[KMA_PAGES_OFF] = "off",
	[KMA_PAGES_CLASSES] = "classes",
	[KMA_PAGES_SITES] = "sites",
};

/* ---- the probes ------------------------------------------------------------- */

/* Everything is attached, and `enabled` is 1. */
static bool kma_page_recording __read_mostly;

/* Pages of the address space before the first page frame. */
static unsigned long kma_page_first __read_mostly;

/* What to do with a block now; for those who are not patched. */
static enum kma_pages_mode kma_pages_mode_now;

/* While a filter is set: with blocks that match, what kma_pages_mode_now says. */
#define KMA_PAGES_FILTERED	(KMA_PAGES_SAMPLED + 1)

static __always_inline void kma_page_record(struct kma_pfn *f,
					   const struct kma_page_event *block, int mode)
{
	if (mode == KMA_PAGES_OFF)
		kma_stat_inc(page_off);
	else if (unlikely(!f))
		kma_pagealloc_no_pfn(&kma_pagealloc, block);
	else if (mode == KMA_PAGES_CLASSES)
		kma_pagealloc_class(&kma_pagealloc, f, block);
	else if (mode == KMA_PAGES_SAMPLED)
		kma_pagealloc_sampled(&kma_pagealloc, f, block);
	else
		kma_pagealloc_site(&kma_pagealloc, f, kma_env_page_site(), block);
}

static __always_inline void kma_page_alloc(const struct page *page, unsigned int order,
					   gfp_t gfp, int type, int mode)
{
	const struct kma_page_event block = {
		.order = order,
		.class = kma_class(order, type, (__force u32)gfp),
	};

	if (!page && mode == KMA_PAGES_OFF) {
		kma_stat_inc(page_off);
	} else if (!page) {
		kma_stat_inc(page_failed);
		kma_stat_add(pages_failed, 1UL << order);
	} else if (mode == KMA_PAGES_FILTERED && !kma_filter_pagealloc(page, order, gfp, 0)) {
		kma_stat_inc(page_filtered);
	} else {
		kma_page_record(kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page)),
			       &block,
			       mode == KMA_PAGES_FILTERED ? READ_ONCE(kma_pages_mode_now) : mode);
	}
}

/* One page on which there may be a sample point; @data is its sample point, of kma_sample_count(). */
static noinline __noclone notrace void
kma_page_alloc_at_point(void *data, struct page *page, unsigned int order, gfp_t gfp,
		      int type)
{
	const struct kma_page_event block = {
		.class = kma_class(0, type, (__force u32)gfp),
	};

	kma_pagealloc_at_point(&kma_pagealloc,
			  kma_pfntab_at(&kma_pagealloc.pfns, page_to_pfn(page)), &block,
			  (unsigned long)data);
}

/* Whatever is called has all arguments where they are: no register is saved. */
#define KMA_PAGE_ALLOC(name, mode)					\
static noinline __noclone notrace void					\
name##_slow(void *data, struct page *page, unsigned int order, gfp_t gfp, \
	    int type)							\
{									\
	kma_page_alloc(page, order, gfp, type, mode);			\
}									\
									\
static __always_inline void						\
name##_any(void *data, struct page *page, unsigned int order, gfp_t gfp, \
	   int type)							\
{									\
	const bool one = (mode) == KMA_PAGES_CLASSES || (mode) == KMA_PAGES_SAMPLED; \
	u8 point = 0;							\
									\
	if (!one || unlikely(order)) {					\
		name##_slow(data, page, order, gfp, type);		\
		return;							\
	}								\
	switch (kma_pagealloc_one(&kma_pagealloc, page_to_pfn(page),		\
			       kma_class(0, type, (__force u32)gfp),	\
			       (mode) == KMA_PAGES_SAMPLED, &point)) {	\
	case KMA_ONE_DONE:						\
		break;							\
	case KMA_ONE_OTHER:						\
		name##_slow(data, page, order, gfp, type);		\
		break;							\
	case KMA_ONE_AT_POINT:						\
		kma_page_alloc_at_point((void *)(unsigned long)point, page, order, \
				      gfp, type);			\
	}								\
}									\
									\
static noinline __noclone notrace void					\
name##_timed(void *data, struct page *page, unsigned int order, gfp_t gfp, \
	     int type)							\
{									\
	struct kma_lap lap;						\
									\
	kma_stat_event_again(events_mm_page_alloc);			\
	lap = kma_overhead_begin();					\
	name##_any(data, page, order, gfp, type);			\
	kma_overhead_end(lap);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void			\
name(void *data, struct page *page, unsigned int order, gfp_t gfp, int type) \
{									\
	if (unlikely(kma_stat_event(events_mm_page_alloc)))		\
		name##_timed(data, page, order, gfp, type);		\
	else								\
		name##_any(data, page, order, gfp, type);		\
}									\
									\
KMA_IS_DIRECT(name)

KMA_PAGE_ALLOC(kma_page_alloc_off, KMA_PAGES_OFF);
KMA_PAGE_ALLOC(kma_page_alloc_classes, KMA_PAGES_CLASSES);
KMA_PAGE_ALLOC(kma_page_alloc_sites, KMA_PAGES_SITES);
KMA_PAGE_ALLOC(kma_page_alloc_sampled, KMA_PAGES_SAMPLED);
KMA_PAGE_ALLOC(kma_page_alloc_filtered, KMA_PAGES_FILTERED);

DEFINE_STATIC_CALL(kma_page_alloc_run, kma_page_alloc_off);

static notrace void kma_probe_mm_page_alloc(void *data, struct page *page,
					    unsigned int order, gfp_t gfp, int type)
{
	static_call(kma_page_alloc_run)(data, page, order, gfp, type);
}

static enum kma_pages_mode kma_page_mode(void)
{
	if (!kma_page_recording)
		return KMA_PAGES_OFF;
	return kma_mode == KMA_PAGES_SITES && kma_page_bytes ? KMA_PAGES_SAMPLED : kma_mode;
}

static void kma_page_alloc_change(void)
{
	const enum kma_pages_mode mode = kma_page_mode();

	WRITE_ONCE(kma_pages_mode_now, mode);
	switch (mode != KMA_PAGES_OFF && kma_filter_on() ? KMA_PAGES_FILTERED : (int)mode) {
	case KMA_PAGES_CLASSES:
		static_call_update(kma_page_alloc_run, kma_page_alloc_classes);
		break;
	case KMA_PAGES_SITES:
		static_call_update(kma_page_alloc_run, kma_page_alloc_sites);
		break;
	case KMA_PAGES_SAMPLED:
		static_call_update(kma_page_alloc_run, kma_page_alloc_sampled);
		break;
	case KMA_PAGES_FILTERED:
		static_call_update(kma_page_alloc_run, kma_page_alloc_filtered);
		break;
	default:
		static_call_update(kma_page_alloc_run, kma_page_alloc_off);
	}
}

static noinline __noclone notrace void
kma_page_free_slow(void *data, struct page *page, unsigned int order)
{
	kma_record_pages_free(&kma_core, (unsigned long)page_to_virt(page), order);
	kma_pagealloc_free(&kma_pagealloc, page_to_pfn(page), order);
}

/*
 * While pages are tracked, this is what the one probe of mm_page_free does; before
 * and after, what is in probe.c.  Objects left on a page are looked for in any case.
 */
static __always_inline void kma_page_free(void *data, struct page *page,
					  unsigned int order)
{
	const unsigned long pfn = page_to_pfn(page);

	if (unlikely(order) ||
	    unlikely(kma_pagegen_used_at(&kma_core.obj.pages, pfn + kma_page_first)))
		kma_page_free_slow(data, page, order);
	else
		kma_pagealloc_free(&kma_pagealloc, pfn, 0);
}

static noinline __noclone notrace void
kma_page_free_timed(void *data, struct page *page, unsigned int order)
{
	struct kma_lap lap;

	kma_stat_event_again(events_mm_page_free);
	lap = kma_overhead_begin();
	kma_page_free(data, page, order);
	kma_overhead_end(lap);
}

KMA_DIRECT notrace void kma_page_free_tracked(void *data, struct page *page,
					      unsigned int order)
{
	if (unlikely(kma_stat_event(events_mm_page_free)))
		kma_page_free_timed(data, page, order);
	else
		kma_page_free(data, page, order);
}

KMA_IS_DIRECT(kma_page_free_tracked);

KMA_PROBE_BY_NAME(mm_page_alloc)

static const struct kma_probe kma_page_probes[] = {
	KMA_PROBE_ROW(mm_page_alloc),
};

/* ---- the frames -------------------------------------------------------------- */

/* Chunks are added under this one alone: memory hotplug holds locks of its own. */
static DEFINE_MUTEX(kma_pfns_lock);

/* For memory that is added later: four times what there is, and 1 TiB at least. */
#define KMA_CHUNKS_LEAST	(1ULL << (40 - PAGE_SHIFT - KMA_CHUNK_SHIFT))

static u64 kma_pfns_chunks(void)
{
	return max_t(u64, KMA_CHUNKS_LEAST,
		     4 * DIV_ROUND_UP_ULL(kma_memhotplug_end(), KMA_CHUNK_PFNS));
}

static int kma_pfns_add(unsigned long pfn, unsigned long nr)
{
	const u64 end = min_t(u64, kma_pagealloc.pfns.nr_chunks,
			      DIV_ROUND_UP_ULL(pfn + nr, KMA_CHUNK_PFNS));
	u64 i;
	int ret = 0;

	mutex_lock(&kma_pfns_lock);
	for (i = pfn / KMA_CHUNK_PFNS; !ret && i < end; i++)
		ret = kma_pfntab_add(&kma_pagealloc.pfns, i);
	mutex_unlock(&kma_pfns_lock);
	return ret;
}

static int kma_pfns_notify(struct notifier_block *nb, unsigned long action, void *arg)
{
	const struct memory_notify *mem = arg;

	/* Before any of it can be used. */
	if (action == MEM_GOING_ONLINE && kma_pfns_add(mem->start_pfn, mem->nr_pages))
		pr_warn("no memory to track the pages of memory that was added\n");
	return NOTIFY_OK;
}

static struct notifier_block kma_pfns_notifier = {
	.notifier_call = kma_pfns_notify,
};

/* As memory is described to the kernel, and where a part of it may be missing. */
#define KMA_PFNS_STEP	512UL

static bool kma_pfns_any(u64 pfn)
{
	const u64 end = pfn + KMA_CHUNK_PFNS;

	for (; pfn < end; pfn += KMA_PFNS_STEP)
		if (pfn_to_online_page(pfn))
			return true;
	return false;
}

static int kma_pfns_add_all(void)
{
	unsigned long pfn;
	int ret = 0;

	for (pfn = 0; !ret && pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS)
		if (kma_pfns_any(pfn))
			ret = kma_pfns_add(pfn, KMA_CHUNK_PFNS);
	return ret;
}

u64 kma_pages_memory(void)
{
	const struct kma_pfntab *t = &kma_pagealloc.pfns;

	lockdep_assert_held(&kma_lock);
	if (!kma_pages_tracked())
		return 0;
	return kma_pagealloc_bytes(t->nr_chunks, READ_ONCE(t->nr_there),
				kma_config.sites_max, nr_cpu_ids);
}

/* What it will be, with the memory there is now. */
static u64 kma_pages_forecast(void)
{
	u64 pfn, chunks = 0;

	for (pfn = 0; pfn < kma_memhotplug_end(); pfn += KMA_CHUNK_PFNS)
		chunks += kma_pfns_any(pfn);
	return kma_pagealloc_bytes(kma_pfns_chunks(), chunks, kma_config.sites_max,
				nr_cpu_ids);
}

/* ---- bulk allocations --------------------------------------------------------- */

#ifdef KMA_ALLOC_PAGES_BULK
/* There may be a list of pages instead of an array. */
#define KMA_PAGE_BULK_LIST						\
	kma_ftrace_hook_fits(KMA_ALLOC_PAGES_BULK, unsigned long, gfp_t gfp, int nid, \
		      nodemask_t *nodemask, int nr, struct list_head *list, \
		      struct page **page)

static_assert(KMA_PAGE_BULK_LIST ||
	      kma_ftrace_hook_fits(KMA_ALLOC_PAGES_BULK, unsigned long, gfp_t gfp, int nid,
			    nodemask_t *nodemask, int nr, struct page **page));

/**
 * struct kma_page_bulk - a call
 * @gfp: what for
 * @nr: pages wanted, with those that were there
 * @had: of them were there before all others
 * @mixed: and some behind a place where there was none
 * @since: when it was called, kma_env_now()
 * @page: where they are put
 */
struct kma_page_bulk {
	gfp_t gfp;
	int nr;
	int had;
	bool mixed;
	u32 since;
	struct page **page;
};

/* Calls with a list instead of an array. */
static atomic64_t kma_page_bulk_lists;

/* As gfp_migratetype(), which looks at what is not for modules. */
static unsigned int kma_gfp_type(gfp_t gfp)
{
	return (__force u32)(gfp & (__GFP_RECLAIMABLE | __GFP_MOVABLE)) /
	       (__force u32)__GFP_MOVABLE;
}

/* Those that are there already are not allocated. */
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
	/* A list of pages has no user in the kernels that can have one. */
	if (!args->page) {
		atomic64_inc(&kma_page_bulk_lists);
		return 1;
	}
	kma_page_bulk_look(args);
	return 0;
}

/*
 * Whether an event has told of a page, the only one that a call allocated: if it got none
 * from the CPU's lists, it left that to the allocator of single pages.  Otherwise there
 * may be what is left of an earlier owner, which is older, or of another process.
 */
static bool kma_page_bulk_told(const struct kma_page_bulk *args,
			       const struct kma_pfn *f)
{
	const u32 what = READ_ONCE(f->what);

	if (!what)
		return false;
	/* Without a sample nobody knows when: then it is the event's, as nearly always. */
	if (kma_pagealloc_is_shadow(&kma_pagealloc, kma_pfn_row(what)))
		return true;
	return (s32)(READ_ONCE(f->time) - args->since) >= 0 &&
	       READ_ONCE(f->tgid) == kma_env_tgid();
}

static bool kma_page_bulk_known(const struct kma_page_bulk *args,
				const struct kma_pfn *f, bool only)
{
	/* Those that were there are among them: no call is known that does so. */
	if (args->mixed)
		return READ_ONCE(f->what);
	return only && kma_page_bulk_told(args, f);
}

static void kma_page_bulk_one(const struct kma_page_bulk *args, const struct page *page,
			      bool only, enum kma_pages_mode mode)
{
	struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page));
	const struct kma_page_event block = {
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
		kma_page_record(f, &block, mode);
}

/* Nobody but the caller's caller knows of these pages yet. */
static int kma_page_bulk_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_page_bulk *args = (struct kma_page_bulk *)ri->data;
	const enum kma_pages_mode mode = READ_ONCE(kma_pages_mode_now);
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

/* Calls that may wait for memory at a time, so many on each CPU. */
#define KMA_PAGE_BULK_WAITING	16

static struct kretprobe kma_page_bulk = {
	.kp.symbol_name = __stringify(KMA_ALLOC_PAGES_BULK),
	.entry_handler = kma_page_bulk_entered,
	.handler = kma_page_bulk_returned,
	.data_size = sizeof(struct kma_page_bulk),
};

static bool kma_page_bulk_attached;

static void kma_page_bulk_start(void)
{
	if (!strcmp(kma_config.bulk, "off"))
		return;
	/* register_kretprobe() keeps its own notes in here. */
	kma_page_bulk.kp.addr = NULL;
	kma_page_bulk.kp.flags = 0;
	kma_page_bulk.nmissed = 0;
	atomic64_set(&kma_page_bulk_lists, 0);
	kma_page_bulk.maxactive = KMA_PAGE_BULK_WAITING * num_possible_cpus();
	kma_page_bulk_attached = !register_kretprobe(&kma_page_bulk);
	if (!kma_page_bulk_attached)
		pr_warn("pages of bulk allocations stay unknown\n");
}

static void kma_page_bulk_stop(void)
{
	if (kma_page_bulk_attached)
		unregister_kretprobe(&kma_page_bulk);
	kma_page_bulk_attached = false;
}

bool kma_pages_bulk_followed(void)
{
	return READ_ONCE(kma_page_bulk_attached);
}

u64 kma_pages_bulk_missed(void)
{
	return READ_ONCE(kma_page_bulk.nmissed) + atomic64_read(&kma_page_bulk_lists);
}
#else
static void kma_page_bulk_start(void)
{
}

static void kma_page_bulk_stop(void)
{
}

bool kma_pages_bulk_followed(void)
{
	return false;
}

u64 kma_pages_bulk_missed(void)
{
	return 0;
}
#endif

/* ---- begin and end -------------------------------------------------------------- */

static int kma_pages_tables(void)
{
	const u64 bytes = kma_engine_bytes() + kma_countmaps_bytes() + kma_pages_forecast() +
			  kma_countmap_memory(KMA_COUNTMAP_PCPU) +
			  kma_countmap_memory(KMA_COUNTMAP_EXTFRAG);
	int ret;

	if (bytes > kma_engine_bytes_max()) {
		pr_err("tables would take %llu KiB with those of pages, more than 1/16 of the RAM (%llu KiB): use smaller ones\n",
		       bytes >> 10, kma_engine_bytes_max() >> 10);
		return -ENOMEM;
	}
	ret = kma_pagealloc_init(&kma_pagealloc, kma_pfns_chunks(), kma_config.sites_max);
	if (ret)
		return ret;
	/* First the notifier: what is added meanwhile is added twice. */
	ret = register_memory_notifier(&kma_pfns_notifier);
	if (ret)
		goto blocks;
	ret = kma_pfns_add_all();
	if (!ret)
		return 0;
	unregister_memory_notifier(&kma_pfns_notifier);
blocks:
	kma_pagealloc_destroy(&kma_pagealloc);
	return ret;
}

/* What is counted of free lists while pages are tracked. */
#define KMA_PAGE_COUNTMAPS	(BIT(KMA_COUNTMAP_PCPU) | BIT(KMA_COUNTMAP_EXTFRAG))

static void kma_page_lists_stop(void)
{
	/* Nobody looks for a call site for them any more. */
	kma_countmaps_end(KMA_PAGE_COUNTMAPS);
	kma_zone_stop();
}

static int kma_page_lists_start(void)
{
	int ret = kma_zone_start();

	if (ret)
		return ret;
	ret = kma_countmaps_begin(KMA_PAGE_COUNTMAPS);
	if (ret)
		kma_zone_stop();
	return ret;
}

static int kma_pages_begin(void)
{
	int ret = kma_pages_tables();

	kma_page_first = (unsigned long)__va(0) >> PAGE_SHIFT;
	if (ret)
		return ret;
	ret = kma_symbol_pages_start();
	if (ret)
		goto tables;
	ret = kma_callsite_start();
	if (ret)
		goto symbols;
	ret = kma_page_lists_start();
	if (ret)
		goto callsite;
	ret = kma_probes_attach(kma_page_probes, ARRAY_SIZE(kma_page_probes));
	if (!ret) {
		kma_probes_page_free(true);
		kma_page_bulk_start();
		return 0;
	}
	kma_page_lists_stop();
callsite:
	kma_callsite_stop();
symbols:
	kma_symbol_pages_stop();
tables:
	unregister_memory_notifier(&kma_pfns_notifier);
	kma_pagealloc_destroy(&kma_pagealloc);
	return ret;
}

static void kma_pages_end(void)
{
	kma_page_bulk_stop();
	kma_probes_page_free(false);
	/* Waits until no probe runs, that of frees included. */
	kma_probes_detach(kma_page_probes, ARRAY_SIZE(kma_page_probes));
	kma_page_lists_stop();
	kma_callsite_stop();
	kma_symbol_pages_stop();
	unregister_memory_notifier(&kma_pfns_notifier);
	kma_pagealloc_destroy(&kma_pagealloc);
	kma_control_forget_pages();
}

/* ---- settings --------------------------------------------------------------------- */

int kma_pages_parse(const char *text)
{
	return match_string(kma_pages_mode_names, ARRAY_SIZE(kma_pages_mode_names), text);
}

const char *kma_pages_name(void)
{
	return kma_pages_mode_names[READ_ONCE(kma_mode)];
}

bool kma_pages_tracked(void)
{
	return READ_ONCE(kma_mode) != KMA_PAGES_OFF;
}

u64 kma_pages_since(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_pages_ns;
}

bool kma_pages_sited(void)
{
	return READ_ONCE(kma_mode) == KMA_PAGES_SITES;
}

u64 kma_pages_bytes(void)
{
	return READ_ONCE(kma_page_bytes);
}

void kma_pages_record(bool on)
{
	lockdep_assert_held(&kma_lock);
	kma_page_recording = on;
	kma_page_alloc_change();
}

static void kma_pages_forget(void *unused)
{
	kma_sample_forget(KMA_SAMPLE_PAGES);
}

void kma_pages_sample(u64 bytes)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_page_bytes, bytes);
	if (bytes) {
		kma_sample_set(KMA_SAMPLE_PAGES, ilog2(bytes));
		on_each_cpu(kma_pages_forget, NULL, 1);
	}
	kma_page_alloc_change();
}

int kma_pages_set(enum kma_pages_mode mode)
{
	const enum kma_pages_mode before = kma_mode;
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	if (before == KMA_PAGES_OFF && mode != KMA_PAGES_OFF) {
		ret = kma_pages_begin();
		kma_pages_ns = ktime_get_boottime_ns();
	}
	if (ret)
		return ret;
	WRITE_ONCE(kma_mode, mode);
	kma_page_alloc_change();
	if (before != KMA_PAGES_OFF && mode == KMA_PAGES_OFF)
		kma_pages_end();
	return 0;
}
