/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The setting `latency`: which phases of reclaim and compaction are counted.
 *
 * Context, unless a function says otherwise: any.
 */
#ifndef KMA_TRACE_LATENCY_TRACK_H
#define KMA_TRACE_LATENCY_TRACK_H

#include <linux/types.h>

/**
 * enum kma_latency_mode - the values of the setting
 * @KMA_LATENCY_OFF: nothing is counted
 * @KMA_LATENCY_ON: phases that have tracepoints
 * @KMA_LATENCY_FUNCTIONS: these, and functions that are followed (reclaim_functions.h)
 */
enum kma_latency_mode {
	KMA_LATENCY_OFF,
	KMA_LATENCY_ON,
	KMA_LATENCY_FUNCTIONS,
};

/* Parse a value of the setting.  Returns an enum kma_latency_mode, or -EINVAL. */
int kma_latency_parse(const char *text);

const char *kma_latency_name(void);

/*
 * Change the setting.  Returns 0, -ENOMEM, or the error of a tracepoint that has been explained in
 * the kernel log; after an error, nothing has changed.  Context: process, may sleep; kma_lock is
 * held.
 */
int kma_latency_set(enum kma_latency_mode mode);

#endif /* KMA_TRACE_LATENCY_TRACK_H */
