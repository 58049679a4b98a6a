/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns that `latency` and `waits` have in common: how often, how long, and a histogram.
 *
 *	counters of enum kma_latency_counter --> KMA_TIMES_COLUMNS, KMA_BUCKETS_COLUMNS
 *
 * Context, unless a function says otherwise: any.
 */
#ifndef KMA_REPORT_TIMES_H
#define KMA_REPORT_TIMES_H

#include <linux/types.h>

/*
 * The value of a column of KMA_TIMES_COLUMNS, which is the same column of the table.  @v are the
 * counters of the row.
 */
u64 kma_times_value(const u64 *v, int column);

#endif /* KMA_REPORT_TIMES_H */
