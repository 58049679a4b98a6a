// SPDX-License-Identifier: GPL-2.0
/* Unwind the stack of a sample, and remember it.  See stack.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "../core/env.h"
#include "../core/stack.h"
#include "../state.h"
#include "stack.h"
#include "trail.h"

/* Maximum number of stack frames between this file and the call site. */
#define KMA_STACK_INNER	24
/* Number of memos of each CPU. */
#define KMA_MEMOS	32

/**
 * struct kma_memo - a remembered stack
 * @busy: 1 while a context records a sample with this memo
 * @trail: the words that the stack is recognized by
 * @stack: the stack
 */
struct kma_memo {
	int busy;
	struct kma_trail trail;
	struct kma_stack stack;
};

static struct kma_memo __percpu *kma_memos;

/* Unwind the stack from @site on, and record the trail if it is not NULL. */
static noinline void kma_stack_unwind(struct kma_stack *s, struct kma_trail *trail,
				      unsigned long site, unsigned long sp)
{
	struct kma_walk w;
	unsigned long addr;
	int inner = 0;

	s->nr_frames = 0;
	kma_walk_begin(&w, trail, sp);
	while (s->nr_frames < KMA_FRAMES_MAX && inner < KMA_STACK_INNER) {
		addr = kma_walk_next(&w);
		if (!addr)
			break;
		if (s->nr_frames || addr == site)
			s->frame[s->nr_frames++] = addr;
		else
			inner++;
	}
	if (s->nr_frames)
		kma_walk_end(&w);
	kma_stack_seal(s);
}

static bool kma_memo_holds(const struct kma_memo *m, unsigned long site, unsigned long sp)
{
	return m->stack.frame[0] == site && kma_trail_holds(&m->trail, sp);
}

const struct kma_stack *kma_env_stack(unsigned long site)
{
	const unsigned long sp = (unsigned long)__builtin_frame_address(0);
	const u32 hash = (u32)(site ^ sp >> 3) * 0x9e3779b1U;
	struct kma_memo *m = raw_cpu_ptr(kma_memos) + (hash >> 16) % KMA_MEMOS;

	/*
	 * The probe cannot migrate here.  So if the memo is busy, a context that this one has
	 * interrupted is using it.
	 */
	if (READ_ONCE(m->busy))
		return NULL;
	WRITE_ONCE(m->busy, 1);
	barrier();
	if (!kma_memo_holds(m, site, sp))
		kma_stack_unwind(&m->stack, &m->trail, site, sp);
	return &m->stack;
}

void kma_env_stack_done(const struct kma_stack *stack)
{
	barrier();
	WRITE_ONCE(container_of(stack, struct kma_memo, stack)->busy, 0);
}

void kma_env_unwind(unsigned long site, struct kma_stack *stack)
{
	kma_stack_unwind(stack, NULL, site, (unsigned long)__builtin_frame_address(0));
}

u64 kma_stack_forecast(void)
{
	return (u64)num_possible_cpus() * KMA_MEMOS * sizeof(struct kma_memo);
}

int kma_stack_start(void)
{
	kma_memos = __alloc_percpu(KMA_MEMOS * sizeof(struct kma_memo),
				   __alignof__(struct kma_memo));
	if (!kma_memos) {
		pr_err("not enough memory\n");
		return -ENOMEM;
	}
	kma_state_add_bytes(kma_stack_forecast());
	return 0;
}

void kma_stack_stop(void)
{
	kma_state_add_bytes(-(s64)kma_stack_forecast());
	free_percpu(kma_memos);
}
