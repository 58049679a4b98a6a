/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the stack of an allocation that is sampled: kma_env_stack() of core/env.h.
 *
 * The walk begins in the probe and goes through the tracepoint and the allocator; the
 * recorded stack begins at the call site that the event names.  The unwinder allocates
 * nothing and takes no lock, but costs some 450 instructions for each stack frame.  Most
 * code that allocates does so again and again from one place of one task, so each CPU
 * remembers some stacks in memos: the return addresses, and where on the stack they were.
 * If they are still there, seen from the same stack pointer, it is the same stack, because
 * the code of a stack frame and its beginning determine its end.  (A few functions have
 * stack frames of variable size.  A memo of these is wrong only if the return addresses of
 * all callers are left over in exactly the same places.)
 *
 * A memo belongs to the context that has set its @busy, until the sample has been
 * recorded.  Any other context unwinds.
 */
#ifndef KMA_RESOLVE_STACK_H
#define KMA_RESOLVE_STACK_H

/**
 * kma_stack_start() - allocate the memos of kma_env_stack()
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, which has been explained in the kernel log.
 */
int kma_stack_start(void);

/**
 * kma_stack_stop() - undo kma_stack_start()
 *
 * Context: process, may sleep; no probe runs.
 */
void kma_stack_stop(void);

#endif /* KMA_RESOLVE_STACK_H */
