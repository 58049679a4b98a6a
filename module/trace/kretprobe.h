/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kretprobes with memory that the module accounts for.
 *
 * Each call of a function with a kretprobe takes an instance until it returns.  The kernel
 * allocates all instances when the kretprobe is registered.  Since Linux 6.7, it also allocates a
 * ring on each possible CPU that has room for the instances of all CPUs: the memory is the
 * product of the number of CPUs and the number of instances.  So the number of instances does not
 * follow the number of CPUs on large machines.  A CPU whose ring is empty takes an instance from
 * another CPU's ring, so a few instances for each CPU are enough as long as few calls sleep.
 *
 * A call that finds no instance is missed, and counted.
 *
 * Context, unless a function says otherwise: process, may sleep; calls do not run concurrently.
 */
#ifndef KMA_TRACE_KRETPROBE_H
#define KMA_TRACE_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/types.h>

/*
 * A number of instances for each CPU that is enough for a function whose calls may sleep; also the
 * kernel's default.
 */
#define KMA_KRETPROBE_FEW	2

/* Bytes that a kretprobe would take; see kma_kretprobe_register().  Context: any. */
u64 kma_kretprobe_forecast(const struct kretprobe *rp, unsigned int per_cpu);

/*
 * Register a kretprobe with at least @per_cpu instances for each possible CPU, and count its
 * memory in kma_state_bytes().  Sets the number of its instances.  Returns true if the kretprobe
 * is registered; false also if no ftrace hook is attached.  Call this between
 * kma_ftrace_hooks_start() and kma_ftrace_hooks_stop().
 */
bool kma_kretprobe_register(struct kretprobe *rp, unsigned int per_cpu);

/**
 * kma_kretprobe_register_first() - register a kretprobe on the first function in a list that exists
 * @rp: the kretprobe; this also sets the name of its function
 * @names: names that the function has had, from the newest kernel's to the oldest's, then NULL
 * @per_cpu: as for kma_kretprobe_register()
 *
 * A newer kernel may still have a function of an older name, which does something else.  So if a
 * function exists but cannot be followed, no older name is tried.
 *
 * Return: as from kma_kretprobe_register().
 */
bool kma_kretprobe_register_first(struct kretprobe *rp, const char *const *names,
				  unsigned int per_cpu);

/* Undo kma_kretprobe_register().  On return, no handler of the kretprobe still runs. */
void kma_kretprobe_unregister(struct kretprobe *rp);

/*
 * Number of calls since the last kma_kretprobe_register() whose return was not seen.  Calls are
 * missed if no instance is left, and in the handler of another kprobe.  Context: any.
 */
unsigned long kma_kretprobe_missed(const struct kretprobe *rp);

#endif /* KMA_TRACE_KRETPROBE_H */
