/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slow phases: those that took as long as their threshold (core/threshold.h) or longer, each with
 * its parts and its stack, in the log of core/slowlog.h.
 *
 * The record of an outermost phase has the parts of the whole stall.  That of a phase inside
 * another one has parts of its own: its own time, the time for which it waited for a CPU, and the
 * time of the phases inside it.
 *
 * A probe must not wake a task, because it may run with any lock held.  So it queues an irq_work,
 * which wakes the tasks that wait in poll().
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_SLOW_H
#define KMA_TRACE_SLOW_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../core/slowlog.h"
#include "../core/stall.h"
#include "../core/threshold.h"

struct module;

/* The log, the number of records that were published, and the queue of tasks that wait for one. */
extern struct kma_slowlog kma_slowlog;
extern atomic64_t kma_slow_published;
extern wait_queue_head_t kma_slow_wait;

/* The thresholds in ns; 0: the phase is never slow.  Read by kma_slow_exceeds() only. */
extern u64 kma_slow_ns[KMA_PHASE_NR];

/* Whether @ns is long enough for a phase to be slow.  Context: any. */
static inline bool kma_slow_exceeds(enum kma_phase phase, u64 ns)
{
	const u64 threshold = READ_ONCE(kma_slow_ns[phase]);

	return threshold && ns >= threshold;
}

/*
 * Whether a phase that has just ended has a record if kma_slow_exceeds() is true, because it is an
 * outermost one, or has a threshold of its own.  Context: a probe, in a task.
 */
bool kma_slow_has_record(const struct kma_stall *s, const struct kma_stall_end *end);

/* Record a phase of the current task that has just ended.  Context: a probe, in a task. */
void kma_slow_add(const struct kma_stall *s, const struct kma_stall_end *end);

/* Set the thresholds.  A phase that ends meanwhile may be compared with either one. */
void kma_slow_set_thresholds(const struct kma_thresholds *t);

/* Print the thresholds as kma_thresholds_print() does. */
int kma_slow_print_thresholds(char *buf, size_t size);

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
