// SPDX-License-Identifier: GPL-2.0
/* Count the phases of reclaim and compaction.  See phase.h. */
#include <linux/cpumask.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "../compat.h"
#include "../core/env.h"
#include "../core/pagealloc.h"
#include "../countmaps.h"
#include "../resolve/shrinker.h"
#include "../state.h"
#include "acct.h"
#include "phase.h"
#include "slow.h"
#include "trigger.h"

static struct kma_stalls kma_stalls;
static bool kma_phase_on;
static unsigned long kma_phase_functions;

/* ---- the current task -------------------------------------------------------- */

static bool kma_phase_counts(void)
{
	return READ_ONCE(kma_phase_on) && in_task();
}

/* The kernel updates this clock without a lock, and reads it again if it has changed meanwhile. */
u64 kma_phase_clock(void)
{
	return data_race(ktime_get_mono_fast_ns());	/* see above */
}

/* The scheduler has updated this when the task began to run. */
static u64 kma_phase_cpu_wait(void)
{
#ifdef CONFIG_SCHED_INFO
	return current->sched_info.run_delay;
#else
	return 0;
#endif
}

/* If the task waits for a CPU between the two readings, read both again. */
static struct kma_stall_time kma_phase_now(void)
{
	struct kma_stall_time now;

	do {
		now.cpu_ns = kma_phase_cpu_wait();
		barrier();
		now.ns = kma_phase_clock();
		barrier();
	} while (now.cpu_ns != kma_phase_cpu_wait());
	return now;
}

static bool kma_phase_is_kcompactd(void)
{
#ifdef PF_KCOMPACTD
	return current->flags & PF_KCOMPACTD;
#else
	return current->flags & PF_KTHREAD && !strncmp(current->comm, "kcompactd", 9);
#endif
}

/* ---- the beginning of a phase -------------------------------------------------- */

/* Set while the task compacts for an allocation, which takes the first page that becomes free. */
static bool kma_phase_is_for_allocation(void)
{
#ifdef CONFIG_COMPACTION
	return current->capture_control;
#else
	return false;
#endif
}

/* Who waits, by the outermost phase and its cause. */
static enum kma_origin_of_stall kma_phase_origin(enum kma_phase phase, enum kma_phase cause)
{
	if (current->flags & PF_KSWAPD)
		return KMA_STALL_KSWAPD;
	if (kma_phase_is_kcompactd())
		return KMA_STALL_KCOMPACTD;
	switch (cause) {
	case KMA_PHASE_SLOW_PATH:
	case KMA_PHASE_DIRECT_THROTTLED:
	case KMA_PHASE_DIRECT:
	case KMA_PHASE_NODE:
	case KMA_PHASE_TRY_COMPACT:
		return KMA_STALL_DIRECT;
	case KMA_PHASE_MEMCG:
	case KMA_PHASE_SOFT_LIMIT:
	case KMA_PHASE_HIGH:
		return KMA_STALL_MEMCG;
	case KMA_PHASE_REFAULT:
	case KMA_PHASE_SWAP_IN:
		return KMA_STALL_REFAULT;
	case KMA_PHASE_MEMSTALL:
		return KMA_STALL_MEMSTALL;
	case KMA_PHASE_COMPACT_ZONE:
	case KMA_PHASE_COMPACTION:
		return phase == KMA_PHASE_MEMSTALL || kma_phase_is_for_allocation() ?
		       KMA_STALL_DIRECT : KMA_STALL_OTHER;
	default:
		return KMA_STALL_OTHER;
	}
}

static bool kma_phase_waits(const struct kma_stall *s)
{
	return s->origin == KMA_STALL_DIRECT || s->origin == KMA_STALL_MEMCG ||
	       s->origin == KMA_STALL_REFAULT || s->origin == KMA_STALL_MEMSTALL;
}

static unsigned long kma_phase_site_of(const struct kma_stall *s)
{
	return kma_env_page_site_from(&s->from);
}

unsigned long kma_phase_site(void)
{
	const struct kma_stall *s = NULL;

	if (kma_phase_counts())
		s = kma_stall_of(&kma_stalls, (unsigned long)current);
	/*
	 * In the background, each allocation is another one.  A slot that an earlier task with the
	 * same task_struct has left may lead to a stack that was freed.
	 */
	if (!s || !kma_phase_waits(s) || s->pid != current->pid ||
	    s->stack != (unsigned long)task_stack_page(current))
		return kma_env_page_site();
	return s->site ?: kma_phase_site_of(s);
}

/* Find the call site.  This may take longer than the phase that is being timed. */
static noinline void kma_phase_find_site(struct kma_stall *s)
{
	const struct kma_stall_time before = kma_phase_now();
	struct kma_stall_time after;

	s->site = kma_phase_site_of(s);
	after = kma_phase_now();
	kma_stall_skip(s, &before, &after);
}

static u64 kma_phase_shrinker_id(const struct shrinker *shrinker)
{
	u64 id;

	rcu_read_lock();
	id = kma_shrinker_get(shrinker);
	rcu_read_unlock();
	return id;
}

/*
 * Direct reclaim, compaction and reclaim for a memory cgroup have phases of their own inside of the
 * kernel's mark, which they count by.  Reclaim for memory.high counts by the mark.
 */
static void kma_phase_set_cause(const struct kma_stall *s, struct kma_stall_frame *f,
				enum kma_phase cause)
{
	if (cause) {
		f->cause = cause;
		f->nr = cause == KMA_PHASE_HIGH || cause == KMA_PHASE_REFAULT ||
			cause == KMA_PHASE_SWAP_IN || cause == f->phase;
	} else if (f->phase == KMA_PHASE_MEMCG && s->depth > 1 &&
		   s->frame[s->depth - 2].cause == KMA_PHASE_HIGH) {
		f->cause = KMA_PHASE_HIGH;
		f->nr = 0;
	}
}

static void kma_phase_began(struct kma_stall *s, enum kma_phase phase,
			    const struct kma_phase_args *args)
{
	struct kma_stall_frame *f = &s->frame[s->depth - 1];

	f->detail = args->shrinker ? kma_phase_shrinker_id(args->shrinker) : 0;
	f->arg = args->arg;
	kma_phase_set_cause(s, f, args->cause);
	if (s->depth == 1)
		s->origin = kma_phase_origin(phase, f->cause);
	/* In the background, each phase that is not inside another one has parts of its own. */
	if (s->depth == 2 && kma_phase_is_background(s->frame[0].phase))
		s->nr_parts = 0;
	if (s->order == KMA_ORDER_NONE && args->order != KMA_ORDER_NONE) {
		s->order = args->order;
		s->gfp = args->gfp;
	}
	/* Phases inside this one may return before it ends. */
	if (s->depth == 1)
		s->from = args->from;
	/* Most calls of the slow path do not wait: only look for the call site if they do. */
	if (!s->site && kma_phase_waits(s) && phase != KMA_PHASE_SLOW_PATH)
		kma_phase_find_site(s);
}

static struct kma_stall_task kma_phase_who(unsigned long sp)
{
	return (struct kma_stall_task) {
		.task = (unsigned long)current,
		.stack = (unsigned long)task_stack_page(current),
		.pid = current->pid,
		.sp = sp,
	};
}

/*
 * Whether the phases of the current task are recorded.  While `enabled` is 0, no stall begins, but
 * one that has begun is recorded to its end.
 */
static bool kma_phase_records(void)
{
	return READ_ONCE(kma_countmaps_on) ||
	       kma_stall_of(&kma_stalls, (unsigned long)current);
}

/*
 * Throttling has no event at its end: it ends when direct reclaim begins, or when the task leaves
 * the stall.  If the task has not slept meanwhile, it was not throttled.
 */
static void kma_phase_end_throttling(void)
{
	struct kma_stall *s = kma_stall_of(&kma_stalls, (unsigned long)current);
	struct kma_stall_frame *f = s && s->depth ? &s->frame[s->depth - 1] : NULL;

	if (!f || f->phase != KMA_PHASE_DIRECT_THROTTLED)
		return;
	if (f->arg != current->nvcsw) {
		kma_phase_end(KMA_PHASE_DIRECT_THROTTLED, NULL);
		return;
	}
	s->depth--;
	kma_stall_leave(&kma_stalls, s);
}

bool kma_phase_begin(enum kma_phase phase, const struct kma_phase_args *args, unsigned long sp)
{
	const struct kma_stall_task who = kma_phase_who(sp);
	struct kma_stall_time now;
	struct kma_stall *s;

	if (!READ_ONCE(kma_phase_on) || !(args->in_task || in_task()))
		return false;
	if (!kma_phase_records()) {
		kma_stat_inc(countmap_off);
		return false;
	}
	if (phase == KMA_PHASE_DIRECT)
		kma_phase_end_throttling();
	now = kma_phase_now();
	s = kma_stall_begin(&kma_stalls, &who, phase, &now);
	if (s)
		kma_phase_began(s, phase, args);
	return true;
}

/* ---- the end of a phase -------------------------------------------------------- */

static void kma_phase_time(struct kma_countmap *t, u32 id, u64 ns)
{
	kma_countmap_add_to(t, id, KMA_LATENCY_COUNT, 1);
	kma_countmap_add_to(t, id, KMA_LATENCY_TOTAL_NS, ns);
	kma_countmap_raise(t, id, KMA_LATENCY_MAX_NS, ns);
	kma_countmap_add_to(t, id, KMA_LATENCY_BUCKET + kma_latency_bucket(ns), 1);
}

static void kma_phase_latency(enum kma_phase phase, enum kma_origin_of_stall origin,
			      const struct kma_stall_end *end)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_LATENCY]);
	const struct kma_countmap_info info = { .key = { { phase, origin } } };
	u32 id;

	if (!t)
		return;
	id = kma_countmap_get(t, &info);
	kma_phase_time(t, id, end->ns);
	if (end->frame.scanned)
		kma_countmap_add_to(t, id, KMA_LATENCY_SCANNED, end->frame.scanned);
	if (end->frame.reclaimed)
		kma_countmap_add_to(t, id, KMA_LATENCY_RECLAIMED, end->frame.reclaimed);
}

static void kma_phase_shrinker(const struct kma_stall *s, const struct kma_stall_end *end,
			       const struct kma_phase_shrunk *shrunk)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_SHRINKERS]);
	const s64 scanned = end->frame.arg - shrunk->left;
	u32 id;

	if (!t)
		return;
	id = kma_countmap_deref(t, end->frame.detail);
	kma_countmap_add_to(t, id, KMA_SHRINKER_CALLS, 1);
	kma_countmap_add_to(t, id, KMA_SHRINKER_TOTAL_NS, end->ns);
	kma_countmap_raise(t, id, KMA_SHRINKER_MAX_NS, end->ns);
	if (kma_phase_waits(s))
		kma_countmap_add_to(t, id, KMA_SHRINKER_WAITED_NS, end->ns);
	if (scanned > 0)
		kma_countmap_add_to(t, id, KMA_SHRINKER_SCANNED, scanned);
	kma_countmap_add_to(t, id, KMA_SHRINKER_FREED, shrunk->freed);
}

/* The time in do_shrink_slab() is that of counting objects, apart from the phase inside it. */
static void kma_phase_counted(const struct kma_stall_end *end)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_SHRINKERS]);
	u32 id;

	if (!t)
		return;
	id = kma_countmap_deref(t, end->frame.detail);
	kma_countmap_add_to(t, id, KMA_SHRINKER_COUNTS, 1);
	kma_countmap_add_to(t, id, KMA_SHRINKER_COUNT_NS, end->own + end->cpu);
}

static bool kma_phase_is_shrinker(enum kma_phase phase)
{
	return phase == KMA_PHASE_SHRINKER || phase == KMA_PHASE_COUNT;
}

/*
 * There may be as many super blocks as mounts, and a row for each of them and each call site.  So
 * once only the reserve is left, new rows do not distinguish shrinkers.
 */
static void kma_phase_merge_shrinkers(const struct kma_countmap *t, struct kma_countmap_key *key)
{
	if (!kma_countmap_has_room(t) && kma_countmap_find(t, key) == KMA_COUNTMAP_OTHER)
		key->word[KMA_STALL_DETAIL] = 0;
}

/* A row of stalls is gone if it counts waits for a shrinker whose own row was recycled. */
static enum kma_countmap_fate kma_phase_fate(const struct kma_countmap_info *info)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_SHRINKERS);
	const u64 detail = info->key.word[KMA_STALL_DETAIL];

	return kma_phase_is_shrinker(info->key.word[KMA_STALL_WHAT] >> 40) && detail &&
	       kma_countmap_deref(t, detail) == KMA_COUNTMAP_OTHER ?
	       KMA_COUNTMAP_GONE : KMA_COUNTMAP_IN_USE;
}

/* The heir is the row of the same call site and cause that does not distinguish shrinkers. */
static u32 kma_phase_heir(struct kma_countmap *t, const struct kma_countmap_info *info, bool gone)
{
	struct kma_countmap_info heir = { .key = info->key };

	heir.key.word[KMA_STALL_DETAIL] = 0;
	return gone ? kma_countmap_get_reserved(t, &heir) : KMA_COUNTMAP_OTHER;
}

const struct kma_countmap_policy kma_phase_policy_stalls = {
	.fate = kma_phase_fate, .heir = kma_phase_heir,
};

static void kma_phase_stalled(const struct kma_stall *s, enum kma_phase phase, u64 detail, u64 ns,
			      u32 nr)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_STALLS]);
	struct kma_countmap_info info = {
		.key = { {
			[KMA_STALL_SITE] = s->site,
			[KMA_STALL_WHAT] = (u64)phase << 40 | (u64)(u8)s->order << 32 | s->gfp,
			[KMA_STALL_DETAIL] = detail,
		} },
	};
	u32 id;

	if (!t)
		return;
	if (kma_phase_is_shrinker(phase))
		kma_phase_merge_shrinkers(t, &info.key);
	id = kma_countmap_get_reserved(t, &info);
	kma_countmap_add_to(t, id, KMA_STALLED_COUNT, nr);
	kma_countmap_add_to(t, id, KMA_STALLED_TOTAL_NS, ns);
	kma_countmap_raise(t, id, KMA_STALLED_MAX_NS, ns);
}

static void kma_phase_waited(const struct kma_stall *s, u64 ns)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_WAITS]);
	const struct kma_countmap_info info = {
		.key = { {
			[KMA_WAIT_SITE] = s->site,
			[KMA_WAIT_WHAT] = (u64)s->origin << 8 | (u8)s->order,
		} },
	};

	if (t)
		kma_phase_time(t, kma_countmap_get(t, &info), ns);
}

static void kma_phase_account(const struct kma_stall *s, u64 ns)
{
	const struct kma_acct_event event = {
		.nr = 1,
		.what = { { KMA_ACCT_STALL_NS, ns } },
		.site = s->site,
		.source = true,
	};

	kma_acct_count(&event);
}

/*
 * A call of the slow path that has waited for nothing counts as a wait if it takes this long, in
 * ns.  Finding its call site takes a fraction of that.
 */
#define KMA_PHASE_QUICK_NS	20000

/* Whether an allocation has neither waited for anything, nor taken long. */
static bool kma_phase_is_quick(const struct kma_stall_end *end)
{
	return end->frame.phase == KMA_PHASE_SLOW_PATH && end->outermost && !end->frame.nested.ns &&
	       end->ns < KMA_PHASE_QUICK_NS && !kma_slow_exceeds(KMA_PHASE_SLOW_PATH, end->ns);
}

/* PSI counts a stall inside another one as a part of that one, and so does `latency`. */
static bool kma_phase_is_inner_memstall(const struct kma_stall *s, enum kma_phase phase)
{
	return phase == KMA_PHASE_MEMSTALL && kma_stall_has(s, KMA_PHASE_MEMSTALL);
}

static void kma_phase_count(const struct kma_stall *s, const struct kma_stall_end *end,
			    const struct kma_phase_shrunk *shrunk)
{
	const enum kma_phase phase = end->frame.phase;

	rcu_read_lock();
	if (!kma_phase_is_inner_memstall(s, phase))
		kma_phase_latency(phase, s->origin, end);
	if (phase == KMA_PHASE_SHRINKER && shrunk)
		kma_phase_shrinker(s, end, shrunk);
	if (phase == KMA_PHASE_COUNT)
		kma_phase_counted(end);
	if (kma_phase_waits(s) && !kma_phase_is_quick(end)) {
		kma_phase_stalled(s, end->frame.cause, end->frame.detail, end->own,
				  end->frame.nr);
		if (end->cpu)
			kma_phase_stalled(s, KMA_PHASE_CPU, 0, end->cpu, 1);
		if (end->outermost) {
			kma_phase_waited(s, end->ns);
			kma_phase_account(s, end->ns);
			kma_trigger_stalled(s->site, s->order, s->gfp, end->ns);
		}
	}
	rcu_read_unlock();
}

/*
 * Record a slow phase.  The phases around it do not count the time that this takes, but for those
 * of kswapd and kcompactd.
 */
static noinline void kma_phase_log(struct kma_stall *s, const struct kma_stall_end *end)
{
	const struct kma_stall_time before = kma_phase_now();
	struct kma_stall_time after;

	kma_slow_add(s, end);
	if (s->depth && kma_phase_is_background(s->frame[0].phase))
		return;
	after = kma_phase_now();
	kma_stall_skip(s, &before, &after);
}

/* ---- events ---------------------------------------------------------------------- */

void kma_phase_end(enum kma_phase phase, const struct kma_phase_shrunk *shrunk)
{
	struct kma_stall_time now;
	struct kma_stall_end end;
	struct kma_stall *s;

	if (!kma_phase_counts() || !kma_phase_records())
		return;
	/* Without PSI, only the slow path has an end. */
	if (phase == KMA_PHASE_MEMSTALL || phase == KMA_PHASE_SLOW_PATH)
		kma_phase_end_throttling();
	now = kma_phase_now();
	s = kma_stall_end(&kma_stalls, (unsigned long)current, phase, &now, &end);
	if (!s)
		return;
	if (!s->site && kma_phase_waits(s) && !kma_phase_is_quick(&end))
		kma_phase_find_site(s);
	kma_phase_count(s, &end, shrunk);
	if (kma_slow_exceeds(phase, end.ns) && kma_slow_has_record(s, &end))
		kma_phase_log(s, &end);
	kma_stall_leave(&kma_stalls, s);
}

void kma_phase_over(enum kma_phase phase, u64 detail, u64 ns)
{
	struct kma_stall_end end = {
		.frame = { .phase = phase, .cause = phase, .nr = 1, .detail = detail },
	};
	struct kma_stall_time now;
	struct kma_stall *s;

	if (!kma_phase_counts() || !kma_phase_records())
		return;
	s = kma_stall_of(&kma_stalls, (unsigned long)current);
	if (!s) {
		kma_stat_inc(stall_begins_lost);
		return;
	}
	now = kma_phase_now();
	kma_stall_spend(s, &end, ns, &now);
	end.frame.start.ns = now.ns - end.ns;
	kma_phase_count(s, &end, NULL);
	if (kma_slow_exceeds(phase, end.ns) && kma_slow_has_record(s, &end))
		kma_phase_log(s, &end);
}

void kma_phase_compacts(int order, u32 gfp)
{
	struct kma_stall *s;

	if (!kma_phase_counts())
		return;
	s = kma_stall_of(&kma_stalls, (unsigned long)current);
	if (s && s->order == KMA_ORDER_NONE) {
		s->order = order;
		s->gfp = gfp;
	}
}

void kma_phase_pages(enum kma_phase phase, u64 scanned, u64 reclaimed)
{
	struct kma_countmap_info info = { .key = { { phase, KMA_STALL_OTHER } } };
	struct kma_stall_frame *f;
	struct kma_countmap *t;
	struct kma_stall *s;
	u32 id;

	if (!kma_phase_counts() || !kma_phase_records())
		return;
	s = kma_stall_of(&kma_stalls, (unsigned long)current);
	if (s) {
		info.key.word[1] = s->origin;
		f = &s->frame[s->depth - 1];
		f->scanned += scanned;
		f->reclaimed += reclaimed;
	} else if (current->flags & PF_KSWAPD) {
		info.key.word[1] = KMA_STALL_KSWAPD;
	}
	/* If the function is followed, its end counts these pages and the call. */
	if (test_bit(phase, &kma_phase_functions))
		return;
	rcu_read_lock();
	t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_LATENCY]);
	if (t) {
		id = kma_countmap_get(t, &info);
		kma_countmap_add_to(t, id, KMA_LATENCY_COUNT, 1);
		kma_countmap_add_to(t, id, KMA_LATENCY_SCANNED, scanned);
		kma_countmap_add_to(t, id, KMA_LATENCY_RECLAIMED, reclaimed);
	}
	rcu_read_unlock();
}

/* ---- start and stop ---------------------------------------------------------------- */

void kma_phase_has_function(enum kma_phase phase, bool yes)
{
	if (yes)
		set_bit(phase, &kma_phase_functions);
	else
		clear_bit(phase, &kma_phase_functions);
}

void kma_phase_record(bool on)
{
	lockdep_assert_held(&kma_lock);
	if (!on) {
		WRITE_ONCE(kma_phase_on, false);
		kma_env_wait_for_probes();
		return;
	}
	kma_stalls_clear(&kma_stalls);
	WRITE_ONCE(kma_phase_on, true);
}

u64 kma_phase_bytes(void)
{
	return kma_stalls_bytes(num_possible_cpus()) + KMA_SLOW_RECORDS * sizeof(struct kma_slow);
}

u32 kma_phase_slots(u32 *used)
{
	lockdep_assert_held(&kma_lock);
	*used = kma_stalls_used(&kma_stalls);
	return kma_stalls.sets * KMA_STALLS_SET;
}

int kma_phase_start(void)
{
	int ret;

	lockdep_assert_held(&kma_lock);
	ret = kma_stalls_init(&kma_stalls, num_possible_cpus());
	if (ret)
		return ret;
	ret = kma_slow_start();
	if (ret) {
		kma_stalls_destroy(&kma_stalls);
		return ret;
	}
	kma_shrinker_start();
	return 0;
}

void kma_phase_stop(void)
{
	lockdep_assert_held(&kma_lock);
	kma_slow_stop();
	kma_stalls_destroy(&kma_stalls);
}

/*
 * The task_struct may have been freed, so it is only read if the thread ID still refers to it.  A
 * task that has an exit_state counts as exited: a phase that it may still begin does not matter.
 */
static bool kma_phase_has_exited(unsigned long address, u32 pid)
{
	const struct task_struct *task;
	bool exited;

	/* An idle task has no thread ID. */
	if (!pid)
		return false;
	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	exited = (unsigned long)task != address || READ_ONCE(task->exit_state);
	rcu_read_unlock();
	return exited;
}

void kma_phase_turn(void)
{
	lockdep_assert_held(&kma_lock);
	if (READ_ONCE(kma_phase_on))
		kma_stalls_sweep(&kma_stalls, kma_phase_has_exited);
}

void kma_phase_forget(void)
{
	kma_slow_forget();
}
