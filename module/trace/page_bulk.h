/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following bulk allocations of pages by __alloc_pages_bulk(), which is called
 * alloc_pages_bulk_noprof() since 6.10.  The function has no tracepoint, so the module
 * follows it with a kretprobe.
 */
#ifndef KMA_TRACE_PAGE_BULK_H
#define KMA_TRACE_PAGE_BULK_H

#include <linux/types.h>

/**
 * kma_page_bulk_forecast() - memory that kma_page_bulk_start() takes at most
 *
 * Context: process; kma_config is complete.
 * Return: bytes.
 */
u64 kma_page_bulk_forecast(void);

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
 * kma_page_bulk_followed() - whether bulk allocations of pages are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_page_bulk_followed(void);

/**
 * kma_page_bulk_missed() - number of bulk allocations of pages that were not seen
 *
 * Context: any.
 * Return: number of calls since tracking of pages began.
 */
u64 kma_page_bulk_missed(void);

#endif /* KMA_TRACE_PAGE_BULK_H */
