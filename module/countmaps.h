/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The countmaps of the module (core/countmap.h): one for each table that counts events by a key.
 *
 * A countmap is allocated when its table is switched on, and freed when its table is
 * switched off; that of failures is there from load on.  `reset` empties the countmap.  The rows of
 * processes and cgroups that have ended stay until then, or until rows run short
 * (countmap_recycling.h).
 *
 * A probe reads the pointer to the countmap and counts the event in one RCU read-side critical
 * section.  Before process context frees or empties a countmap, it clears the pointer and waits
 * for a grace period.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_COUNTMAPS_H
#define KMA_COUNTMAPS_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "core/countmap.h"
#include "core/stat.h"

/**
 * enum kma_countmap_of - identifies a countmap by what it counts events by
 * @KMA_COUNTMAP_NONE: no countmap
 * @KMA_COUNTMAP_PCPU: by node; the table shows the counters of each CPU separately
 * @KMA_COUNTMAP_EXTFRAG: by call site, orders and migrate types
 * @KMA_COUNTMAP_LATENCY: by phase of reclaim and compaction, and who waits for it
 * @KMA_COUNTMAP_SHRINKERS: by shrinker
 * @KMA_COUNTMAP_STALLS: by call site, order, gfp flags and cause
 * @KMA_COUNTMAP_WAITS: whole waits, by call site, order, and who waits
 * @KMA_COUNTMAP_WAKERS: by call site that wakes kswapd or kcompactd, order, zone and node
 * @KMA_COUNTMAP_TASKS: by process
 * @KMA_COUNTMAP_CGROUPS: by cgroup
 * @KMA_COUNTMAP_COMM_SITES: by command and call site
 * @KMA_COUNTMAP_COMM_SYSCALLS: by command and system call
 * @KMA_COUNTMAP_CGROUP_SITES: by cgroup and call site, for chosen cgroups
 * @KMA_COUNTMAP_FAILURES: failed allocations, by call site, order or size, gfp flags and task
 * @KMA_COUNTMAP_NR: number of these values
 */
enum kma_countmap_of {
	KMA_COUNTMAP_NONE,
	KMA_COUNTMAP_PCPU,
	KMA_COUNTMAP_EXTFRAG,
	KMA_COUNTMAP_LATENCY,
	KMA_COUNTMAP_SHRINKERS,
	KMA_COUNTMAP_STALLS,
	KMA_COUNTMAP_WAITS,
	KMA_COUNTMAP_WAKERS,
	KMA_COUNTMAP_TASKS,
	KMA_COUNTMAP_CGROUPS,
	KMA_COUNTMAP_COMM_SITES,
	KMA_COUNTMAP_COMM_SYSCALLS,
	KMA_COUNTMAP_CGROUP_SITES,
	KMA_COUNTMAP_FAILURES,
	KMA_COUNTMAP_NR
};

/* NULL for a table that is off.  Written under kma_lock, read under RCU. */
extern struct kma_countmap __rcu *kma_countmaps[KMA_COUNTMAP_NR];

/* Whether `enabled` is 1.  Written under kma_lock; probes read it. */
extern bool kma_countmaps_on;

/* Whether recording is on; if not, the event counts as countmap_off.  Context: a probe. */
static inline bool kma_countmaps_recording(void)
{
	if (likely(READ_ONCE(kma_countmaps_on)))
		return true;
	kma_stat_inc(countmap_off);
	return false;
}

/* Return @matches; if false, the event counts as countmap_filtered.  Context: a probe. */
static inline bool kma_countmaps_matching(bool matches)
{
	if (likely(matches))
		return true;
	kma_stat_inc(countmap_filtered);
	return false;
}

/*
 * Allocate the countmaps in the bit mask @which, none of which exists yet, and start counting in
 * them.  Returns 0, or -ENOMEM; then none of these countmaps exists.
 */
int kma_countmaps_begin(unsigned long which);

/* Stop counting in the countmaps in the bit mask @which, and free those that exist. */
void kma_countmaps_end(unsigned long which);

/* The countmap, or NULL if its table is off. */
struct kma_countmap *kma_countmap_locked(enum kma_countmap_of of);

/* When a countmap, which exists, was switched on: ns since boot. */
u64 kma_countmap_since(enum kma_countmap_of of);

/* Bytes that a countmap takes, or would take if it existed.  kma_lock need not be held. */
u64 kma_countmap_memory(enum kma_countmap_of of);

/* Bit mask of the counters of a countmap that keep a maximum.  Context: any. */
u32 kma_countmap_maxima(enum kma_countmap_of of);

/* Stop counting in all countmaps, and empty them.  Sets @t, for kma_countmaps_resume(). */
void kma_countmaps_pause(struct kma_countmap *t[KMA_COUNTMAP_NR]);

/* Count in all countmaps again.  kma_lock has been held since kma_countmaps_pause(). */
void kma_countmaps_resume(struct kma_countmap *t[KMA_COUNTMAP_NR]);

#endif /* KMA_COUNTMAPS_H */
