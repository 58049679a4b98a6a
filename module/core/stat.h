/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's own counters: what happened to every event that was not simply
 * recorded.  A path that leaves early counts here, and `stats` and `summary`
 * show all of them; the list below makes enum and names, so that they cannot
 * come apart.
 *
 * When nothing runs these hold, and tests check them:
 *
 *   events_kmalloc + events_kmem_cache_alloc + bulk_allocs =
 *	hits and bulk of all rows + alloc_failed + alloc_zero_size + alloc_off
 *	+ alloc_filtered + alloc_unsampled + double_fired + dropped_caches_full
 *	+ dropped_sites_full
 *   events_kfree + events_kmem_cache_free + bulk_frees + rcu_pending =
 *	frees of all rows + free_null + free_zero_size + free_unmatched
 *
 * and of blocks of pages, since these are tracked:
 *
 *   events_mm_page_alloc + page_bulk =
 *	hits and bulk of all rows but those of samples + page_failed + page_off
 *	+ page_filtered + page_dropped_classes + page_dropped_sites
 */
#ifndef KMA_CORE_STAT_H
#define KMA_CORE_STAT_H

#include "env.h"

#define KMA_STATS(X)							\
	/* in sums one for each event of a tracepoint, whatever becomes of it */ \
	X(events_kmalloc)						\
	X(events_kmem_cache_alloc)					\
	X(events_kfree)							\
	X(events_kmem_cache_free)					\
	X(events_mm_page_alloc)						\
	X(events_mm_page_free)						\
	/* one for each object, which has no event */			\
	X(bulk_allocs)		/* kmem_cache_alloc_bulk() returned it */ \
	X(bulk_frees)		/* kmem_cache_free_bulk() got it */	\
	X(rcu_pending)		/* kfree_rcu() got it, on kernels with sheaves */ \
	/* allocation events that are not a hit */			\
	X(alloc_failed)		/* returned NULL */			\
	X(alloc_zero_size)	/* ZERO_SIZE_PTR */			\
	X(alloc_off)		/* came while enabled was 0 */		\
	X(alloc_filtered)	/* did not match the filter: see filter.c */ \
	X(alloc_unsampled)	/* no sample point fell on it: see sample.h */	\
	X(double_fired)		/* first of two events for one object */ \
	X(dropped_caches_full)	/* no room for another cache */		\
	X(dropped_sites_full)	/* nor in [other]: it weighs otherwise */ \
	/* hits of which something is lost */				\
	X(dropped_live_full)	/* no slot for the object: no_entry */	\
	X(other_sites)		/* counted in [other] */		\
	X(stacks_full)		/* counted without its stack */		\
	/* objects whose free was not seen */				\
	X(replaced)		/* the address was allocated again */	\
	X(page_freed)		/* its page was freed */		\
	/* free events that are not a free of a row */			\
	X(free_null)		/* kfree(NULL) */			\
	X(free_zero_size)	/* kfree(ZERO_SIZE_PTR) */		\
	X(free_unmatched)	/* no allocation recorded */		\
	/* what the module itself takes: see overhead.c */			\
	X(timed_events)		/* that were timed */			\
	X(timed_ns)		/* nanoseconds they took, but for samples */ \
	X(timed_ns2)		/* the sum of their squares */		\
	X(timed_long)		/* not among them: somebody came between */ \
	X(sample_ns)		/* nanoseconds that recording samples took */ \
	/* events for tables made of countmaps: see countmaps.c */		\
	X(countmap_other)		/* counted in [other] */		\
	X(countmap_off)		/* came while enabled was 0 */		\
	X(countmap_filtered)	/* did not match the filter */		\
	X(countmap_failed)		/* of a page allocation that failed */	\
	/* how the live table copes */					\
	X(spill_in)		/* entries put outside their home */	\
	X(spill_out)		/* and taken from there */		\
	/* what became of the events of pages, while these are tracked */ \
	X(page_failed)		/* an allocation that failed */		\
	X(pages_failed)		/* the pages it asked for */		\
	X(page_off)		/* one that came while enabled was 0 */	\
	X(page_filtered)	/* one that did not match the filter */	\
	X(page_bulk)		/* the bulk allocator returned it: no event */ \
	X(page_no_pfn)	/* in memory that is not known */	\
	X(page_frees_only)	/* frees whose first page is not recorded */ \
	X(pages_free_only)	/* pages freed that are not recorded */	\
	X(pages_replaced)	/* allocated again: the free was not seen */ \
	X(page_dropped_classes)	/* no room for another class */	\
	X(page_dropped_sites)	/* nor in [other]: it weighs otherwise */ \
	X(page_samples_lost)	/* a sample that found no row: counted by class only */ \
	X(page_other_sites)	/* counted in [other] */

enum kma_stat {
#define X(name) KMA_STAT_##name,
	KMA_STATS(X)
#undef X
	KMA_STAT_NR,
	/*
	 * While objects are sampled, events count here, each as one that is not recorded,
	 * as nearly all are not; what is something else is taken off alloc_unsampled or
	 * free_unmatched, to which kma_stats_sum() adds these, as to its tracepoint's events.
	 */
	KMA_STAT_unsampled_kmalloc = KMA_STAT_NR,
	KMA_STAT_unsampled_kmem_cache_alloc,
	KMA_STAT_unmatched_kfree,
	KMA_STAT_unmatched_kmem_cache_free,
	KMA_STAT_WORDS
};

/**
 * struct kma_stats - all counters
 * @v: by enum kma_stat; in sums those from KMA_STAT_NR on are 0
 */
struct kma_stats {
	u64 v[KMA_STAT_WORDS];
};

DECLARE_PER_CPU(struct kma_stats, kma_stats);

/* Context: any; one instruction, so that no interrupt can come between. */
#define kma_stat_inc(name) this_cpu_inc(kma_stats.v[KMA_STAT_##name])
#define kma_stat_dec(name) this_cpu_dec(kma_stats.v[KMA_STAT_##name])
#define kma_stat_add(name, n) this_cpu_add(kma_stats.v[KMA_STAT_##name], n)

/*
 * The events of a tracepoint, the first counters and the last, are counted in words of
 * two parts.  The lower 16 bits go down by one with each event, by an instruction that
 * also says when their highest bit has gone: that event is to be timed.  Then they
 * get KMA_TIMED more, and the bits above count that.
 */
#define KMA_STAT_EVENTS_NR	KMA_STAT_bulk_allocs
/* Those of pages come last. */
#define KMA_STAT_PAGES		KMA_STAT_page_failed
#define KMA_TIMED		1024

/* The word of no events. */
#define KMA_EVENTS_NONE		((u64)-(0x8000 / KMA_TIMED - 1) << 16 | (0x8000 + KMA_TIMED))

/**
 * kma_stat_event() - count an event of a tracepoint
 * @name: the counter, one of which kma_stat_is_events() is true
 *
 * Context: a probe, any context. Return: whether it is to be timed; if so,
 * kma_stat_event_again() has to be called.
 */
#define kma_stat_event(name) kma_env_countdown(kma_stats.v[KMA_STAT_##name])

/* Count down once more.  Whatever interrupts meanwhile may do so as well. */
#define kma_stat_event_again(name) kma_stat_add(name, KMA_EVENTS_AGAIN)
#define KMA_EVENTS_AGAIN	((1 << 16) + KMA_TIMED)

/* Whether a counter is such a word. Context: any. */
static inline bool kma_stat_is_events(unsigned int stat)
{
	return stat < KMA_STAT_EVENTS_NR || stat >= KMA_STAT_NR;
}

/* Events, by the word that counts them. */
static inline u64 kma_stat_events(u64 word)
{
	return ((s64)word >> 16) * KMA_TIMED + (u16)-word;
}

/* All words of events that count none as yet begin anew. Context: process. */
void kma_stats_start(void);

/**
 * kma_stat_name() - the name of a counter, as tables print it
 * @stat: the counter
 *
 * Context: any. Return: a constant string.
 */
const char *kma_stat_name(enum kma_stat stat);

/**
 * kma_stats_sum() - add up the counters of all CPUs
 * @sum: the result; each counter by itself is right, but events that come
 *	meanwhile may be in one and not yet in another; one that is on its way may be
 *	in alloc_unsampled or free_unmatched, and not the next time
 *
 * Context: any.
 */
void kma_stats_sum(struct kma_stats *sum);

/**
 * kma_stats_since() - what has been counted since a moment
 * @sum: the sums now, and then the result
 * @base: the sums at that moment
 *
 * Context: any.
 */
void kma_stats_since(struct kma_stats *sum, const struct kma_stats *base);

#endif /* KMA_CORE_STAT_H */
