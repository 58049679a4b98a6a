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
		for (i = 0; i < KMA_STAT_EVENTS_NR; i++)
			if (!v[i])
				v[i] = KMA_EVENTS_NONE;
	}
}

static u64 kma_stat_value(int i, u64 word)
{
	return i < KMA_STAT_EVENTS_NR ? kma_stat_events(word) : word;
}

void kma_stats_sum(struct kma_stats *sum)
{
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < KMA_STAT_NR; i++)
			sum->v[i] += kma_stat_value(i,
					READ_ONCE(per_cpu(kma_stats, cpu).v[i]));
}
