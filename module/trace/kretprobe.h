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
 */
#ifndef KMA_TRACE_KRETPROBE_H
#define KMA_TRACE_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/types.h>

/* Enough for a function whose calls may sleep, and the kernel's default. */
#define KMA_KRETPROBE_FEW	2

/**
 * kma_kretprobe_forecast() - memory that a kretprobe would take
 * @rp: the kretprobe
 * @per_cpu: as for kma_kretprobe_register()
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_kretprobe_forecast(const struct kretprobe *rp, unsigned int per_cpu);

/**
 * kma_kretprobe_register() - register a kretprobe, and count its memory in kma_state_bytes()
 * @rp: the kretprobe; this sets the number of its instances
 * @per_cpu: the least number of instances for each possible CPU
 *
 * Context: process, may sleep; calls do not run concurrently; between kma_ftrace_hooks_start() and
 * kma_ftrace_hooks_stop().
 * Return: true if the kretprobe is registered; false also if no ftrace hook is attached.
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
 * Context: as for kma_kretprobe_register().
 * Return: true if the kretprobe is registered.
 */
bool kma_kretprobe_register_first(struct kretprobe *rp, const char *const *names,
				  unsigned int per_cpu);

/**
 * kma_kretprobe_unregister() - undo kma_kretprobe_register()
 * @rp: the kretprobe
 *
 * On return, no handler of the kretprobe still runs.
 *
 * Context: process, may sleep; calls do not run concurrently.
 */
void kma_kretprobe_unregister(struct kretprobe *rp);

/**
 * kma_kretprobe_missed() - number of calls whose return was not seen
 * @rp: the kretprobe
 *
 * Calls are missed if no instance is left, and in the handler of another kprobe.
 *
 * Context: any.
 * Return: number of calls since the last kma_kretprobe_register().
 */
unsigned long kma_kretprobe_missed(const struct kretprobe *rp);

#endif /* KMA_TRACE_KRETPROBE_H */
