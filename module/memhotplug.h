/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is added and removed at run time.
 *
 * The array of page generations (core/pagegen.h) has memory for the page frames of RAM.  When
 * memory is added, the array gets memory for the new page frames, on their node, and grows if they
 * are beyond its end.  If that fails, generations must not end any more, so the module no longer
 * finds entries of the live table whose object was freed unseen.  The kernel log and the line
 * `net_page_free` in `stats` show this.  When memory is removed, nothing has to be done, because
 * all of its pages have been freed before.  Their generations stay.
 *
 * While pages are tracked, their records are in chunks (core/pfntab.h).  A chunk is added when
 * its memory is added.
 */
#ifndef KMA_MEMHOTPLUG_H
#define KMA_MEMHOTPLUG_H

#include <linux/types.h>

#include "core/pagegen.h"

/**
 * kma_memhotplug_end() - get the end of all page frames
 *
 * Context: process.
 * Return: the highest page frame number plus 1.
 */
u64 kma_memhotplug_end(void);

/**
 * kma_memhotplug_pfns() - compute the size of the array of page generations
 *
 * Context: process.
 * Return: number of page frames, a power of two: kma_memhotplug_end() rounded up, or 64 times the
 * RAM rounded up, if that is less because of large gaps between the physical addresses of RAM.
 */
u64 kma_memhotplug_pfns(void);

/**
 * kma_memhotplug_add() - make room for the generations of page frames that will be added
 * @pages: the page generations
 * @pfns: number of generations from now on, a power of two, at least the present number
 * @pfn: number of the first page frame that will be added
 * @nr: number of page frames that will be added, all of them below @pfns
 * @node: the node of these page frames
 *
 * Meanwhile, probes may use the generations of all other page frames.
 *
 * Context: process, may sleep; the caller prevents concurrent calls.  No event of these page
 * frames can happen before this returns.
 * Return: 0, or -ENOMEM: then nothing has changed.
 */
int kma_memhotplug_add(struct kma_pagegen *pages, u64 pfns, unsigned long pfn,
		       unsigned long nr, int node);

/**
 * kma_memhotplug_start() - make room for page generations whenever memory is added from now on
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
 * kma_memhotplug_stop_generations() - let no page generation end any more
 * @why: the reason, for the kernel log
 *
 * Call this if pages may be freed without the end of their generation.  From then on, entries of
 * the live table whose object was freed unseen are not found by their page.
 *
 * Context: process, may sleep; in a memory notifier, too.
 */
void kma_memhotplug_stop_generations(const char *why);

/**
 * kma_memhotplug_chunks() - compute the number of chunks of page records to make room for
 *
 * Context: process.
 * Return: number of chunks, enough for four times the present page frames and for at least
 * 1 TiB.
 */
u64 kma_memhotplug_chunks(void);

/**
 * kma_memhotplug_pages_forecast() - memory that page tracking would take if it began now
 *
 * Context: process, may sleep.
 * Return: bytes.
 */
u64 kma_memhotplug_pages_forecast(void);

/**
 * kma_memhotplug_pages_start() - add the chunks of all pages
 *
 * When memory is added later, its chunks are added, too, until kma_memhotplug_pages_stop().
 *
 * Context: process, may sleep; kma_pagealloc is initialised and has no chunks.
 * Return: 0 or -ENOMEM; then kma_pagealloc_destroy() frees the chunks that were added.
 */
int kma_memhotplug_pages_start(void);

/**
 * kma_memhotplug_pages_stop() - stop adding chunks when memory is added
 *
 * Context: process, may sleep.
 */
void kma_memhotplug_pages_stop(void);

#endif /* KMA_MEMHOTPLUG_H */
