/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakers: which call sites wake kswapd and kcompactd, and how long these threads then run.
 *
 *	wake-up --> wakers: by call site, daemon, order, zone and node
 *	        --> the slot of the node's daemon, if it has no waker yet: a reference to this row
 *	begin   --> the slot: the time; the waker becomes that of the run
 *	end     --> wakers: the run counts in the row of its waker
 *
 * A daemon runs from the event with which it begins to work to the one before its next sleep.  Its
 * first waker since it last began is the waker of the run, if the wake-up began after that, too.
 * While it runs, kswapd may be woken from
 * a nap; then it begins again, which belongs to the same run.  A wake-up that comes just before
 * the daemon sleeps makes it begin again at once, so that this is the waker of the next run.
 *
 * A daemon may begin without a wake-up, or its waker may have been forgotten by a `reset`.  Such a
 * run counts in a row without a call site, with the order and the zone that the daemon works for.
 *
 * Wake-ups come from any context and on any CPU.  Only the daemon itself begins and ends its runs,
 * so there is no lock.
 *
 * Context, unless a function says otherwise: a probe, any context.
 */
#ifndef KMA_TRACE_WAKERS_H
#define KMA_TRACE_WAKERS_H

#include <linux/types.h>

/* Index of the words of a key of the countmap of wakers.  The site of an unknown waker is 0. */
#define KMA_WAKER_SITE		0
#define KMA_WAKER_WHAT		1

/**
 * enum kma_daemon - the threads that reclaim and compact in the background, one for each node
 * @KMA_DAEMON_KSWAPD: kswapd
 * @KMA_DAEMON_KCOMPACTD: kcompactd
 * @KMA_DAEMON_NR: number of these values
 */
enum kma_daemon {
	KMA_DAEMON_KSWAPD,
	KMA_DAEMON_KCOMPACTD,
	KMA_DAEMON_NR
};

/**
 * struct kma_waking - what a daemon is woken for
 * @daemon: the daemon
 * @node: its node
 * @order: the order of the allocation; KMA_ORDER_NONE for proactive compaction
 * @zone: the highest zone that the allocation may use, an enum zone_type
 */
struct kma_waking {
	enum kma_daemon daemon;
	int node;
	int order;
	int zone;
};

/* The word KMA_WAKER_WHAT of a key.  Context: any. */
static inline u64 kma_waking_word(const struct kma_waking *w)
{
	return (u64)w->node << 32 | (u32)w->zone << 16 | (u8)w->order << 8 | w->daemon;
}

/* Decode a word of kma_waking_word().  Context: any. */
static inline struct kma_waking kma_waking_of(u64 word)
{
	return (struct kma_waking) {
		.daemon = word & 0xff, .order = (s8)(word >> 8),
		.zone = word >> 16 & 0xffff, .node = word >> 32,
	};
}

/* Count a wake-up.  The current context is the waker. */
void kma_wakers_wake(const struct kma_waking *w);

/* The daemon begins to work.  It is the current task. */
void kma_wakers_begin(const struct kma_waking *w);

/* The @daemon of @node, which is the current task, is about to sleep. */
void kma_wakers_end(enum kma_daemon daemon, int node);

/* Bytes that the slots take.  Context: any. */
u64 kma_wakers_bytes(void);

/* Allocate the slots.  Returns 0 or -ENOMEM.  Context: process, may sleep; no probe uses slots. */
int kma_wakers_start(void);

/* Free the slots.  Context: process; no probe uses them. */
void kma_wakers_stop(void);

#endif /* KMA_TRACE_WAKERS_H */
