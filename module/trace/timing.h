/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timing one event in KMA_TIMED, to know what the probes cost.
 *
 * A timed event is measured from after it was counted until the probe returns.  What
 * timing itself needs is done before the first reading of the clock and after the second.
 * The time of reading the clock is measured at load, and subtracted.
 *
 * The time of an interrupt in between is not the probe's.  If other events were counted on
 * this CPU meanwhile, the event counts in `timed_long` instead: otherwise the time of those
 * events would count twice, and the rest of the interrupt would count as the module's time.
 * An interrupt without events is measured as part of the event, up to KMA_EVENT_MAX.
 * Anything longer also counts in `timed_long`, because one timed event stands for KMA_TIMED.
 */
#ifndef KMA_TRACE_TIMING_H
#define KMA_TRACE_TIMING_H

#include "../core/env.h"

/**
 * struct kma_timing - an event that is being timed
 * @start: when timing began, in ns
 * @samples: time that this CPU had spent on samples by then, in ns
 * @events: a number that changes with each event of this CPU
 */
struct kma_timing {
	u64 start;
	u64 samples;
	u64 events;
};

/**
 * kma_timing_prepare() - the part of kma_timing_begin() before the clock is read
 *
 * Context: a probe, any context; disables preemption until kma_timing_finish().
 * Return: the state, without @start.
 */
struct kma_timing kma_timing_prepare(void);

/**
 * kma_timing_finish() - the part of kma_timing_end() after the clock is read
 * @timing: the state from kma_timing_begin()
 * @end: the reading of the clock, in ns
 *
 * Context: a probe, any context; enables preemption again.
 */
void kma_timing_finish(struct kma_timing timing, u64 end);

/**
 * kma_timing_begin() - start timing an event
 *
 * Context: a probe, any context, after kma_stat_event_again(); preemption is off from
 * here to kma_timing_end().
 * Return: the state for kma_timing_end().
 */
static __always_inline struct kma_timing kma_timing_begin(void)
{
	struct kma_timing timing = kma_timing_prepare();

	timing.start = kma_env_clock();
	return timing;
}

/**
 * kma_timing_end() - count the time since kma_timing_begin()
 * @timing: the result of kma_timing_begin()
 *
 * Context: a probe, any context.
 */
static __always_inline void kma_timing_end(struct kma_timing timing)
{
	kma_timing_finish(timing, kma_env_clock());
}

/**
 * kma_timing_start() - measure how long reading the clock takes
 *
 * Context: process; no probe is attached.
 */
void kma_timing_start(void);

#endif /* KMA_TRACE_TIMING_H */
