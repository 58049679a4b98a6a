// SPDX-License-Identifier: GPL-2.0
/* Unwind the stack of a sample, and remember it.  See stack.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../core/env.h"
#include "../core/stack.h"
#include "stack.h"
#include "unwind.h"

/* Maximum number of stack frames between this file and the call site. */
#define KMA_STACK_INNER	12
/* Number of memos of each CPU. */
#define KMA_MEMOS	32

/**
 * struct kma_memo - a remembered stack, and its place
 * @busy: 1 while a context records a sample with this memo
 * @sp: address of the stack frame of kma_env_stack(); 0 if the memo cannot be reused
 * @at: words from @sp to each return address
 * @stack: the stack
 */
struct kma_memo {
	int busy;
	unsigned long sp;
	u16 at[KMA_FRAMES_MAX];
	struct kma_stack stack;
};

static struct kma_memo __percpu *kma_memos;

#ifdef KMA_HAVE_UNWINDER
/* Unwind the stack from @site on.  Return whether the place of each return address is in @at. */
static bool kma_stack_walk(struct kma_stack *s, u16 at[KMA_FRAMES_MAX],
			   unsigned long site, unsigned long sp)
{
	struct unwind_state state;
	unsigned long addr;
	bool known = true;
	int inner = 0;

	s->nr_frames = 0;
	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr || s->nr_frames == KMA_FRAMES_MAX)
			break;
		if (!s->nr_frames && addr != site) {
			if (++inner == KMA_STACK_INNER)
				break;
			continue;
		}
		known = known && kma_unwind_place(&state, sp, &at[s->nr_frames]);
		s->frame[s->nr_frames++] = addr;
	}
	return known && s->nr_frames;
}
#else
static bool kma_stack_walk(struct kma_stack *s, u16 at[KMA_FRAMES_MAX],
			   unsigned long site, unsigned long sp)
{
	unsigned long trace[KMA_STACK_INNER + KMA_FRAMES_MAX];
	unsigned int nr = stack_trace_save(trace, ARRAY_SIZE(trace), 0);
	unsigned int first = 0;

	while (first < nr && trace[first] != site)
		first++;
	s->nr_frames = min_t(unsigned int, nr - first, KMA_FRAMES_MAX);
	memcpy(s->frame, &trace[first], s->nr_frames * sizeof(s->frame[0]));
	return false;
}
#endif

static noinline void kma_memo_unwind(struct kma_memo *m, unsigned long site,
				     unsigned long sp)
{
	m->sp = kma_stack_walk(&m->stack, m->at, site, sp) ? sp : 0;
	kma_stack_seal(&m->stack);
}

/* Whether the stack still has the return addresses of a memo in the same places. */
static bool kma_memo_holds(const struct kma_memo *m, unsigned long site,
			   unsigned long sp)
{
	const unsigned long *stack = (unsigned long *)sp;
	u32 i;

	if (m->sp != sp || m->stack.frame[0] != site)
		return false;
	for (i = 0; i < m->stack.nr_frames; i++)
		if (READ_ONCE_NOCHECK(stack[m->at[i]]) != m->stack.frame[i])
			return false;
	return true;
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
		kma_memo_unwind(m, site, sp);
	return &m->stack;
}

void kma_env_stack_done(const struct kma_stack *stack)
{
	barrier();
	WRITE_ONCE(container_of(stack, struct kma_memo, stack)->busy, 0);
}

void kma_env_unwind(unsigned long site, struct kma_stack *stack)
{
	u16 at[KMA_FRAMES_MAX];

	kma_stack_walk(stack, at, site, (unsigned long)__builtin_frame_address(0));
	kma_stack_seal(stack);
}

int kma_stack_start(void)
{
	kma_memos = __alloc_percpu(KMA_MEMOS * sizeof(struct kma_memo),
				   __alignof__(struct kma_memo));
	if (kma_memos)
		return 0;
	pr_err("not enough memory\n");
	return -ENOMEM;
}

void kma_stack_stop(void)
{
	free_percpu(kma_memos);
}
