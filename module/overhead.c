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

/* The cost is computed once every turn, over the last KMA_OVERHEAD_TURNS turns. */
#define KMA_OVERHEAD_TURN	HZ
#define KMA_OVERHEAD_TURNS	8

/* Protected by kma_lock, like the other variables below. */
static unsigned int kma_budget_pct;
static struct kma_budget kma_budget;

/*
 * @kma_turn is a ring of the cost since load, as it was at each of the last turns.
 * @kma_turns is the number of turns since N was changed.
 */
static struct kma_cost kma_turn[KMA_OVERHEAD_TURNS];
static unsigned int kma_turns;
/* The cost between the oldest of these turns and the last. */
static struct kma_spent kma_spent;

static struct kma_cost kma_overhead_cost(void)
{
	struct kma_stats stats;

	kma_stats_sum(&stats);
	return kma_cost_of(&stats, ktime_get_boottime_ns());
}

/* Forget the turns up to now: begin with a first one. */
static void kma_overhead_again(void)
{
	kma_turn[0] = kma_overhead_cost();
	kma_turns = 1;
}

/*
 * Compute the cost since the oldest turn in the ring, and add this turn to the ring.  If
 * the ring is full, this turn takes the place of the oldest.
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

/* The least time since N was changed, in nanoseconds: less says too little of the cost. */
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
	 * A reader of a large table holds the lock for a while.  Then skip this turn, and
	 * do not wait.
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
	/* Without a budget, N goes back to the value that was set. */
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
