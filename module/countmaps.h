/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The countmaps of the module (core/countmap.h): one for each table that counts events by a key.
 *
 * A countmap is allocated when its table is switched on, and freed when its table is
 * switched off.  `reset` empties the countmap.  The rows of processes and cgroups that have ended
 * stay until then, or until rows run short (countmap_recycling.h).
 *
 * A probe reads the pointer to the countmap and counts the event in one RCU read-side critical
 * section.  Before process context frees or empties a countmap, it clears the pointer and waits
 * for a grace period.
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
 * @KMA_COUNTMAP_TASKS: by process
 * @KMA_COUNTMAP_CGROUPS: by cgroup
 * @KMA_COUNTMAP_COMM_SITES: by command and call site
 * @KMA_COUNTMAP_COMM_SYSCALLS: by command and system call
 * @KMA_COUNTMAP_NR: number of these values
 */
enum kma_countmap_of {
	KMA_COUNTMAP_NONE,
	KMA_COUNTMAP_PCPU,
	KMA_COUNTMAP_EXTFRAG,
	KMA_COUNTMAP_LATENCY,
	KMA_COUNTMAP_SHRINKERS,
	KMA_COUNTMAP_STALLS,
	KMA_COUNTMAP_TASKS,
	KMA_COUNTMAP_CGROUPS,
	KMA_COUNTMAP_COMM_SITES,
	KMA_COUNTMAP_COMM_SYSCALLS,
	KMA_COUNTMAP_NR
};

/* NULL for a table that is off.  Written under kma_lock, read under RCU. */
extern struct kma_countmap __rcu *kma_countmaps[KMA_COUNTMAP_NR];

/* Whether `enabled` is 1.  Written under kma_lock; probes read it. */
extern bool kma_countmaps_on;

/**
 * kma_countmaps_recording() - whether recording is on
 *
 * If it is off, this counts the event as countmap_off.
 *
 * Context: a probe, any context.
 * Return: true if the event is to be counted in countmaps.
 */
static inline bool kma_countmaps_recording(void)
{
	if (likely(READ_ONCE(kma_countmaps_on)))
		return true;
	kma_stat_inc(countmap_off);
	return false;
}

/**
 * kma_countmaps_matching() - count an event as countmap_filtered if the filter rejects it
 * @matches: true if the event passes the filter
 *
 * Context: a probe, any context.
 * Return: @matches.
 */
static inline bool kma_countmaps_matching(bool matches)
{
	if (likely(matches))
		return true;
	kma_stat_inc(countmap_filtered);
	return false;
}

/**
 * kma_countmaps_begin() - allocate countmaps, and start counting in them
 * @which: bit mask of the countmaps, none of which exists yet
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or -ENOMEM; then none of these countmaps exists.
 */
int kma_countmaps_begin(unsigned long which);

/**
 * kma_countmaps_end() - stop counting in countmaps, and free them
 * @which: bit mask of the countmaps; some of them may not exist
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_countmaps_end(unsigned long which);

/**
 * kma_countmap_locked() - get a countmap, under kma_lock
 * @of: the countmap
 *
 * Context: process; kma_lock is held.
 * Return: the countmap, or NULL if its table is off.
 */
struct kma_countmap *kma_countmap_locked(enum kma_countmap_of of);

/**
 * kma_countmap_since() - when a countmap was switched on
 * @of: the countmap, which exists
 *
 * Context: process; kma_lock is held.
 * Return: time since boot, in nanoseconds.
 */
u64 kma_countmap_since(enum kma_countmap_of of);

/**
 * kma_countmap_memory() - memory that a countmap takes, or would take if it existed
 * @of: the countmap
 *
 * Context: process.
 * Return: bytes.
 */
u64 kma_countmap_memory(enum kma_countmap_of of);

/**
 * kma_countmap_maxima() - counters of a countmap that keep a maximum
 * @of: the countmap
 *
 * Context: any.
 * Return: a bit mask of the counters.
 */
u32 kma_countmap_maxima(enum kma_countmap_of of);

/**
 * kma_countmaps_pause() - stop counting in all countmaps, and empty them
 * @t: set to the countmaps, to be passed to kma_countmaps_resume()
 *
 * Context: process, may sleep; kma_lock is held until kma_countmaps_resume().
 */
void kma_countmaps_pause(struct kma_countmap *t[KMA_COUNTMAP_NR]);

/**
 * kma_countmaps_resume() - start counting in all countmaps again
 * @t: the countmaps, as set by kma_countmaps_pause()
 *
 * Context: process; kma_lock has been held since kma_countmaps_pause().
 */
void kma_countmaps_resume(struct kma_countmap *t[KMA_COUNTMAP_NR]);

#endif /* KMA_COUNTMAPS_H */
