/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's own counters: what became of each event that was not simply recorded.
 *
 * Each code path that returns early counts here, and `stats` and `summary` show all
 * counters.  The list KMA_STATS makes both the enum and the names, so that they agree:
 * X(foo) defines KMA_STAT_foo, which is counted by kma_stat_inc(foo).
 *
 * While no probe runs these equations hold, and tests check them:
 *
 *   events_kmalloc + events_kmem_cache_alloc + bulk_allocs + nolock_allocs =
 *	hits and bulk of all rows + alloc_failed + alloc_zero_size + alloc_off
 *	+ alloc_filtered + alloc_unsampled + double_fired + dropped_caches_full
 *	+ dropped_sites_full
 *   events_kfree + events_kmem_cache_free + bulk_frees + rcu_pending +
 *	nolock_frees =
 *	frees of all rows + free_null + free_zero_size + free_unmatched
 *
 * and for page allocations, since tracking of pages began:
 *
 *   events_mm_page_alloc + page_bulk =
 *	hits and bulk of all rows but those of samples + page_failed + page_off
 *	+ page_filtered + page_dropped_classes + page_dropped_sites
 */
#ifndef KMA_CORE_STAT_H
#define KMA_CORE_STAT_H

#include "env.h"

#define KMA_STATS(X)									\
	/* events of a tracepoint: each one counts, whatever becomes of it */		\
	X(events_kmalloc)								\
	X(events_kmem_cache_alloc)							\
	X(events_kfree)									\
	X(events_kmem_cache_free)							\
	X(events_mm_page_alloc)								\
	X(events_mm_page_free)								\
	/* objects that are traced without an event of their own */			\
	X(bulk_allocs)		/* kmem_cache_alloc_bulk() returned the object */	\
	X(bulk_frees)		/* kmem_cache_free_bulk() got the object */		\
	X(rcu_pending)		/* kfree_rcu() got the object (kernels with sheaves) */	\
	/* calls that are traced without an event of their own */			\
	X(nolock_allocs)	/* kmalloc_nolock() returned */				\
	X(nolock_frees)		/* kfree_nolock() was called */				\
	/* allocation events that are not a hit */					\
	X(alloc_failed)		/* the allocation returned NULL */			\
	X(alloc_zero_size)	/* it returned ZERO_SIZE_PTR */				\
	X(alloc_off)		/* `enabled` was 0 */					\
	X(alloc_filtered)	/* did not match the filter: see filter.c */		\
	X(alloc_unsampled)	/* no sample point on the object: see sample.h */	\
	X(double_fired)		/* the first of two events for one object */		\
	X(dropped_caches_full)	/* no number is left for a new cache */			\
	X(dropped_sites_full)	/* no row is left, and [other] holds another shift */	\
	/* hits of which some information is lost */					\
	X(dropped_live_full)	/* no room in the live table: in no_entry of the row */	\
	X(other_sites)		/* counted in [other] */				\
	X(stacks_full)		/* counted without its stack */				\
	/* objects whose free was not seen */						\
	X(replaced)		/* the address was allocated again */			\
	X(page_freed)		/* the page was freed */				\
	/* free events that no row counts */						\
	X(free_null)		/* kfree(NULL) */					\
	X(free_zero_size)	/* kfree(ZERO_SIZE_PTR) */				\
	X(free_unmatched)	/* the object is not recorded */			\
	/* the cost of the module: see overhead.c */					\
	X(timed_events)		/* events that were timed */				\
	X(timed_ns)		/* ns they took, without sample_ns */			\
	X(timed_ns2)		/* sum of the squares of these, ns^2 */			\
	X(timed_long)		/* timed, but left out: interrupted, or too long */	\
	X(sample_ns)		/* ns that recording samples took */			\
	/* events for tables made of countmaps: see countmaps.c */			\
	X(countmap_other)	/* counted in [other] */				\
	X(countmap_off)		/* `enabled` was 0 */					\
	X(countmap_filtered)	/* did not match the filter */				\
	X(countmap_failed)	/* a page allocation that failed */			\
	/* entries of the live table outside their home bucket: see objtab.h */		\
	X(spill_in)		/* put into another bucket */				\
	X(spill_out)		/* removed from another bucket */			\
	/* page allocations and frees, while pages are tracked */			\
	X(page_failed)		/* allocations that failed */				\
	X(pages_failed)		/* pages that these asked for */			\
	X(page_off)		/* allocations while `enabled` was 0 */			\
	X(page_filtered)	/* allocations that did not match the filter */		\
	X(page_bulk)		/* pages of the bulk allocator, without an event */	\
	X(page_no_pfn)		/* allocations in memory without page records */	\
	X(page_frees_only)	/* frees whose first page is not recorded */		\
	X(pages_free_only)	/* pages freed that are not recorded */			\
	X(pages_replaced)	/* pages allocated again without a free in between */	\
	X(page_dropped_classes)	/* no number is left for a new class */			\
	X(page_dropped_sites)	/* no row is left, and [other] holds another shift */	\
	X(page_samples_lost)	/* samples without a row: counted by class only */	\
	X(page_other_sites)	/* allocations counted in [other] */

enum kma_stat {
#define X(name) KMA_STAT_##name,
	KMA_STATS(X)
#undef X
	KMA_STAT_NR,
	/*
	 * While objects are sampled, a probe counts an event in one of these words only.
	 * The word counts it as an event of its tracepoint and as one that is not recorded,
	 * because nearly all are not.  An event that turns out to be something else
	 * decrements alloc_unsampled or free_unmatched.  kma_stats_sum() adds these words to
	 * the events of their tracepoint, and to alloc_unsampled or free_unmatched.
	 */
	KMA_STAT_unsampled_kmalloc = KMA_STAT_NR,
	KMA_STAT_unsampled_kmem_cache_alloc,
	KMA_STAT_unmatched_kfree,
	KMA_STAT_unmatched_kmem_cache_free,
	KMA_STAT_WORDS
};

/**
 * struct kma_stats - all counters of one CPU, or their sums over all CPUs
 * @v: indexed by enum kma_stat; in sums, those from KMA_STAT_NR on are 0
 */
struct kma_stats {
	u64 v[KMA_STAT_WORDS];
};

DECLARE_PER_CPU(struct kma_stats, kma_stats);

/**
 * kma_stat_inc() - add one to a counter of this CPU
 * @name: name of the counter, as in KMA_STATS
 *
 * One instruction, so that no interrupt can come in between.
 *
 * Context: any.
 */
#define kma_stat_inc(name) this_cpu_inc(kma_stats.v[KMA_STAT_##name])

/**
 * kma_stat_dec() - subtract one from a counter of this CPU
 * @name: name of the counter, as in KMA_STATS
 *
 * One instruction, so that no interrupt can come in between.
 *
 * Context: any.
 */
#define kma_stat_dec(name) this_cpu_dec(kma_stats.v[KMA_STAT_##name])

/**
 * kma_stat_add() - add to a counter of this CPU
 * @name: name of the counter, as in KMA_STATS
 * @n: what to add
 *
 * One instruction, so that no interrupt can come in between.
 *
 * Context: any.
 */
#define kma_stat_add(name, n) this_cpu_add(kma_stats.v[KMA_STAT_##name], n)

/*
 * The words that count events of tracepoints, the first of the enum and those from
 * KMA_STAT_NR on, have two parts.  The lower 16 bits are a countdown.  Each event
 * decrements them by one instruction, which also says by a flag whether bit 15 is clear
 * afterwards.  If it is, the event is to be timed, and kma_stat_event_again() adds
 * KMA_TIMED to the countdown, and one to the bits above, which count the countdowns.
 */
#define KMA_STAT_EVENTS_NR	KMA_STAT_bulk_allocs
/* From here to KMA_STAT_NR all counters are of pages. */
#define KMA_STAT_PAGES		KMA_STAT_page_failed
#define KMA_TIMED		1024

/* Value of such a word before the first event. */
#define KMA_EVENTS_NONE		((u64)-(0x8000 / KMA_TIMED - 1) << 16 | (0x8000 + KMA_TIMED))

/**
 * kma_stat_event() - count an event of a tracepoint
 * @name: the counter; kma_stat_is_events() is true for it
 *
 * Context: a probe, any context.
 * Return: true if the event is to be timed; then kma_stat_event_again() has to be called.
 */
#define kma_stat_event(name) kma_env_countdown(kma_stats.v[KMA_STAT_##name])

/**
 * kma_stat_event_again() - begin the next countdown of a counter of events
 * @name: the counter; kma_stat_event() has just returned true for it
 *
 * An interrupt between the two may find the countdown over as well.  Then its event is
 * timed too, and each of the two events adds one countdown.
 *
 * Context: a probe, any context.
 */
#define kma_stat_event_again(name) kma_stat_add(name, KMA_EVENTS_AGAIN)
#define KMA_EVENTS_AGAIN	((1 << 16) + KMA_TIMED)

/**
 * kma_stat_is_events() - whether a counter counts events by countdown
 * @stat: index of the counter
 *
 * Context: any.
 * Return: true if its words have to be read by kma_stat_events().
 */
static inline bool kma_stat_is_events(unsigned int stat)
{
	return stat < KMA_STAT_EVENTS_NR || stat >= KMA_STAT_NR;
}

/**
 * kma_stat_events() - number of events that a word has counted
 * @word: the word, of a counter that kma_stat_is_events() is true for
 *
 * Context: any.
 * Return: the number.
 */
static inline u64 kma_stat_events(u64 word)
{
	return ((s64)word >> 16) * KMA_TIMED + (u16)-word;
}

/**
 * kma_stats_start() - prepare the counters of events
 *
 * On each CPU, sets those that have counted nothing yet, and so are 0, to KMA_EVENTS_NONE.
 *
 * Context: process.
 */
void kma_stats_start(void);

/**
 * kma_stat_name() - the name of a counter, as tables print it
 * @stat: the counter
 *
 * Context: any.
 * Return: a constant string.
 */
const char *kma_stat_name(enum kma_stat stat);

/**
 * kma_stats_sum() - add up the counters of all CPUs
 * @sum: the result
 *
 * Each sum by itself is right, but the sums are not of one moment: an event that comes
 * meanwhile may be in one counter and not yet in another.  An event whose probe has not
 * finished may be in alloc_unsampled or free_unmatched now, and not the next time.
 *
 * Context: any; probes may run at the same time.
 */
void kma_stats_sum(struct kma_stats *sum);

/**
 * kma_stats_since() - what has been counted since an earlier moment
 * @sum: the sums now; replaced by the result
 * @base: the sums at the earlier moment
 *
 * Context: any.
 */
void kma_stats_since(struct kma_stats *sum, const struct kma_stats *base);

#endif /* KMA_CORE_STAT_H */
