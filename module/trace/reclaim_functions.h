/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of reclaim and compaction that have no tracepoints, followed by kretprobes.
 *
 * Each function is a phase of phase.h.  A kernel may have no such function, or may have inlined
 * it; then that phase is missing, and the time in it is that of the phase around it.
 *
 * A kretprobe replaces the return address of the function on the stack.  The unwinder of Linux 5.10
 * does not know the original one, so no call site can be found behind it there.
 */
#ifndef KMA_TRACE_RECLAIM_FUNCTIONS_H
#define KMA_TRACE_RECLAIM_FUNCTIONS_H

#include <linux/types.h>

struct shrinker;

/**
 * kma_reclaim_functions_forecast() - memory that kma_reclaim_functions_attach() may take
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_reclaim_functions_forecast(void);

/**
 * kma_reclaim_functions_attach() - follow the functions that this kernel has
 *
 * Context: process, may sleep; kma_lock is held; no phase is being counted.
 */
void kma_reclaim_functions_attach(void);

/**
 * kma_reclaim_functions_detach() - undo kma_reclaim_functions_attach()
 *
 * Context: process, may sleep; kma_lock is held; no phase is being counted.
 */
void kma_reclaim_functions_detach(void);

/**
 * kma_reclaim_function() - a function that may be followed
 * @i: its index
 * @followed: set to whether it is followed
 *
 * Context: process; kma_lock is held.
 * Return: the name of its row in `stats`, or NULL if there is no such index.
 */
const char *kma_reclaim_function(int i, bool *followed);

/**
 * kma_reclaim_functions_missed() - number of calls of these functions that were missed
 *
 * Context: process; kma_lock is held.
 * Return: number of calls since the last kma_reclaim_functions_attach().
 */
u64 kma_reclaim_functions_missed(void);

/**
 * kma_function_shrinker() - get the shrinker that is an argument of a function
 * @arg: the argument
 *
 * Context: any.
 * Return: the shrinker; NULL if its memory cannot be read, which counts as shrinker_unreadable.
 */
const struct shrinker *kma_function_shrinker(unsigned long arg);

#endif /* KMA_TRACE_RECLAIM_FUNCTIONS_H */
