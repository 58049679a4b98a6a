/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recycling rows of a countmap: rows of keys that are not seen any more are used for other keys.
 *
 * Rows would run out without it: processes end, cgroups are removed, file systems are unmounted,
 * and modules are unloaded, and their keys never come again.
 *
 *	mark:	choose the rows that leave, and let no look-up and no reference find them
 *	wait:	for all running probes; then no probe counts in these rows
 *	give:	move what each of them has counted to another row; other keys may use its number
 *
 * Process context does this, in three steps:  kma_countmap_recycle_begin() for each countmap, one
 * kma_env_wait_for_probes() for all of them, and kma_countmap_recycle_finish() for each.
 *
 * A row leaves
 *
 *	if its object is gone: its user says so, a probe has seen the end (kma_countmap_gone()), or
 *	it is retired
 *
 * and, if that is not enough and the caller asks for it,
 *
 *	if another row has the same key, because two CPUs made one for it at the same time
 *	if it is idle: it has counted nothing since it was last looked at
 *
 * Of idle rows, no more leave than are needed to have a quarter of all rows free.  The search for
 * them looks at a few thousand rows at most, and begins where the last one ended.
 *
 * What a row has counted is not lost.  The user of the countmap says which row it is added to, such
 * as one for all processes that have ended.  Probes may count in that row at the same time.
 */
#ifndef KMA_CORE_COUNTMAP_RECYCLE_H
#define KMA_CORE_COUNTMAP_RECYCLE_H

#include "countmap.h"

/**
 * enum kma_countmap_fate - what the user of a countmap knows about a row
 * @KMA_COUNTMAP_IN_USE: what its key stands for may be seen again
 * @KMA_COUNTMAP_GONE: the key will not be seen again
 * @KMA_COUNTMAP_KEPT: the row stays, even if it is idle
 */
enum kma_countmap_fate {
	KMA_COUNTMAP_IN_USE,
	KMA_COUNTMAP_GONE,
	KMA_COUNTMAP_KEPT,
};

/**
 * struct kma_countmap_policy - what the user of a countmap decides about its rows
 * @fate: returns the fate of a row; NULL if it is KMA_COUNTMAP_IN_USE for all rows
 * @heir: finds or makes the row that gets what a row has counted; @gone is true if the object of
 *	the row is gone, and false if the row was idle; NULL if [other] gets it
 *
 * Both are called in process context.  They may use the @key, @more and @text of the row.
 */
struct kma_countmap_policy {
	enum kma_countmap_fate (*fate)(const struct kma_countmap_info *info);
	u32 (*heir)(struct kma_countmap *t, const struct kma_countmap_info *info, bool gone);
};

/**
 * kma_countmap_is_short() - whether rows run short
 * @t: the countmap
 *
 * Context: any.
 * Return: true if seven eighths of the rows before the reserve are in use.
 */
bool kma_countmap_is_short(const struct kma_countmap *t);

/**
 * kma_countmap_recycle_begin() - choose the rows that leave
 * @t: the countmap
 * @policy: what its user decides
 * @idle: true to look for idle rows, too
 *
 * Context: process, may sleep; no other context recycles, retires or reads rows of this countmap
 * until kma_countmap_recycle_finish() has returned.
 * Return: the number of rows that leave.  If it is not 0, the caller has to call
 * kma_env_wait_for_probes(), and then kma_countmap_recycle_finish().
 */
u32 kma_countmap_recycle_begin(struct kma_countmap *t, const struct kma_countmap_policy *policy,
			       bool idle);

/**
 * kma_countmap_recycle_finish() - give back the rows that leave
 * @t: the countmap
 * @policy: the same as for kma_countmap_recycle_begin()
 *
 * Context: process, may sleep; see kma_countmap_recycle_begin().
 */
void kma_countmap_recycle_finish(struct kma_countmap *t, const struct kma_countmap_policy *policy);

#endif /* KMA_CORE_COUNTMAP_RECYCLE_H */
