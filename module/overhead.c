// SPDX-License-Identifier: GPL-2.0
/* The CPU time that the module costs, and the budget that limits it.  See overhead.h. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/budget.h"
#include "overhead.h"
#include "sampling.h"
#include "state.h"

/* ---- once a second -------------------------------------------------------- */

/* A turn is one second.  Each turn computes the cost over the last KMA_OVERHEAD_TURNS turns. */
#define KMA_OVERHEAD_TURN	HZ
#define KMA_OVERHEAD_TURNS	8

/* The budget and its state.  Protected by kma_lock, like the other variables below. */
static unsigned int kma_budget_pct;
static struct kma_budget kma_budget;

/*
 * kma_turn is a ring buffer of the cost since load at each of the last turns.  kma_turns is the
 * number of turns since N was changed.
 */
static struct kma_cost kma_turn[KMA_OVERHEAD_TURNS];
static unsigned int kma_turns;
/* The cost from the oldest of these turns to the last. */
static struct kma_spent kma_spent;

static struct kma_cost kma_overhead_cost(void)
{
	struct kma_stats stats;

	kma_stats_sum(&stats);
	return kma_cost_of(&stats, ktime_get_boottime_ns());
}

/* Forget all turns, and begin again with the current cost as the first one. */
static void kma_overhead_again(void)
{
	kma_turn[0] = kma_overhead_cost();
	kma_turns = 1;
}

/*
 * Compute the cost since the oldest turn in the ring buffer, and add this turn to it.  If the
 * ring buffer is full, this turn replaces the oldest one.
 */
static void kma_overhead_look(void)
{
	unsigned int kept = min_t(unsigned int, kma_turns, KMA_OVERHEAD_TURNS);
	struct kma_cost now = kma_overhead_cost();

	kma_spent = kma_cost_between(&kma_turn[(kma_turns - kept) % KMA_OVERHEAD_TURNS],
				     &now);
	kma_turn[kma_turns++ % KMA_OVERHEAD_TURNS] = now;
}

static u32 kma_overhead_fill(void)
{
	static u32 first;

	return min_t(u64, U32_MAX, div64_u64(kma_objtab_estimate(&kma_core.obj, first++) *
					     100, kma_config.live_max));
}

/* Adjust N only on the cost of at least this time, in ns: a shorter time is inaccurate. */
#define KMA_OVERHEAD_LEAST	(NSEC_PER_SEC / 2)

static void kma_overhead_adjust(void)
{
	u64 budget = div_u64(kma_spent.ns * num_online_cpus() * kma_budget_pct, 100);

	if (!kma_sampling_bytes() || !kma_budget_pct ||
	    kma_spent.ns < KMA_OVERHEAD_LEAST ||
	    !kma_budget_adjust(&kma_budget, &kma_spent, budget, kma_overhead_fill()))
		return;
	kma_sample_set(KMA_SAMPLE_OBJECTS, kma_budget.now);
	kma_overhead_again();
}

static void kma_overhead_turn(struct work_struct *work);

static DECLARE_DELAYED_WORK(kma_overhead_work, kma_overhead_turn);

static void kma_overhead_turn(struct work_struct *work)
{
	/*
	 * A reader of a large table holds the lock for a while.  In that case skip this
	 * turn instead of waiting.
	 */
	if (mutex_trylock(&kma_lock)) {
		kma_overhead_look();
		kma_overhead_adjust();
		mutex_unlock(&kma_lock);
	}
	schedule_delayed_work(&kma_overhead_work, KMA_OVERHEAD_TURN);
}

/* ---- settings ------------------------------------------------------------- */

void kma_overhead_sampling(int shift)
{
	lockdep_assert_held(&kma_lock);
	kma_budget_ask(&kma_budget, shift);
	kma_overhead_again();
}

void kma_overhead_set_budget(unsigned int pct)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_budget_pct, pct);
	if (pct || kma_budget.now == kma_budget.asked)
		return;
	/* Without a budget, N returns to the value that the user has set. */
	kma_budget_ask(&kma_budget, kma_budget.asked);
	kma_sample_set(KMA_SAMPLE_OBJECTS, kma_budget.now);
	kma_overhead_again();
}

unsigned int kma_overhead_budget_pct(void)
{
	return READ_ONCE(kma_budget_pct);
}

struct kma_overhead kma_overhead_read(void)
{
	const struct kma_spent *spent = &kma_spent;
	unsigned int cpus = num_online_cpus();

	lockdep_assert_held(&kma_lock);
	return (struct kma_overhead) {
		.event_ps = spent->event_ps,
		.event_ps_se = spent->event_ps_se,
		.share = kma_spent_share(spent, spent->events_ns + spent->samples_ns, cpus),
		.share_se = kma_spent_share(spent, spent->events_ns_se, cpus),
		.raised = kma_budget.raised,
		.lowered = kma_budget.lowered,
	};
}

void kma_overhead_start(void)
{
	mutex_lock(&kma_lock);
	memset(&kma_budget, 0, sizeof(kma_budget));
	memset(&kma_spent, 0, sizeof(kma_spent));
	kma_overhead_again();
	mutex_unlock(&kma_lock);
	schedule_delayed_work(&kma_overhead_work, KMA_OVERHEAD_TURN);
}

void kma_overhead_stop(void)
{
	cancel_delayed_work_sync(&kma_overhead_work);
}
