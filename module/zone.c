// SPDX-License-Identifier: GPL-2.0
/*
 * Below the page allocator's front door: the free lists of zones, under the zone lock,
 * and those of CPUs, in front of it.
 *
 *	mm_page_alloc_zone_locked	a block leaves a zone's lists: to refill those
 *					of a CPU, or straight for somebody
 *	mm_page_pcpu_drain		a block goes back, from those of a CPU
 *	mm_page_free_batched		a page is freed along with others
 *	mm_page_alloc_extfrag		the lists of a migrate type are empty, and
 *					pages of another one have to do
 *
 * Pages come and go in bursts, each under the zone lock once.  A burst is a row of
 * refills, or of drains, with no other event of pages on this CPU in between, but for
 * fallbacks, which come while the lock is held.  What came in between is not looked
 * for where it comes: the counters of events tell, when the next one is here.
 *
 * All but mm_page_free_batched come with interrupts off, but on real-time kernels.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <trace/events/kmem.h>

#include "kmemacct.h"

/* ---- bursts ------------------------------------------------------------------- */

enum kma_zone_kind {
	KMA_ZONE_NONE,
	KMA_ZONE_REFILL,
	KMA_ZONE_DRAIN,
};

/**
 * struct kma_zone_last - the last event of this file on a CPU
 * @kind: whether it may be followed by more of its burst
 * @allocs: the word that counts allocations of blocks, then: see stat.h
 * @frees: that of frees
 * @events: all others by then
 */
struct kma_zone_last {
	enum kma_zone_kind kind;
	u64 allocs;
	u64 frees;
	u64 events;
};

static DEFINE_PER_CPU(struct kma_zone_last, kma_zone_last);

/* Where nobody else counts the pages that are taken and freed. */
static DEFINE_PER_CPU(u64, kma_zone_events);

void kma_zone_event(void)
{
	this_cpu_inc(kma_zone_events);
}

/* Return: whether a burst begins. */
static bool kma_zone_burst(enum kma_zone_kind kind)
{
	struct kma_zone_last *last, now = { .kind = kind };
	bool begins;

	/* On real-time kernels the zone lock does not even keep us on this CPU. */
	preempt_disable_notrace();
	last = this_cpu_ptr(&kma_zone_last);
	/* Words of events go down and up: one by one, or a free and another would be none. */
	now.allocs = this_cpu_read(kma_stats.v[KMA_STAT_events_mm_page_alloc]);
	now.frees = this_cpu_read(kma_stats.v[KMA_STAT_events_mm_page_free]);
	now.events = this_cpu_read(kma_zone_events);
	begins = last->kind != now.kind || last->allocs != now.allocs ||
		 last->frees != now.frees || last->events != now.events;
	*last = now;
	preempt_enable_notrace();
	return begins;
}

/* Return: whether an event counts; if not, it has been counted why. */
static bool kma_zone_counts(const struct page *page, int order)
{
	return kma_countmaps_recording() &&
	       kma_countmaps_matching(!kma_filter_on() || kma_filter_pages(page, order));
}

/* ---- lists of CPUs --------------------------------------------------------------- */

static void kma_zone_count(struct page *page, const enum kma_list_counter *counter,
			   const u64 *n, int nr)
{
	const struct kma_countmap_info info = { .key = { { page_to_nid(page) } } };
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_PCPU]);
	u32 id;

	if (!t)
		return;
	id = kma_countmap_get(t, &info);
	while (nr--)
		kma_countmap_count(t, id, counter[nr], n[nr]);
}

static void kma_zone_moved(struct page *page, unsigned int order, bool begins,
			   enum kma_list_counter pages, enum kma_list_counter bursts)
{
	const enum kma_list_counter counter[] = { pages, bursts };
	const u64 n[] = { 1UL << order, begins };

	kma_zone_count(page, counter, n, ARRAY_SIZE(n));
}

static void kma_zone_taken(struct page *page, unsigned int order, bool refill)
{
	const bool begins = kma_zone_burst(refill ? KMA_ZONE_REFILL : KMA_ZONE_NONE) && refill;
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_ZONE_LOCKED, 1 }, { KMA_ACCT_REFILLS, begins } },
	};

	if (!kma_zone_counts(page, order))
		return;
	rcu_read_lock();
	if (refill)
		kma_zone_moved(page, order, begins, KMA_LIST_REFILL_PAGES,
			       KMA_LIST_REFILLS);
	else
		kma_zone_moved(page, order, true, KMA_LIST_DIRECT_PAGES,
			       KMA_LIST_DIRECTS);
	kma_acct_count(&event);
	rcu_read_unlock();
}

#ifdef KMA_HAVE_PERCPU_REFILL
static notrace void kma_probe_mm_page_alloc_zone_locked(void *data, struct page *page,
							unsigned int order, int type,
							int percpu_refill)
{
	kma_zone_taken(page, order, percpu_refill);
}
#else
/* There the lists of CPUs have single pages, and all of these come from there. */
static notrace void kma_probe_mm_page_alloc_zone_locked(void *data, struct page *page,
							unsigned int order, int type)
{
	kma_zone_taken(page, order, !order);
}
#endif

static notrace void kma_probe_mm_page_pcpu_drain(void *data, struct page *page,
						 unsigned int order, int type)
{
	const bool begins = kma_zone_burst(KMA_ZONE_DRAIN);
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_DRAINED, 1 }, { KMA_ACCT_DRAINS, begins } },
	};

	if (!kma_zone_counts(page, order))
		return;
	rcu_read_lock();
	kma_zone_moved(page, order, begins, KMA_LIST_DRAIN_PAGES, KMA_LIST_DRAINS);
	kma_acct_count(&event);
	rcu_read_unlock();
}

static notrace void kma_probe_mm_page_free_batched(void *data, struct page *page)
{
	const enum kma_list_counter counter = KMA_LIST_BATCHED;
	const struct kma_acct_event event = { .nr = 1, .what = { { KMA_ACCT_BATCHED, 1 } } };
	const u64 one = 1;

	kma_zone_event();
	if (!kma_zone_counts(page, -1))
		return;
	rcu_read_lock();
	kma_zone_count(page, &counter, &one, 1);
	kma_acct_count(&event);
	rcu_read_unlock();
}

/* ---- fallbacks -------------------------------------------------------------------- */

/*
 * The migrate type of the pageblock that a page is in; -1: none that anybody can ask for.
 * The kernel's own function is not exported; where its bits are is.
 */
static int kma_pageblock_type(const struct page *page)
{
#ifdef CONFIG_SPARSEMEM
	const unsigned long pfn = page_to_pfn(page);
	const unsigned long *map = section_to_usemap(__pfn_to_section(pfn));
	const unsigned long bit = ((pfn & (PAGES_PER_SECTION - 1)) >> pageblock_order) *
				  NR_PAGEBLOCK_BITS;
	const unsigned long bits = READ_ONCE(map[bit / BITS_PER_LONG]) >>
				   (bit % BITS_PER_LONG);

	return bits & KMA_PAGEBLOCK_ISOLATED ? -1 : (int)(bits & KMA_PAGEBLOCK_TYPE);
#else
	return -1;
#endif
}

/* By the grades of the kernel's own script, trace-pagealloc-postprocess.pl. */
#define KMA_SEVERE_ORDER	3

static void kma_zone_fallback(const struct kma_countmap_key *key, u64 fragmenting, u64 severe,
			      u64 changed)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_EXTFRAG]);
	struct kma_countmap_info info = { .key = *key };
	u32 id;

	if (!t)
		return;
	info.key.word[KMA_FALLBACK_SITE] = kma_pages_sited() ? kma_env_page_site() :
					   KMA_CLASS_ALONE;
	id = kma_countmap_get(t, &info);
	kma_countmap_count(t, id, KMA_FALLBACK_ALL, 1);
	kma_countmap_count(t, id, KMA_FALLBACK_FRAGMENTING, fragmenting);
	kma_countmap_count(t, id, KMA_FALLBACK_SEVERE, severe);
	kma_countmap_count(t, id, KMA_FALLBACK_CHANGED, changed);
}

static notrace void kma_probe_mm_page_alloc_extfrag(void *data, struct page *page,
						    int alloc_order, int fallback_order,
						    int alloc_type, int fallback_type)
{
	const bool fragmenting = fallback_order < pageblock_order;
	const bool severe = fragmenting && fallback_order <= KMA_SEVERE_ORDER;
	const bool changed = alloc_type == kma_pageblock_type(page);
	const struct kma_countmap_key key = {
		.word[KMA_FALLBACK_KEY] = kma_fallback_key(alloc_order, fallback_order,
							   alloc_type, fallback_type),
	};
	const struct kma_acct_event event = {
		.nr = 4,
		.what = { { KMA_ACCT_FALLBACKS, 1 }, { KMA_ACCT_FRAGMENTING, fragmenting },
			  { KMA_ACCT_SEVERE, severe }, { KMA_ACCT_CHANGED, changed } },
	};

	if (!kma_zone_counts(page, alloc_order))
		return;
	rcu_read_lock();
	kma_zone_fallback(&key, fragmenting, severe, changed);
	kma_acct_count(&event);
	rcu_read_unlock();
}

/* ---- begin and end ------------------------------------------------------------------ */

KMA_PROBE_BY_NAME(mm_page_alloc_zone_locked)
KMA_PROBE_BY_NAME(mm_page_pcpu_drain)
KMA_PROBE_BY_NAME(mm_page_free_batched)
KMA_PROBE_BY_NAME(mm_page_alloc_extfrag)

static const struct kma_probe kma_zone_probes[] = {
	KMA_PROBE_ROW(mm_page_alloc_zone_locked),
	KMA_PROBE_ROW(mm_page_pcpu_drain),
	KMA_PROBE_ROW(mm_page_free_batched),
	KMA_PROBE_ROW(mm_page_alloc_extfrag),
};

/* Protected by kma_lock. */
static int kma_zone_users;

int kma_zone_start(void)
{
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	if (!kma_zone_users)
		ret = kma_probes_attach(kma_zone_probes, ARRAY_SIZE(kma_zone_probes));
	if (!ret)
		kma_zone_users++;
	return ret;
}

void kma_zone_stop(void)
{
	lockdep_assert_held(&kma_lock);
	if (!--kma_zone_users)
		kma_probes_detach(kma_zone_probes, ARRAY_SIZE(kma_zone_probes));
}
