/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of slow phases: a ring of the last ones that took as long as a threshold or longer.
 *
 * A probe takes the next number, claims the place of that number in the ring, writes the record,
 * and publishes it by storing the number.  If another context is still writing to this place, it
 * was preempted while the whole ring was written: then the new record is lost, and counted as
 * slow_lost.  A reader copies a record, and drops the copy if the number has changed meanwhile.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free memory: process, may sleep.
 */
#ifndef KMA_CORE_SLOWLOG_H
#define KMA_CORE_SLOWLOG_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "env.h"
#include "stall.h"

/* The number of records, a power of two. */
#define KMA_SLOW_RECORDS	256
#define KMA_SLOW_FRAMES		16
#define KMA_SLOW_COMM		16
/* Replaces an address in a module that was unloaded. */
#define KMA_SLOW_UNLOADED	1UL

/**
 * struct kma_slow - one phase that took long
 * @nr: number of the record, from 1; 0 while it is written
 * @end_ns: when the phase ended, in ns of CLOCK_MONOTONIC
 * @ns: how long it took
 * @phase: the phase
 * @origin: who waited
 * @tgid: process ID
 * @pid: thread ID
 * @comm: name of the thread
 * @cgroup: ID of the cgroup
 * @order: order of the allocation; KMA_ORDER_NONE if it is not known
 * @gfp: gfp flags of the allocation
 * @site: call site of the allocation; 0 if there is none
 * @nr_parts: number of parts
 * @part: own times of the phases in it
 * @nr_frames: number of return addresses
 * @frame: the stack, the innermost function first
 */
struct kma_slow {
	u64 nr;
	u64 end_ns;
	u64 ns;
	enum kma_phase phase;
	enum kma_origin_of_stall origin;
	u32 tgid;
	u32 pid;
	char comm[KMA_SLOW_COMM];
	u64 cgroup;
	int order;
	u32 gfp;
	unsigned long site;
	u32 nr_parts;
	struct kma_stall_part part[KMA_STALL_PARTS];
	u32 nr_frames;
	unsigned long frame[KMA_SLOW_FRAMES];
};

/**
 * struct kma_slowlog - the log
 * @head: number of records that were begun
 * @record: the records
 */
struct kma_slowlog {
	atomic64_t head;
	struct kma_slow *record;
};

/* Allocate an empty log.  Returns 0 or -ENOMEM. */
int kma_slowlog_init(struct kma_slowlog *t);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_slowlog_destroy(struct kma_slowlog *t);

/*
 * Begin to write a record, and set @nr to its number.  The caller sets all members except @nr, and
 * then calls kma_slowlog_publish().  Returns NULL if the record is lost.  Context: a probe.
 */
struct kma_slow *kma_slowlog_begin(struct kma_slowlog *t, u64 *nr);

/* Let readers see record @nr.  Context: a probe. */
void kma_slowlog_publish(struct kma_slow *r, u64 nr);

/*
 * Replace addresses of code for which @gone(@arg, address) is true by KMA_SLOW_UNLOADED.  Context:
 * process; probes may write records that have none of these addresses.
 */
void kma_slowlog_forget(struct kma_slowlog *t, bool (*gone)(const void *arg, unsigned long address),
			const void *arg);

/* Number of the last record; 0 if there is none. */
static inline u64 kma_slowlog_head(const struct kma_slowlog *t)
{
	return atomic64_read(&t->head);
}

/* Copy record @nr.  Returns false if it is not there any more, or is being written. */
bool kma_slowlog_read(const struct kma_slowlog *t, u64 nr, struct kma_slow *copy);

#endif /* KMA_CORE_SLOWLOG_H */
