/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thresholds of slow phases: from which time on a phase is slow.  Users write them as one text:
 *
 *	10000,compaction=1000,shrinker=500
 *
 * The first number is for outermost phases.  A phase that is named has a threshold of its own,
 * which replaces the first one, and is also for phases inside other phases.  All times are in us,
 * and 0 means that no phase is slow.  A phase is named by its text in the table `latency`; if
 * several phases have the same text, the threshold is for all of them.
 *
 * Context, unless a function says otherwise: any.
 */
#ifndef KMA_CORE_THRESHOLD_H
#define KMA_CORE_THRESHOLD_H

#include <linux/types.h>

#include "stall.h"

/* The largest threshold: an hour. */
#define KMA_THRESHOLD_US_MAX	3600000000ULL
/* Size of the reason why a text is not valid, which may list all phases. */
#define KMA_THRESHOLD_WHY	448

/**
 * struct kma_thresholds - the thresholds
 * @us: of outermost phases, in us; 0: none
 * @own: bit mask of the phases that have a threshold of their own
 * @own_us: for each of these phases, its threshold in us; 0: none
 */
struct kma_thresholds {
	u64 us;
	unsigned long own;
	u64 own_us[KMA_PHASE_NR];
};

/**
 * kma_thresholds_parse() - parse a text
 * @t: is set to the thresholds
 * @text: the text, which this modifies
 * @why: if the text is not valid, is set to the reason, in one line that may quote any byte
 *
 * Return: 0 or -EINVAL.
 */
int kma_thresholds_parse(struct kma_thresholds *t, char *text, char why[KMA_THRESHOLD_WHY]);

/*
 * Print the text that kma_thresholds_parse() takes, with phases in the order of KMA_PHASES.
 * Returns the number of bytes, without the NUL.
 */
int kma_thresholds_print(const struct kma_thresholds *t, char *buf, size_t size);

/*
 * The threshold of a phase in ns; 0: it is never slow.  A phase that is no outermost one can only
 * be slow if it has a threshold of its own.
 */
u64 kma_threshold_ns(const struct kma_thresholds *t, enum kma_phase phase);

#endif /* KMA_CORE_THRESHOLD_H */
