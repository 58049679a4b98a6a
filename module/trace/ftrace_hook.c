// SPDX-License-Identifier: GPL-2.0
/* Follow functions with ftrace.  See ftrace_hook.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/printk.h>

#include "ftrace_hook.h"

/* Number of struct kma_ftrace_hooks that are registered. */
static int kma_ftrace_hooks_registered;

/* The call to ftrace in a function is less than this many bytes after the function's address. */
#define KMA_FTRACE_HOOK_ENTRY_BYTES	16

static void notrace kma_ftrace_hook_entered(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	const struct kma_ftrace_hooks *hooks = container_of(ops, struct kma_ftrace_hooks, ops);
	const struct kma_ftrace_hook *hook;
	int i;

	for (i = 0; i < hooks->nr; i++) {
		hook = hooks->hook[i];
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

/*
 * Set the filter by address, not by name: ftrace_set_filter() reports success even if it
 * had no memory for the entry, and an empty filter stands for all functions.
 */
static bool kma_ftrace_hook_filter(struct ftrace_ops *ops, const struct kma_ftrace_hook *hook)
{
	return !ftrace_set_filter_ip(ops, (unsigned long)hook->function, 0, 0);
}

/*
 * Find the functions that are not exported: a kprobe that is not enabled knows the address.  All of
 * them are unregistered together, because that waits for a grace period.
 */
static void kma_ftrace_hooks_find(const struct kma_ftrace_hooks *hooks)
{
	struct kprobe *found[KMA_FTRACE_HOOKS_MAX];
	struct kma_ftrace_hook *hook;
	int i, nr = 0;

	for (i = 0; i < hooks->nr; i++) {
		hook = hooks->hook[i];
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

static bool kma_ftrace_hooks_register(struct kma_ftrace_hooks *hooks, bool bulk)
{
	struct kma_ftrace_hook *hook;
	bool any = false;
	int i;

	/* Initialize the whole struct: it may still point to a filter that was freed. */
	hooks->ops = (struct ftrace_ops) {
		.func = kma_ftrace_hook_entered,
		/* PERMANENT: the sysctl kernel.ftrace_enabled cannot stop the hooks. */
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			 KMA_FTRACE_HOOK_NESTS,
	};
	kma_ftrace_hooks_find(hooks);
	for (i = 0; i < hooks->nr; i++) {
		hook = hooks->hook[i];
		hook->attached = (bulk || !hook->bulk) && hook->function &&
				 kma_ftrace_hook_filter(&hooks->ops, hook);
		any |= hook->attached;
	}
	if (any && !register_ftrace_function(&hooks->ops))
		return true;
	ftrace_free_filter(&hooks->ops);
	return false;
}

void kma_ftrace_hooks_start(struct kma_ftrace_hooks *hooks, bool bulk)
{
	struct kma_ftrace_hook *hook;
	int i;

	hooks->registered = kma_ftrace_hooks_register(hooks, bulk);
	kma_ftrace_hooks_registered += hooks->registered;
	for (i = 0; i < hooks->nr; i++) {
		hook = hooks->hook[i];
		hook->attached &= hooks->registered;
		if (!hook->attached && (bulk || !hook->bulk))
			pr_warn("%s (is kernel.ftrace_enabled 0?)\n", hook->loss);
	}
}

bool kma_ftrace_hooks_bulk_attached(const struct kma_ftrace_hooks *hooks)
{
	int i;

	for (i = 0; i < hooks->nr; i++)
		if (hooks->hook[i]->bulk && !hooks->hook[i]->attached)
			return false;
	return hooks->registered;
}

bool kma_ftrace_hooks_any_attached(void)
{
	return kma_ftrace_hooks_registered;
}

void kma_ftrace_hooks_stop(struct kma_ftrace_hooks *hooks)
{
	int i;

	if (!hooks->registered)
		return;
	hooks->registered = false;
	kma_ftrace_hooks_registered--;
	unregister_ftrace_function(&hooks->ops);
	ftrace_free_filter(&hooks->ops);
	for (i = 0; i < hooks->nr; i++)
		hooks->hook[i]->attached = false;
}
