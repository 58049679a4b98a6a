/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU time that the module costs, and a budget that limits it.
 *
 * N is the average number of bytes between samples (sample.h).  The budget controls the cost
 * by changing N.
 *
 *	cost of events  = number of events * mean time of those that were timed
 *			  does not depend on N
 *	cost of samples = sum of their times: every sample is timed
 *			  halves when N doubles
 *
 * Only the cost of samples can be controlled.  N is raised while samples cost more than the
 * part of the budget that events leave.  But samples may always cost one eighth of what
 * events cost, even if events leave less than that: one eighth adds little to the total, and
 * even a few samples are useful.  N is lowered one step at a time, once the cost has been low
 * enough for a while, and never below the N that was requested.
 *
 * N is also raised when the live table fills up.  Recorded objects stay in the table until
 * they are freed, so N is raised again only if the table is fuller than it was at the last
 * raise, or if it still overflows a while later.  If the table is full of objects that are
 * not samples, a larger N does not help.
 *
 * Context of all functions: any.  Calls that change one budget do not run concurrently.
 */
#ifndef KMA_CORE_BUDGET_H
#define KMA_CORE_BUDGET_H

#include <linux/types.h>

#include "env.h"
#include "stat.h"

/**
 * struct kma_cost - the cost of the module since load
 * @clock: the time up to which all members count, ns
 * @events: number of tracepoint events
 * @timed: number of events that were timed
 * @timed_ns: sum of the times that the timed events took, ns, without time in @sample_ns
 * @timed_ns2: sum of the squares of these times, ns^2
 * @sample_ns: time that recording samples took, ns
 * @dropped: number of objects that found no room in the live table
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

/* The cost up to @clock, in ns, when @stats were read: the counters added up over all CPUs. */
struct kma_cost kma_cost_of(const struct kma_stats *stats, u64 clock);

/**
 * struct kma_spent - what the module cost in an interval of time
 * @ns: length of the interval, ns
 * @events_ns: CPU time that events took, ns, without the time of samples
 * @events_ns_se: standard error of @events_ns, ns
 * @samples_ns: CPU time that recording samples took, ns
 * @event_ps: mean time of one event, picoseconds; 0 if no event has ever been timed
 * @event_ps_se: standard error of @event_ps, picoseconds: the standard deviation of the timed
 *	events divided by the square root of their number; 0 for fewer than two events
 * @dropped: true if any object found no room in the live table
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

/*
 * The cost of the interval from @from to @to.  If too few events were timed in the interval, the
 * mean time is that of all events since load.
 */
struct kma_spent kma_cost_between(const struct kma_cost *from, const struct kma_cost *to);

/*
 * Convert @ns of CPU time in the interval of @spent, of which only the length is used, to
 * thousandths of a percent of the time of all @cpus.
 */
u32 kma_spent_share(const struct kma_spent *spent, u64 ns, unsigned int cpus);

/*
 * The CPU time in ns that the module may use in the interval of @spent, of which only the length
 * is used, with a budget of @pct percent of all @cpus.  Rounded down to a multiple of @cpus, and
 * limited to what 64 bits hold.
 */
u64 kma_spent_budget(const struct kma_spent *spent, unsigned int pct, unsigned int cpus);

/**
 * struct kma_budget - the N of sampling, and the state that decides when it changes
 * @asked: binary logarithm of the N that was requested
 * @now: binary logarithm of the N in use; at least @asked
 * @calm: number of successive calls of kma_budget_adjust() that found room to lower N
 * @full: percent of live_max in use when N was last raised because the table filled up;
 *	0 if that has never happened, or if the table has had room since
 * @waited: number of calls since then that found the table overflowing but did not raise N
 * @raised: how often N was raised since load
 * @lowered: how often N was lowered since load
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

/* Set the requested N, by its binary logarithm, and begin with it. */
void kma_budget_ask(struct kma_budget *g, int shift);

/**
 * kma_budget_adjust() - raise or lower N if the cost or the live table requires it
 * @g: the budget
 * @spent: the cost of a recent interval, which began after N was last changed
 * @budget_ns: CPU time that the module may use in an interval of this length, ns
 * @fill: percent of live_max in use
 *
 * Return: true if @g->now has changed.
 */
bool kma_budget_adjust(struct kma_budget *g, const struct kma_spent *spent, u64 budget_ns,
		       u32 fill);

/*
 * Whether N is far from being changed: N is the N that was requested, the module used at most one
 * eighth of its budget, and the live table has room.  The arguments are as in kma_budget_adjust().
 */
bool kma_budget_is_calm(const struct kma_budget *g, const struct kma_spent *spent,
			u64 budget_ns, u32 fill);

#endif /* KMA_CORE_BUDGET_H */
