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
 *	+ double_fired + dropped_caches_full
 *   events_kfree + events_kmem_cache_free + bulk_frees =
 *	frees of all rows + free_null + free_zero_size + free_unmatched
 */
#ifndef KMA_CORE_STAT_H
#define KMA_CORE_STAT_H

#include "env.h"

#define KMA_STATS(X)							\
	/* one for each event of a tracepoint, whatever becomes of it */ \
	X(events_kmalloc)						\
	X(events_kmem_cache_alloc)					\
	X(events_kfree)							\
	X(events_kmem_cache_free)					\
	/* one for each object, which has no event */			\
	X(bulk_allocs)		/* kmem_cache_alloc_bulk() returned it */ \
	X(bulk_frees)		/* kmem_cache_free_bulk() got it */	\
	/* allocation events that are not a hit */			\
	X(alloc_failed)		/* returned NULL */			\
	X(alloc_zero_size)	/* ZERO_SIZE_PTR */			\
	X(alloc_off)		/* came while enabled was 0 */		\
	X(double_fired)		/* first of two events for one object */ \
	X(dropped_caches_full)	/* no room for another cache */		\
	/* hits of which something is lost */				\
	X(dropped_live_full)	/* no slot for the object: no_entry */	\
	X(other_sites)		/* counted in [other] */		\
	X(replaced)		/* the last free there was not seen */	\
	/* free events that are not a free of a row */			\
	X(free_null)		/* kfree(NULL) */			\
	X(free_zero_size)	/* kfree(ZERO_SIZE_PTR) */		\
	X(free_unmatched)	/* no allocation recorded */		\
	/* how the live table copes */					\
	X(spill_in)		/* entries put outside their home */	\
	X(spill_out)		/* and taken from there */

enum kma_stat {
#define X(name) KMA_STAT_##name,
	KMA_STATS(X)
#undef X
	KMA_STAT_NR
};

struct kma_stats {
	u64 v[KMA_STAT_NR];
};

DECLARE_PER_CPU(struct kma_stats, kma_stats);

/* Context: any; one instruction, so that no interrupt can come between. */
#define kma_stat_inc(name) this_cpu_inc(kma_stats.v[KMA_STAT_##name])

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
 *	meanwhile may be in one and not yet in another
 *
 * Context: any.
 */
void kma_stats_sum(struct kma_stats *sum);

#endif /* KMA_CORE_STAT_H */
