/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites in the kernel log, when nobody can read the tables any more:
 *
 *	panic ---------------------------> at most 20 lines, which pstore keeps with the others
 *	no memory is left (oom_report) --> at most 22 lines, once a minute
 *
 * One half of the lines are the pairs of call site and cache with the most live bytes, the other
 * half those that have grown most in about the last minute.  Printing needs no memory.
 *
 * A panic may interrupt anything, and then stops the other CPUs.  So its lines are made without a
 * lock.  If kma_lock is held at that time, the history may be in the middle of a change, and only
 * what is live is printed.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is not held.
 */
#ifndef KMA_REPORT_KERNEL_LOG_H
#define KMA_REPORT_KERNEL_LOG_H

#include <linux/types.h>

/*
 * Be told of panics, and of times when no memory is left.  The tables and the history are
 * allocated.  Returns 0, or an error that has been explained in the kernel log.
 */
int kma_log_start(void);

/* Undo kma_log_start().  On return, nothing is being printed. */
void kma_log_stop(void);

/* Whether to print when no memory is left.  Context: any. */
void kma_log_set_oom(bool on);
bool kma_log_has_oom(void);

#endif /* KMA_REPORT_KERNEL_LOG_H */
