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
 * inside it: so the times add up to what the call site has waited.
 *
 * All of this runs in tasks only.  Memory that interrupts allocate is never waited for.
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

/* Which rows of stalls are recycled, and which rows get their counts. */
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
 * @args: what is known of it
 * @sp: the stack pointer, in the function that takes long, or in a function that it calls
 *
 * Context: a probe, any context.
 * Return: true if its end has to be told, too.
 */
bool kma_phase_begin(enum kma_phase phase, const struct kma_phase_args *args, unsigned long sp);

/**
 * kma_phase_end() - end a phase
 * @phase: the phase
 * @shrunk: for KMA_PHASE_SHRINKER, its result; otherwise NULL
 *
 * Context: a probe, any context.
 */
void kma_phase_end(enum kma_phase phase, const struct kma_phase_shrunk *shrunk);

/**
 * kma_phase_over() - count a phase of which only the end has an event
 * @phase: the phase
 * @detail: the reason for it
 * @ns: its time, in ns
 *
 * Context: a probe, any context.
 */
void kma_phase_over(enum kma_phase phase, u64 detail, u64 ns);

/**
 * kma_phase_pages() - count pages of the LRU lists that were scanned
 * @phase: KMA_PHASE_LRU_INACTIVE or KMA_PHASE_LRU_ACTIVE
 * @scanned: number of pages scanned
 * @reclaimed: number of pages reclaimed
 *
 * Context: a probe, any context.
 */
void kma_phase_pages(enum kma_phase phase, u64 scanned, u64 reclaimed);

/**
 * kma_phase_compacts() - the current task is about to compact memory for an allocation
 * @order: order of the allocation
 * @gfp: its gfp flags
 *
 * Context: a probe, any context.
 */
void kma_phase_compacts(int order, u32 gfp);

/**
 * kma_phase_follows() - whether functions are followed
 * @yes: true if kretprobes are on the stacks of tasks
 *
 * Context: process; no event is being counted.
 */
void kma_phase_follows(bool yes);

/**
 * kma_phase_has_function() - which phases are timed by following a function
 * @phase: KMA_PHASE_LRU_INACTIVE or KMA_PHASE_LRU_ACTIVE
 * @yes: true if the function is followed, so that its calls are counted at their ends
 *
 * Context: process; no event is being counted.
 */
void kma_phase_has_function(enum kma_phase phase, bool yes);

/**
 * kma_phase_set_threshold() - set what is slow
 * @us: the time of a phase from which on it is recorded, in us
 *
 * Context: any.
 */
void kma_phase_set_threshold(u64 us);

/**
 * kma_phase_threshold() - what is slow
 *
 * Context: any.
 * Return: the time from which on a phase is recorded, in us.
 */
u64 kma_phase_threshold(void);

/**
 * kma_phase_record() - count phases from now on, or do not
 * @on: true to count phases that begin from now on; false to stop, and to wait until nothing is
 *	being counted
 *
 * Context: process, may sleep; kma_lock is held, and kma_phase_start() has been called.
 */
void kma_phase_record(bool on);

/**
 * kma_phase_bytes() - memory that counting takes, without the countmaps
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_phase_bytes(void);

/**
 * kma_phase_slots() - number of slots for tasks in a phase, and of those in use
 * @used: set to the number of tasks that have a slot
 *
 * Context: process; kma_lock is held.
 * Return: number of slots; 0 while phases are not counted.
 */
u32 kma_phase_slots(u32 *used);

/**
 * kma_phase_start() - allocate memory for counting
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0 or -ENOMEM.
 */
int kma_phase_start(void);

/**
 * kma_phase_stop() - free this memory
 *
 * Context: process, may sleep; kma_lock is held, kma_phase_record() has been switched off, and no
 * probe of reclaim runs any more.
 */
void kma_phase_stop(void);

/**
 * kma_phase_turn() - release the slots of tasks that have exited
 *
 * Call this about once a second.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_phase_turn(void);

/**
 * kma_phase_forget() - forget what was counted, as the countmaps are emptied
 *
 * Context: process; kma_lock is held, and no probe uses the countmaps.
 */
void kma_phase_forget(void);

#endif /* KMA_TRACE_PHASE_H */
