/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's own counters: all events, and why some of them were not simply recorded.
 *
 * Each code path that returns early increments one of these counters, and `stats` shows all
 * of them.  Both the enum and the names are generated from the list KMA_STATS, so that they
 * agree: X(foo) defines KMA_STAT_foo, and kma_stat_inc(foo) increments it.
 *
 * While no probe runs, these equations hold, and tests check them:
 *
 *   events_kmalloc + events_kmem_cache_alloc + bulk_allocs + nolock_allocs =
 *	hits and bulk of all rows + alloc_failed + alloc_zero_size + alloc_off
 *	+ alloc_filtered + alloc_unsampled + double_fired + dropped_sites_full
 *   events_kfree + events_kmem_cache_free + bulk_frees + rcu_pending +
 *	nolock_frees =
 *	frees of all rows + free_null + free_zero_size + free_unmatched
 *
 * And for page allocations, since tracking of pages began:
 *
 *   events_mm_page_alloc + page_bulk =
 *	hits and bulk of all rows but those of samples + page_failed + page_off
 *	+ page_filtered + page_dropped_sites
 *
 * Context, unless a function says otherwise: any, NMI included.
 */
#ifndef KMA_CORE_STAT_H
#define KMA_CORE_STAT_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "env.h"

#define KMA_STATS(X)									\
	/* events of each tracepoint, whether recorded or not */			\
	X(events_kmalloc)								\
	X(events_kmem_cache_alloc)							\
	X(events_kfree)									\
	X(events_kmem_cache_free)							\
	X(events_mm_page_alloc)								\
	X(events_mm_page_free)								\
	/* objects that were followed without an event of their own */			\
	X(bulk_allocs)		/* kmem_cache_alloc_bulk() returned the object */	\
	X(bulk_frees)		/* kmem_cache_free_bulk() got the object */		\
	X(rcu_pending)		/* kfree_rcu() got the object (kernels with sheaves) */	\
	/* calls that were followed without an event of their own */			\
	X(nolock_allocs)	/* kmalloc_nolock() returned */				\
	X(nolock_frees)		/* kfree_nolock() was called */				\
	/* allocation events that are not counted as hits */				\
	X(alloc_failed)		/* the allocation returned NULL */			\
	X(alloc_zero_size)	/* the allocation returned ZERO_SIZE_PTR */		\
	X(alloc_off)		/* `enabled` was 0 */					\
	X(alloc_filtered)	/* did not match the filter: see filter.c */		\
	X(alloc_unsampled)	/* no sample point was on the object: see sample.h */	\
	X(double_fired)		/* the first of two events for one object */		\
	X(dropped_sites_full)	/* no row was left, not even for an [other] */		\
	/* hits that were counted, but with a loss of information */			\
	X(dropped_live_full)	/* no room in the live table: see no_entry of the row */ \
	X(other_sites)		/* counted in the row [other] */			\
	X(other_caches)		/* caches that got a number which others share */	\
	X(stacks_full)		/* sample counted without its stack */			\
	X(owner_other)		/* times that no number was free for an owner */	\
	X(owner_no_path)	/* times that no room was left for a cgroup's path */	\
	/* objects whose free was not seen */						\
	X(replaced)		/* the address was allocated again */			\
	X(page_freed)		/* the page was freed */				\
	/* free events that no row counts */						\
	X(free_null)		/* kfree(NULL) */					\
	X(free_zero_size)	/* kfree(ZERO_SIZE_PTR) */				\
	X(free_unmatched)	/* the object is not in the live table */		\
	/* the cost of the module: see overhead.c */					\
	X(timed_events)		/* events that were timed */				\
	X(timed_ns)		/* ns that these events took, without sample_ns */	\
	X(timed_ns2)		/* sum of the squares of these times, ns^2 */		\
	X(timed_long)		/* timed, but ignored: interrupted, or too long */	\
	X(sample_ns)		/* ns that recording samples took */			\
	/* events of the tables that are countmaps: see countmaps.h */			\
	X(countmap_other)	/* counted in the row [other] */			\
	X(countmap_off)		/* `enabled` was 0 */					\
	X(countmap_filtered)	/* did not match the filter */				\
	X(countmap_failed)	/* a page allocation that failed */			\
	/* phases of reclaim and compaction: see stall.h */				\
	X(stall_no_slot)	/* phases of tasks for which no slot was free */	\
	X(stall_too_deep)	/* phases inside too many others */			\
	X(stall_begins_lost)	/* ends of phases whose beginning was not recorded */	\
	X(stall_ends_lost)	/* phases whose end was not seen */			\
	X(shrinker_unreadable)	/* arguments that are not a readable shrinker */	\
	X(slow_lost)		/* records that the log had no place for */		\
	X(kswapd_wakeups)	/* kswapd was woken */					\
	X(compact_deferred)	/* a zone was not compacted: it failed lately */	\
	/* entries of the live table outside their home bucket: see objtab.h */		\
	X(spill_in)		/* put into another bucket */				\
	X(spill_out)		/* removed from another bucket */			\
	/* page allocations and frees, while pages are tracked */			\
	X(page_failed)		/* allocations that failed */				\
	X(pages_failed)		/* pages that these allocations requested */		\
	X(page_off)		/* allocations while `enabled` was 0 */			\
	X(page_filtered)	/* allocations that did not match the filter */		\
	X(page_bulk)		/* pages of the bulk allocator, without an event */	\
	X(page_no_pfn)		/* allocations in memory without page records */	\
	X(page_frees_only)	/* frees whose first page was not recorded */		\
	X(pages_free_only)	/* pages freed that were not recorded */		\
	X(pages_replaced)	/* pages allocated again without a free in between */	\
	X(page_dropped_sites)	/* no row was left, not even for an [other] */		\
	X(page_samples_lost)	/* samples without a row: counted by class only */	\
	X(page_other_sites)	/* allocations counted in the row [other] */		\
	X(page_other_classes)	/* allocations counted without their gfp flags */

enum kma_stat {
#define X(name) KMA_STAT_##name,
	KMA_STATS(X)
#undef X
	KMA_STAT_NR,
	/*
	 * Combined counters.  While objects are sampled, nearly every event has to be counted
	 * in two counters: that of its tracepoint, and alloc_unsampled or free_unmatched.  To
	 * save an instruction, a probe only counts the event in the combined counter of the
	 * tracepoint.  If the event turns out not to be unsampled or unmatched, the probe
	 * decrements alloc_unsampled or free_unmatched.  kma_stats_sum() adds each combined
	 * counter to both of the counters that it stands for.
	 */
	KMA_STAT_unsampled_kmalloc = KMA_STAT_NR,
	KMA_STAT_unsampled_kmem_cache_alloc,
	KMA_STAT_unmatched_kfree,
	KMA_STAT_unmatched_kmem_cache_free,
	KMA_STAT_WORDS
};

/**
 * struct kma_stats - all counters of one CPU, or their sums over all CPUs
 * @v: indexed by enum kma_stat; in sums, the combined counters, from KMA_STAT_NR on, are 0
 */
struct kma_stats {
	u64 v[KMA_STAT_WORDS];
};

DECLARE_PER_CPU(struct kma_stats, kma_stats);

/*
 * Add one to the counter @name of KMA_STATS on this CPU.  This is one instruction, and so atomic
 * with respect to interrupts on this CPU; so are kma_stat_dec() and kma_stat_add().
 */
#define kma_stat_inc(name) this_cpu_inc(kma_stats.v[KMA_STAT_##name])
#define kma_stat_dec(name) this_cpu_dec(kma_stats.v[KMA_STAT_##name])
#define kma_stat_add(name, n) this_cpu_add(kma_stats.v[KMA_STAT_##name], n)

/*
 * Counters of tracepoint events are also used to time one event in KMA_TIMED.  These are the
 * first KMA_STAT_EVENTS_NR counters, and the combined counters from KMA_STAT_NR on.  The lower
 * 16 bits of such a counter are a countdown.  Each event decrements the countdown by one
 * instruction, which also sets a flag if bit 15 is clear afterwards.  If it is clear, the probe
 * times the event, and kma_stat_event_again() adds KMA_TIMED to the countdown, and one to the
 * bits above, which count countdowns.
 */
#define KMA_STAT_EVENTS_NR	KMA_STAT_bulk_allocs
/* The counters from this one to KMA_STAT_NR count page allocations and frees. */
#define KMA_STAT_PAGES		KMA_STAT_page_failed
#define KMA_TIMED		1024

/* Value of such a counter before the first event. */
#define KMA_EVENTS_NONE		((u64)-(0x8000 / KMA_TIMED - 1) << 16 | (0x8000 + KMA_TIMED))

/*
 * Count an event of a tracepoint in @name, for which kma_stat_is_events() is true.  Returns true
 * if the event is to be timed; then the caller has to call kma_stat_event_again().
 */
#define kma_stat_event(name) kma_env_countdown(kma_stats.v[KMA_STAT_##name])

/*
 * Begin the next countdown of @name, after kma_stat_event() has returned true for it.  If an
 * interrupt comes between the two, kma_stat_event() may return true for an event in the interrupt,
 * too.  Then both events are timed, and each of them adds one countdown.
 */
#define kma_stat_event_again(name) kma_stat_add(name, KMA_EVENTS_AGAIN)
#define KMA_EVENTS_AGAIN	((1 << 16) + KMA_TIMED)

/* Whether a counter has a countdown, so that kma_stat_events() gets its number of events. */
static inline bool kma_stat_is_events(unsigned int stat)
{
	return stat < KMA_STAT_EVENTS_NR || stat >= KMA_STAT_NR;
}

/* The number of events from @word, the value of a counter that has a countdown. */
static inline u64 kma_stat_events(u64 word)
{
	return ((s64)word >> 16) * KMA_TIMED + (u16)-word;
}

/* Set counters with a countdown that are 0 to KMA_EVENTS_NONE on each CPU.  Context: process. */
void kma_stats_start(void);

/* The name of a counter, as tables print it. */
const char *kma_stat_name(enum kma_stat stat);

/*
 * Add up the counters of all CPUs, while probes run.  The counters are not read at one point in
 * time: an event that occurs meanwhile may be in one sum and not in another.  An event whose probe
 * has not finished may be counted as alloc_unsampled or free_unmatched now, and no longer in the
 * next call.
 */
void kma_stats_sum(struct kma_stats *sum);

/*
 * Make sums agree that were read while probes ran, before recording began: replace alloc_off and
 * free_unmatched.  While allocations are not recorded and no object is live, each event counts in
 * one of these two, or in a counter that says that there was no object.  A probe changes two
 * counters one after the other, so @sum may have an event in only one of the two.  On return, both
 * equations above hold for @sum.  So they also hold for what kma_stats_since() computes from later
 * sums.
 */
void kma_stats_balance(struct kma_stats *sum);

/* Replace @sum, the current sums, by the difference to @base, the sums at an earlier time. */
void kma_stats_since(struct kma_stats *sum, const struct kma_stats *base);

#endif /* KMA_CORE_STAT_H */
