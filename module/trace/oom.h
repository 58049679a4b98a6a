/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The OOM killer, which sets off an incident (trigger.h).
 *
 * The tracepoint mark_victim tells of each process that it has chosen: because no memory is left,
 * or because a cgroup is at its limit.
 *
 * Context, unless a function says otherwise: process, may sleep; calls do not run concurrently.
 */
#ifndef KMA_TRACE_OOM_H
#define KMA_TRACE_OOM_H

/* Attach the probe; if that is not possible, the kernel log says what is lost. */
void kma_oom_start(void);

/* Detach the probe.  On return, it may still be running: see trace/tracepoint.h. */
void kma_oom_stop(void);

#endif /* KMA_TRACE_OOM_H */
