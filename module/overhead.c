// SPDX-License-Identifier: GPL-2.0
/* The CPU time that the module costs, and the budget that limits it.  See overhead.h. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/budget.h"
#include "countmap_recycling.h"
#include "full.h"
#include "marks.h"
#include "overhead.h"
#include "recycling.h"
#include "sampling.h"
#include "state.h"
#include "trace/owner.h"
#include "trace/phase.h"

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
	/* This clock stops while the machine is suspended, as CPUs do. */
	return kma_cost_of(&stats, ktime_get_ns());
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

/* The CPU time that is left to events and samples. */
static u64 kma_overhead_budget(void)
{
	const u64 budget = kma_spent_budget(&kma_spent, kma_budget_pct, num_online_cpus());

	/* A larger N does not make marks cheaper. */
	return budget - min(budget / 4, kma_marks_cost(kma_spent.ns));
}

/* Adjust N only on the cost of at least this time, in ns: a shorter time is inaccurate. */
#define KMA_OVERHEAD_LEAST	(NSEC_PER_SEC / 2)

/* Return: true if the next turn may be late, because N is far from being changed. */
static bool kma_overhead_adjust(void)
{
	const u64 budget = kma_overhead_budget();
	u32 fill;

	if (!kma_sampling_bytes() || !kma_budget_pct)
		return true;
	if (kma_spent.ns < KMA_OVERHEAD_LEAST)
		return false;
	fill = kma_overhead_fill();
	if (!kma_budget_adjust(&kma_budget, &kma_spent, budget, fill))
		return kma_budget_is_calm(&kma_budget, &kma_spent, budget, fill);
	kma_sample_set(KMA_SAMPLE_OBJECTS, kma_budget.now);
	kma_overhead_again();
	return false;
}

static void kma_overhead_turn(struct work_struct *work);

/* Whether there are turns.  Written under kma_lock. */
static bool kma_overhead_on;

/* The next turn.  Turns do not run concurrently, because they are calls of one work item. */
static DECLARE_DELAYED_WORK(kma_overhead_next, kma_overhead_turn);

static void kma_overhead_early(struct work_struct *work)
{
	if (READ_ONCE(kma_overhead_on))
		mod_delayed_work(kma_unbound_wq, &kma_overhead_next, 0);
}

/*
 * Starts the next turn after a second, instead of at the next minute.  The timer does not wake an
 * idle CPU, but expires when that CPU next wakes up.  This is used as long as the cost is far below
 * the budget.  So the module wakes an idle machine only for the marks of each minute.
 */
static DECLARE_DEFERRABLE_WORK(kma_overhead_idle, kma_overhead_early);

static void kma_overhead_queue(bool late)
{
	if (!READ_ONCE(kma_overhead_on))
		return;
	if (late)
		mod_delayed_work(kma_unbound_wq, &kma_overhead_idle, KMA_OVERHEAD_TURN);
	else
		cancel_delayed_work(&kma_overhead_idle);
	mod_delayed_work(kma_unbound_wq, &kma_overhead_next,
			 late ? kma_marks_wait() : KMA_OVERHEAD_TURN);
}

static void kma_overhead_turn(struct work_struct *work)
{
	const bool marks = kma_marks_sweep();

	kma_recycling_sweep();
	kma_owner_turn();
	/*
	 * A reader of a large table holds the lock for a while.  In that case skip this
	 * turn instead of waiting, unless marks are due.
	 */
	if (marks) {
		kma_lock_take(KMA_LOCK_WORKER);
	} else if (!kma_lock_try(KMA_LOCK_WORKER)) {
		kma_overhead_queue(false);
		return;
	}
	kma_overhead_look();
	kma_recycling_turn();
	kma_marks_turn();
	kma_phase_turn();
	kma_countmap_recycling_turn();
	kma_full_turn();
	/* Queue the turn with the lock held, so that kma_overhead_hurry() finds it. */
	kma_overhead_queue(kma_overhead_adjust());
	kma_lock_release();
}

/* Something has changed that the cost depends on: the next turn must not be late. */
static void kma_overhead_hurry(void)
{
	lockdep_assert_held(&kma_lock);
	if (cancel_delayed_work(&kma_overhead_idle))
		kma_overhead_queue(false);
}

/* ---- settings ------------------------------------------------------------- */

void kma_overhead_sampling(int shift)
{
	lockdep_assert_held(&kma_lock);
	kma_budget_ask(&kma_budget, shift);
	kma_overhead_again();
	kma_overhead_hurry();
}

void kma_overhead_set_budget(unsigned int pct)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_budget_pct, pct);
	kma_overhead_hurry();
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
		.share = kma_spent_share(spent, spent->events_ns + spent->samples_ns +
					 kma_marks_cost(spent->ns), cpus),
		.share_se = kma_spent_share(spent, spent->events_ns_se, cpus),
		.raised = kma_budget.raised,
		.lowered = kma_budget.lowered,
	};
}

void kma_overhead_start(void)
{
	kma_lock_take(KMA_LOCK_START);
	memset(&kma_budget, 0, sizeof(kma_budget));
	memset(&kma_spent, 0, sizeof(kma_spent));
	kma_overhead_again();
	WRITE_ONCE(kma_overhead_on, true);
	kma_overhead_queue(false);
	kma_lock_release();
}

void kma_overhead_stop(void)
{
	kma_lock_take(KMA_LOCK_START);
	WRITE_ONCE(kma_overhead_on, false);
	kma_lock_release();
	/*
	 * Either work may still run, and queue the other one once more.  So each is cancelled again
	 * after the other one has ended.
	 */
	cancel_delayed_work_sync(&kma_overhead_idle);
	cancel_delayed_work_sync(&kma_overhead_next);
	cancel_delayed_work_sync(&kma_overhead_idle);
	cancel_delayed_work_sync(&kma_overhead_next);
}
