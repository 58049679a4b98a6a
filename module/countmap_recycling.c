// SPDX-License-Identifier: GPL-2.0
/* Which rows of countmaps are recycled, and when.  See countmap_recycling.h. */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "core/countmap_recycle.h"
#include "core/env.h"
#include "countmap_recycling.h"
#include "countmaps.h"
#include "resolve/shrinker.h"
#include "state.h"
#include "trace/acct.h"
#include "trace/failures.h"
#include "trace/phase.h"

/*
 * Turns from a search that has found nothing to the next one, at first and at most.  The first one
 * is also the least number of turns from one search for idle rows to the next.
 */
#define KMA_COUNTMAP_TURNS	8
#define KMA_COUNTMAP_TURNS_MAX	64

/* Rows of `latency` stay: there is room for each phase and origin.  Only double rows leave. */
static enum kma_countmap_fate kma_countmap_keep(const struct kma_countmap_info *info)
{
	return KMA_COUNTMAP_KEPT;
}

static const struct kma_countmap_policy kma_countmap_keeps = { .fate = kma_countmap_keep };
static const struct kma_countmap_policy kma_countmap_plain = {};

/* The countmap of pcpu has no policy, because it has just the rows that it needs. */
static const struct kma_countmap_policy *const kma_countmap_policies[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_EXTFRAG] = &kma_countmap_plain,
	[KMA_COUNTMAP_LATENCY] = &kma_countmap_keeps,
	/* This comes before stalls, whose rows refer to rows of shrinkers. */
	[KMA_COUNTMAP_SHRINKERS] = &kma_shrinker_policy,
	[KMA_COUNTMAP_STALLS] = &kma_phase_policy_stalls,
	[KMA_COUNTMAP_WAITS] = &kma_countmap_plain,
	[KMA_COUNTMAP_WAKERS] = &kma_countmap_plain,
	[KMA_COUNTMAP_TASKS] = &kma_acct_policy_tasks,
	[KMA_COUNTMAP_CGROUPS] = &kma_acct_policy_cgroups,
	[KMA_COUNTMAP_COMM_SITES] = &kma_countmap_plain,
	[KMA_COUNTMAP_COMM_SYSCALLS] = &kma_countmap_plain,
	[KMA_COUNTMAP_CGROUP_SITES] = &kma_acct_policy_cgroup_sites,
	[KMA_COUNTMAP_FAILURES] = &kma_failure_policy,
};

/*
 * When to search the rows of each countmap.  Protected by kma_lock, like the other variables.
 * @wait: turns until the next search
 * @pause: turns to wait after a search that finds nothing
 * @idle: turns until another search for idle rows may begin
 */
static struct {
	unsigned int wait;
	unsigned int pause;
	unsigned int idle;
} kma_countmap_look[KMA_COUNTMAP_NR];
static u64 kma_countmap_recycled;

/* Rows are not short.  As soon as they run short, search them in the same turn. */
static void kma_countmap_look_again(int i)
{
	kma_countmap_look[i].wait = 0;
	kma_countmap_look[i].pause = KMA_COUNTMAP_TURNS;
}

/* Whether to search the rows of a countmap in this turn. */
static bool kma_countmap_looks(int i, const struct kma_countmap *t)
{
	if (kma_countmap_look[i].idle)
		kma_countmap_look[i].idle--;
	if (!t || !kma_countmap_policies[i] || !kma_countmap_is_short(t)) {
		kma_countmap_look_again(i);
		return false;
	}
	if (!kma_countmap_look[i].wait)
		return true;
	kma_countmap_look[i].wait--;
	return false;
}

/* A search for idle rows has read all rows, and none has left. */
static void kma_countmap_found_nothing(int i)
{
	kma_countmap_look[i].wait = kma_countmap_look[i].pause - 1;
	kma_countmap_look[i].pause = min_t(unsigned int, 2 * kma_countmap_look[i].pause,
					   KMA_COUNTMAP_TURNS_MAX);
}

/* Return: the number of rows that leave. */
static u32 kma_countmap_begin(int i, struct kma_countmap *t)
{
	const bool begins = !t->left && !kma_countmap_look[i].idle, searches = begins || t->left;
	const u32 nr = kma_countmap_recycle_begin(t, kma_countmap_policies[i], begins);

	if (begins)
		kma_countmap_look[i].idle = KMA_COUNTMAP_TURNS;
	if (nr)
		kma_countmap_look_again(i);
	else if (!searches)
		kma_countmap_look[i].wait = kma_countmap_look[i].idle - 1;
	else if (!t->left)
		kma_countmap_found_nothing(i);
	return nr;
}

void kma_countmap_recycling_turn(void)
{
	struct kma_countmap *t[KMA_COUNTMAP_NR] = {};
	u32 nr, all = 0;
	int i;

	lockdep_assert_held(&kma_lock);
	/* While nothing is recorded, all rows seem idle, and no new key needs a row. */
	if (!READ_ONCE(kma_countmaps_on))
		return;
	for (i = 0; i < KMA_COUNTMAP_NR; i++) {
		t[i] = kma_countmap_locked(i);
		nr = kma_countmap_looks(i, t[i]) ? kma_countmap_begin(i, t[i]) : 0;
		if (!nr)
			t[i] = NULL;
		all += nr;
	}
	if (!all)
		return;
	kma_env_wait_for_probes();
	for (i = 0; i < KMA_COUNTMAP_NR; i++)
		if (t[i])
			kma_countmap_recycle_finish(t[i], kma_countmap_policies[i]);
	kma_countmap_recycled += all;
	/* Readers that have dropped the lock must not go on with these numbers of rows. */
	kma_state_changed();
}

u64 kma_countmap_recycling_rows(void)
{
	return kma_countmap_recycled;
}

void kma_countmap_recycling_start(void)
{
	int i;

	memset(kma_countmap_look, 0, sizeof(kma_countmap_look));
	for (i = 0; i < KMA_COUNTMAP_NR; i++)
		kma_countmap_look_again(i);
	kma_countmap_recycled = 0;
}
