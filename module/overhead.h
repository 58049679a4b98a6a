/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU time that the module costs, and the budget that limits it.
 *
 *	event ----- one in KMA_TIMED is timed --> trace/timing.h
 *	sample ---- each one is timed ----------> kma_env_lap_leave()
 *	   |
 *	   v  counters
 *	once a second: cost (core/budget.h) ----> share of the CPUs, in `stats`
 *	   |
 *	   v  another N, while objects are sampled and there is a budget
 *	core/sample.h
 *
 * N is the number of bytes between samples, on average.
 */
#ifndef KMA_OVERHEAD_H
#define KMA_OVERHEAD_H

#include <linux/types.h>

/* The largest budget, and the default, in percent of the time of all CPUs. */
#define KMA_BUDGET_MAX		100
#define KMA_BUDGET_DEFAULT	1

/**
 * struct kma_overhead - the CPU time that the module costs
 * @event_ps: time an event takes, in picoseconds; 0 if no event has been timed
 * @event_ps_se: the standard error of @event_ps
 * @share: the module's share of the time of all CPUs lately, in thousandths of a percent
 * @share_se: the standard error of @share
 * @raised: how often the budget has raised N since load
 * @lowered: how often the budget has lowered N since load
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
 * kma_overhead_start() - compute the cost, and adjust N to the budget, once a second
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
 * kma_overhead_sampling() - measure the cost anew, with the N that was set
 * @shift: binary logarithm of N
 *
 * To be called when sampling begins, and when N is set to another value: the cost before
 * that says nothing about the cost from then on.
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_sampling(int shift);

/**
 * kma_overhead_set_budget() - set the limit of the cost while objects are sampled
 * @pct: percent of the time of all CPUs, up to KMA_BUDGET_MAX; 0: no limit
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_set_budget(unsigned int pct);

/**
 * kma_overhead_budget_pct() - the limit that was set
 *
 * Context: any.
 * Return: percent of the time of all CPUs; 0: no limit.
 */
unsigned int kma_overhead_budget_pct(void);

/**
 * kma_overhead_read() - the cost that was computed last
 *
 * Context: process; kma_lock is held.
 * Return: the cost.
 */
struct kma_overhead kma_overhead_read(void);

#endif /* KMA_OVERHEAD_H */
