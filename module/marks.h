/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the marks of the history are set (core/history.h).
 *
 * The worker of overhead.c calls kma_marks_turn() about once a second, and on an idle machine once
 * a minute.  At every tenth second, it sweeps the live table, because objects of stale entries
 * would count as live, and reads all rows.  If this takes more than 1 % of one CPU, the worker does
 * it less often.  Its time counts as cost of the module.
 *
 * Time goes on while the machine is suspended.  Marks that should have been set meanwhile are
 * missing.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_MARKS_H
#define KMA_MARKS_H

#include <linux/types.h>

#include "core/history.h"
#include "machine.h"

/* The history of the call sites of objects. */
extern struct kma_history kma_history;

/* For each mark, the state of the machine. */
extern struct kma_machine kma_marks_machine[KMA_HISTORY_INDEXES];

/*
 * When the history began, in seconds of the clock that goes on while the machine is suspended.
 * Tests change this.
 */
extern u64 kma_marks_began;

/* Bytes that kma_marks_start() allocates.  Context: process; kma_config is complete. */
u64 kma_marks_forecast(void);

/*
 * Allocate the history, and begin it.  Returns 0, or -ENOMEM, which has been explained in the
 * kernel log.  Context: process, may sleep; the tables are allocated, and no row is in use.
 */
int kma_marks_start(void);

/* Free the history.  Context: process, may sleep; the worker has stopped. */
void kma_marks_stop(void);

/* Seconds since kma_marks_start().  Context: process. */
u64 kma_marks_now(void);

/* Jiffies until the marks of the next minute are due.  Context: process. */
unsigned long kma_marks_wait(void);

/*
 * Sweep the live table if marks are due.  Return: true if they are: then the caller has to call
 * kma_marks_turn().  Context: process, may sleep; only the worker calls these two functions.
 * kma_lock is not held.
 */
bool kma_marks_sweep(void);

/* Set the marks that are due.  kma_lock is released and taken again now and then. */
void kma_marks_turn(void);

/* The time that the last marks took, in us, sweeping included. */
u64 kma_marks_last_us(void);

/* The CPU time in ns that marks take in @ns of time, according to the last one. */
u64 kma_marks_cost(u64 ns);

#endif /* KMA_MARKS_H */
