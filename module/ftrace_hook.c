// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are followed where they are entered, by ftrace.
 *
 * By ftrace and not by a kprobe: no kprobe is seen while another is handled on
 * the same CPU, and that includes all interrupts that come meanwhile, with their
 * softirqs.  Of 92,800 bulk frees from soft timers over such of tasks, kprobes
 * missed some 32,000.
 *
 * All of them have one struct ftrace_ops: to take one away waits until every task
 * has been seen outside of ftrace's trampolines, which lasts longer than anything
 * else at rmmod.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "kmemacct.h"

/* What is entered most often comes first. */
static struct kma_ftrace_hook * const kma_ftrace_hooks[] = {
#ifndef KMA_HAVE_FREE_EVENT_EARLY
	&kma_ftrace_hook_free,
#endif
	&kma_ftrace_hook_free_bulk,
#ifdef KMA_HAVE_SHEAVES
	&kma_ftrace_hook_free_rcu,
#endif
	&kma_ftrace_hook_cache_destroy,
};

/* So far at most from a function's address to where ftrace is called in it. */
#define KMA_FTRACE_HOOK_ENTRY_BYTES	16

static void notrace kma_ftrace_hook_entered(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops,
				     struct ftrace_regs *regs)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_ftrace_hooks); i++) {
		if (ip - (unsigned long)kma_ftrace_hooks[i]->function < KMA_FTRACE_HOOK_ENTRY_BYTES) {
			kma_ftrace_hooks[i]->entered(parent_ip, regs);
			return;
		}
	}
}

#ifdef KMA_HAVE_FTRACE_NESTING
#define KMA_FTRACE_HOOK_NESTS	0
#else
/* Or calls in an interrupt over another one would be dropped. */
#define KMA_FTRACE_HOOK_NESTS	FTRACE_OPS_FL_RECURSION_SAFE
#endif

static struct ftrace_ops kma_ftrace_hook_ops;
static bool kma_ftrace_hooks_registered;

/*
 * Not by its name: ftrace_set_filter() takes an entry that it had no memory for as
 * set, and an empty filter stands for all functions.
 */
static bool kma_ftrace_hook_filter(const struct kma_ftrace_hook *hook)
{
	return !ftrace_set_filter_ip(&kma_ftrace_hook_ops, (unsigned long)hook->function,
				     0, 0);
}

static bool kma_ftrace_hooks_register(bool bulk)
{
	struct kma_ftrace_hook *hook;
	bool any = false;
	int i;

	/* All of it: a filter that was freed is not forgotten. */
	kma_ftrace_hook_ops = (struct ftrace_ops) {
		.func = kma_ftrace_hook_entered,
		/* It is not for a sysctl to make the module blind. */
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			 KMA_FTRACE_HOOK_NESTS,
	};
	for (i = 0; i < ARRAY_SIZE(kma_ftrace_hooks); i++) {
		hook = kma_ftrace_hooks[i];
		hook->attached = (bulk || !hook->bulk) && kma_ftrace_hook_filter(hook);
		any |= hook->attached;
	}
	if (any && !register_ftrace_function(&kma_ftrace_hook_ops))
		return true;
	ftrace_free_filter(&kma_ftrace_hook_ops);
	return false;
}

void kma_ftrace_hooks_start(bool bulk)
{
	struct kma_ftrace_hook *hook;
	int i;

	kma_ftrace_hooks_registered = kma_ftrace_hooks_register(bulk);
	for (i = 0; i < ARRAY_SIZE(kma_ftrace_hooks); i++) {
		hook = kma_ftrace_hooks[i];
		hook->attached &= kma_ftrace_hooks_registered;
		if (!hook->attached && (bulk || !hook->bulk))
			pr_warn("%s (is kernel.ftrace_enabled 0?)\n", hook->loss);
	}
}

void kma_ftrace_hooks_stop(void)
{
	int i;

	if (!kma_ftrace_hooks_registered)
		return;
	kma_ftrace_hooks_registered = false;
	unregister_ftrace_function(&kma_ftrace_hook_ops);
	ftrace_free_filter(&kma_ftrace_hook_ops);
	for (i = 0; i < ARRAY_SIZE(kma_ftrace_hooks); i++)
		kma_ftrace_hooks[i]->attached = false;
}
