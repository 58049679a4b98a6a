/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The triggers of incidents (core/trigger.h): how the module hears of them.
 *
 *	failed allocation, long stall, OOM kill --> armed? --> count --> too soon? --> cause
 *	growth, cgroup, coverage, command  ----------------^                             |
 *	                                                                                 v
 *	incidents.h: a worker takes the cause, and keeps what memory looks like
 *
 * A probe notes the cause, and queues an irq_work, because it must not wake a task.  One cause of
 * each trigger is kept until the worker has taken it; others only count.  After a cause, the
 * trigger keeps none for a while, so that a storm of failures is one incident.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_TRIGGER_H
#define KMA_TRACE_TRIGGER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include "../core/trigger.h"
#include "../resolve/task.h"

/**
 * struct kma_cause - what has set off an incident
 * @trigger: the trigger
 * @ns: when: CLOCK_MONOTONIC, in ns
 * @value: how long a stall was, in ns; how much a call site or a cgroup has grown, in bytes; the
 *	coverage in thousandths of a percent; or the process ID of the victim of the OOM killer
 * @site: the call site of the allocation, or the one that has grown; 0 if there is none
 * @order: order of the allocation; KMA_ORDER_NONE if there is none
 * @gfp: its gfp flags
 * @tgid: the process that ran; 0 in an interrupt
 * @pid: the thread that ran
 * @cgroup: its cgroup, or the one that has grown
 * @comm: its name
 * @victim: the name of the victim of the OOM killer
 * @frame: where it ran, from the innermost function on
 * @nr_frames: the number of these
 */
struct kma_cause {
	enum kma_trigger trigger;
	u64 ns;
	u64 value;
	unsigned long site;
	int order;
	u32 gfp;
	u32 tgid;
	u32 pid;
	u64 cgroup;
	char comm[TASK_COMM_LEN];
	char victim[TASK_COMM_LEN];
	unsigned long frame[KMA_TASK_FRAMES];
	u32 nr_frames;
};

/* The triggers that are set.  Written under kma_lock; probes read it. */
extern struct kma_triggers kma_triggers;

/*
 * Whether a trigger is set.  If so, its value is read after that, and so is the new one.  Pairs
 * with kma_triggers_set().  Context: any.
 */
static inline bool kma_trigger_is_set(enum kma_trigger trigger)
{
	/* See above. */
	return unlikely(smp_load_acquire(&kma_triggers.set) & (1UL << trigger));
}

/*
 * Count a trigger, and keep its cause, unless another one was kept shortly before.  The arguments
 * are as in struct kma_cause, whose other members are set for this context.  @what is the call site
 * or, for a cgroup that has grown, its ID; for a victim, the address of its name.  Context: any,
 * NMI included.
 */
void kma_trigger_fire(enum kma_trigger trigger, u64 value, unsigned long what, int order, u32 gfp);

/* An allocation of pages has failed.  Context: any, NMI included. */
void kma_trigger_failed(unsigned long site, int order, u32 gfp);

/* A task has waited for memory for @ns.  Context: a probe, in a task. */
void kma_trigger_stalled(unsigned long site, int order, u32 gfp, u64 ns);

/* Get the cause that is kept for a trigger, which then can keep another one. */
bool kma_trigger_take(enum kma_trigger trigger, struct kma_cause *cause);

/* How often a trigger was counted since load.  Context: any. */
u64 kma_trigger_count(enum kma_trigger trigger);

/* Set the triggers.  Those that are being counted meanwhile may be counted by either setting. */
void kma_triggers_set(const struct kma_triggers *t);

/* Forget all causes, and keep the next one of each trigger. */
void kma_triggers_forget(void);

/* From now on, @wake is called in an interrupt after a cause is kept.  No probe is attached. */
void kma_triggers_start(void (*wake)(void));

/* Wait until @wake does not run any more.  No probe is attached. */
void kma_triggers_stop(void);

#endif /* KMA_TRACE_TRIGGER_H */
