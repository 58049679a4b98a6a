// SPDX-License-Identifier: GPL-2.0
/* The phases that tasks are in.  See the overview in stall.h. */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "stall.h"

const char *kma_phase_text(enum kma_phase phase)
{
	static const char *const text[] = {
#define X(name, text, cause) text,
		KMA_PHASES(X)
#undef X
	};

	return text[phase];
}

const char *kma_phase_cause(enum kma_phase phase)
{
	static const char *const text[] = {
#define X(name, text, cause) cause,
		KMA_PHASES(X)
#undef X
	};

	return text[phase];
}

const char *kma_stall_origin_text(enum kma_origin_of_stall origin)
{
	static const char *const text[] = {
#define X(name, text) text,
		KMA_ORIGINS(X)
#undef X
	};

	return text[origin];
}

u32 kma_latency_bucket(u64 ns)
{
	const u64 us = div_u64(ns, 1000);

	return us < 2 ? 0 : min_t(u32, ilog2(us), KMA_LATENCY_BUCKETS - 1);
}

/* ---- sets of slots ---------------------------------------------------------- */

/*
 * States of a slot, in the lowest bits of its owner, which are 0 in the address of a task_struct.
 * With none of these bits, the task is in a phase, and finds the slot.
 */
#define KMA_STALL_OPENING	1UL	/* the task has claimed the slot, and is about to fill it */
#define KMA_STALL_EXITED	2UL	/* the task has exited, and the slot will be released */
#define KMA_STALL_STATE		3UL

static_assert(sizeof(struct kma_stall_set) == 64);
/* A frame has a phase and a cause in one byte each. */
static_assert(KMA_PHASE_NR <= 256);

static u32 kma_stalls_sets(u32 cpus)
{
	return max_t(u32, KMA_STALLS_SETS, KMA_STALLS_SETS_PER_CPU * cpus);
}

u64 kma_stalls_bytes(u32 cpus)
{
	return (u64)kma_stalls_sets(cpus) *
	       (sizeof(struct kma_stall_set) + KMA_STALLS_SET * sizeof(struct kma_stall));
}

int kma_stalls_init(struct kma_stalls *t, u32 cpus)
{
	u32 i;

	t->sets = kma_stalls_sets(cpus);
	t->set = kma_env_zalloc(t->sets * sizeof(t->set[0]));
	t->slot = kma_env_zalloc(t->sets * KMA_STALLS_SET * sizeof(t->slot[0]));
	if (t->set && t->slot) {
		for (i = 0; i < t->sets * KMA_STALLS_SET; i++)
			t->slot[i].owner = &t->set[i / KMA_STALLS_SET].owner[i % KMA_STALLS_SET];
		/* A leak detector would take the addresses of task_structs for references. */
		kma_env_no_scan(t->set);
		kma_env_no_scan(t->slot);
		return 0;
	}
	kma_stalls_destroy(t);
	return -ENOMEM;
}

void kma_stalls_destroy(struct kma_stalls *t)
{
	kma_env_free(t->set);
	kma_env_free(t->slot);
	*t = (struct kma_stalls) {};
}

void kma_stalls_clear(struct kma_stalls *t)
{
	u32 i;

	for (i = 0; i < t->sets * KMA_STALLS_SET; i++) {
		kma_stat_add(stall_ends_lost, t->slot[i].depth);
		t->slot[i].depth = 0;
	}
	memset(t->set, 0, t->sets * sizeof(t->set[0]));
}

u32 kma_stalls_used(const struct kma_stalls *t)
{
	u32 i, used = 0;

	for (i = 0; i < t->sets * KMA_STALLS_SET; i++)
		used += !!READ_ONCE(t->set[i / KMA_STALLS_SET].owner[i % KMA_STALLS_SET]);
	return used;
}

static u64 kma_stall_hash(unsigned long task)
{
	return (u64)task * 0x9e3779b97f4a7c15ULL;
}

static u32 kma_stall_home(const struct kma_stalls *t, unsigned long task)
{
	return (kma_stall_hash(task) >> 32) * t->sets >> 32;
}

/* The set that a task searches at a try after its home set.  Tries count from 1. */
static u32 kma_stall_other(const struct kma_stalls *t, unsigned long task, u32 try)
{
	const u64 hash = kma_stall_hash(task);

	return (((hash ^ hash >> 32) + try) * 0xbf58476d1ce4e5b9ULL >> 32) * t->sets >> 32;
}

/* Count a task, which has claimed a slot at @try, as spilled in its home set. */
static void kma_stall_spill(struct kma_stalls *t, unsigned long task, u64 try)
{
	atomic64_t *spilled = &t->set[kma_stall_home(t, task)].spilled;
	s64 was = atomic64_read(spilled), now;

	do {
		now = max((u64)was >> 32, try) << 32 | ((u32)was + 1);
	} while (!atomic64_try_cmpxchg(spilled, &was, now));
}

/* Undo kma_stall_spill(): the task has given up its slot. */
static void kma_stall_unspill(struct kma_stalls *t, unsigned long task)
{
	atomic64_t *spilled = &t->set[kma_stall_home(t, task)].spilled;
	s64 was = atomic64_read(spilled), now;

	do {
		now = (u32)was == 1 ? 0 : was - 1;
	} while (!atomic64_try_cmpxchg(spilled, &was, now));
}

/* ---- the slot of a task ----------------------------------------------------- */

static __always_inline struct kma_stall *kma_stall_in(const struct kma_stalls *t, u32 set,
						      unsigned long owner)
{
	const unsigned long *at = t->set[set].owner;
	u32 i;

	kma_unroll(KMA_STALLS_SET)
	for (i = 0; i < KMA_STALLS_SET; i++)
		if (READ_ONCE(at[i]) == owner)
			return &t->slot[set * KMA_STALLS_SET + i];
	return NULL;
}

static noinline struct kma_stall *kma_stall_find_spilled(const struct kma_stalls *t,
							 unsigned long task, u32 tries)
{
	struct kma_stall *s = NULL;
	u32 try;

	for (try = 1; try <= tries && !s; try++)
		s = kma_stall_in(t, kma_stall_other(t, task, try), task);
	return s;
}

/*
 * A task becomes the owner of a slot only by its own call, so this function finds the slot of the
 * current task if there is one.
 */
struct kma_stall *kma_stall_of(const struct kma_stalls *t, unsigned long task)
{
	const u32 home = kma_stall_home(t, task);
	struct kma_stall *s = kma_stall_in(t, home, task);
	u64 spilled;

	if (s)
		return s;
	spilled = atomic64_read(&t->set[home].spilled);
	if (likely(!spilled))
		return NULL;
	return kma_stall_find_spilled(t, task, spilled >> 32);
}

static __always_inline struct kma_stall *kma_stall_claim_in(struct kma_stalls *t, u32 set,
							    unsigned long task)
{
	unsigned long *owner = t->set[set].owner;
	struct kma_stall *s;
	u32 i;

	for (i = 0; i < KMA_STALLS_SET; i++, owner++) {
		/* Pairs with the release in kma_stall_publish(). */
		if (READ_ONCE(*owner) || cmpxchg(owner, 0, task | KMA_STALL_OPENING))
			continue;
		s = &t->slot[set * KMA_STALLS_SET + i];
		s->spilled = false;
		return s;
	}
	return NULL;
}

static noinline struct kma_stall *kma_stall_claim_other(struct kma_stalls *t, unsigned long task)
{
	struct kma_stall *s;
	u32 try;

	for (try = 1; try < KMA_STALLS_TRIES; try++) {
		s = kma_stall_claim_in(t, kma_stall_other(t, task, try), task);
		if (!s)
			continue;
		s->spilled = true;
		kma_stall_spill(t, task, try);
		return s;
	}
	return NULL;
}

static struct kma_stall *kma_stall_claim(struct kma_stalls *t, unsigned long task)
{
	return kma_stall_claim_in(t, kma_stall_home(t, task), task) ?:
	       kma_stall_claim_other(t, task);
}

static void kma_stall_publish(struct kma_stall *s, unsigned long owner)
{
	/* Pairs with the cmpxchg in kma_stall_claim_in(), and the acquire in kma_stall_exits(). */
	smp_store_release(s->owner, owner);
}

/* The slot is no longer that of the task. */
static void kma_stall_release(struct kma_stalls *t, struct kma_stall *s, unsigned long task)
{
	const bool spilled = s->spilled;

	kma_stall_publish(s, 0);
	if (unlikely(spilled))
		kma_stall_unspill(t, task);
}

void kma_stall_leave(struct kma_stalls *t, struct kma_stall *s)
{
	if (!s->depth)
		kma_stall_release(t, s, READ_ONCE(*s->owner) & ~KMA_STALL_STATE);
}

/* ---- tasks that have exited -------------------------------------------------- */

/*
 * Mark a slot if its task has exited: then neither that task nor another one finds the slot.
 * Return: true if the slot has to be released after a wait for all running probes.
 */
static bool kma_stall_exits(struct kma_stall *s,
			    bool (*has_exited)(unsigned long task, u32 pid))
{
	/* Pairs with the release in kma_stall_publish(): this sees the thread ID of the owner. */
	const unsigned long owner = smp_load_acquire(s->owner);
	const unsigned long task = owner & ~KMA_STALL_STATE;

	if (!owner || owner & (KMA_STALL_OPENING | KMA_STALL_EXITED) ||
	    !has_exited(task, READ_ONCE(s->pid)))
		return false;
	return cmpxchg(s->owner, owner, owner | KMA_STALL_EXITED) == owner;
}

static void kma_stall_release_exited(struct kma_stalls *t, struct kma_stall *s)
{
	const unsigned long owner = READ_ONCE(*s->owner);

	/* A probe that had found the slot before it was marked may have released it. */
	if (!(owner & KMA_STALL_EXITED))
		return;
	kma_stat_add(stall_ends_lost, s->depth);
	s->depth = 0;
	kma_stall_release(t, s, owner & ~KMA_STALL_STATE);
}

void kma_stalls_sweep(struct kma_stalls *t, bool (*has_exited)(unsigned long task, u32 pid))
{
	const u32 nr = t->sets * KMA_STALLS_SET;
	bool any = false;
	u32 i;

	for (i = 0; i < nr; i++) {
		any |= kma_stall_exits(&t->slot[i], has_exited);
		if (i % (64 * KMA_STALLS_SET) == 0)
			cond_resched();
	}
	if (!any)
		return;
	/*
	 * A task that is exiting may still run a probe.  After this wait, only this function uses
	 * the slots that are marked.
	 */
	kma_env_wait_for_probes();
	for (i = 0; i < nr; i++)
		kma_stall_release_exited(t, &t->slot[i]);
}

/* ---- phases ---------------------------------------------------------------- */

/* The most bytes of stack that a probe and its callers take below the function that has it. */
#define KMA_STALL_SLACK	512

/* Pages that were counted in a phase also count in the phase around it. */
static void kma_stall_hand_over(struct kma_stall_frame *around, const struct kma_stall_frame *f)
{
	around->scanned += f->scanned;
	around->reclaimed += f->reclaimed;
}

/* The own time of a phase that is dropped becomes that of the phase around it. */
static void kma_stall_drop(struct kma_stall *s, u32 depth)
{
	struct kma_stall_frame *around;
	u32 i;

	kma_stat_add(stall_ends_lost, s->depth - depth);
	for (i = s->depth; depth && i > depth; i--) {
		around = &s->frame[i - 2];
		around->nested.ns += s->frame[i - 1].nested.ns;
		around->nested.cpu_ns += s->frame[i - 1].nested.cpu_ns;
		kma_stall_hand_over(around, &s->frame[i - 1]);
	}
	s->depth = depth;
	s->deeper = 0;
}

/*
 * Whether a phase is over when the phase @next begins.  The stack pointer of a probe is lower than
 * that of the function that has the tracepoint, and that function may call another function with a
 * tracepoint.
 */
static bool kma_stall_is_over(const struct kma_stall_frame *f, enum kma_phase next, u32 sp)
{
	return (f->phase == next && f->sp == sp) || f->sp + KMA_STALL_SLACK < sp;
}

static u32 kma_stall_sp(const struct kma_stall_task *who)
{
	return who->sp - who->stack;
}

/* Drop the phases that cannot be going on any more, if their ends were not seen. */
static void kma_stall_drop_ended(struct kma_stall *s, const struct kma_stall_task *who,
				 enum kma_phase next)
{
	u32 depth = s->depth;

	/* The slot may be that of a task that has died. */
	if (s->stack != who->stack || s->pid != who->pid)
		depth = 0;
	while (depth && kma_stall_is_over(&s->frame[depth - 1], next, kma_stall_sp(who)))
		depth--;
	if (depth != s->depth)
		kma_stall_drop(s, depth);
}

/* Begin a stall. */
static void kma_stall_open(struct kma_stall *s, const struct kma_stall_task *who)
{
	s->stack = who->stack;
	/* kma_stalls_sweep() reads this member without a lock. */
	WRITE_ONCE(s->pid, who->pid);
	s->origin = KMA_STALL_OTHER;
	s->order = KMA_ORDER_NONE;
	s->gfp = 0;
	s->site = 0;
	s->from = (struct kma_return) {};
	s->depth = 0;
	s->deeper = 0;
	s->nr_parts = 0;
}

/* Begin a stall, in a slot that is claimed for it. */
static struct kma_stall *kma_stall_enter(struct kma_stalls *t, const struct kma_stall_task *who,
					 enum kma_phase phase)
{
	struct kma_stall *s = kma_stall_claim(t, who->task);

	if (likely(s)) {
		kma_stall_open(s, who);
		kma_stall_publish(s, who->task);
		return s;
	}
	kma_stat_inc(stall_no_slot);
	/* The end of a background phase does not count as stall_begins_lost: count it now. */
	if (kma_phase_is_background(phase))
		kma_stat_inc(stall_begins_lost);
	return NULL;
}

/* The number of the frame of a phase that has begun, counted from 1; 0 if there is none. */
static u32 kma_stall_frame_of(const struct kma_stall *s, enum kma_phase phase)
{
	u32 i = s->depth;

	while (i && s->frame[i - 1].phase != phase)
		i--;
	return i;
}

bool kma_stall_has(const struct kma_stall *s, enum kma_phase phase)
{
	return kma_stall_frame_of(s, phase);
}

struct kma_stall *kma_stall_begin(struct kma_stalls *t, const struct kma_stall_task *who,
				  enum kma_phase phase, const struct kma_stall_time *now)
{
	struct kma_stall *s = kma_stall_of(t, who->task);

	if (s && kma_phase_is_background(phase) && kma_stall_frame_of(s, phase) == 1)
		return NULL;
	if (!s) {
		s = kma_stall_enter(t, who, phase);
		if (!s)
			return NULL;
	} else {
		kma_stall_drop_ended(s, who, phase);
		if (!s->depth)
			kma_stall_open(s, who);
	}
	if (s->depth == KMA_STALL_DEPTH) {
		s->deeper += kma_phase_has_end(phase);
		kma_stat_inc(stall_too_deep);
		return NULL;
	}
	s->frame[s->depth++] = (struct kma_stall_frame) {
		.phase = phase, .cause = phase, .nr = 1,
		.start = *now, .sp = kma_stall_sp(who),
	};
	return s;
}

void kma_stall_skip(struct kma_stall *s, const struct kma_stall_time *from,
		    const struct kma_stall_time *to)
{
	u32 i;

	for (i = 0; i < s->depth; i++) {
		s->frame[i].start.ns += to->ns - from->ns;
		s->frame[i].start.cpu_ns += to->cpu_ns - from->cpu_ns;
	}
}

void kma_stall_add(struct kma_stall *s, enum kma_phase cause, u64 detail, u64 ns, u32 nr)
{
	struct kma_stall_part *p;
	u32 i;

	for (i = 0; i < s->nr_parts; i++)
		if (s->part[i].phase == cause && s->part[i].detail == detail)
			break;
	if (i == KMA_STALL_PARTS) {
		p = &s->part[KMA_STALL_PARTS - 1];
		p->phase = KMA_PHASE_NONE;
		p->detail = 0;
	} else {
		p = &s->part[i];
		if (i == s->nr_parts) {
			*p = (struct kma_stall_part) { .phase = cause, .detail = detail };
			s->nr_parts++;
		}
	}
	p->ns += ns;
	p->nr += nr;
}

static u64 kma_stall_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

/* Split the time of a phase, without the phases inside it, into waiting for a CPU and own time. */
static void kma_stall_split(struct kma_stall *s, struct kma_stall_end *end, u64 cpu, u64 ns)
{
	/* @cpu and @ns are from different clocks, so @cpu may be larger. */
	end->cpu = min(cpu, ns);
	end->own = ns - end->cpu;
	kma_stall_add(s, end->frame.cause, end->frame.detail, end->own, end->frame.nr);
	if (end->cpu)
		kma_stall_add(s, KMA_PHASE_CPU, 0, end->cpu, 1);
}

struct kma_stall *kma_stall_end(struct kma_stalls *t, unsigned long task, enum kma_phase phase,
				const struct kma_stall_time *now, struct kma_stall_end *end)
{
	struct kma_stall *s = kma_stall_of(t, task);
	struct kma_stall_frame *around;
	u64 own, cpu;
	u32 at;

	if (s && s->deeper) {
		s->deeper--;
		return NULL;
	}
	at = s ? kma_stall_frame_of(s, phase) : 0;
	if (!at) {
		if (!kma_phase_is_background(phase))
			kma_stat_inc(stall_begins_lost);
		return NULL;
	}
	if (at != s->depth)
		kma_stall_drop(s, at);
	s->depth = at - 1;
	end->frame = s->frame[s->depth];
	end->ns = kma_stall_since(now->ns, end->frame.start.ns);
	own = kma_stall_since(end->ns, end->frame.nested.ns);
	/* No phase inside the mark has counted. */
	if (phase == KMA_PHASE_MEMSTALL && !end->frame.nested.ns)
		end->frame.nr = 1;
	cpu = kma_stall_since(now->cpu_ns, end->frame.start.cpu_ns);
	kma_stall_split(s, end, kma_stall_since(cpu, end->frame.nested.cpu_ns), own);
	end->outermost = !s->depth;
	if (end->outermost)
		return s;
	around = &s->frame[s->depth - 1];
	around->nested.ns += end->ns;
	around->nested.cpu_ns += cpu;
	kma_stall_hand_over(around, &end->frame);
	return s;
}

void kma_stall_spend(struct kma_stall *s, struct kma_stall_end *end, u64 ns,
		     const struct kma_stall_time *now)
{
	struct kma_stall_frame *f;
	u64 cpu;

	if (!s->depth)
		return;
	f = &s->frame[s->depth - 1];
	end->ns = min(ns, kma_stall_since(kma_stall_since(now->ns, f->start.ns), f->nested.ns));
	cpu = kma_stall_since(kma_stall_since(now->cpu_ns, f->start.cpu_ns), f->nested.cpu_ns);
	kma_stall_split(s, end, cpu, end->ns);
	f->nested.ns += end->ns;
	f->nested.cpu_ns += end->cpu;
}
