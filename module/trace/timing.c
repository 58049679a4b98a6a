// SPDX-License-Identifier: GPL-2.0
/* Time events.  See timing.h. */
#include "../core/stat.h"
#include "timing.h"

/* Longest time, in ns, that an event takes unless it is interrupted. */
#define KMA_EVENT_MAX	100000

/* Time that reading the clock takes, in ns. */
static u64 kma_clock_ns __read_mostly;

/* Number of readings that kma_timing_start() times; it takes the shortest. */
#define KMA_CLOCK_TRIES	64

/* The sum of the words that count events on this CPU: each event changes it. */
static u64 notrace kma_timing_events(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < KMA_STAT_EVENTS_NR; i++)
		sum += this_cpu_read(kma_stats.v[i]);
	for (i = KMA_STAT_NR; i < KMA_STAT_WORDS; i++)
		sum += this_cpu_read(kma_stats.v[i]);
	return sum;
}

struct kma_timing notrace kma_timing_prepare(void)
{
	/* Both readings must be on the same CPU, and since 7.0 a probe may migrate. */
	preempt_disable_notrace();
	return (struct kma_timing) {
		.samples = this_cpu_read(kma_stats.v[KMA_STAT_sample_ns]),
		.events = kma_timing_events(),
	};
}

void notrace kma_timing_finish(struct kma_timing timing, u64 end)
{
	s64 ns = end - timing.start - kma_clock_ns -
		 (this_cpu_read(kma_stats.v[KMA_STAT_sample_ns]) - timing.samples);

	if (ns > KMA_EVENT_MAX || kma_timing_events() != timing.events) {
		kma_stat_inc(timed_long);
	} else {
		kma_stat_inc(timed_events);
		ns = max_t(s64, ns, 0);
		kma_stat_add(timed_ns, ns);
		kma_stat_add(timed_ns2, ns * ns);
	}
	preempt_enable_notrace();
}

void kma_timing_start(void)
{
	u64 start, least = U64_MAX;
	int i;

	for (i = 0; i < KMA_CLOCK_TRIES; i++) {
		start = kma_env_clock_stay();
		least = min(least, kma_env_lap_leave(start));
	}
	kma_clock_ns = least;
}
