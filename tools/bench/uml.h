/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module's sources lack on User-Mode Linux, for tools/bench alone: it is
 * included before each of them, and they compile as they are.
 *
 * There is no function tracer and there are no kprobes, so no function can be
 * followed: whoever tries is told so by the kernel's own ftrace_set_filter_ip()
 * and register_kretprobe(), and goes on without, as it would with bulk=off.
 */
#ifndef KMA_BENCH_UML_H
#define KMA_BENCH_UML_H

/* As the sources have it, since printk.h is included before they can say so. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/prefetch.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/static_call.h>

/* Additions of one instruction: in `uml` for the module alone, in `uml-plain` for all. */
#include "uml-percpu.h"

/* And so on: what the module has for x86, less what names a CPU's variables. */
#define kma_env_add_past(pcp, n, was_negative) ({			\
	bool __past;							\
									\
	asm volatile("addl %3, %0"					\
		     : "+m" (pcp), "=@ccns" (__past), "=@ccc" (was_negative) \
		     : "er" ((s32)(n)));				\
	__past;								\
})
#define kma_env_countdown(pcp) ({					\
	bool __clear;							\
									\
	asm volatile("decw %0" : "+m" (pcp), "=@ccns" (__clear));	\
	__clear;							\
})

#undef prefetchw
#define prefetchw(p) ({							\
	asm volatile("prefetchw %0" : : "m" (*(const char *)(p)));	\
})

/*
 * Likewise one jump to where it is to go now, as x86 has it, for each static call, which
 * is the last act of one function: here they are indirect calls.  The compiler makes a jump
 * to name_jump of it, which is the first function and gets no other jump: it is looked for
 * and changed.  It is weak, or the assembler would make the jump a short one.  Nobody else
 * runs.
 */
#undef DEFINE_STATIC_CALL
#undef static_call
#undef static_call_update
#define DEFINE_STATIC_CALL(name, function)				\
static struct kma_bench_call name##_call = { (u8 *)(function) };	\
									\
asm(".weak " #name "_jump\n"						\
    #name "_jump = " #function);					\
									\
extern typeof(function) name##_jump

#define static_call(name) name##_jump
#define static_call_update(name, function)				\
	kma_bench_jump(&name##_call, (u8 *)(function))

/* Where the jump is, once that is known, and where it went first. */
struct kma_bench_call {
	const u8 *first;
	u8 *site;
};

static inline bool kma_bench_is_jump(const u8 *code, const u8 *to)
{
	return *code == 0xe9 && code + 5 + *(const s32 *)(code + 1) == to;
}

static inline void kma_bench_find(struct kma_bench_call *call)
{
	const struct module_memory *text = &THIS_MODULE->mem[MOD_TEXT];
	u8 *code, *end = text->base + text->size - 4;

	for (code = text->base; code < end; code++) {
		if (!kma_bench_is_jump(code, call->first))
			continue;
		WARN_ON(call->site);
		call->site = code;
	}
}

static inline void kma_bench_jump(struct kma_bench_call *call, const u8 *to)
{
	if (!call->site)
		kma_bench_find(call);
	if (!WARN_ON(!call->site))
		WRITE_ONCE(*(s32 *)(call->site + 1), to - call->site - 5);
}

/*
 * The stock kernel's unwinder also says where on the stack it found what it returns,
 * so that stacks are remembered.  There is none here: each word of the stack that
 * is in a function counts as a frame, the outermost if it is there more than once,
 * since callers also hand on who called.  Those are more frames than there are.
 */
#define KMA_HAVE_UNWINDER

struct unwind_state {
	unsigned long ip, sp;
};

static inline bool unwind_is_text(unsigned long word)
{
	char name[KSYM_SYMBOL_LEN];

	/* Numbers that have no name begin with 0x. */
	return word > PAGE_SIZE && word <= U32_MAX && sprint_symbol(name, word) &&
	       name[0] != '0';
}

static inline bool unwind_is_further(const struct unwind_state *state)
{
	unsigned long at;

	for (at = state->sp; at % THREAD_SIZE; at += sizeof(long))
		if (*(unsigned long *)at == state->ip)
			return true;
	return false;
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	do {
		if (!(state->sp % THREAD_SIZE)) {
			state->ip = 0;
			return;
		}
		state->ip = *(unsigned long *)state->sp;
		state->sp += sizeof(long);
	} while (!unwind_is_text(state->ip) || unwind_is_further(state));
}

/* From the outermost frame of this module on: the words before it are its own. */
static __always_inline void unwind_begin(struct unwind_state *state)
{
	unsigned long at = (unsigned long)__builtin_frame_address(0);

	for (state->sp = at; at % THREAD_SIZE; at += sizeof(long))
		if (within_module(*(unsigned long *)at, THIS_MODULE))
			state->sp = at;
	unwind_next_frame(state);
}

#define unwind_start(state, task, regs, first)				\
	((void)(task), (void)(regs), (void)(first), unwind_begin(state))
#define unwind_done(state)			(!(state)->ip)
#define unwind_get_return_address(state)	((state)->ip)

#define CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define CONFIG_KRETPROBES

struct ftrace_regs;

struct ftrace_ops {
	void (*func)(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *regs);
	unsigned long flags;
};

/* Of what is never attached */
#define FTRACE_OPS_FL_SAVE_REGS			0
#define FTRACE_OPS_FL_PERMANENT			0
#define ftrace_get_regs(regs)			((struct pt_regs *)(regs))
#define regs_get_kernel_argument(regs, nr)	((void)(regs), (void)(nr), 0UL)
#define get_kretprobe_retaddr(ri)		((void)(ri), 0UL)

#endif /* KMA_BENCH_UML_H */
