/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The baseline: the sums of all counters at the last `reset`.
 *
 * The command `reset` sums up all counters and stores the sums.  From then on, tables show the
 * current sums minus the baseline.  `reset` changes neither the counters of the probes nor the
 * live table.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_BASELINE_H
#define KMA_BASELINE_H

#include "core/sitetab.h"
#include "core/stat.h"

/**
 * struct kma_baseline - sums at the last reset
 * @row: sums of each row of objects; NULL if there was no reset
 * @page_row: sums of each row of pages; NULL if there was no reset since tracking began
 * @stats: sums of the module's own counters (core/stat.h)
 * @ns: time since boot at the reset, in nanoseconds; if there was no reset, at load
 */
struct kma_baseline {
	struct kma_row *row;
	struct kma_row *page_row;
	struct kma_stats stats;
	u64 ns;
};

/* The current baseline.  Protected by kma_lock. */
extern struct kma_baseline kma_baseline;

/*
 * Start at load with a baseline of what was counted until now: the rows have counted nothing yet,
 * and kma_stats only events that were not recorded.  Context: process, may sleep; takes kma_lock;
 * allocations are not recorded yet.
 */
void kma_baseline_start(void);

/* Free the baseline.  Context: process, may sleep; no table is read any more. */
void kma_baseline_stop(void);

/*
 * Replace the baseline by the current sums.  Call kma_state_sweep() first, without the lock.  An
 * entry that becomes stale after the sweep is a live object in the sums.  When it is removed, its
 * row counts it as repaired, and kma_stats as page_freed, both after the reset.  Live columns do
 * not depend on the baseline.  So each sum is exact, whenever the entry is removed.  May sleep,
 * and drops kma_lock in between.  Returns 0; or, with the baseline unchanged, -ENOMEM, or -EINTR
 * if the process is being killed.
 */
int kma_baseline_reset(void);

/* Note that recording is switched off: live counters will not include allocations from now on. */
void kma_baseline_pause(void);

/*
 * Number of allocations that came while recording was switched off: allocations of objects since
 * load or, with @pages, of pages since tracking began.  Allocations at load, before recording
 * began, do not count.  @now has the sums of the module's own counters since load.
 */
u64 kma_baseline_missed(const struct kma_stats *now, bool pages);

/*
 * Forget the sums of row @id, which is being recycled: a row of page allocations if @pages is true,
 * otherwise of objects.  @sum is what the row has counted since load; this function changes it to
 * what the row has counted since the last reset.
 */
void kma_baseline_forget_row(bool pages, u32 id, struct kma_row *sum);

/*
 * Replace the part of the baseline that is about pages by the current counts.  Call this
 * when page tracking has begun, and allocations of pages are not recorded yet.
 */
void kma_baseline_begin_pages(void);

/*
 * Replace the part of the baseline that is about pages.  Call this when page tracking has ended.
 * When it begins again, the counters of its rows start at 0, but the module's own counters of page
 * events continue.  So the baseline of these counters is set to their current values, and the
 * baseline of the rows is freed.  May sleep.
 */
void kma_baseline_forget_pages(void);

#endif /* KMA_BASELINE_H */
