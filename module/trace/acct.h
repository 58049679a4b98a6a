/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting: what processes, cgroups and commands allocate and free.  Each event is
 * counted for the current task.
 *
 *	event --> counters --> by process, by cgroup, by command and call site, by command
 *	          and system call, by chosen cgroup and call site: all of these countmaps
 *	          that exist
 *
 * No record is kept of the objects and pages themselves: if one process allocates a page
 * and another one frees it, the allocation counts for the first and the free for the
 * second.  An event in an interrupt counts in the row [interrupt], not for the
 * interrupted process.
 *
 * Context, unless a function says otherwise: any, NMI included.
 */
#ifndef KMA_TRACE_ACCT_H
#define KMA_TRACE_ACCT_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "../core/countmap_recycle.h"
#include "../countmaps.h"

struct cgroup;

/* Most cgroups whose allocations are counted by call site at the same time. */
#define KMA_ACCT_CGROUPS	8

/**
 * enum kma_acct_counter - counters of a row
 * @KMA_ACCT_ALLOC_PAGES: pages allocated
 * @KMA_ACCT_ALLOCS: mm_page_alloc events
 * @KMA_ACCT_FREE_PAGES: pages freed
 * @KMA_ACCT_FREES: mm_page_free events
 * @KMA_ACCT_BATCHED: mm_page_free_batched events
 * @KMA_ACCT_ZONE_LOCKED: mm_page_alloc_zone_locked events
 * @KMA_ACCT_REFILLS: bursts of mm_page_alloc_zone_locked events that refill a per-CPU list
 *	(pcp.h)
 * @KMA_ACCT_DRAINED: mm_page_pcpu_drain events
 * @KMA_ACCT_DRAINS: bursts of mm_page_pcpu_drain events (pcp.h)
 * @KMA_ACCT_FALLBACKS: mm_page_alloc_extfrag events
 * @KMA_ACCT_FRAGMENTING: fallbacks to pages of an order below pageblock_order
 * @KMA_ACCT_SEVERE: fragmenting fallbacks to pages of order KMA_SEVERE_ORDER (pcp.c) or below
 * @KMA_ACCT_CHANGED: fallbacks after which the pageblock has the migrate type of the
 *	allocation
 * @KMA_ACCT_SLAB_HITS: slab objects allocated
 * @KMA_ACCT_SLAB_BYTES: bytes that these objects take
 * @KMA_ACCT_STALL_NS: time that allocations have waited, in ns
 * @KMA_ACCT_NR: number of counters
 */
enum kma_acct_counter {
	KMA_ACCT_ALLOC_PAGES,
	KMA_ACCT_ALLOCS,
	KMA_ACCT_FREE_PAGES,
	KMA_ACCT_FREES,
	KMA_ACCT_BATCHED,
	KMA_ACCT_ZONE_LOCKED,
	KMA_ACCT_REFILLS,
	KMA_ACCT_DRAINED,
	KMA_ACCT_DRAINS,
	KMA_ACCT_FALLBACKS,
	KMA_ACCT_FRAGMENTING,
	KMA_ACCT_SEVERE,
	KMA_ACCT_CHANGED,
	KMA_ACCT_SLAB_HITS,
	KMA_ACCT_SLAB_BYTES,
	KMA_ACCT_STALL_NS,
	KMA_ACCT_NR
};

static_assert(KMA_ACCT_NR <= KMA_COUNTMAP_COUNTERS);

/*
 * Index of the word of a key that holds the call site or system call.  The words before it hold
 * the command, or the first of them holds the ID of the cgroup.
 */
#define KMA_ACCT_SITE		2

/* Keys of rows that do not stand for a process or a cgroup.  The last one is in both tables. */
#define KMA_ACCT_ENDED		(U64_MAX - 2)	/* processes that have ended */
#define KMA_ACCT_REMOVED	(U64_MAX - 1)	/* cgroups that were removed */
#define KMA_ACCT_INTERRUPT	U64_MAX
/* Values in place of the number of a system call; the last one is a flag within the number. */
#define KMA_SYSCALL_KERNEL	(U64_MAX - 1)	/* a kernel thread */
#define KMA_SYSCALL_FAULT	(U64_MAX - 2)	/* a page fault, or another exception */
#define KMA_SYSCALL_NONE	(U64_MAX - 3)	/* in an interrupt */
#define KMA_SYSCALL_COMPAT	BIT_ULL(32)	/* a 32-bit system call */

/**
 * struct kma_acct_event - an event that is counted
 * @nr: number of counters it adds to
 * @what: for each of these, the counter, and how much is added to it
 * @site: its call site; 0 for a page allocation, whose call site is found only if a
 *	countmap needs it
 * @source: the event is an allocation, so it is also counted by call site and by system call
 */
struct kma_acct_event {
	int nr;
	struct {
		enum kma_acct_counter counter;
		u64 n;
	} what[4];
	unsigned long site;
	bool source;
};

/*
 * Count an event in all countmaps of accounting.  Context: a probe, NMI included; under
 * rcu_read_lock().
 */
void kma_acct_count(const struct kma_acct_event *event);

/*
 * Count what the tasks of a cgroup, and of those below it, allocate at each call site.  @id is the
 * cgroup's ID in the default hierarchy.  Returns 0; -EEXIST if they are counted already; or -ENOSPC
 * if KMA_ACCT_CGROUPS cgroups are chosen.  Context: process; kma_lock is held.
 */
int kma_acct_choose(u64 id);

/*
 * Undo kma_acct_choose(), for all cgroups if @id is 0.  Returns how many cgroups were chosen before
 * and are not now.  Context: process; kma_lock is held.
 */
int kma_acct_drop(u64 id);

/* Number of cgroups that are chosen.  Context: any. */
int kma_acct_nr_chosen(void);

/* Whether a row stands for a process or a cgroup: it has none of the keys above. */
static inline bool kma_acct_is_object(const struct kma_countmap_info *info)
{
	return info->key.word[0] < KMA_ACCT_ENDED;
}

/* Note that a cgroup, of any hierarchy, was removed.  Context: a probe. */
void kma_acct_cgroup_removed(struct cgroup *cgroup);

/* Decide which rows of processes and cgroups are recycled, and which rows get their counts. */
extern const struct kma_countmap_policy kma_acct_policy_tasks;
extern const struct kma_countmap_policy kma_acct_policy_cgroups;
extern const struct kma_countmap_policy kma_acct_policy_cgroup_sites;

/* The name of a table in the setting `account`; NULL if the countmap has no such name. */
const char *kma_acct_name(enum kma_countmap_of of);

#endif /* KMA_TRACE_ACCT_H */
