/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting the phases of reclaim and compaction (core/stall.h).
 *
 *	begin --> the stack of phases of the task
 *	end   --> latency: by phase and who waits
 *	      --> shrinkers: by shrinker
 *	      --> stalls: by call site, order, gfp flags and cause, if an allocation waits
 *	      --> waits: by call site, order and who waits, at the end of a stall
 *	      --> accounting: by task, cgroup and command, at the end of a stall
 *	      --> slow: a record, if the phase took long
 *
 * A phase is counted at its end.  In `stalls`, it is counted with its own time, without the phases
 * inside it: so the times add up to the time that the call site has waited.  In `waits`, that time
 * is counted once for each stall.
 *
 * All of this runs in tasks only.  Memory that interrupts allocate is never waited for.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_PHASE_H
#define KMA_TRACE_PHASE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "../core/countmap_recycle.h"
#include "../core/env.h"
#include "../core/stall.h"

struct shrinker;

/* Index of the words of a key of the countmap of stalls. */
#define KMA_STALL_SITE		0
#define KMA_STALL_WHAT		1
#define KMA_STALL_DETAIL	2

/*
 * Index of the words of a key of the countmap of waits.  The second one has the order in bits 0 to
 * 7, and the origin above them.
 */
#define KMA_WAIT_SITE		0
#define KMA_WAIT_WHAT		1

/* Decides which rows of stalls are recycled, and which rows get their counts. */
extern const struct kma_countmap_policy kma_phase_policy_stalls;

/**
 * struct kma_phase_args - what is known at the beginning of a phase
 * @order: order of the allocation; KMA_ORDER_NONE if it is not known
 * @gfp: its gfp flags
 * @shrinker: the shrinker that is called; NULL if none is
 * @arg: for kma_phase_end()
 * @cause: the cause of its own time; 0: that of the phase
 * @from: if the phase begins at the entry of a function: where this function returns to
 * @in_task: the context is a task, even if it does not look like one
 */
struct kma_phase_args {
	int order;
	u32 gfp;
	const struct shrinker *shrinker;
	u64 arg;
	enum kma_phase cause;
	struct kma_return from;
	bool in_task;
};

/* Where a function returns to, at whose entry the registers are @regs.  Context: any. */
static __always_inline struct kma_return kma_return_at(const struct pt_regs *regs)
{
	const unsigned long sp = kernel_stack_pointer((struct pt_regs *)regs);

	return (struct kma_return) {
		.ip = *(unsigned long *)sp,
		.sp = sp + sizeof(long),
		.bp = frame_pointer((struct pt_regs *)regs),
	};
}

/**
 * struct kma_phase_shrunk - the result of a call of a shrinker
 * @left: number of objects that were to be scanned and were not; negative if the shrinker
 *	scanned more than it was asked to
 * @freed: number of objects that were freed
 */
struct kma_phase_shrunk {
	s64 left;
	u64 freed;
};

/**
 * kma_phase_begin() - begin a phase
 * @phase: the phase
 * @args: the known properties of the phase
 * @sp: the stack pointer, in the function that takes long, or in a function that it calls
 *
 * Context: a probe, any context.
 * Return: true if the caller has to call kma_phase_end(), too.
 */
bool kma_phase_begin(enum kma_phase phase, const struct kma_phase_args *args, unsigned long sp);

/* End a phase.  @shrunk is the result of KMA_PHASE_SHRINKER; otherwise NULL.  Context: a probe. */
void kma_phase_end(enum kma_phase phase, const struct kma_phase_shrunk *shrunk);

/* Count a phase of which only the end is seen: its reason and its ns.  Context: a probe. */
void kma_phase_over(enum kma_phase phase, u64 detail, u64 ns);

/* Count LRU pages in KMA_PHASE_LRU_INACTIVE or KMA_PHASE_LRU_ACTIVE.  Context: a probe. */
void kma_phase_pages(enum kma_phase phase, u64 scanned, u64 reclaimed);

/*
 * The call site of the allocation that the current context is in; KMA_SITE_UNKNOWN (pagealloc.h) if
 * none is found.  In a phase, this is the call site of the outermost one.  Call this while phases
 * are counted.  Context: a probe.
 */
unsigned long kma_phase_site(void);

/* The clock by which phases are timed: CLOCK_MONOTONIC, in ns.  Context: any. */
u64 kma_phase_clock(void);

/* The task is about to compact memory for an allocation.  Context: a probe. */
void kma_phase_compacts(int order, u32 gfp);

/*
 * Note whether KMA_PHASE_LRU_INACTIVE or KMA_PHASE_LRU_ACTIVE is timed by following a function, so
 * that calls are counted at their ends.  Context: process; no event is being counted.
 */
void kma_phase_has_function(enum kma_phase phase, bool yes);

/*
 * Count phases that begin after this; or stop, and wait until nothing is being counted.  Call this
 * between kma_phase_start() and kma_phase_stop().
 */
void kma_phase_record(bool on);

/* Bytes that counting takes, without the countmaps.  Context: any. */
u64 kma_phase_bytes(void);

/*
 * Number of slots for tasks in a phase, 0 while phases are not counted; @used is set to the number
 * of tasks that have a slot.
 */
u32 kma_phase_slots(u32 *used);

/* Allocate memory for counting.  Returns 0 or -ENOMEM. */
int kma_phase_start(void);

/*
 * Free the memory of kma_phase_start(). kma_phase_record() is off, and no probe of reclaim runs any
 * more.
 */
void kma_phase_stop(void);

/* Release the slots of tasks that have exited.  Call this about once a second. */
void kma_phase_turn(void);

/*
 * Forget the counts and records, because the countmaps are emptied.  No probe uses the countmaps.
 */
void kma_phase_forget(void);

#endif /* KMA_TRACE_PHASE_H */
