// SPDX-License-Identifier: GPL-2.0
/* The probes of the page allocator, and their modes.  See page.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include "../compat.h"
#include "../match/filter.h"
#include "../state.h"
#include "failures.h"
#include "page.h"
#include "slow_path.h"
#include "timing.h"
#include "tracepoint.h"

/* ---- allocations while they are not recorded ---------------------------------- */

/* The task that listens, and the function that it passed to kma_page_listen(). */
static struct task_struct *kma_page_listener;
static void (*kma_page_heard)(const struct kma_pfn *f, const struct kma_page_event *ev);

void kma_page_listen(void (*heard)(const struct kma_pfn *f, const struct kma_page_event *ev))
{
	/* A probe reads both only in this task.  In other tasks, it only compares the task. */
	WRITE_ONCE(kma_page_listener, NULL);
	WRITE_ONCE(kma_page_heard, heard);
	WRITE_ONCE(kma_page_listener, heard ? current : NULL);
}

/* If the current task listens, pass its allocation to it. */
static noinline notrace void kma_page_tell(const struct kma_pfn *f, const struct kma_page_event *ev)
{
	if (READ_ONCE(kma_page_listener) == current && in_task())
		READ_ONCE(kma_page_heard)(f, ev);
}

static noinline notrace void kma_page_hear(const struct page *page, unsigned int order, gfp_t gfp,
					   int type)
{
	const struct kma_page_event ev = {
		.order = order,
		.class = kma_class(order, type, (__force u32)gfp),
	};

	if (page)
		kma_page_tell(kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page)), &ev);
}

static __always_inline void kma_page_off(const struct page *page, unsigned int order, gfp_t gfp,
					 int type)
{
	kma_stat_inc(page_off);
	if (unlikely(READ_ONCE(kma_page_listener) == current))
		kma_page_hear(page, order, gfp, type);
}

/* ---- the probes ------------------------------------------------------------- */

/* Virtual page number of PFN 0 in the direct map. */
static unsigned long kma_page_first __read_mostly;

/* The current mode, for functions that serve several modes.  Written under kma_lock. */
static enum kma_pages_mode kma_page_mode_now;

/*
 * The mode of the probe while a filter is set: allocations that pass the filter are recorded
 * in the mode kma_page_mode_now.
 */
#define KMA_PAGES_FILTERED	(KMA_PAGES_SAMPLED + 1)

static __always_inline void kma_page_record(struct kma_pfn *f,
					    const struct kma_page_event *ev, int mode)
{
	if (mode == KMA_PAGES_OFF) {
		kma_stat_inc(page_off);
		kma_page_tell(f, ev);
	} else if (unlikely(!f)) {
		kma_pagealloc_no_pfn(&kma_pagealloc, ev);
	} else if (mode == KMA_PAGES_CLASSES) {
		kma_pagealloc_class(&kma_pagealloc, f, ev);
	} else if (mode == KMA_PAGES_SAMPLED) {
		kma_pagealloc_sampled(&kma_pagealloc, f, ev);
	} else {
		kma_pagealloc_site(&kma_pagealloc, f, kma_env_page_site(), ev);
	}
}

static noinline notrace void kma_page_failed(unsigned int order, gfp_t gfp)
{
	kma_stat_inc(page_failed);
	kma_stat_add(pages_failed, 1UL << order);
	/* If the slow path is followed, it has counted this. */
	if (!kma_slow_path_followed())
		kma_failure_count_pages(kma_env_page_site(), order, (__force u32)gfp);
}

static __always_inline void kma_page_alloc(const struct page *page, unsigned int order,
					   gfp_t gfp, int type, int mode)
{
	const struct kma_page_event ev = {
		.order = order,
		.class = kma_class(order, type, (__force u32)gfp),
	};

	if (mode == KMA_PAGES_OFF) {
		kma_page_off(page, order, gfp, type);
	} else if (!page) {
		kma_page_failed(order, gfp);
	} else if (mode == KMA_PAGES_FILTERED && !kma_filter_pagealloc(page, order, gfp, 0)) {
		kma_stat_inc(page_filtered);
	} else {
		kma_page_record(kma_pfntab_find(&kma_pagealloc.pfns, page_to_pfn(page)),
				&ev,
			       mode == KMA_PAGES_FILTERED ? READ_ONCE(kma_page_mode_now) : mode);
	}
}

/*
 * Record one page that may have a sample point on it.  @data is the @point that
 * kma_sample_count() has set.
 */
static noinline __noclone notrace void
kma_page_alloc_sampled_hit(void *data, struct page *page, unsigned int order, gfp_t gfp,
			   int type)
{
	const struct kma_page_event ev = {
		.class = kma_class(0, type, (__force u32)gfp),
	};

	kma_pagealloc_sampled_hit(&kma_pagealloc,
				  kma_pfntab_at(&kma_pagealloc.pfns, page_to_pfn(page)), &ev,
				  (unsigned long)data);
}

/*
 * The functions of one mode for an mm_page_alloc event.  Defines, for the modes below,
 *
 *	kma_page_alloc_off(), kma_page_alloc_off_any(),
 *	kma_page_alloc_off_slow(), kma_page_alloc_off_timed()
 *	kma_page_alloc_classes(), kma_page_alloc_classes_any(),
 *	kma_page_alloc_classes_slow(), kma_page_alloc_classes_timed()
 *	kma_page_alloc_sites(), kma_page_alloc_sites_any(),
 *	kma_page_alloc_sites_slow(), kma_page_alloc_sites_timed()
 *	kma_page_alloc_sampled(), kma_page_alloc_sampled_any(),
 *	kma_page_alloc_sampled_slow(), kma_page_alloc_sampled_timed()
 *	kma_page_alloc_filtered(), kma_page_alloc_filtered_any(),
 *	kma_page_alloc_filtered_slow(), kma_page_alloc_filtered_timed()
 *
 * NAME() counts the event.  For one event in KMA_TIMED, it calls NAME_timed(), which times
 * the event.  NAME_any(), which is inlined, records a single page in the modes classes and
 * sampled; NAME_slow() handles all other cases.  All of these functions take the arguments of
 * the probe, so that the arguments stay in their registers and no register has to be saved.
 */
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
		kma_page_alloc_sampled_hit((void *)(unsigned long)point, page, order, \
				      gfp, type);			\
	}								\
}									\
									\
static noinline __noclone notrace void					\
name##_timed(void *data, struct page *page, unsigned int order, gfp_t gfp, \
	     int type)							\
{									\
	struct kma_timing timing;						\
									\
	kma_stat_event_again(events_mm_page_alloc);			\
	timing = kma_timing_begin();					\
	name##_any(data, page, order, gfp, type);			\
	kma_timing_end(timing);						\
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

static notrace void kma_page_probe_mm_page_alloc(void *data, struct page *page,
						 unsigned int order, gfp_t gfp, int type)
{
	static_call(kma_page_alloc_run)(data, page, order, gfp, type);
}

enum kma_pages_mode kma_page_mode(void)
{
	return READ_ONCE(kma_page_mode_now);
}

void kma_page_switch(enum kma_pages_mode mode)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_page_mode_now, mode);
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

/* ---- frees ----------------------------------------------------------------- */

/* Even while pages are not tracked, look for objects that are still recorded on the page. */
static noinline __noclone KMA_DIRECT notrace void
kma_page_free_untracked(void *data, struct page *page, unsigned int order)
{
	kma_record_pages_free(&kma_core, (unsigned long)page_to_virt(page),
			      order);
}

KMA_IS_DIRECT(kma_page_free_untracked);

static noinline __noclone notrace void
kma_page_free_slow(void *data, struct page *page, unsigned int order)
{
	kma_record_pages_free(&kma_core, (unsigned long)page_to_virt(page), order);
	kma_pagealloc_free(&kma_pagealloc, page_to_pfn(page), order);
}

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
	struct kma_timing timing;

	kma_stat_event_again(events_mm_page_free);
	timing = kma_timing_begin();
	kma_page_free(data, page, order);
	kma_timing_end(timing);
}

static noinline __noclone KMA_DIRECT notrace void
kma_page_free_tracked(void *data, struct page *page, unsigned int order)
{
	if (unlikely(kma_stat_event(events_mm_page_free)))
		kma_page_free_timed(data, page, order);
	else
		kma_page_free(data, page, order);
}

KMA_IS_DIRECT(kma_page_free_tracked);

DEFINE_STATIC_CALL(kma_page_free_run, kma_page_free_untracked);

static notrace void kma_page_probe_mm_page_free(void *data, struct page *page,
						unsigned int order)
{
	static_call(kma_page_free_run)(data, page, order);
}

/* ---- bulk allocations ------------------------------------------------------ */

void kma_page_record_bulk(struct kma_pfn *f, const struct kma_page_event *ev,
			  enum kma_pages_mode mode)
{
	kma_page_record(f, ev, mode);
}

/* ---- attaching ------------------------------------------------------------- */

/* Defines kma_page_attach_mm_page_free() and kma_page_detach_mm_page_free(). */
KMA_TRACEPOINT_BY_NAME(page, mm_page_free)
/* Defines kma_page_attach_mm_page_alloc() and kma_page_detach_mm_page_alloc(). */
KMA_TRACEPOINT_BY_NAME(page, mm_page_alloc)

static const struct kma_tracepoint kma_page_free_tracepoint =
	KMA_TRACEPOINT_ROW(page, mm_page_free);

static const struct kma_tracepoint kma_page_alloc_tracepoint =
	KMA_TRACEPOINT_ROW(page, mm_page_alloc);

int kma_page_start(void)
{
	return kma_tracepoints_attach(&kma_page_free_tracepoint, 1);
}

void kma_page_stop(void)
{
	kma_tracepoints_detach(&kma_page_free_tracepoint, 1);
	tracepoint_synchronize_unregister();
}

int kma_page_track(void)
{
	int ret;

	kma_page_first = (unsigned long)__va(0) >> PAGE_SHIFT;
	ret = kma_tracepoints_attach(&kma_page_alloc_tracepoint, 1);
	if (!ret)
		static_call_update(kma_page_free_run, kma_page_free_tracked);
	return ret;
}

void kma_page_untrack(void)
{
	static_call_update(kma_page_free_run, kma_page_free_untracked);
	kma_tracepoints_detach(&kma_page_alloc_tracepoint, 1);
	/* This also waits for probes of mm_page_free that still use the tables of pages. */
	tracepoint_synchronize_unregister();
}
