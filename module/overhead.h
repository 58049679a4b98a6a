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
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
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

/* Adjust N to the cost every second.  Context of both: process, may sleep; kma_lock not held. */
void kma_overhead_start(void);
void kma_overhead_stop(void);

/*
 * Start over with the N that was set, by its binary logarithm.  Call this when sampling begins,
 * and when the user sets another N, because the cost up to then does not predict the cost from
 * then on.
 */
void kma_overhead_sampling(int shift);

/* While sampling, limit the cost to @pct percent of all CPUs, up to KMA_BUDGET_MAX; 0: no limit. */
void kma_overhead_set_budget(unsigned int pct);

/* The limit that kma_overhead_set_budget() has set.  Context: any. */
unsigned int kma_overhead_budget_pct(void);

struct kma_overhead kma_overhead_read(void);

#endif /* KMA_OVERHEAD_H */
