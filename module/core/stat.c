// SPDX-License-Identifier: GPL-2.0
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

/* Words that count two things: events of a tracepoint, and what became of them. */
static const struct kma_stat_pair {
	enum kma_stat word;
	enum kma_stat events;
	enum kma_stat end;
} kma_stat_pairs[] = {
	{ KMA_STAT_unsampled_kmalloc, KMA_STAT_events_kmalloc, KMA_STAT_alloc_unsampled },
	{ KMA_STAT_unsampled_kmem_cache_alloc, KMA_STAT_events_kmem_cache_alloc,
	  KMA_STAT_alloc_unsampled },
	{ KMA_STAT_unmatched_kfree, KMA_STAT_events_kfree, KMA_STAT_free_unmatched },
	{ KMA_STAT_unmatched_kmem_cache_free, KMA_STAT_events_kmem_cache_free,
	  KMA_STAT_free_unmatched },
};

static_assert(ARRAY_SIZE(kma_stat_pairs) == KMA_STAT_WORDS - KMA_STAT_NR);

/*
 * An event on its way, counted as one that is not recorded, may be something else by
 * the next time: one less than before.
 */
static u64 kma_stat_more(u64 now, u64 before)
{
	return (s64)(now - before) < 0 ? 0 : now - before;
}

static void kma_stat_add_pair(struct kma_stats *sum, const struct kma_stat_pair *p)
{
	sum->v[p->events] += sum->v[p->word];
	sum->v[p->end] += sum->v[p->word];
	sum->v[p->word] = 0;
}

void kma_stats_since(struct kma_stats *sum, const struct kma_stats *base)
{
	int i;

	for (i = 0; i < KMA_STAT_NR; i++)
		sum->v[i] = kma_stat_more(sum->v[i], base->v[i]);
}

void kma_stats_sum(struct kma_stats *sum)
{
	const struct kma_stat_pair *p;
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < KMA_STAT_WORDS; i++)
			sum->v[i] += kma_stat_value(i,
					READ_ONCE(per_cpu(kma_stats, cpu).v[i]));
	for (p = kma_stat_pairs; p < kma_stat_pairs + ARRAY_SIZE(kma_stat_pairs); p++)
		kma_stat_add_pair(sum, p);
	/* Only when all are in it. */
	for (p = kma_stat_pairs; p < kma_stat_pairs + ARRAY_SIZE(kma_stat_pairs); p++)
		sum->v[p->end] = kma_stat_more(sum->v[p->end], 0);
}
