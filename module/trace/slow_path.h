/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slow path of the page allocator.
 *
 * An allocation enters the slow path if no zone has enough free pages, which the fast path checks.
 * There it wakes kswapd, tries again, compacts and reclaims memory, waits, and may fail.  All of
 * this is KMA_PHASE_SLOW_PATH.  Its own time is the time outside the phases inside it: locks of
 * zones, draining of per-CPU lists, and attempts to allocate.
 *
 * The kernel has no tracepoint here, so a kretprobe follows the function.  It costs nothing as long
 * as the fast path finds a page.  The function is not in ftrace's list, so the kprobe is a
 * breakpoint at first, and the kernel replaces it by a jump shortly after.  The compiler may have
 * changed the function's interface, and then it has a suffix; the gfp flags and the order are its
 * first two arguments in any case.
 *
 * Context, unless a function says otherwise: process, may sleep; calls do not run concurrently.
 */
#ifndef KMA_TRACE_SLOW_PATH_H
#define KMA_TRACE_SLOW_PATH_H

#include <linux/types.h>

/* Bytes that kma_slow_path_start() takes at most. */
u64 kma_slow_path_forecast(void);

/* Follow the slow path; if that is not possible, the kernel log says what is lost. */
void kma_slow_path_start(void);

/* Undo kma_slow_path_start().  On return, no handler still runs. */
void kma_slow_path_stop(void);

/*
 * The call site of the allocation that the current context is in, as from kma_phase_site(); also
 * for an interrupt.  Context: a probe, while phases are counted.
 */
unsigned long kma_slow_path_site(void);

/* Whether the slow path is followed.  Context: any. */
bool kma_slow_path_followed(void);

/* Number of calls that were not seen.  Context: any. */
u64 kma_slow_path_missed(void);

#endif /* KMA_TRACE_SLOW_PATH_H */
