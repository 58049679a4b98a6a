/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stalls as the kernel marks them, and throttling before direct reclaim.
 *
 * The kernel calls psi_memstall_enter() before a task waits for memory, and psi_memstall_leave()
 * after that.  /proc/pressure/memory counts the time in between.  The calls are around direct
 * reclaim, compaction and reclaim for a memory cgroup, around the sleep of a task whose cgroup
 * exceeds memory.high, around reads of pages that were evicted shortly before, and around the work
 * of kswapd and kcompactd.  The module follows both functions, so KMA_PHASE_MEMSTALL has all of
 * this, also what has no tracepoint.  The function that makes the call says what the task waits
 * for:
 *
 *	psi_memstall_enter() --> return address --> name of the function --> cause
 *
 * A function whose name is not known has the cause `other`.  The marks of kswapd and kcompactd are
 * left out, because these threads have phases of their own.
 *
 * Three things are not in these marks: reclaim that a write to memory.reclaim asks for, the sleep
 * of a task after it has run the OOM killer, and the time in the slow path of the page allocator
 * outside of reclaim and compaction (slow_path.h).
 *
 * throttle_direct_reclaim() makes a task wait for kswapd.  It has no tracepoint, and only its entry
 * is followed: see kma_phase_begin().
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock need not be held.
 */
#ifndef KMA_TRACE_MEMSTALL_H
#define KMA_TRACE_MEMSTALL_H

#include <linux/types.h>

/*
 * Follow psi_memstall_enter(), psi_memstall_leave() and throttle_direct_reclaim(), if possible.  A
 * kretprobe of another tool replaces the return address of a function, so call this after the
 * kretprobes of the module: then the hooks are called before all kretprobes.  The tables are
 * allocated.
 */
void kma_memstall_start(void);

/* Undo kma_memstall_start().  On return, no handler still runs. */
void kma_memstall_stop(void);

/* Whether all calls of the first two functions are seen.  Context: any. */
bool kma_memstall_followed(void);

/* Whether throttling before direct reclaim is seen.  Context: any. */
bool kma_memstall_throttle_followed(void);

/* Forget the causes found so far, because code is loaded or unloaded.  Context: any. */
void kma_memstall_forget(void);

#endif /* KMA_TRACE_MEMSTALL_H */
