// SPDX-License-Identifier: GPL-2.0
/* The cost of the module, and the budget that limits it.  See the overview in budget.h. */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "budget.h"
#include "sample.h"

/* The mean of fewer timed events than this is too inaccurate to be used. */
#define KMA_TIMED_FEW	16

/*
 * Limits, in percent of live_max in use.  N is raised when the table is filled to KMA_FILL_FULL,
 * and again when it is fuller by KMA_FILL_MORE than at the last of these raises.  Below
 * KMA_FILL_ROOM, that last raise is forgotten.
 */
#define KMA_FILL_FULL	87
#define KMA_FILL_ROOM	75
#define KMA_FILL_MORE	4

/* How many successive calls have to find room before N is lowered. */
#define KMA_CALM	8

struct kma_cost kma_cost_of(const struct kma_stats *stats, u64 clock)
{
	struct kma_cost cost = {
		.clock = clock,
		.timed = stats->v[KMA_STAT_timed_events],
		.timed_ns = stats->v[KMA_STAT_timed_ns],
		.timed_ns2 = stats->v[KMA_STAT_timed_ns2],
		.sample_ns = stats->v[KMA_STAT_sample_ns],
		.dropped = stats->v[KMA_STAT_dropped_live_full],
	};
	int i;

	for (i = 0; i < KMA_STAT_EVENTS_NR; i++)
		cost.events += stats->v[i];	/* includes the combined counters (stat.h) */
	return cost;
}

/*
 * Compute the standard error of the mean of @n numbers, in thousandths, from their sum and the
 * sum of their squares.  @n and the two sums were read one after the other, so one of them may
 * include a number that another one does not include.  Then the variance may seem negative.
 */
static u64 kma_mean_se(u64 n, u64 sum, u64 sum2)
{
	u64 mean, mean2;

	if (n < 2)
		return 0;
	mean = mul_u64_u64_div_u64(sum, 1000, n);
	mean2 = mul_u64_u64_div_u64(sum2, 1000000, n);
	return mean2 > mean * mean ? kma_sqrt((mean2 - mean * mean) / (n - 1)) : 0;
}

struct kma_spent kma_cost_between(const struct kma_cost *from, const struct kma_cost *to)
{
	u64 timed = to->timed - from->timed;
	u64 timed_ns = to->timed_ns - from->timed_ns;
	u64 timed_ns2 = to->timed_ns2 - from->timed_ns2;
	struct kma_spent spent = {
		.ns = to->clock - from->clock,
		.samples_ns = to->sample_ns - from->sample_ns,
		.dropped = to->dropped != from->dropped,
	};

	if (timed < KMA_TIMED_FEW) {
		timed = to->timed;
		timed_ns = to->timed_ns;
		timed_ns2 = to->timed_ns2;
	}
	if (timed) {
		spent.events_ns = mul_u64_u64_div_u64(to->events - from->events,
						      timed_ns, timed);
		spent.event_ps = mul_u64_u64_div_u64(timed_ns, 1000, timed);
		spent.event_ps_se = kma_mean_se(timed, timed_ns, timed_ns2);
		spent.events_ns_se = mul_u64_u64_div_u64(to->events - from->events,
							 spent.event_ps_se, 1000);
	}
	return spent;
}

u32 kma_spent_share(const struct kma_spent *spent, u64 ns, unsigned int cpus)
{
	/* With 1,024 CPUs, the time of all CPUs overflows 64 bits after 208 days. */
	return spent->ns ? div_u64(mul_u64_u64_div_u64(ns, 100000, spent->ns), cpus) : 0;
}

u64 kma_spent_budget(const struct kma_spent *spent, unsigned int pct, unsigned int cpus)
{
	return min(mul_u64_u64_div_u64(spent->ns, pct, 100), div_u64(U64_MAX, cpus)) * cpus;
}

void kma_budget_ask(struct kma_budget *g, int shift)
{
	g->asked = shift;
	g->now = shift;
	g->calm = 0;
	g->full = 0;
	g->waited = 0;
}

static bool kma_budget_raise(struct kma_budget *g, int steps)
{
	int now = min(g->now + steps, KMA_SHIFT_MAX);

	g->calm = 0;
	if (now == g->now)
		return false;
	g->now = now;
	g->raised++;
	return true;
}

/*
 * Whether N is to be raised because the live table fills up.  The table must be fuller than at
 * the last raise for this reason, or KMA_CALM calls since then must have found it overflowing.
 */
static bool kma_budget_fills(struct kma_budget *g, u32 fill, bool dropped)
{
	const bool more = !g->full || fill >= g->full + KMA_FILL_MORE;

	if (fill < KMA_FILL_ROOM && !dropped)
		g->full = 0;
	if (fill < KMA_FILL_FULL && !dropped)
		return false;
	if (!more && (!dropped || ++g->waited < KMA_CALM))
		return false;
	g->full = max(fill, 1U);
	g->waited = 0;
	return true;
}

static bool kma_budget_lower(struct kma_budget *g)
{
	if (++g->calm < KMA_CALM)
		return false;
	g->calm = 0;
	g->now--;
	g->lowered++;
	return true;
}

bool kma_budget_adjust(struct kma_budget *g, const struct kma_spent *spent, u64 budget_ns,
		       u32 fill)
{
	u64 left = budget_ns > spent->events_ns ? budget_ns - spent->events_ns : 0;
	u64 room = max(left, spent->events_ns / 8);
	int steps = 0;

	if (kma_budget_fills(g, fill, spent->dropped))
		return kma_budget_raise(g, 1);
	while (spent->samples_ns >> steps > room)
		steps++;
	if (steps)
		return kma_budget_raise(g, steps);
	/* With half the N, samples cost twice as much: they must then use at most half the room. */
	if (g->now > g->asked && spent->samples_ns <= room / 4 &&
	    fill < KMA_FILL_FULL && !spent->dropped)
		return kma_budget_lower(g);
	g->calm = 0;
	return false;
}

bool kma_budget_is_calm(const struct kma_budget *g, const struct kma_spent *spent,
			u64 budget_ns, u32 fill)
{
	return g->now == g->asked && spent->events_ns + spent->samples_ns <= budget_ns / 8 &&
	       fill < KMA_FILL_ROOM && !spent->dropped;
}
