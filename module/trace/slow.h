/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slow phases: those that took longer than threshold_us, each with its parts and its stack, in the
 * log of core/slowlog.h.
 *
 * A probe must not wake anybody, because it may run with any lock held.  So it queues an irq_work,
 * which wakes the tasks that wait in poll().
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_SLOW_H
#define KMA_TRACE_SLOW_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../core/slowlog.h"
#include "../core/stall.h"

struct module;

/* The log, the number of records that were published, and the queue of tasks that wait for one. */
extern struct kma_slowlog kma_slowlog;
extern atomic64_t kma_slow_published;
extern wait_queue_head_t kma_slow_wait;

/* Record a phase of the current task that has just ended.  Context: a probe, in a task. */
void kma_slow_add(const struct kma_stall *s, const struct kma_stall_end *end);

/*
 * Stop showing addresses of code that is gone.  @state is MODULE_STATE_COMING: other code was at
 * the addresses of @mod; MODULE_STATE_LIVE: its init code goes; or MODULE_STATE_GOING: all of its
 * code goes.
 */
void kma_slow_module_changes(const struct module *mod, unsigned long state);

/* Show only records that are added from now on. */
void kma_slow_forget(void);

/* Number of the first record to be shown. */
u64 kma_slow_since(void);

/* Make an empty log.  Returns 0 or -ENOMEM. */
int kma_slow_start(void);

/* Free the log.  Nothing is added any more. */
void kma_slow_stop(void);

#endif /* KMA_TRACE_SLOW_H */
