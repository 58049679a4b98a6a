/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The baseline: the sums at the last `reset`.
 *
 * `reset` sums up all counters and keeps the sums.  Tables then show the current sums
 * minus the baseline.  `reset` does not change the counters of probes, nor the live
 * table.
 */
#ifndef KMA_BASELINE_H
#define KMA_BASELINE_H

#include "core/sitetab.h"
#include "core/stat.h"

/**
 * struct kma_baseline - sums at the last reset
 * @row: sums of each row of objects; NULL if there was no reset
 * @page_row: sums of each row of pages; NULL if there was no reset since tracking began
 * @stats: sums of the module's counters
 * @ns: boot time of the reset, in nanoseconds; if there was no reset, boot time of load
 */
struct kma_baseline {
	struct kma_row *row;
	struct kma_row *page_row;
	struct kma_stats stats;
	u64 ns;
};

/* The current baseline.  Protected by kma_lock. */
extern struct kma_baseline kma_baseline;

/**
 * kma_baseline_start() - make a baseline of zeroes, at load
 *
 * Context: process, may sleep; takes kma_lock.
 */
void kma_baseline_start(void);

/**
 * kma_baseline_stop() - free the baseline
 *
 * Context: process, may sleep; no table is read any more.
 */
void kma_baseline_stop(void);

/**
 * kma_baseline_reset() - take a new baseline
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or -ENOMEM; then the old baseline stays.
 */
int kma_baseline_reset(void);

/**
 * kma_baseline_forget_pages() - make a new baseline for pages
 *
 * To be called when the tracking of pages has ended.  When it begins again, its rows
 * begin at 0, while the module's counters of page events go on.
 *
 * Context: process; kma_lock is held.
 */
void kma_baseline_forget_pages(void);

#endif /* KMA_BASELINE_H */
