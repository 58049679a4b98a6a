/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module costs, and how many bytes one sample stands for (N) so that it does
 * not cost too much.
 *
 *	cost of events  = events x mean of the timed ones	does not depend on N
 *	cost of samples = sum: each one is timed		halves when N doubles
 *
 * Nothing can be done about the first.  So N is raised while samples cost more than what
 * events leave of the budget.  If they leave less than an eighth of their own cost,
 * samples may cost that eighth: it adds little, and every sample is worth something.
 * N is lowered one step at a time, after there has been room for that for a while, and
 * never below the N that was asked for.
 *
 * N is also raised when the live table fills up.  What is recorded stays in the table
 * until it is freed, so N is raised again only when the table is fuller than at the last
 * time, or if it still overflows a while later.  The table may be filled by objects that
 * are not samples, and then a larger N does not help.
 */
#ifndef KMA_CORE_BUDGET_H
#define KMA_CORE_BUDGET_H

#include "env.h"
#include "stat.h"

/**
 * struct kma_cost - what the module has cost up to a moment, since load
 * @clock: the moment, ns
 * @events: events of tracepoints
 * @timed: events that were timed
 * @timed_ns: time that these took, ns, without what is in @sample_ns
 * @timed_ns2: sum of the squares of these times, ns^2
 * @sample_ns: time that recording samples took, ns
 * @dropped: objects that found no room in the live table
 */
struct kma_cost {
	u64 clock;
	u64 events;
	u64 timed;
	u64 timed_ns;
	u64 timed_ns2;
	u64 sample_ns;
	u64 dropped;
};

/**
 * kma_cost_of() - the cost according to the module's counters
 * @stats: the counters, added up over all CPUs
 * @clock: the moment when they were read, ns
 *
 * Context: any.
 * Return: the cost.
 */
struct kma_cost kma_cost_of(const struct kma_stats *stats, u64 clock);

/**
 * struct kma_spent - what the module cost between two moments
 * @ns: elapsed time between the two moments, ns
 * @events_ns: CPU time that events took, ns, without samples
 * @events_ns_se: standard error of @events_ns, ns
 * @samples_ns: CPU time that recording samples took, ns
 * @event_ps: mean time of one event, picoseconds; 0 if none has ever been timed
 * @event_ps_se: standard error of @event_ps, picoseconds: the spread of the timed events
 *	divided by the root of their number; 0 with fewer than two of them
 * @dropped: whether any object found no room in the live table
 */
struct kma_spent {
	u64 ns;
	u64 events_ns;
	u64 events_ns_se;
	u64 samples_ns;
	u64 event_ps;
	u64 event_ps_se;
	bool dropped;
};

/**
 * kma_cost_between() - what was spent between two moments
 * @from: the cost at the earlier moment
 * @to: the cost at the later moment
 *
 * If too few events were timed between them, the mean is that of all since load.
 *
 * Context: any.
 * Return: what was spent.
 */
struct kma_spent kma_cost_between(const struct kma_cost *from, const struct kma_cost *to);

/**
 * kma_spent_share() - the share of all CPUs' time that some CPU time is
 * @spent: what was spent between two moments; only @spent->ns is used
 * @ns: the CPU time, ns
 * @cpus: number of CPUs of the machine
 *
 * Context: any.
 * Return: thousandths of a percent of the time of all CPUs between the two moments.
 */
u32 kma_spent_share(const struct kma_spent *spent, u64 ns, unsigned int cpus);

/**
 * struct kma_budget - the N of sampling, and what it was changed for
 * @asked: binary logarithm of the N that was asked for
 * @now: binary logarithm of the N in use; at least @asked
 * @calm: how often in a row there was room to lower N
 * @full: percent of live_max in use when N was last raised because the table filled up;
 *	0 if that was never, or there has been room since
 * @waited: calls since then that found the table overflowing and did not raise N
 * @raised: how often N was raised, since load
 * @lowered: how often N was lowered, since load
 */
struct kma_budget {
	int asked;
	int now;
	u32 calm;
	u32 full;
	u32 waited;
	u64 raised;
	u64 lowered;
};

/**
 * kma_budget_ask() - start with another N
 * @g: the budget
 * @shift: binary logarithm of N
 *
 * Context: any; calls for one budget do not run concurrently.
 */
void kma_budget_ask(struct kma_budget *g, int shift);

/**
 * kma_budget_adjust() - raise or lower N if the cost or the live table asks for it
 * @g: the budget
 * @spent: what was spent lately, but not before N last changed
 * @budget_ns: CPU time that may be spent in @spent->ns, ns
 * @fill: percent of live_max in use
 *
 * Context: any; calls for one budget do not run concurrently.
 * Return: true if @g->now has changed.
 */
bool kma_budget_adjust(struct kma_budget *g, const struct kma_spent *spent, u64 budget_ns,
		       u32 fill);

#endif /* KMA_CORE_BUDGET_H */
