// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what the core does with time, with a clock that the test sets: long intervals, and the
 * 32-bit clock of the live table around the point where it wraps.
 *
 *   clock
 */
#include "case.h"
#include "../../../module/core/budget.h"
#include "../../../module/core/sample.h"

#define KMA_NS_PER_S	1000000000ULL
#define KMA_NS_PER_DAY	(86400 * KMA_NS_PER_S)

/* ---- the cost of long intervals --------------------------------------------------- */

/*
 * In an interval of any length, the module took the time of one event in 100 microseconds on
 * each CPU: one thousandth of the time of all CPUs, or one tenth of a budget of 1 %.
 */
static void kma_expect_share(u64 ns, unsigned int cpus)
{
	const u64 events = ns / 100000 * cpus, timed = events / 1024 + 1;
	const struct kma_cost from = { .clock = 7, .events = 3, .timed = 2, .timed_ns = 200 };
	const struct kma_cost to = {
		.clock = from.clock + ns,
		.events = from.events + events,
		.timed = from.timed + timed,
		.timed_ns = from.timed_ns + 100 * timed,
		.timed_ns2 = 10000 * timed,
	};
	const struct kma_spent spent = kma_cost_between(&from, &to);

	kma_expect(spent.ns == ns);
	kma_expect(spent.event_ps == 100000);
	kma_expect(spent.events_ns == 100 * events);
	kma_expect(kma_spent_share(&spent, spent.events_ns, cpus) == 100);
	kma_expect(kma_spent_budget(&spent, 1, cpus) == 10 * spent.events_ns);
	kma_expect(kma_spent_budget(&spent, 0, cpus) == 0);
	kma_expect(kma_spent_budget(&spent, 100, cpus) ==
		   (ns < U64_MAX / cpus ? ns * cpus : U64_MAX / cpus * cpus));
}

static void kma_long_intervals(void)
{
	static const unsigned int cpus[] = { 1, 2, 256, 1024, 8192 };
	int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		kma_expect_share(KMA_NS_PER_S, cpus[i]);
		kma_expect_share(8 * KMA_NS_PER_S, cpus[i]);
		kma_expect_share(KMA_NS_PER_DAY, cpus[i]);
		kma_expect_share(400 * KMA_NS_PER_DAY, cpus[i]);
	}
}

/* An interval without length has no share, and the budget of it is nothing. */
static void kma_no_interval(void)
{
	const struct kma_cost cost = { .clock = 7, .events = 3, .timed = 2, .timed_ns = 200 };
	const struct kma_spent spent = kma_cost_between(&cost, &cost);

	kma_expect(kma_spent_share(&spent, 0, 4) == 0);
	kma_expect(kma_spent_share(&spent, 1000, 4) == 0);
	kma_expect(kma_spent_budget(&spent, 100, 4) == 0);
}

/* The next turn may be late only if the budget is far from being used, and N was requested. */
static void kma_budget_calm(void)
{
	const u64 budget = 80 * KMA_NS_PER_S;
	struct kma_budget g = {};
	struct kma_spent spent = {
		.events_ns = 4 * KMA_NS_PER_S,
		.samples_ns = 6 * KMA_NS_PER_S,
	};

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	kma_expect(kma_budget_is_calm(&g, &spent, budget, 74));
	kma_expect(!kma_budget_is_calm(&g, &spent, budget, 75));
	spent.samples_ns++;
	kma_expect(!kma_budget_is_calm(&g, &spent, budget, 0));
	spent.events_ns--;
	kma_expect(kma_budget_is_calm(&g, &spent, budget, 0));
	spent.dropped = true;
	kma_expect(!kma_budget_is_calm(&g, &spent, budget, 0));
	spent.dropped = false;
	g.now++;
	kma_expect(!kma_budget_is_calm(&g, &spent, budget, 0));
}

static const struct kma_case kma_cases[] = {
	{ "the cost of long intervals", kma_long_intervals },
	{ "the cost of no interval", kma_no_interval },
	{ "when the budget is far from being used", kma_budget_calm },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
