/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recycling rows of a countmap: rows of keys that are not seen any more are used for other keys.
 *
 * Without recycling, rows would run out: processes end, cgroups are removed, file systems are
 * unmounted, and modules are unloaded, and their keys are never seen again.
 *
 *	mark:	choose the rows that leave, so that no look-up and no reference finds them any more
 *	wait:	for all running probes; then no probe counts in these rows
 *	give:	add what each row has counted to another row, its heir; then a new key may use the
 *		row
 *
 * Process context calls kma_countmap_recycle_begin() for each countmap, kma_env_wait_for_probes()
 * once, and kma_countmap_recycle_finish() for each countmap.
 *
 * A row is gone, and leaves, if its key will not be seen again: the policy says so, a probe has
 * seen the end of what the key stands for (kma_countmap_gone()), or the row is retired.
 *
 * If rows are still short then, and the caller asks for it, other rows leave:
 *
 *	double:	another row has the same key, because two CPUs made a row for it at the same time
 *	idle:	the row has counted nothing since a search last read it
 *
 * These rows leave only until a quarter of the rows before the reserve is free.  A search reads
 * each row once.  One call reads a limited number of rows, so with many CPUs a search may take
 * several calls.  Each call goes on where the last one stopped, even if rows were not short
 * meanwhile.
 *
 * Nothing that a row has counted is lost: it is added to another row, the heir.  The policy chooses
 * the heir, such as the row of all processes that have ended.  Probes may count in it meanwhile.
 *
 * Context of all functions: process, may sleep.  From kma_countmap_recycle_begin() until
 * kma_countmap_recycle_finish() has returned, no other context recycles, retires or reads rows of
 * the countmap.
 */
#ifndef KMA_CORE_COUNTMAP_RECYCLE_H
#define KMA_CORE_COUNTMAP_RECYCLE_H

#include <linux/types.h>

#include "countmap.h"

/**
 * enum kma_countmap_fate - what the user of a countmap knows about a row
 * @KMA_COUNTMAP_IN_USE: the key may be seen again
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
 * @heir: finds or makes the heir of a row; @gone is true if the row is gone, and false if it is
 *	idle; NULL if [other] is the heir of all rows
 * @retired: @heir is also called for retired rows; then it must not use the word of the key that
 *	has lost its meaning.  If this is false, [other] inherits from retired rows.
 *
 * Both are called in process context.  They may use the @key, @more and @text of the row.
 */
struct kma_countmap_policy {
	enum kma_countmap_fate (*fate)(const struct kma_countmap_info *info);
	u32 (*heir)(struct kma_countmap *t, const struct kma_countmap_info *info, bool gone);
	bool retired;
};

/* Whether rows run short: seven eighths of the rows before the reserve are in use. */
bool kma_countmap_is_short(const struct kma_countmap *t);

/**
 * kma_countmap_recycle_begin() - choose the rows that leave
 * @t: the countmap
 * @policy: the decisions of the user of the countmap
 * @idle: true to begin a search for double and idle rows.  A search that has begun goes on in any
 *	case, until @left of the countmap is 0.
 *
 * Return: the number of rows that leave.  If it is not 0, the caller has to call
 * kma_env_wait_for_probes(), and then kma_countmap_recycle_finish().
 */
u32 kma_countmap_recycle_begin(struct kma_countmap *t, const struct kma_countmap_policy *policy,
			       bool idle);

/* Give back the rows that leave, with the @policy of kma_countmap_recycle_begin(). */
void kma_countmap_recycle_finish(struct kma_countmap *t, const struct kma_countmap_policy *policy);

#endif /* KMA_CORE_COUNTMAP_RECYCLE_H */
