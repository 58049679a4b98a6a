/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the stack of a sampled allocation: kma_env_stack() of core/env.h.
 *
 * Unwinding begins in the probe, and goes through the tracepoint and the allocator.  The
 * recorded stack begins at the call site that the event names.  The unwinder allocates
 * nothing and takes no lock, but it is expensive.  So each CPU remembers some stacks in memos,
 * each with the trail by which the stack is recognized (trail.h).
 *
 * A memo belongs to the context that has set its @busy, until the sample has been recorded.
 * Any other context that needs the same memo meanwhile unwinds its stack instead.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_RESOLVE_STACK_H
#define KMA_RESOLVE_STACK_H

#include <linux/types.h>

/* Bytes that kma_stack_start() takes. */
u64 kma_stack_forecast(void);

/* Allocate the memos of kma_env_stack().  Returns 0, or -ENOMEM, which the kernel log explains. */
int kma_stack_start(void);

/* Undo kma_stack_start().  No probe runs. */
void kma_stack_stop(void);

#endif /* KMA_RESOLVE_STACK_H */
