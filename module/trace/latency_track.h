/* SPDX-License-Identifier: GPL-2.0 */
/* The setting `latency`: which phases of reclaim and compaction are counted. */
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

/**
 * kma_latency_parse() - parse a value of the setting
 * @text: the text
 *
 * Context: any.
 * Return: an enum kma_latency_mode, or -EINVAL.
 */
int kma_latency_parse(const char *text);

/**
 * kma_latency_name() - the current value of the setting
 *
 * Context: any.
 * Return: its text.
 */
const char *kma_latency_name(void);

/**
 * kma_latency_set() - change the setting
 * @mode: the new value
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, -ENOMEM, or the error of a tracepoint that has been explained in the kernel log;
 * after an error, nothing has changed.
 */
int kma_latency_set(enum kma_latency_mode mode);

#endif /* KMA_TRACE_LATENCY_TRACK_H */
