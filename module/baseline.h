/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The baseline: what `reset` subtracts.
 *
 * `reset` takes a copy of all sums.  Tables show the sums of now less those; the
 * counters of probes and the live table stay as they are.
 */
#ifndef KMA_BASELINE_H
#define KMA_BASELINE_H

#include "core/sitetab.h"
#include "core/stat.h"

/**
 * struct kma_baseline - sums at the last reset
 * @row: of each row of objects; NULL if there was no reset
 * @page_row: of each row of pages; NULL if pages were not tracked then
 * @stats: the module's counters
 * @ns: boot time of the reset, or of load, in nanoseconds
 */
struct kma_baseline {
	struct kma_row *row;
	struct kma_row *page_row;
	struct kma_stats stats;
	u64 ns;
};

/* Protected by kma_lock. */
extern struct kma_baseline kma_baseline;

/**
 * kma_baseline_start() - the baseline of load
 *
 * Context: process, may sleep; takes kma_lock.
 */
void kma_baseline_start(void);

/**
 * kma_baseline_stop() - free the copies
 *
 * Context: process, may sleep; no table is read any more.
 */
void kma_baseline_stop(void);

/**
 * kma_baseline_reset() - take a new baseline
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or -ENOMEM, and then the old one stays.
 */
int kma_baseline_reset(void);

/**
 * kma_baseline_forget_pages() - tracking of pages has ended: forget its rows
 *
 * Its counters go on, while its rows begin again at 0.
 *
 * Context: process; kma_lock is held.
 */
void kma_baseline_forget_pages(void);

#endif /* KMA_BASELINE_H */
