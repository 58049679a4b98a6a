/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Following bulk allocations of pages by __alloc_pages_bulk(), which is called
 * alloc_pages_bulk_noprof() since 6.10.  The function has no tracepoint, so the module
 * follows it with a kretprobe.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_PAGE_BULK_H
#define KMA_TRACE_PAGE_BULK_H

#include <linux/types.h>

/* Bytes that kma_page_bulk_start() takes at most.  kma_config is complete. */
u64 kma_page_bulk_forecast(void);

/*
 * Follow bulk allocations, if possible and if bulk=auto, after kma_page_track().  If the function
 * cannot be followed, the kernel log says so.
 */
void kma_page_bulk_start(void);
void kma_page_bulk_stop(void);

/* Whether bulk allocations of pages are recorded.  Context: any. */
bool kma_page_bulk_followed(void);

/* Number of bulk allocations of pages, since tracking began, that were not seen.  Context: any. */
u64 kma_page_bulk_missed(void);

#endif /* KMA_TRACE_PAGE_BULK_H */
