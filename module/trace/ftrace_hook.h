/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following kernel functions at their entry, with ftrace.
 *
 * kprobes would miss calls: while a kprobe is handled, no other kprobe fires on the same
 * CPU, not even in an interrupt or softirq that arrives meanwhile.  In a test, soft timers
 * made 92,800 bulk frees, and interrupted tasks that were freeing in bulk themselves:
 * kprobes missed some 32,000 of these calls.
 *
 * Hooks share a struct ftrace_ops, because unregistering one waits until every task has been seen
 * outside ftrace's trampolines.  That wait takes longer than anything else in rmmod.
 *
 * If a function has several ftrace_ops, ftrace calls the latest one first.  All kprobes of the
 * kernel share one, which exists while there is a kprobe that uses ftrace.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_FTRACE_HOOK_H
#define KMA_TRACE_FTRACE_HOOK_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "../compat.h"

/* Whether a kernel function has the expected prototype; for static_assert(). */
#define kma_ftrace_hook_fits(function, type, ...)			\
	__builtin_types_compatible_p(typeof(function), type(__VA_ARGS__))

/* The most hooks of a struct kma_ftrace_hooks */
#define KMA_FTRACE_HOOKS_MAX	16

/**
 * struct kma_ftrace_hook - a kernel function, and the handler of its entry
 * @function: address of the function; NULL if @name is set and the kernel has no such function
 * @name: name of a function that is not exported, which kma_ftrace_hooks_start() looks for; or NULL
 * @entered: the handler, called at the entry of the function, in its context, which may be
 *	preemptible; @parent_ip is the return address of the function, and
 *	kma_ftrace_hook_arg() reads its arguments; has to be notrace
 * @bulk: follow the function only if kma_ftrace_hooks_start() is called with @bulk true
 * @loss: message for the kernel log if the function cannot be followed: what is lost
 * @attached: the function is followed
 * @finder: for kma_ftrace_hooks_start(), which looks for @name
 */
struct kma_ftrace_hook {
	void *function;
	const char *name;
	void (*entered)(unsigned long parent_ip, struct ftrace_regs *regs);
	bool bulk;
	const char *loss;
	bool attached;
	struct kprobe finder;
};

/* Argument @nr, from 0, of the function that is entered.  Context: inside @entered. */
static __always_inline unsigned long kma_ftrace_hook_arg(struct ftrace_regs *regs, int nr)
{
	return regs_get_kernel_argument(ftrace_get_regs(regs), nr);
}

/**
 * struct kma_ftrace_hooks - hooks that share a struct ftrace_ops
 * @hook: the hooks; the function that is called most often comes first
 * @nr: number of hooks
 * @ops: what ftrace knows of them; set by kma_ftrace_hooks_start()
 * @registered: ftrace calls the hooks
 */
struct kma_ftrace_hooks {
	struct kma_ftrace_hook *const *hook;
	int nr;
	struct ftrace_ops ops;
	bool registered;
};

/**
 * kma_ftrace_hooks_start() - follow as many of the functions as possible
 * @hooks: the hooks
 * @bulk: also follow the functions whose hook has @bulk set
 *
 * If a function cannot be followed, the kernel log says what is lost.  The tables are allocated.
 */
void kma_ftrace_hooks_start(struct kma_ftrace_hooks *hooks, bool bulk);

/* Whether all functions with @bulk set are followed; false with bulk=off.  Context: any. */
bool kma_ftrace_hooks_bulk_attached(const struct kma_ftrace_hooks *hooks);

/*
 * Whether any function is followed, so that ftrace cannot be disabled; if so, until the last
 * kma_ftrace_hooks_stop().  Context: any.
 */
bool kma_ftrace_hooks_any_attached(void);

/* Undo kma_ftrace_hooks_start().  On return, no handler still runs. */
void kma_ftrace_hooks_stop(struct kma_ftrace_hooks *hooks);

#endif /* KMA_TRACE_FTRACE_HOOK_H */
