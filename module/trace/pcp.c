// SPDX-License-Identifier: GPL-2.0
/* The probes of free lists.  See pcp.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <trace/events/kmem.h>

#include "../compat.h"
#include "../countmaps.h"
#include "../match/filter.h"
#include "../state.h"
#include "acct.h"
#include "pcp.h"
#include "slow_path.h"
#include "tracepoint.h"

/* ---- bursts ------------------------------------------------------------------- */

enum kma_pcp_kind {
	KMA_PCP_NONE,
	KMA_PCP_REFILL,
	KMA_PCP_DRAIN,
};

/**
 * struct kma_pcp_last - the last event of a free list on a CPU
 * @kind: kind of the event; KMA_PCP_NONE if the event does not belong to a burst
 * @allocs: value, at that time, of the word that counts mm_page_alloc events (core/stat.h)
 * @frees: value, at that time, of the word that counts mm_page_free events
 * @events: value of kma_pcp_events at that time
 */
struct kma_pcp_last {
	enum kma_pcp_kind kind;
	u64 allocs;
	u64 frees;
	u64 events;
};

static DEFINE_PER_CPU(struct kma_pcp_last, kma_pcp_last);

/* Counts the page events that no other counter of the module counts. */
static DEFINE_PER_CPU(u64, kma_pcp_events);

void kma_pcp_event(void)
{
	this_cpu_inc(kma_pcp_events);
}

/* Note an event of the kind @kind, and return whether it begins a burst. */
static bool kma_pcp_burst(enum kma_pcp_kind kind)
{
	struct kma_pcp_last *last, now = { .kind = kind };
	bool begins;

	/* On PREEMPT_RT, a task that holds the zone lock may be preempted. */
	preempt_disable_notrace();
	last = this_cpu_ptr(&kma_pcp_last);
	/*
	 * Compare the counters one by one, not their sum: an event decrements its word, and
	 * kma_pcp_event() increments kma_pcp_events, so after both the sum may be unchanged.
	 */
	now.allocs = this_cpu_read(kma_stats.v[KMA_STAT_events_mm_page_alloc]);
	now.frees = this_cpu_read(kma_stats.v[KMA_STAT_events_mm_page_free]);
	now.events = this_cpu_read(kma_pcp_events);
	begins = last->kind != now.kind || last->allocs != now.allocs ||
		 last->frees != now.frees || last->events != now.events;
	*last = now;
	preempt_enable_notrace();
	return begins;
}

/* Whether to count an event.  If not, it has been counted in countmap_off or countmap_filtered. */
static bool kma_pcp_counts(const struct page *page, int order)
{
	return kma_countmaps_recording() &&
	       kma_countmaps_matching(!kma_filter_on() || kma_filter_pages(page, order));
}

/* ---- per-CPU lists --------------------------------------------------------------- */

static void kma_pcp_count(struct page *page, const enum kma_list_counter *counter,
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

static void kma_pcp_moved(struct page *page, unsigned int order, bool begins,
			  enum kma_list_counter pages, enum kma_list_counter bursts)
{
	const enum kma_list_counter counter[] = { pages, bursts };
	const u64 n[] = { 1UL << order, begins };

	kma_pcp_count(page, counter, n, ARRAY_SIZE(n));
}

static void kma_pcp_taken(struct page *page, unsigned int order, bool refill)
{
	const bool begins = kma_pcp_burst(refill ? KMA_PCP_REFILL : KMA_PCP_NONE) && refill;
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_ZONE_LOCKED, 1 }, { KMA_ACCT_REFILLS, begins } },
	};

	if (!kma_pcp_counts(page, order))
		return;
	rcu_read_lock();
	if (refill)
		kma_pcp_moved(page, order, begins, KMA_LIST_REFILL_PAGES,
			      KMA_LIST_REFILLS);
	else
		kma_pcp_moved(page, order, true, KMA_LIST_DIRECT_PAGES,
			      KMA_LIST_DIRECTS);
	kma_acct_count(&event);
	rcu_read_unlock();
}

#ifdef KMA_HAVE_PERCPU_REFILL
static notrace void kma_pcp_probe_mm_page_alloc_zone_locked(void *data, struct page *page,
							    unsigned int order, int type,
							int percpu_refill)
{
	kma_pcp_taken(page, order, percpu_refill);
}
#else
/*
 * On these kernels, the per-CPU lists hold only single pages, and all single pages are
 * allocated from these lists.
 */
static notrace void kma_pcp_probe_mm_page_alloc_zone_locked(void *data, struct page *page,
							    unsigned int order, int type)
{
	kma_pcp_taken(page, order, !order);
}
#endif

static notrace void kma_pcp_probe_mm_page_pcpu_drain(void *data, struct page *page,
						     unsigned int order, int type)
{
	const bool begins = kma_pcp_burst(KMA_PCP_DRAIN);
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_DRAINED, 1 }, { KMA_ACCT_DRAINS, begins } },
	};

	if (!kma_pcp_counts(page, order))
		return;
	rcu_read_lock();
	kma_pcp_moved(page, order, begins, KMA_LIST_DRAIN_PAGES, KMA_LIST_DRAINS);
	kma_acct_count(&event);
	rcu_read_unlock();
}

static notrace void kma_pcp_probe_mm_page_free_batched(void *data, struct page *page)
{
	const enum kma_list_counter counter = KMA_LIST_BATCHED;
	const struct kma_acct_event event = { .nr = 1, .what = { { KMA_ACCT_BATCHED, 1 } } };
	const u64 one = 1;

	kma_pcp_event();
	if (!kma_pcp_counts(page, -1))
		return;
	rcu_read_lock();
	kma_pcp_count(page, &counter, &one, 1);
	kma_acct_count(&event);
	rcu_read_unlock();
}

/* ---- fallbacks -------------------------------------------------------------------- */

/*
 * Return the migrate type of a page's pageblock.  If the pageblock is isolated or its type is
 * unknown, return -1, which is not the type of any allocation.  The kernel's own function for
 * this is not exported, but the bitmap that it reads is accessible.
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

/* Whether to count fallbacks by call site.  Written under kma_lock. */
static bool kma_pcp_sites;

void kma_pcp_find_sites(bool on)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_pcp_sites, on);
}

/* Highest order of a severe fallback; as in the kernel's trace-pagealloc-postprocess.pl. */
#define KMA_SEVERE_ORDER	3

/* Fallbacks happen in the slow path, which is followed by a kretprobe. */
static unsigned long kma_pcp_site(void)
{
	if (!READ_ONCE(kma_pcp_sites))
		return KMA_CLASS_WHOLE;
	return KMA_UNWINDS_KRETPROBES ? kma_env_page_site() : kma_slow_path_site();
}

static void kma_pcp_fallback(const struct kma_countmap_key *key, u64 fragmenting, u64 severe,
			     u64 changed)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_EXTFRAG]);
	struct kma_countmap_info info = { .key = *key };
	u32 id;

	if (!t)
		return;
	info.key.word[KMA_FALLBACK_SITE] = kma_pcp_site();
	id = kma_countmap_get(t, &info);
	kma_countmap_count(t, id, KMA_FALLBACK_ALL, 1);
	kma_countmap_count(t, id, KMA_FALLBACK_FRAGMENTING, fragmenting);
	kma_countmap_count(t, id, KMA_FALLBACK_SEVERE, severe);
	kma_countmap_count(t, id, KMA_FALLBACK_CHANGED, changed);
}

static notrace void kma_pcp_probe_mm_page_alloc_extfrag(void *data, struct page *page,
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

	if (!kma_pcp_counts(page, alloc_order))
		return;
	rcu_read_lock();
	kma_pcp_fallback(&key, fragmenting, severe, changed);
	kma_acct_count(&event);
	rcu_read_unlock();
}

/* ---- start and stop ----------------------------------------------------------------- */

/*
 * Defines kma_pcp_attach_mm_page_alloc_zone_locked() and
 * kma_pcp_detach_mm_page_alloc_zone_locked().
 */
KMA_TRACEPOINT_BY_NAME(pcp, mm_page_alloc_zone_locked)
/* Defines kma_pcp_attach_mm_page_pcpu_drain() and kma_pcp_detach_mm_page_pcpu_drain(). */
KMA_TRACEPOINT_BY_NAME(pcp, mm_page_pcpu_drain)
/* Defines kma_pcp_attach_mm_page_free_batched() and kma_pcp_detach_mm_page_free_batched(). */
KMA_TRACEPOINT_BY_NAME(pcp, mm_page_free_batched)
/* Defines kma_pcp_attach_mm_page_alloc_extfrag() and kma_pcp_detach_mm_page_alloc_extfrag(). */
KMA_TRACEPOINT_BY_NAME(pcp, mm_page_alloc_extfrag)

static const struct kma_tracepoint kma_pcp_tracepoints[] = {
	KMA_TRACEPOINT_ROW(pcp, mm_page_alloc_zone_locked),
	KMA_TRACEPOINT_ROW(pcp, mm_page_pcpu_drain),
	KMA_TRACEPOINT_ROW(pcp, mm_page_free_batched),
	KMA_TRACEPOINT_ROW(pcp, mm_page_alloc_extfrag),
};

/* Calls of kma_pcp_start() minus calls of kma_pcp_stop().  Protected by kma_lock. */
static int kma_pcp_users;

int kma_pcp_start(void)
{
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	if (!kma_pcp_users)
		ret = kma_tracepoints_attach(kma_pcp_tracepoints,
					     ARRAY_SIZE(kma_pcp_tracepoints));
	if (!ret)
		kma_pcp_users++;
	return ret;
}

void kma_pcp_stop(void)
{
	lockdep_assert_held(&kma_lock);
	if (--kma_pcp_users)
		return;
	kma_tracepoints_detach(kma_pcp_tracepoints, ARRAY_SIZE(kma_pcp_tracepoints));
	tracepoint_synchronize_unregister();
}
