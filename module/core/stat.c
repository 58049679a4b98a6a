// SPDX-License-Identifier: GPL-2.0
/* The module's own counters.  See the overview in stat.h. */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "stat.h"

DEFINE_PER_CPU(struct kma_stats, kma_stats);

static const char * const kma_stat_names[] = {
#define X(name) #name,
	KMA_STATS(X)
#undef X
};

static_assert(ARRAY_SIZE(kma_stat_names) == KMA_STAT_NR);

const char *kma_stat_name(enum kma_stat stat)
{
	return kma_stat_names[stat];
}

static_assert((KMA_TIMED & (KMA_TIMED - 1)) == 0 && KMA_TIMED < 0x4000);

void kma_stats_start(void)
{
	u64 *v;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		v = per_cpu(kma_stats, cpu).v;
		for (i = 0; i < KMA_STAT_WORDS; i++)
			if (kma_stat_is_events(i) && !v[i])
				v[i] = KMA_EVENTS_NONE;
	}
}

static u64 kma_stat_value(int i, u64 word)
{
	return kma_stat_is_events(i) ? kma_stat_events(word) : word;
}

/*
 * While objects are sampled, probes count events in combined counters (stat.h).  The combined
 * counter @word is added to two counters: @events, which counts the events of the tracepoint, and
 * @end, which is alloc_unsampled or free_unmatched, and is right for nearly all of these events.
 * If @end is wrong for an event, the probe decrements @end.
 */
static const struct kma_stat_fold {
	enum kma_stat end;
	struct {
		enum kma_stat word;
		enum kma_stat events;
	} of[2];
} kma_stat_folds[] = {
	{
		KMA_STAT_alloc_unsampled,
		{
			{ KMA_STAT_unsampled_kmalloc, KMA_STAT_events_kmalloc },
			{ KMA_STAT_unsampled_kmem_cache_alloc,
			  KMA_STAT_events_kmem_cache_alloc },
		},
	}, {
		KMA_STAT_free_unmatched,
		{
			{ KMA_STAT_unmatched_kfree, KMA_STAT_events_kfree },
			{ KMA_STAT_unmatched_kmem_cache_free,
			  KMA_STAT_events_kmem_cache_free },
		},
	},
};

#define KMA_FOLD_TRIES	100

/*
 * Read the counter @end and its combined counters until @end is stable, so that no event is
 * counted twice or not at all, except for events that probes are handling right now.  Otherwise
 * the sums would be wrong by many events if the reader were interrupted for long between the reads.
 */
static void kma_stat_fold(struct kma_stats *sum, const u64 *v,
			  const struct kma_stat_fold *f)
{
	int i, tries = KMA_FOLD_TRIES;
	u64 end, events[2];

	do {
		end = READ_ONCE(v[f->end]);
		/*
		 * A probe counts an event in the combined counter before it decrements @end.
		 * This pairs with that order: each event whose decrement was read above is
		 * also read below.
		 */
		smp_rmb();
		for (i = 0; i < 2; i++)
			events[i] = kma_stat_events(READ_ONCE(v[f->of[i].word]));
		/*
		 * Pairs with the order described above.  If @end has not changed, it includes the
		 * decrements of all events that were read above, except decrements that probes have
		 * not made yet.
		 */
		smp_rmb();
	} while (READ_ONCE(v[f->end]) != end && --tries);
	for (i = 0; i < 2; i++) {
		sum->v[f->of[i].events] += events[i];
		end += events[i];
	}
	sum->v[f->end] += end;
}

static bool kma_stat_is_folded(int i)
{
	return i == KMA_STAT_alloc_unsampled || i == KMA_STAT_free_unmatched;
}

static void kma_stats_add_cpu(struct kma_stats *sum, const u64 *v)
{
	int i;

	for (i = 0; i < KMA_STAT_NR; i++)
		if (!kma_stat_is_folded(i))
			sum->v[i] += kma_stat_value(i, READ_ONCE(v[i]));
	for (i = 0; i < (int)ARRAY_SIZE(kma_stat_folds); i++)
		kma_stat_fold(sum, v, &kma_stat_folds[i]);
}

/*
 * Get the increase of a folded counter, or 0 if it has decreased.  It decreases if the first
 * reading included an event that a probe was still handling, and the probe has decremented the
 * counter since.
 */
static u64 kma_stat_more(u64 now, u64 before)
{
	return (s64)(now - before) < 0 ? 0 : now - before;
}

void kma_stats_sum(struct kma_stats *sum)
{
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		kma_stats_add_cpu(sum, per_cpu(kma_stats, cpu).v);
	/* If a probe migrates, it may increment on one CPU and decrement on another one. */
	for (i = 0; i < KMA_STAT_NR; i++)
		if (kma_stat_is_folded(i))
			sum->v[i] = kma_stat_more(sum->v[i], 0);
}

void kma_stats_balance(struct kma_stats *sum)
{
	u64 *v = sum->v;

	v[KMA_STAT_alloc_off] = v[KMA_STAT_events_kmalloc] + v[KMA_STAT_events_kmem_cache_alloc] +
				v[KMA_STAT_bulk_allocs] + v[KMA_STAT_nolock_allocs] -
				v[KMA_STAT_alloc_failed] - v[KMA_STAT_alloc_zero_size] -
				v[KMA_STAT_alloc_filtered] - v[KMA_STAT_alloc_unsampled] -
				v[KMA_STAT_double_fired] -
				v[KMA_STAT_dropped_sites_full];
	v[KMA_STAT_free_unmatched] = v[KMA_STAT_events_kfree] +
				     v[KMA_STAT_events_kmem_cache_free] +
				     v[KMA_STAT_bulk_frees] + v[KMA_STAT_rcu_pending] +
				     v[KMA_STAT_nolock_frees] -
				     v[KMA_STAT_free_null] - v[KMA_STAT_free_zero_size];
}

void kma_stats_since(struct kma_stats *sum, const struct kma_stats *base)
{
	int i;

	for (i = 0; i < KMA_STAT_NR; i++)
		sum->v[i] = kma_stat_is_folded(i) ? kma_stat_more(sum->v[i], base->v[i]) :
						    sum->v[i] - base->v[i];
}
