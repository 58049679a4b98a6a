/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that are followed where they are entered, by ftrace.
 *
 * By ftrace and not by kprobes: no kprobe fires while another one is handled on the
 * same CPU, and that includes every interrupt and softirq that comes meanwhile.  Of
 * 92,800 bulk frees from soft timers that interrupted such tasks, kprobes missed some
 * 32,000.
 *
 * All hooks share one struct ftrace_ops: to unregister one waits until every task has
 * been seen outside of ftrace's trampolines, which takes longer than anything else in
 * rmmod.
 */
#ifndef KMA_TRACE_FTRACE_HOOK_H
#define KMA_TRACE_FTRACE_HOOK_H

#include <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "../compat.h"

/* Whether a kernel function takes and returns what is expected of it. */
#define kma_ftrace_hook_fits(function, type, ...)			\
	__builtin_types_compatible_p(typeof(function), type(__VA_ARGS__))

/**
 * struct kma_ftrace_hook - a kernel function, and what is called when it is entered
 * @function: its address
 * @entered: called in whatever context the function is called in, preemptible or not,
 *	with the function's return address; notrace; kma_ftrace_hook_arg() reads the
 *	arguments
 * @bulk: follow it only if bulk functions are followed
 * @loss: for the kernel log, what is lost without it
 * @attached: it is followed
 */
struct kma_ftrace_hook {
	void *function;
	void (*entered)(unsigned long parent_ip, struct ftrace_regs *regs);
	bool bulk;
	const char *loss;
	bool attached;
};

/**
 * kma_ftrace_hook_arg() - an argument of the function that is entered
 * @regs: what @entered was given
 * @nr: number of the argument, from 0
 *
 * Context: inside @entered.
 * Return: the argument.
 */
static __always_inline unsigned long kma_ftrace_hook_arg(struct ftrace_regs *regs, int nr)
{
	return regs_get_kernel_argument(ftrace_get_regs(regs), nr);
}

/**
 * kma_ftrace_hooks_start() - follow functions from now on, as far as possible
 * @hooks: the functions, those that are called most often first
 * @nr: how many
 * @bulk: include those that are followed only if bulk functions are
 *
 * A function that cannot be followed is explained in the kernel log.
 *
 * Context: process, may sleep; the tables are allocated.
 */
void kma_ftrace_hooks_start(struct kma_ftrace_hook *const *hooks, int nr, bool bulk);

/**
 * kma_ftrace_hooks_stop() - undo kma_ftrace_hooks_start()
 *
 * On return, no @entered runs.
 *
 * Context: process, may sleep.
 */
void kma_ftrace_hooks_stop(void);

#endif /* KMA_TRACE_FTRACE_HOOK_H */
