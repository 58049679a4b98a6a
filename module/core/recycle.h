/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recycling: rows of the table of call sites that have no live objects are used again for other
 * call sites, and numbers of destroyed caches for other caches.
 *
 * Without recycling, rows would run out: a module that is unloaded leaves rows behind, and each new
 * stack and each change of the sampling rate needs new ones.  Numbers of caches would run out, too:
 * some subsystems give each cache a new name.
 *
 *	mark:	a row without live objects becomes LEAVING
 *	unmap:	slots of the map that lead to such rows are taken out of use
 *	wait:	for all running probes; then no slot leads to the row any more
 *	test:	if the row still has no live objects, it becomes EMPTY, and leaves the list of
 *		its cache
 *	wait:	for all running probes; then no probe uses the row or the list any more
 *	give:	the slots become free; if the row still has no live objects, its counters become
 *		0, and other call sites may use it
 *
 * A probe that is just giving a row its slot may publish the slot first, then see that the row is
 * LEAVING, and take the slot out of use.  This may happen as late as during the first wait.  So
 * another probe that began during that wait may have found the row.  The second wait is also for
 * that probe.
 *
 * An entry of the live table, or the record of a page, has the number of its row.  So a row with
 * live objects must not be used for another call site.  A probe that found the row before it was
 * unmapped may still put an object.  Then the row stays LEAVING, and a later call recycles it.  In
 * the meantime, events of its call site use a new row.
 *
 * What a row has counted is not lost.  It is added to the past of its cache: one set of counters
 * for each cache and shift, which only process context uses.  Tables show it as [other].
 *
 * The number of a destroyed cache is recycled together with its last rows:
 *
 *	mark:	if all rows of a retired number are LEAVING, the number becomes LEAVING: no new
 *		cache takes it over any more
 *	wait:	for all running probes; then no probe has the number any more
 *	test:	if a probe has added a row, or the row [other] has live objects, the number is
 *		RETIRED again
 *	wait:	as above
 *	give:	the counters of the row [other] become 0, like those of the other rows, and a new
 *		cache may have the number
 *
 * The past of the cache becomes 0, too.  So the caller first adds it to sums of its own: see
 * @cache_leaves of struct kma_recycle.
 *
 * Context of all functions: process, may sleep.  From kma_recycle_begin() until
 * kma_recycle_finish() has returned, no other context uses rows except probes, and no other
 * function of this file is called.
 */
#ifndef KMA_CORE_RECYCLE_H
#define KMA_CORE_RECYCLE_H

#include <linux/types.h>

#include "sitetab.h"

/**
 * struct kma_recycle - which rows to recycle, and what else has to be done about them
 * @caches: recycle numbers of destroyed caches, too
 * @wanted: tells whether to recycle a row that has no live objects
 * @leaves: called for each row that is recycled, before its number can be used again; @sum is
 *	what the row has counted, and the function subtracts from it what is not to be added to
 *	the past of the cache
 * @cache_leaves: called for each number of a cache that is recycled, before its past becomes 0
 * @arg: the first argument of these functions
 */
struct kma_recycle {
	bool caches;
	bool (*wanted)(void *arg, u32 id, const struct kma_row *sum);
	void (*leaves)(void *arg, u32 id, struct kma_row *sum);
	void (*cache_leaves)(void *arg, int cache);
	void *arg;
};

/**
 * struct kma_recycled - what was recycled
 * @rows: number of rows for pairs
 * @caches: number of cache numbers
 */
struct kma_recycled {
	u32 rows;
	u32 caches;
};

/* Bytes of the counters of recycled rows, which are allocated when rows are first recycled. */
u64 kma_recycle_bytes(const struct kma_sitetab *t);

/*
 * Begin to recycle rows without live objects: mark and unmap.  Rows that earlier calls could not
 * recycle are tried again.  Returns true if there is something to recycle: the caller has to call
 * kma_recycle_finish().  Returns false also if there is no memory for the counters of recycled
 * rows.
 */
bool kma_recycle_begin(struct kma_sitetab *t, const struct kma_recycle *r);

/* Recycle the rows that kma_recycle_begin() has found, with the same @r. */
struct kma_recycled kma_recycle_finish(struct kma_sitetab *t, const struct kma_recycle *r);

/* The shift of set @i of the KMA_PAST_SHIFTS sets of counters that a cache has. */
static inline int kma_past_shift(int i)
{
	return i ? KMA_SHIFT_MIN + i - 1 : KMA_SHIFT_EXACT;
}

/*
 * Sums of the counters of recycled rows of a cache and shift, KMA_SHIFT_EXACT included.  These
 * rows have no live objects: kma_row_live() is meaningless.
 */
const struct kma_row *kma_recycle_past(const struct kma_sitetab *t, int cache, int shift);

/* Set all counters of recycled rows to 0. */
void kma_recycle_forget(struct kma_sitetab *t);

#endif /* KMA_CORE_RECYCLE_H */
