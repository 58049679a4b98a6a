/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints of reclaim, shrinkers and compaction.  See phase.h. */
#ifndef KMA_TRACE_RECLAIM_H
#define KMA_TRACE_RECLAIM_H

/**
 * kma_reclaim_attach() - attach the probes
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_reclaim_attach(void);

/**
 * kma_reclaim_detach() - detach the probes, and wait until none of them runs any more
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_reclaim_detach(void);

#endif /* KMA_TRACE_RECLAIM_H */
