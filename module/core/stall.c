// SPDX-License-Identifier: GPL-2.0
/* The phases that tasks are in.  See the overview in stall.h. */
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

/* ---- slots ----------------------------------------------------------------- */

u64 kma_stalls_bytes(void)
{
	return KMA_STALLS * (sizeof(unsigned long) + sizeof(struct kma_stall));
}

int kma_stalls_init(struct kma_stalls *t)
{
	t->owner = kma_env_zalloc(KMA_STALLS * sizeof(t->owner[0]));
	t->slot = kma_env_zalloc(KMA_STALLS * sizeof(t->slot[0]));
	if (t->owner && t->slot) {
		/* A task_struct would look as if it were still referred to. */
		kma_env_no_scan(t->owner);
		kma_env_no_scan(t->slot);
		return 0;
	}
	kma_stalls_destroy(t);
	return -ENOMEM;
}

void kma_stalls_destroy(struct kma_stalls *t)
{
	kma_env_free(t->owner);
	kma_env_free(t->slot);
	*t = (struct kma_stalls) {};
}

void kma_stalls_clear(struct kma_stalls *t)
{
	u32 i;

	for (i = 0; i < KMA_STALLS; i++) {
		kma_stat_add(stall_ends_lost, t->slot[i].depth);
		t->slot[i].depth = 0;
		WRITE_ONCE(t->owner[i], 0);
	}
}

/* The first slot that a task may have. */
static u32 kma_stall_first(unsigned long task)
{
	const u64 hash = (u64)task * 0x9e3779b97f4a7c15ULL >> 32;

	return hash % KMA_STALLS & ~(KMA_STALLS_SET - 1);
}

struct kma_stall *kma_stall_of(const struct kma_stalls *t, unsigned long task)
{
	const u32 first = kma_stall_first(task);
	u32 i;

	/* Only the task itself makes a slot its own, so this sees the slot if there is one. */
	for (i = first; i < first + KMA_STALLS_SET; i++)
		if (READ_ONCE(t->owner[i]) == task)
			return &t->slot[i];
	return NULL;
}

static struct kma_stall *kma_stall_claim(struct kma_stalls *t, unsigned long task,
					 enum kma_phase phase)
{
	const u32 first = kma_stall_first(task);
	u32 i;

	for (i = first; i < first + KMA_STALLS_SET; i++)
		/* The cmpxchg pairs with the release in kma_stall_leave(). */
		if (!READ_ONCE(t->owner[i]) && !cmpxchg(&t->owner[i], 0, task))
			return &t->slot[i];
	kma_stat_inc(stall_no_slot);
	/* The end of another phase counts this when it comes. */
	if (kma_phase_is_background(phase))
		kma_stat_inc(stall_begins_lost);
	return NULL;
}

void kma_stall_leave(struct kma_stalls *t, struct kma_stall *s)
{
	if (s->depth)
		return;
	/* Pairs with the cmpxchg in kma_stall_claim(). */
	smp_store_release(&t->owner[s - t->slot], 0);
}

/* The most bytes of stack that a probe and its callers take below the function that has it. */
#define KMA_STALL_SLACK	512

/* ---- phases ---------------------------------------------------------------- */

/* What was counted in a phase belongs to the phase around it, too. */
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
		around->inner.ns += s->frame[i - 1].inner.ns;
		around->inner.cpu_ns += s->frame[i - 1].inner.cpu_ns;
		kma_stall_hand_over(around, &s->frame[i - 1]);
	}
	s->depth = depth;
	s->deeper = 0;
}

/*
 * Whether a phase is over when another one begins.  The stack pointer of a probe is lower than that
 * of the function that has the tracepoint, which may call another one.
 */
static bool kma_stall_is_over(const struct kma_stall_frame *f, enum kma_phase next,
			      unsigned long sp)
{
	return (f->phase == next && f->sp == sp) || f->sp + KMA_STALL_SLACK < sp;
}

/* Drop the phases that cannot be going on any more, if their ends were not seen. */
static void kma_stall_drop_ended(struct kma_stall *s, const struct kma_stall_task *who,
				 enum kma_phase next)
{
	u32 depth = s->depth;

	/* The slot may be that of a task that has died. */
	if (s->stack != who->stack || s->pid != who->pid)
		depth = 0;
	while (depth && kma_stall_is_over(&s->frame[depth - 1], next, who->sp))
		depth--;
	if (depth != s->depth)
		kma_stall_drop(s, depth);
}

static void kma_stall_open(struct kma_stall *s, const struct kma_stall_task *who)
{
	s->stack = who->stack;
	s->pid = who->pid;
	s->origin = KMA_STALL_OTHER;
	s->order = KMA_ORDER_NONE;
	s->gfp = 0;
	s->site = 0;
	s->depth = 0;
	s->deeper = 0;
	s->nr_parts = 0;
}

/* The number of the frame of a phase that has begun, counted from 1; 0 if there is none. */
static u32 kma_stall_frame_of(const struct kma_stall *s, enum kma_phase phase)
{
	u32 i = s->depth;

	while (i && s->frame[i - 1].phase != phase)
		i--;
	return i;
}

struct kma_stall *kma_stall_begin(struct kma_stalls *t, const struct kma_stall_task *who,
				  enum kma_phase phase, const struct kma_stall_time *now)
{
	struct kma_stall *s = kma_stall_of(t, who->task);

	if (s && kma_phase_is_background(phase) && kma_stall_frame_of(s, phase) == 1)
		return NULL;
	if (s)
		kma_stall_drop_ended(s, who, phase);
	else
		s = kma_stall_claim(t, who->task, phase);
	if (!s)
		return NULL;
	/* A slot that was just claimed still has the depth 0 of its last owner. */
	if (!s->depth)
		kma_stall_open(s, who);
	if (s->depth == KMA_STALL_DEPTH) {
		s->deeper++;
		kma_stat_inc(stall_too_deep);
		return NULL;
	}
	s->frame[s->depth++] = (struct kma_stall_frame) {
		.phase = phase, .start = *now, .sp = who->sp,
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

void kma_stall_add(struct kma_stall *s, enum kma_phase phase, u64 detail, u64 ns)
{
	struct kma_stall_part *p;
	u32 i;

	for (i = 0; i < s->nr_parts; i++)
		if (s->part[i].phase == phase && s->part[i].detail == detail)
			break;
	if (i == KMA_STALL_PARTS) {
		p = &s->part[KMA_STALL_PARTS - 1];
		p->phase = KMA_PHASE_NONE;
		p->detail = 0;
	} else {
		p = &s->part[i];
		if (i == s->nr_parts) {
			*p = (struct kma_stall_part) { .phase = phase, .detail = detail };
			s->nr_parts++;
		}
	}
	p->ns += ns;
	p->nr++;
}

static u64 kma_stall_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

/* Split the time of a phase, without the phases inside it, into waiting for a CPU and own time. */
static void kma_stall_split(struct kma_stall *s, struct kma_stall_end *end, u64 cpu, u64 ns)
{
	/* These are two clocks. */
	end->cpu = min(cpu, ns);
	end->own = ns - end->cpu;
	kma_stall_add(s, end->frame.phase, end->frame.detail, end->own);
	if (end->cpu)
		kma_stall_add(s, KMA_PHASE_CPU, 0, end->cpu);
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
	own = kma_stall_since(end->ns, end->frame.inner.ns);
	cpu = kma_stall_since(now->cpu_ns, end->frame.start.cpu_ns);
	kma_stall_split(s, end, kma_stall_since(cpu, end->frame.inner.cpu_ns), own);
	end->outermost = !s->depth;
	if (end->outermost)
		return s;
	around = &s->frame[s->depth - 1];
	around->inner.ns += end->ns;
	around->inner.cpu_ns += cpu;
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
	end->ns = min(ns, kma_stall_since(kma_stall_since(now->ns, f->start.ns), f->inner.ns));
	cpu = kma_stall_since(kma_stall_since(now->cpu_ns, f->start.cpu_ns), f->inner.cpu_ns);
	kma_stall_split(s, end, cpu, end->ns);
	f->inner.ns += end->ns;
	f->inner.cpu_ns += end->cpu;
}
