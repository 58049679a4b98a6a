/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timing one event in KMA_TIMED, to know what the probes cost.
 *
 * A timed event is measured from after it was counted until the probe returns.
 * Everything that timing itself needs is done before the first reading of the clock
 * and after the second; the clock is timed at load, and its time is subtracted.
 *
 * An interrupt in between is not the probe's time.  If other events were counted on
 * this CPU meanwhile, the event counts in `timed_long` instead: the time of those
 * events would count twice, and the rest of the interrupt's time for the module's.
 * An interrupt without events is measured as part of the event, up to KMA_EVENT_MAX;
 * anything longer is left out, because one timed event stands for a thousand.
 */
#ifndef KMA_TRACE_TIMING_H
#define KMA_TRACE_TIMING_H

#include "../core/env.h"

/**
 * struct kma_timing - an event that is being timed
 * @start: when timing began, ns
 * @samples: what this CPU had spent on samples by then, ns
 * @events: a number that changes with each event of this CPU
 */
struct kma_timing {
	u64 start;
	u64 samples;
	u64 events;
};

/* What kma_timing_begin() does before it reads the clock. */
struct kma_timing kma_timing_prepare(void);
/* What kma_timing_end() does after it read the clock. */
void kma_timing_finish(struct kma_timing timing, u64 end);

/**
 * kma_timing_begin() - start timing an event
 *
 * Context: a probe, any context, after kma_stat_event_again(); preemption is off from
 * here to kma_timing_end().
 * Return: the state to hand to kma_timing_end().
 */
static __always_inline struct kma_timing kma_timing_begin(void)
{
	struct kma_timing timing = kma_timing_prepare();

	timing.start = kma_env_clock();
	return timing;
}

/**
 * kma_timing_end() - count the time since kma_timing_begin()
 * @timing: its result
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_timing_end(struct kma_timing timing)
{
	kma_timing_finish(timing, kma_env_clock());
}

/**
 * kma_timing_start() - measure what reading the clock takes
 *
 * Context: process; no probe is attached.
 */
void kma_timing_start(void);

#endif /* KMA_TRACE_TIMING_H */
