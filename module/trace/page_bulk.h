/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that are allocated in bulk, by __alloc_pages_bulk() or what it is called on
 * this kernel.  It has no event, and is followed by a kretprobe.
 */
#ifndef KMA_TRACE_PAGE_BULK_H
#define KMA_TRACE_PAGE_BULK_H

#include <linux/types.h>

/**
 * kma_page_bulk_start() - follow bulk allocations, if possible and if bulk=auto
 *
 * Failure is explained in the kernel log.
 *
 * Context: process, may sleep; after kma_page_track().
 */
void kma_page_bulk_start(void);

/**
 * kma_page_bulk_stop() - undo kma_page_bulk_start()
 *
 * Context: process, may sleep.
 */
void kma_page_bulk_stop(void);

/**
 * kma_page_bulk_followed() - whether pages of bulk allocations are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_page_bulk_followed(void);

/**
 * kma_page_bulk_missed() - bulk allocations that were not seen
 *
 * Context: any.
 * Return: calls, since pages are tracked.
 */
u64 kma_page_bulk_missed(void);

#endif /* KMA_TRACE_PAGE_BULK_H */
