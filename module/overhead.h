/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU time that the module costs, and the budget that limits it.
 *
 *	event ----- one in KMA_TIMED is timed --> trace/timing.h
 *	sample ---- each one is timed ----------> kma_env_lap_leave()
 *	   |
 *	   v  counters
 *	once a second: cost (core/budget.h) ----> share of CPU time, shown in `stats`
 *	   |
 *	   v  a new N, if objects are sampled and a budget is set
 *	core/sample.h
 *
 * N is the average number of bytes between samples.
 */
#ifndef KMA_OVERHEAD_H
#define KMA_OVERHEAD_H

#include <linux/types.h>

/* The largest and the default budget, in percent of the time of all CPUs. */
#define KMA_BUDGET_MAX		100
#define KMA_BUDGET_DEFAULT	1

/**
 * struct kma_overhead - the CPU time that the module costs
 * @event_ps: mean time that an event takes, in picoseconds; 0 if no event has been timed
 * @event_ps_se: the standard error of @event_ps
 * @share: the module's share of the time of all CPUs in the last few seconds, in thousandths
 *	of a percent
 * @share_se: the standard error of @share
 * @raised: how often N was raised since load
 * @lowered: how often N was lowered since load
 */
struct kma_overhead {
	u64 event_ps;
	u64 event_ps_se;
	u32 share;
	u32 share_se;
	u64 raised;
	u64 lowered;
};

/**
 * kma_overhead_start() - start to compute the cost, and to adjust N, once a second
 *
 * Context: process, may sleep; kma_lock is not held.
 */
void kma_overhead_start(void);

/**
 * kma_overhead_stop() - undo kma_overhead_start()
 *
 * Context: process, may sleep; kma_lock is not held.
 */
void kma_overhead_stop(void);

/**
 * kma_overhead_sampling() - start over with the N that was set
 * @shift: binary logarithm of N
 *
 * Call this when sampling begins, and when the user sets another N, because the cost up to then
 * does not predict the cost from then on.
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_sampling(int shift);

/**
 * kma_overhead_set_budget() - set the limit of the cost while objects are sampled
 * @pct: percent of the time of all CPUs, up to KMA_BUDGET_MAX; 0 for no limit
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_set_budget(unsigned int pct);

/**
 * kma_overhead_budget_pct() - get the limit that was set
 *
 * Context: any.
 * Return: percent of the time of all CPUs; 0 for no limit.
 */
unsigned int kma_overhead_budget_pct(void);

/**
 * kma_overhead_read() - get the cost that was computed last
 *
 * Context: process; kma_lock is held.
 * Return: the cost.
 */
struct kma_overhead kma_overhead_read(void);

#endif /* KMA_OVERHEAD_H */
