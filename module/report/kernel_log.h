/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites in the kernel log, for times at which the tables cannot be read:
 *
 *	panic ---------------------------> at most 20 lines, which pstore saves with the log
 *	no memory is left (oom_report) --> at most 22 lines, once a minute
 *
 * Half of the lines are the pairs of call site and cache with the most live bytes, the other half
 * are those that have grown most in about the last minute.  The memory for this is allocated at
 * load.
 *
 * A panic may interrupt anything, and has stopped the other CPUs.  So its lines are made without a
 * lock.  If kma_lock is held at that time, the history may be in the middle of a change, and only
 * what is live is printed.  The time is that of reading all counters of all CPUs once or twice; the
 * watchdogs are told.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is not held.
 */
#ifndef KMA_REPORT_KERNEL_LOG_H
#define KMA_REPORT_KERNEL_LOG_H

#include <linux/types.h>

/* Bytes that kma_log_start() allocates.  kma_config is complete. */
u64 kma_log_forecast(void);

/*
 * Register for panics and for times when no memory is left.  The tables and the history are
 * allocated.  Returns 0, or an error that has been explained in the kernel log.
 */
int kma_log_start(void);

/* Undo kma_log_start().  On return, nothing is being printed. */
void kma_log_stop(void);

/* Whether to print when no memory is left.  Context: any. */
void kma_log_set_oom(bool on);
bool kma_log_has_oom(void);

#endif /* KMA_REPORT_KERNEL_LOG_H */
