/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of reclaim and compaction that have no tracepoints, followed by kretprobes.
 *
 * Each function is a phase of phase.h.  A kernel may have no such function, or may have inlined
 * it; then that phase is missing, and the time in it is that of the phase around it.
 *
 * A kretprobe replaces the return address of the function on the stack.  The unwinder of Linux 5.10
 * does not know the original one, so no call site can be found behind it there.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_RECLAIM_FUNCTIONS_H
#define KMA_TRACE_RECLAIM_FUNCTIONS_H

#include <linux/types.h>

struct shrinker;

/* Bytes that kma_reclaim_functions_attach() may take.  Context: any. */
u64 kma_reclaim_functions_forecast(void);

/* Follow the functions that this kernel has.  No phase is being counted. */
void kma_reclaim_functions_attach(void);

/* Undo kma_reclaim_functions_attach().  No phase is being counted. */
void kma_reclaim_functions_detach(void);

/*
 * Name in `stats` of function @i of those that may be followed, or NULL if there is no such index.
 * @followed is set to whether the function is followed.
 */
const char *kma_reclaim_function(int i, bool *followed);

/* Number of calls of these functions that were missed since the last attach. */
u64 kma_reclaim_functions_missed(void);

/*
 * The shrinker that is an argument of a function; NULL if its memory cannot be read, which counts
 * as shrinker_unreadable.  Context: any.
 */
const struct shrinker *kma_function_shrinker(unsigned long arg);

#endif /* KMA_TRACE_RECLAIM_FUNCTIONS_H */
