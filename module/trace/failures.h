/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting failed allocations by call site, order or size, gfp flags and task.
 *
 *	object event with a NULL pointer --\
 *	                                    filter --> row of a countmap (core/failure.h)
 *	slow path that returns no page  ---/
 *
 * The countmap exists from load on.  An allocation fails rarely, so the probes look for the call
 * site, and make the key, only then.  An object that fails because its pages do counts twice: as an
 * object and as pages.
 *
 * When rows run short, the counts of idle rows, and of new keys, go to rows that only distinguish
 * orders.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_FAILURES_H
#define KMA_TRACE_FAILURES_H

#include <linux/types.h>

#include "../core/countmap_recycle.h"
#include "../core/failure.h"

/* Decides which rows of failures are recycled, and which rows get their counts. */
extern const struct kma_countmap_policy kma_failure_policy;

/*
 * Count a page allocation that failed, unless `enabled` is 0 or it does not match the filter.
 * @site may be KMA_SITE_UNKNOWN.  Context: a probe, any context, NMI included.
 */
void kma_failure_count_pages(unsigned long site, int order, u32 gfp);

/*
 * Count an allocation of an object of @bytes that failed, as kma_failure_count_pages() does.
 * Context: a probe, any context, NMI included.
 */
void kma_failure_count_object(unsigned long site, size_t bytes, u32 gfp);

/*
 * Note that pages begin or cease to be tracked: KMA_FAILURE_TRACKED counts from the last beginning.
 * After @on was false, a grace period passes before it is true again.
 */
void kma_failures_track(bool on);

/* Allocate the countmap.  Returns 0 or -ENOMEM.  Context: process, may sleep; takes kma_lock. */
int kma_failures_start(void);

/* Free the countmap.  Context: process, may sleep; takes kma_lock. */
void kma_failures_stop(void);

#endif /* KMA_TRACE_FAILURES_H */
