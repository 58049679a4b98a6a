/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timing one event in KMA_TIMED, to measure what the probes cost.
 *
 * The measurement begins after the event has been counted, and ends before the probe
 * returns.  The work of timing itself is done before the first reading of the clock and
 * after the second.  The time that a reading takes is measured at load, and subtracted.
 *
 * An interrupt during the measurement is not part of the probe's time.  If other events were
 * counted on this CPU meanwhile, the measurement is dropped, and the event counts in
 * `timed_long`: otherwise the time of those events would count twice, and the rest of the
 * interrupt would count as time of the module.  An interrupt without events goes unnoticed,
 * and its time is part of the measurement.  Each timed event stands for KMA_TIMED events, so
 * a measurement longer than KMA_EVENT_MAX is dropped too, and counts in `timed_long`.
 *
 * Context, unless a function says otherwise: a probe, any context, NMI included.  Preemption is
 * off from kma_timing_begin() to kma_timing_end().
 */
#ifndef KMA_TRACE_TIMING_H
#define KMA_TRACE_TIMING_H

#include <linux/sched/clock.h>
#include <linux/types.h>

/**
 * struct kma_timing - an event that is being timed
 * @start: when timing began, in ns
 * @samples: time that this CPU had spent on recording samples when timing began, in ns
 * @events: a number that each event on this CPU changes
 */
struct kma_timing {
	u64 start;
	u64 samples;
	u64 events;
};

/*
 * The part of kma_timing_begin() before the clock is read: disables preemption, and returns the
 * state without @start.
 */
struct kma_timing kma_timing_prepare(void);

/* The part of kma_timing_end() after reading the clock, @end ns; enables preemption again. */
void kma_timing_finish(struct kma_timing timing, u64 end);

/* Start timing an event, after kma_stat_event_again().  Returns the state for kma_timing_end(). */
static __always_inline struct kma_timing kma_timing_begin(void)
{
	struct kma_timing timing = kma_timing_prepare();

	timing.start = local_clock();
	return timing;
}

/* Count the time since kma_timing_begin(). */
static __always_inline void kma_timing_end(struct kma_timing timing)
{
	kma_timing_finish(timing, local_clock());
}

/* Measure how long reading the clock takes.  Context: process; no probe is attached. */
void kma_timing_start(void);

#endif /* KMA_TRACE_TIMING_H */
