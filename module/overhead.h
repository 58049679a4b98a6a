/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module costs, and the budget that limits it.
 *
 *	probe ----- one event in KMA_TIMED ----> trace/timing.h
 *	sample ---- each one -----------------> kma_env_lap_leave()
 *	   |
 *	   v  counters
 *	once a second: cost (core/budget.h) --> share of the CPUs, in `stats`
 *	   |				    --> another N, while objects are sampled
 *	   v
 *	core/sample.h
 */
#ifndef KMA_OVERHEAD_H
#define KMA_OVERHEAD_H

#include <linux/types.h>

/* The largest budget, and the default, in percent of all CPUs. */
#define KMA_BUDGET_MAX		100
#define KMA_BUDGET_DEFAULT	1

/**
 * struct kma_overhead - what the module costs
 * @event_ps: picoseconds an event takes; 0 if none has been timed
 * @event_ps_se: the standard error of @event_ps
 * @share: thousandths of a percent of all CPUs' time that the module took lately
 * @share_se: the standard error of @share
 * @raised: how often the budget raised N, since load
 * @lowered: how often it lowered N, since load
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
 * kma_overhead_start() - look once a second at what the module costs
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
 * kma_overhead_sampling() - sampling has begun, or goes on with another N
 * @shift: binary logarithm of the N that was set
 *
 * The cost before this is no evidence of the cost after it.
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_sampling(int shift);

/**
 * kma_overhead_set_budget() - limit the cost while objects are sampled
 * @pct: percent of the time of all CPUs, up to KMA_BUDGET_MAX; 0: no limit
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_set_budget(unsigned int pct);

/**
 * kma_overhead_budget_pct() - the limit that was set
 *
 * Context: any.
 * Return: percent; 0 if there is none.
 */
unsigned int kma_overhead_budget_pct(void);

/**
 * kma_overhead_read() - what the module cost when that was last looked at
 *
 * Context: process; kma_lock is held.
 * Return: the cost.
 */
struct kma_overhead kma_overhead_read(void);

#endif /* KMA_OVERHEAD_H */
