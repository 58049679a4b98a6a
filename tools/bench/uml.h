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
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include <linux/percpu.h>

#ifndef KMA_BENCH_GUARDED
/*
 * One instruction, as in the module for x86.  What is left out here are two calls
 * that hold back the signals which stand for interrupts.
 */
#undef this_cpu_inc
#undef this_cpu_add
#define this_cpu_inc(pcp)	asm volatile("incq %0" : "+m" (pcp) : : "cc")
#define this_cpu_add(pcp, n)						\
	asm volatile("addq %1, %0" : "+m" (pcp) : "er" ((u64)(n)) : "cc")
#undef this_cpu_add_return
#define this_cpu_add_return(pcp, n) ({					\
	u64 __n = (n), __was = __n;					\
									\
	asm volatile("xaddq %0, %1" : "+r" (__was), "+m" (pcp) : : "cc"); \
	(typeof(pcp))(__was + __n);					\
})
#define kma_env_countdown(pcp) ({					\
	bool __clear;							\
									\
	asm volatile("decw %0" : "+m" (pcp), "=@ccns" (__clear));	\
	__clear;							\
})
#endif

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
#define regs_get_kernel_argument(regs, nr)	((void)(regs), 0UL)
#define get_kretprobe_retaddr(ri)		((void)(ri), 0UL)

#endif /* KMA_BENCH_UML_H */
