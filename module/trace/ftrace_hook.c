// SPDX-License-Identifier: GPL-2.0
/* Follow functions with ftrace.  See ftrace_hook.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/printk.h>

#include "ftrace_hook.h"

/* Set before ftrace may call kma_ftrace_hook_entered(), and constant as long as it may. */
static struct kma_ftrace_hook *const *kma_ftrace_hooks;
static int kma_nr_ftrace_hooks;

/* The call to ftrace in a function is less than this many bytes after the function's address. */
#define KMA_FTRACE_HOOK_ENTRY_BYTES	16

static void notrace kma_ftrace_hook_entered(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *ops,
				     struct ftrace_regs *regs)
{
	const struct kma_ftrace_hook *hook;
	int i;

	for (i = 0; i < kma_nr_ftrace_hooks; i++) {
		hook = kma_ftrace_hooks[i];
		if (ip - (unsigned long)hook->function < KMA_FTRACE_HOOK_ENTRY_BYTES) {
			hook->entered(parent_ip, regs);
			return;
		}
	}
}

#ifdef KMA_HAVE_FTRACE_NESTING
#define KMA_FTRACE_HOOK_NESTS	0
#else
/* Without this flag, ftrace drops calls in an interrupt that arrives during the callback. */
#define KMA_FTRACE_HOOK_NESTS	FTRACE_OPS_FL_RECURSION_SAFE
#endif

static struct ftrace_ops kma_ftrace_hook_ops;
static bool kma_ftrace_hooks_registered;

/*
 * Set the filter by address, not by name: ftrace_set_filter() reports success even if it
 * had no memory for the entry, and an empty filter stands for all functions.
 */
static bool kma_ftrace_hook_filter(const struct kma_ftrace_hook *hook)
{
	return !ftrace_set_filter_ip(&kma_ftrace_hook_ops, (unsigned long)hook->function,
				     0, 0);
}

/*
 * Find the functions that are not exported: a kprobe that is not enabled knows the address.  All of
 * them are unregistered together, because that waits for a grace period.
 */
static void kma_ftrace_hooks_find(void)
{
	struct kprobe *found[KMA_FTRACE_HOOKS_MAX];
	struct kma_ftrace_hook *hook;
	int i, nr = 0;

	for (i = 0; i < kma_nr_ftrace_hooks; i++) {
		hook = kma_ftrace_hooks[i];
		if (!hook->name)
			continue;
		hook->finder = (struct kprobe) {
			.symbol_name = hook->name,
			.flags = KPROBE_FLAG_DISABLED,
		};
		hook->function = NULL;
		if (register_kprobe(&hook->finder))
			continue;
		hook->function = hook->finder.addr;
		found[nr++] = &hook->finder;
	}
	unregister_kprobes(found, nr);
}

static bool kma_ftrace_hooks_register(bool bulk)
{
	struct kma_ftrace_hook *hook;
	bool any = false;
	int i;

	/* Initialize the whole struct: it may still point to a filter that was freed. */
	kma_ftrace_hook_ops = (struct ftrace_ops) {
		.func = kma_ftrace_hook_entered,
		/* PERMANENT: the sysctl kernel.ftrace_enabled cannot stop the hooks. */
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			 KMA_FTRACE_HOOK_NESTS,
	};
	kma_ftrace_hooks_find();
	for (i = 0; i < kma_nr_ftrace_hooks; i++) {
		hook = kma_ftrace_hooks[i];
		hook->attached = (bulk || !hook->bulk) && hook->function &&
				 kma_ftrace_hook_filter(hook);
		any |= hook->attached;
	}
	if (any && !register_ftrace_function(&kma_ftrace_hook_ops))
		return true;
	ftrace_free_filter(&kma_ftrace_hook_ops);
	return false;
}

void kma_ftrace_hooks_start(struct kma_ftrace_hook *const *hooks, int nr, bool bulk)
{
	struct kma_ftrace_hook *hook;
	int i;

	kma_ftrace_hooks = hooks;
	kma_nr_ftrace_hooks = nr;
	kma_ftrace_hooks_registered = kma_ftrace_hooks_register(bulk);
	for (i = 0; i < kma_nr_ftrace_hooks; i++) {
		hook = kma_ftrace_hooks[i];
		hook->attached &= kma_ftrace_hooks_registered;
		if (!hook->attached && (bulk || !hook->bulk))
			pr_warn("%s (is kernel.ftrace_enabled 0?)\n", hook->loss);
	}
}

bool kma_ftrace_hooks_bulk_attached(void)
{
	int i;

	for (i = 0; i < kma_nr_ftrace_hooks; i++)
		if (kma_ftrace_hooks[i]->bulk && !kma_ftrace_hooks[i]->attached)
			return false;
	return kma_ftrace_hooks_registered;
}

bool kma_ftrace_hooks_any_attached(void)
{
	return kma_ftrace_hooks_registered;
}

void kma_ftrace_hooks_stop(void)
{
	int i;

	if (!kma_ftrace_hooks_registered)
		return;
	kma_ftrace_hooks_registered = false;
	unregister_ftrace_function(&kma_ftrace_hook_ops);
	ftrace_free_filter(&kma_ftrace_hook_ops);
	for (i = 0; i < kma_nr_ftrace_hooks; i++)
		kma_ftrace_hooks[i]->attached = false;
}
