/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of what a task waited for.
 *
 * Context of all functions: process; kma_lock is held.
 */
#ifndef KMA_REPORT_CAUSES_H
#define KMA_REPORT_CAUSES_H

#include <linux/types.h>

#include "../core/stall.h"

/*
 * Print what a task waited for in the own time of a phase.  @detail is the shrinker or the reason
 * for throttling, as in struct kma_stall_part.  Returns the number of bytes printed.
 */
int kma_cause_print(enum kma_phase phase, u64 detail, char *buf, size_t size);

#endif /* KMA_REPORT_CAUSES_H */
