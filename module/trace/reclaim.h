/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints of reclaim, shrinkers and compaction.  See phase.h.
 *
 * Context of all functions: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_RECLAIM_H
#define KMA_TRACE_RECLAIM_H

/* Attach the probes.  Returns 0, or an error that has been explained in the kernel log. */
int kma_reclaim_attach(void);

/* Detach the probes, and wait until none of them runs any more. */
void kma_reclaim_detach(void);

#endif /* KMA_TRACE_RECLAIM_H */
