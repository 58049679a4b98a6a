/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the module's sources lack on User-Mode Linux, for tools/bench only.  This
 * header is included before each source, so that the sources compile unchanged.
 *
 * User-Mode Linux has no function tracer and no kprobes, so the module cannot trace
 * functions.  The kernel's stubs of ftrace_set_filter_ip() and register_kretprobe() return
 * an error, and the module goes on as with bulk=off.
 */
#ifndef KMA_BENCH_UML_H
#define KMA_BENCH_UML_H

/* The sources define this, too, but too late: this header includes printk.h. */
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

/* Per-CPU additions in one instruction: in `uml` only for the module, in `uml-plain` for all. */
#include "uml-percpu.h"

/* The module's own macros for x86, without the segment prefix of per-CPU variables. */
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
 * Static calls as direct jumps, as on x86; in User-Mode Linux they are indirect calls.
 *
 * Each static call of the module is made at one place, as the last action of a function, so
 * the compiler makes a jump of it.  The target is name_jump, an alias of the initial
 * function.  No other code jumps there, so kma_bench_find() can search the module's text for
 * the jump, and static_call_update() changes its target.  The alias is weak: otherwise the
 * assembler might use a short jump.  With a single CPU, no other code runs meanwhile.
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

/* The jump of a static call: its initial target and, once found, its address. */
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
 * A substitute for the stock kernel's unwinder, which also shows the address of each
 * frame on the stack, so that the module can cache stacks.
 *
 * Here, each word on the stack that is an address in a function counts as a frame.  If an
 * address is there several times, only the outermost counts, because functions also pass
 * their return address on as an argument.  This finds more frames than there are.
 */
#define KMA_HAVE_UNWINDER

struct unwind_state {
	unsigned long ip, sp, bp;
	struct pt_regs *regs;
	struct { unsigned long *end; } stack_info;
};

static inline bool unwind_is_text(unsigned long word)
{
	char name[KSYM_SYMBOL_LEN];

	/* sprint_symbol() prints an address without a symbol as 0x... */
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

/* Begin at the outermost frame of this module: the words before it are the module's own. */
static __always_inline void unwind_begin(struct unwind_state *state)
{
	unsigned long at = (unsigned long)__builtin_frame_address(0);

	state->bp = 0;
	state->regs = NULL;
	state->stack_info.end = NULL;
	for (state->sp = at; at % THREAD_SIZE; at += sizeof(long))
		if (within_module(*(unsigned long *)at, THIS_MODULE))
			state->sp = at;
	unwind_next_frame(state);
}

#define unwind_start(state, task, regs, first)				\
	((void)(task), (void)(regs), (void)(first), unwind_begin(state))
#define unwind_done(state)			(!(state)->ip)
#define unwind_error(state)			((void)(state), false)
#define unwind_get_return_address(state)	((state)->ip)

#define CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define CONFIG_KRETPROBES

struct ftrace_regs;

struct ftrace_ops {
	void (*func)(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *regs);
	unsigned long flags;
};

/* For code that compiles, but is never attached to a function */
#define FTRACE_OPS_FL_SAVE_REGS			0
#define FTRACE_OPS_FL_PERMANENT			0
#define ftrace_get_regs(regs)			((struct pt_regs *)(regs))
#define regs_get_kernel_argument(regs, nr)	((void)(regs), (void)(nr), 0UL)
#define get_kretprobe_retaddr(ri)		((void)(ri), 0UL)
#define get_kretprobe(ri)			((void)(ri), (struct kretprobe *)NULL)
#define kernel_stack_pointer(regs)		((void)(regs), 0UL)

#endif /* KMA_BENCH_UML_H */
