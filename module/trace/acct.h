/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting: what processes, cgroups and commands do.  Each event is counted for the
 * current task.
 *
 *	event --> which counters --> by process, by cgroup, by command and call site, by
 *	          command and system call: into those countmaps that exist
 *
 * Nothing is remembered of the objects and pages themselves: a page that one process
 * allocates and another one frees counts for each of them.  What happens in an
 * interrupt does not count for the interrupted process.
 */
#ifndef KMA_TRACE_ACCT_H
#define KMA_TRACE_ACCT_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "../core/countmap.h"
#include "../countmaps.h"

/* Counters of a row. */
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
	KMA_ACCT_NR
};

static_assert(KMA_ACCT_NR <= KMA_COUNTMAP_COUNTERS);

/* The word of a key that is a call site or system call; a command is before it. */
#define KMA_ACCT_SITE		2

/* The process of a row that counts interrupts. */
#define KMA_ACCT_INTERRUPT	U64_MAX
/* In place of the number of a system call. */
#define KMA_SYSCALL_KERNEL	(U64_MAX - 1)	/* a kernel thread */
#define KMA_SYSCALL_FAULT	(U64_MAX - 2)	/* a page fault, or another exception */
#define KMA_SYSCALL_NONE	(U64_MAX - 3)	/* in an interrupt */
#define KMA_SYSCALL_COMPAT	BIT_ULL(32)	/* added to the 32-bit ones */

/**
 * struct kma_acct_event - an event to be counted
 * @nr: how many counters it adds to
 * @what: which, and how much to each
 * @site: its call site; 0: an allocation of pages, whose call site is found if it
 *	is needed
 * @source: it is an allocation: count it by call site and system call as well
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

/**
 * kma_acct_count() - count an event in all countmaps of accounting
 * @event: the event
 *
 * Context: a probe, any context, NMI included; under rcu_read_lock().
 */
void kma_acct_count(const struct kma_acct_event *event);

/**
 * kma_acct_name() - the name of a table of accounting
 * @of: its countmap
 *
 * Context: any.
 * Return: the name; NULL if the countmap is not one of accounting.
 */
const char *kma_acct_name(enum kma_countmap_of of);

#endif /* KMA_TRACE_ACCT_H */
