/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following allocations of pages in bulk, by __alloc_pages_bulk() (some kernels have
 * another name for it).  The function has no tracepoint, so a kretprobe follows it.
 */
#ifndef KMA_TRACE_PAGE_BULK_H
#define KMA_TRACE_PAGE_BULK_H

#include <linux/types.h>

/**
 * kma_page_bulk_start() - follow bulk allocations, if possible and if bulk=auto
 *
 * If the function cannot be followed, the kernel log says so.
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
 * kma_page_bulk_missed() - number of bulk allocations that were not seen
 *
 * Context: any.
 * Return: calls, since tracking of pages began.
 */
u64 kma_page_bulk_missed(void);

#endif /* KMA_TRACE_PAGE_BULK_H */
