/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module takes of the machine, and how many bytes one sample stands for
 * so that it does not take too much.
 *
 *	cost of events  = events x what a timed one took	whatever N is
 *	cost of samples = each one is timed			half for twice the N
 *
 * The first cannot be helped.  So N is raised while samples cost more than what
 * the first leaves of the budget, or, if it leaves nothing, than an eighth of it:
 * less than that would not be felt, and every sample is worth something.  N is
 * lowered again, one step at a time and never below what was asked for, after
 * it could have been for a while.
 *
 * It is raised as well when the live table fills.  What is recorded stays there
 * until it is freed, so this is done again only if there is more than then or, where
 * it overflows, a while later: what fills it may not be samples at all.
 */
#ifndef KMA_CORE_BUDGET_H
#define KMA_CORE_BUDGET_H

#include "env.h"
#include "stat.h"

/**
 * struct kma_cost - what the module had taken at a moment, since load
 * @clock: the moment, ns
 * @events: events of tracepoints
 * @timed: those that were timed
 * @timed_ns: what these took, without what is in @sample_ns
 * @timed_ns2: the sum of the squares of that
 * @sample_ns: what recording samples took
 * @dropped: objects for which there was no room
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
 * kma_cost_of() - by the module's counters
 * @stats: their sums
 * @clock: when that was, ns
 *
 * Context: any. Return: the cost.
 */
struct kma_cost kma_cost_of(const struct kma_stats *stats, u64 clock);

/**
 * struct kma_spent - what the module took between two moments
 * @ns: time that passed, ns; of one CPU
 * @events_ns: of it what events took, ns
 * @events_ns_se: the standard error of that, ns
 * @samples_ns: and recording samples, ns
 * @event_ps: what one event took, picoseconds; 0 if none has ever been timed
 * @event_ps_se: the standard error of that: the spread of those that were timed, by
 *	the root of their number; 0 with fewer than two
 * @dropped: whether there was no room for an object
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
 * @from: the first
 * @to: the second
 *
 * If hardly an event was timed between them, by those since load.
 * Context: any. Return: see there.
 */
struct kma_spent kma_cost_between(const struct kma_cost *from, const struct kma_cost *to);

/**
 * kma_spent_share() - how much of the machine some of its time is
 * @spent: what was spent between two moments
 * @ns: the time of which the share is asked, of one CPU
 * @cpus: CPUs that the machine has
 *
 * Context: any. Return: thousandths of a percent of the time of all CPUs.
 */
u32 kma_spent_share(const struct kma_spent *spent, u64 ns, unsigned int cpus);

/**
 * struct kma_budget - what one sample stands for
 * @asked: binary logarithm of the N that was asked for
 * @now: that of the one in use, at least @asked
 * @calm: how often in a row it could have been lowered
 * @full: per cent of the live table in use when N was raised for that; 0: not lately
 * @waited: turns since then in which it overflowed
 * @raised: how often it was raised, since load
 * @lowered: and lowered
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
 * kma_budget_ask() - begin with another N
 * @g: the budget
 * @shift: binary logarithm of N
 *
 * Context: any; one at a time.
 */
void kma_budget_ask(struct kma_budget *g, int shift);

/**
 * kma_budget_adjust() - look whether N is right
 * @g: the budget
 * @spent: what was spent since it was changed, or for a while
 * @budget_ns: what may be spent in that time, ns
 * @fill: per cent of live_max in use
 *
 * Context: any; one at a time. Return: whether @now has changed.
 */
bool kma_budget_adjust(struct kma_budget *g, const struct kma_spent *spent, u64 budget_ns,
		       u32 fill);

#endif /* KMA_CORE_BUDGET_H */
