// SPDX-License-Identifier: GPL-2.0
/*
 * The stack of an allocation that is sampled.
 *
 * It is unwound from here, through the probe, the tracepoint and the allocator;
 * what counts begins at the call site that the event names.  An unwinder reads
 * its tables and the stack, and takes nothing for it, but some 450 instructions a
 * frame.  Most who allocate do so again and again from one place of one task, so
 * each CPU remembers some stacks: where on the stack the return addresses were,
 * and which.  If they still are there, seen from the same stack pointer, it is the
 * same stack: where a frame ends follows from its code and where it begins.
 * (Or, for the few functions whose frame has no constant size, from a register
 * that was saved: then all callers' return addresses, left over, would have to
 * be just where they were.)
 *
 * A memo belongs to who has set its @busy; everybody else unwinds.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "unwind.h"

/* Frames from here to the call site, at most. */
#define KMA_STACK_INNER	12
/* Of each CPU. */
#define KMA_MEMOS	32

/**
 * struct kma_memo - a stack, and where it was
 * @busy: somebody reads or writes it
 * @nr_frames: how many
 * @sp: where our own frame is; 0: it cannot be known again
 * @at: words from there to each return address
 * @frame: the return addresses, the call site's first
 */
struct kma_memo {
	int busy;
	u32 nr_frames;
	unsigned long sp;
	u16 at[KMA_FRAMES_MAX];
	unsigned long frame[KMA_FRAMES_MAX];
};

static struct kma_memo __percpu *kma_memos;

#ifdef KMA_HAVE_UNWINDER
static noinline void kma_memo_unwind(struct kma_memo *m, unsigned long site,
				     unsigned long sp)
{
	struct unwind_state state;
	unsigned long addr;
	bool known = true;
	int inner = 0;

	m->nr_frames = 0;
	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr || m->nr_frames == KMA_FRAMES_MAX)
			break;
		if (!m->nr_frames && addr != site) {
			if (++inner == KMA_STACK_INNER)
				break;
			continue;
		}
		known = known && kma_unwind_place(&state, sp, &m->at[m->nr_frames]);
		m->frame[m->nr_frames++] = addr;
	}
	m->sp = known && m->nr_frames ? sp : 0;
}
#else
static noinline void kma_memo_unwind(struct kma_memo *m, unsigned long site,
				     unsigned long sp)
{
	unsigned long trace[KMA_STACK_INNER + KMA_FRAMES_MAX];
	unsigned int nr = stack_trace_save(trace, ARRAY_SIZE(trace), 0);
	unsigned int first = 0;

	while (first < nr && trace[first] != site)
		first++;
	m->nr_frames = min_t(unsigned int, nr - first, KMA_FRAMES_MAX);
	memcpy(m->frame, &trace[first], m->nr_frames * sizeof(m->frame[0]));
	m->sp = 0;
}
#endif

static bool kma_memo_holds(const struct kma_memo *m, unsigned long site,
			   unsigned long sp)
{
	const unsigned long *stack = (unsigned long *)sp;
	u32 i;

	if (m->sp != sp || m->frame[0] != site)
		return false;
	for (i = 0; i < m->nr_frames; i++)
		if (READ_ONCE_NOCHECK(stack[m->at[i]]) != m->frame[i])
			return false;
	return true;
}

static u32 kma_memo_copy(const struct kma_memo *m, unsigned long frame[KMA_FRAMES_MAX])
{
	u32 i;

	for (i = 0; i < m->nr_frames; i++)
		frame[i] = m->frame[i];
	return m->nr_frames;
}

static noinline u32 kma_stack_unwind(unsigned long site, unsigned long sp,
				     unsigned long frame[KMA_FRAMES_MAX])
{
	struct kma_memo m;

	kma_memo_unwind(&m, site, sp);
	return kma_memo_copy(&m, frame);
}

u32 kma_env_stack(unsigned long site, unsigned long frame[KMA_FRAMES_MAX])
{
	const unsigned long sp = (unsigned long)__builtin_frame_address(0);
	const u32 hash = (u32)(site ^ sp >> 3) * 0x9e3779b1U;
	struct kma_memo *m = raw_cpu_ptr(kma_memos) + (hash >> 16) % KMA_MEMOS;
	u32 nr;

	/* Somebody below this context may be at it, or one on another CPU. */
	if (cmpxchg(&m->busy, 0, 1))
		return kma_stack_unwind(site, sp, frame);
	if (!kma_memo_holds(m, site, sp))
		kma_memo_unwind(m, site, sp);
	nr = kma_memo_copy(m, frame);
	smp_store_release(&m->busy, 0); /* pairs with the cmpxchg above */
	return nr;
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
