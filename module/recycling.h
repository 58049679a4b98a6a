/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which rows of call sites are recycled (core/recycle.h), and when.
 *
 * This happens at `reset`, and when rows run short.  A row without live objects is recycled if it
 * is retired or is of another sampling rate, and also:
 *
 *	at `reset`		if it has a stack
 *	when rows run short	if it has counted nothing since it was last looked at
 *
 * Rows run short when seven eighths of them are in use, or seven eighths of those that may have a
 * stack.  Until then, the call sites of a module that was unloaded keep their names and counts.
 */
#ifndef KMA_RECYCLING_H
#define KMA_RECYCLING_H

#include <linux/types.h>

/**
 * kma_recycling_forecast() - memory that kma_recycling_start() takes
 *
 * Context: process; kma_config is complete.
 * Return: bytes.
 */
u64 kma_recycling_forecast(void);

/**
 * kma_recycling_start() - allocate what is needed to find idle rows
 *
 * Context: process, may sleep; the tables are allocated.
 * Return: 0, or -ENOMEM, which has been explained in the kernel log.
 */
int kma_recycling_start(void);

/**
 * kma_recycling_stop() - undo kma_recycling_start()
 *
 * Context: process, may sleep; no other function of this file is called any more.
 */
void kma_recycling_stop(void);

/**
 * kma_recycling_turn() - recycle rows if they run short
 *
 * Call this about once a second.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_recycling_turn(void);

/**
 * kma_recycling_reset() - recycle rows after a reset
 *
 * Context: process, may sleep; kma_lock is held; the baseline is new.
 */
void kma_recycling_reset(void);

/**
 * kma_recycling_rows() - number of rows that were recycled since load
 *
 * Context: process; kma_lock is held.
 * Return: the number.
 */
u64 kma_recycling_rows(void);

#endif /* KMA_RECYCLING_H */
