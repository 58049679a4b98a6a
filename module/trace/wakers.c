// SPDX-License-Identifier: GPL-2.0
/* Count wake-ups of kswapd and kcompactd by call site.  See wakers.h. */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../core/countmap.h"
#include "../core/stall.h"
#include "../countmaps.h"
#include "../state.h"
#include "phase.h"
#include "slow_path.h"
#include "wakers.h"

/**
 * struct kma_run - the slot of a daemon
 * @waker: reference to the row of the first waker since the daemon last began; if there was none,
 *	the word of kma_run_unwoken()
 * @begins: how often the daemon has begun
 * @row: reference to the row of the waker of this run; KMA_COUNTMAP_OTHER if it has none
 * @what: what the daemon works for, as kma_waking_word() has it
 * @start: when this run began, in ns; 0 if the daemon sleeps, or began unrecorded
 * @task: the daemon: kswapd ends without an event when its node goes offline
 *
 * All members but @waker are only used by the daemon itself.
 */
struct kma_run {
	u64 waker;
	u32 begins;
	u64 row;
	u64 what;
	u64 start;
	const struct task_struct *task;
};

/* For each daemon, a slot for each node. */
static struct kma_run *kma_runs;

static struct kma_run *kma_run_of(enum kma_daemon daemon, int node)
{
	return &kma_runs[daemon * nr_node_ids + node];
}

/*
 * The word of a daemon that has not been woken since it last began: it differs from one begin to
 * the next, and kma_countmap_deref() takes it for a reference to no row.
 */
static u64 kma_run_unwoken(u32 begins)
{
	static_assert(KMA_COUNTMAP_OTHER == 0);
	return (u64)begins << 32;
}

static bool kma_run_is_unwoken(u64 waker)
{
	return (u32)waker == KMA_COUNTMAP_OTHER;
}

/*
 * Note the waker of the next run.  @unwoken is the daemon's word from before the wake-up.  If the
 * daemon has begun since, this wake-up is over, and must not become that of a later run.
 *
 * Proactive compaction, with no order, has no event with which it begins.  So its waker must not
 * become that of the next run either.
 */
static void kma_wakers_note(const struct kma_waking *w, u64 unwoken, u64 ref)
{
	if (w->order != KMA_ORDER_NONE && ref && kma_run_is_unwoken(unwoken))
		cmpxchg(&kma_run_of(w->daemon, w->node)->waker, unwoken, ref);
}

void kma_wakers_wake(const struct kma_waking *w)
{
	struct kma_countmap_info info = {};
	struct kma_countmap *t;
	u64 unwoken;
	u32 id;

	if (!kma_countmaps_recording())
		return;
	/* Finding the call site takes long: the daemon may begin meanwhile, and even end. */
	unwoken = READ_ONCE(kma_run_of(w->daemon, w->node)->waker);
	info.key.word[KMA_WAKER_SITE] = kma_slow_path_site();
	info.key.word[KMA_WAKER_WHAT] = kma_waking_word(w);
	rcu_read_lock();
	t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_WAKERS]);
	if (t) {
		id = kma_countmap_get(t, &info);
		kma_countmap_add_to(t, id, KMA_WAKER_WAKEUPS, 1);
		kma_wakers_note(w, unwoken, kma_countmap_ref(t, id));
	}
	rcu_read_unlock();
}

/* While `enabled` is 0, no run begins.  kma_phase_begin() counts its event as countmap_off. */
void kma_wakers_begin(const struct kma_waking *w)
{
	struct kma_run *run = kma_run_of(w->daemon, w->node);
	const u64 waker = xchg(&run->waker, kma_run_unwoken(++run->begins));

	if (run->start && run->task == current)
		return;
	run->start = 0;
	if (!READ_ONCE(kma_countmaps_on))
		return;
	run->task = current;
	run->row = waker;
	run->what = kma_waking_word(w);
	run->start = kma_phase_clock();
}

/* Find the row of the waker of a run, or the row of unknown wakers. */
static u32 kma_run_row(struct kma_countmap *t, const struct kma_run *run)
{
	const struct kma_countmap_info info = {
		.key = { { [KMA_WAKER_WHAT] = run->what } },
	};
	const u32 id = kma_countmap_deref(t, run->row);

	return id == KMA_COUNTMAP_OTHER ? kma_countmap_get(t, &info) : id;
}

static void kma_run_count(const struct kma_run *run, u64 ns)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_WAKERS]);
	u32 id;

	if (!t)
		return;
	id = kma_run_row(t, run);
	kma_countmap_add_to(t, id, KMA_WAKER_RUNS, 1);
	kma_countmap_add_to(t, id, KMA_WAKER_RAN_NS, ns);
	kma_countmap_raise(t, id, KMA_WAKER_MAX_NS, ns);
}

/* A run that has begun is recorded to its end, also if `enabled` is 0 by now. */
void kma_wakers_end(enum kma_daemon daemon, int node)
{
	struct kma_run *run = kma_run_of(daemon, node);

	/* kcompactd says twice a second that it sleeps. */
	if (!run->start)
		return;
	rcu_read_lock();
	kma_run_count(run, kma_phase_clock() - run->start);
	rcu_read_unlock();
	run->start = 0;
}

/* ---- start and stop ---------------------------------------------------------------- */

u64 kma_wakers_bytes(void)
{
	return (u64)KMA_DAEMON_NR * nr_node_ids * sizeof(struct kma_run);
}

int kma_wakers_start(void)
{
	kma_runs = kma_small_alloc(kma_wakers_bytes());
	return kma_runs ? 0 : -ENOMEM;
}

void kma_wakers_stop(void)
{
	kma_small_free(kma_runs);
	kma_runs = NULL;
}
