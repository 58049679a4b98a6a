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
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_MEMHOTPLUG_H
#define KMA_MEMHOTPLUG_H

#include <linux/types.h>

#include "core/pagegen.h"

/* The highest page frame number plus 1. */
u64 kma_memhotplug_end(void);

/*
 * Size of the array of page generations, in page frames, a power of two: kma_memhotplug_end()
 * rounded up, or 64 times the RAM rounded up, if that is less because of large gaps between the
 * physical addresses of RAM.
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
 * Meanwhile, probes may use the generations of all other page frames.  The caller prevents
 * concurrent calls.  No event of these page frames can happen before this returns.
 *
 * Return: 0, or -ENOMEM: then nothing has changed.
 */
int kma_memhotplug_add(struct kma_pagegen *pages, u64 pfns, unsigned long pfn,
		       unsigned long nr, int node);

/*
 * Make room for page generations whenever memory is added from now on.  The tables are allocated,
 * and nothing is recorded yet.  Returns 0, or an error that has been explained in the kernel log.
 */
int kma_memhotplug_start(void);
void kma_memhotplug_stop(void);

/*
 * Let no page generation end any more, for the reason @why, which the kernel log shows.  Call
 * this, also in a memory notifier, if pages may be freed without the end of their generation.
 * From then on, entries of the live table whose object was freed unseen are not found by their
 * page.
 */
void kma_memhotplug_stop_generations(const char *why);

/* Chunks to make room for: for four times the present page frames, and for at least 1 TiB. */
u64 kma_memhotplug_chunks(void);

/* Bytes that page tracking would take if it began now. */
u64 kma_memhotplug_pages_forecast(void);

/*
 * Add the chunks of all pages to kma_pagealloc, which is initialised and has no chunks.  When
 * memory is added later, its chunks are added, too, until kma_memhotplug_pages_stop().  Returns 0
 * or -ENOMEM; then kma_pagealloc_destroy() frees the chunks that were added.
 */
int kma_memhotplug_pages_start(void);
void kma_memhotplug_pages_stop(void);

#endif /* KMA_MEMHOTPLUG_H */
