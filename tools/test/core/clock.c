// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what the core does with time, with a clock that the test sets: long intervals, and the
 * 32-bit clock of the live table around the point where it wraps.
 *
 *   clock
 */
#include <linux/kernel.h>
#include <linux/numa.h>

#include "case.h"
#include "../../../module/core/budget.h"
#include "../../../module/core/pfntab.h"
#include "../../../module/core/record.h"

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

/* ---- the clock of the live table --------------------------------------------------- */

/* Moments around the points where the clock wraps, as a signed and as an unsigned number. */
static const u32 kma_moments[] = {
	0, 1, 7, 1U << 31, (1U << 31) - 1, (1U << 31) + 1, U32_MAX - 7, U32_MAX,
};

/* A record is older than a call or not, whatever its age: 400 days are 2,160,000,000 units. */
static void kma_records_since(void)
{
	static const u32 ages[] = { 0, 1, 5, 6, 100, 2160000000U, U32_MAX };
	const u32 call = 5;
	struct kma_pfn f = { .what = 1 };
	int i, k;
	u32 now;

	for (i = 0; i < ARRAY_SIZE(kma_moments); i++) {
		now = kma_moments[i];
		for (k = 0; k < ARRAY_SIZE(ages); k++) {
			f.time = now - ages[k];
			kma_expect(kma_pfn_is_since(&f, now - call, now) == (ages[k] <= call));
			kma_expect(kma_pfn_is_since(&f, now, now) == !ages[k]);
		}
	}
}

/* Entries and records keep the time at which they were made. */
static void kma_times_are_kept(void)
{
	static struct kma_core core;
	static struct kma_pfntab pfns;
	struct kma_entry entry;
	struct kma_pfn copy;
	unsigned long ptr;
	int i;

	kma_expect(!kma_core_init(&core, 1024, 64, 1024));
	kma_expect(!kma_pfntab_init(&pfns, 1));
	kma_expect(!kma_pfntab_add(&pfns, 0, NUMA_NO_NODE));
	for (i = 0; i < ARRAY_SIZE(kma_moments); i++) {
		const struct kma_event ev = {
			.site = 0x1000, .ptr = 0x10000 + 64 * i, .cache = 64,
			.kmalloc = true, .bytes_req = 60, .node = NUMA_NO_NODE,
		};

		kma_env.now = kma_moments[i];
		kma_record_alloc(&core, &ev);
		kma_pfn_describe(kma_pfntab_at(&pfns, i), KMA_OWNER_NONE);
		kma_pfn_set(kma_pfntab_at(&pfns, i), 1);
	}
	kma_env.now = 12345;
	for (i = 0; i < ARRAY_SIZE(kma_moments); i++) {
		ptr = 0x10000 + 64 * i;
		kma_expect(kma_objtab_take(&core.obj, ptr, &entry));
		kma_expect(entry.time == kma_moments[i]);
		kma_expect(kma_pfn_read(kma_pfntab_at(&pfns, i), &copy));
		kma_expect(copy.time == kma_moments[i]);
	}
	kma_pfntab_destroy(&pfns);
	kma_core_destroy(&core);
}

static const struct kma_case kma_cases[] = {
	{ "the cost of long intervals", kma_long_intervals },
	{ "the cost of no interval", kma_no_interval },
	{ "when the budget is far from being used", kma_budget_calm },
	{ "records since a moment", kma_records_since },
	{ "times around the end of the clock", kma_times_are_kept },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
