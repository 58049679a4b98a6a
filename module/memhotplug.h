/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is added and removed at run time.
 *
 * The map of page generations (core/pagegen.h) has a fixed size: the page frames at load,
 * rounded up to a power of two.  When memory is added beyond the end of the map, the
 * module can no longer find objects that are left on freed pages.  The kernel log and
 * `net_page_free` in `stats` say so.  When memory is removed, nothing has to be done: all
 * of its pages have been freed before.
 *
 * The records of pages, while pages are tracked, are in chunks (core/pfntab.h).  A chunk
 * is added when its memory is added.
 */
#ifndef KMA_MEMHOTPLUG_H
#define KMA_MEMHOTPLUG_H

#include <linux/types.h>

/**
 * kma_memhotplug_end() - the end of all page frames
 *
 * Context: process.
 * Return: the highest page frame number plus 1.
 */
u64 kma_memhotplug_end(void);

/**
 * kma_memhotplug_pfns() - the number of page frames to keep generations of
 *
 * Context: process.
 * Return: a power of two: kma_memhotplug_end() rounded up, or less if RAM is spread too
 * thinly over the physical addresses.
 */
u64 kma_memhotplug_pfns(void);

/**
 * kma_memhotplug_start() - watch for memory that is added beyond the map of generations
 *
 * Context: process, may sleep; the tables are allocated, nothing is recorded yet.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_memhotplug_start(void);

/**
 * kma_memhotplug_stop() - undo kma_memhotplug_start()
 *
 * Context: process, may sleep.
 */
void kma_memhotplug_stop(void);

/**
 * kma_memhotplug_chunks() - the number of chunks of page records to make room for
 *
 * Context: process.
 * Return: enough for four times the page frames there are, and at least for 1 TiB.
 */
u64 kma_memhotplug_chunks(void);

/**
 * kma_memhotplug_pages_forecast() - memory that tracking pages would take now
 *
 * Context: process, may sleep.
 * Return: bytes, for the RAM there is now.
 */
u64 kma_memhotplug_pages_forecast(void);

/**
 * kma_memhotplug_pages_start() - add the records of all pages
 *
 * From now on, the records of memory that is added are added, too.
 *
 * Context: process, may sleep; kma_pagealloc is initialised and has no chunk.
 * Return: 0 or -ENOMEM; then kma_pagealloc_destroy() frees the chunks that were added.
 */
int kma_memhotplug_pages_start(void);

/**
 * kma_memhotplug_pages_stop() - stop adding records of memory that is added
 *
 * Context: process, may sleep.
 */
void kma_memhotplug_pages_stop(void);

#endif /* KMA_MEMHOTPLUG_H */
