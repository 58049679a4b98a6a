/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting the phases of reclaim and compaction (core/stall.h).
 *
 *	begin --> the stack of phases of the task
 *	end   --> latency: by phase and who waits
 *	      --> shrinkers: by shrinker
 *	      --> stalls: by call site, order, gfp flags and cause, if an allocation waits
 *	      --> accounting: by task, cgroup and command, at the end of a stall
 *	      --> slow: a record, if the phase took long
 *
 * A phase is counted at its end.  In `stalls`, it is counted with its own time, without the phases
 * inside it: so the times add up to the time that the call site has waited.
 *
 * All of this runs in tasks only.  Memory that interrupts allocate is never waited for.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_PHASE_H
#define KMA_TRACE_PHASE_H

#include <linux/types.h>

#include "../core/countmap_recycle.h"
#include "../core/stall.h"

struct shrinker;

/* Index of the words of a key of the countmap of stalls. */
#define KMA_STALL_SITE		0
#define KMA_STALL_WHAT		1
#define KMA_STALL_DETAIL	2

/* Decides which rows of stalls are recycled, and which rows get their counts. */
extern const struct kma_countmap_policy kma_phase_policy_stalls;

/* The largest threshold: an hour. */
#define KMA_THRESHOLD_US_MAX	3600000000ULL

/**
 * struct kma_phase_args - what is known at the beginning of a phase
 * @order: order of the allocation; KMA_ORDER_NONE if it is not known
 * @gfp: its gfp flags
 * @shrinker: the shrinker that is called; NULL if none is
 * @arg: for kma_phase_end()
 * @entry: the phase begins at the entry of a function, where no call site can be found
 */
struct kma_phase_args {
	int order;
	u32 gfp;
	const struct shrinker *shrinker;
	u64 arg;
	bool entry;
};

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

/* Note that an allocation of the current task is about to compact.  Context: a probe. */
void kma_phase_compacts(int order, u32 gfp);

/* Note whether kretprobes are on the stacks of tasks.  Context: process; no event is counted. */
void kma_phase_follows(bool yes);

/*
 * Note whether KMA_PHASE_LRU_INACTIVE or KMA_PHASE_LRU_ACTIVE is timed by following a function, so
 * that calls are counted at their ends.  Context: process; no event is being counted.
 */
void kma_phase_has_function(enum kma_phase phase, bool yes);

/* Set the time in us from which on a phase is slow, and is recorded.  Context of both: any. */
void kma_phase_set_threshold(u64 us);
u64 kma_phase_threshold(void);

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
