/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that comes and goes.
 *
 * The map of page generations is as large as the RAM that is there at load, rounded up
 * to a power of two.  Memory that is added beyond its end takes the page net away
 * (core/pagegen.h); the kernel log and `stats` say so.  Memory that is removed needs
 * nothing: all of its pages have been freed before.
 *
 * While pages are tracked, their records come in chunks (core/pfntab.h), which are
 * added with the memory.
 */
#ifndef KMA_MEMHOTPLUG_H
#define KMA_MEMHOTPLUG_H

#include <linux/types.h>

/**
 * kma_memhotplug_end() - where page frames end
 *
 * Context: process.
 * Return: one more than the highest page frame number.
 */
u64 kma_memhotplug_end(void);

/**
 * kma_memhotplug_pfns() - how many page frames to keep generations of
 *
 * Context: process.
 * Return: as many as there are, rounded up to a power of two.
 */
u64 kma_memhotplug_pfns(void);

/**
 * kma_memhotplug_start() - follow memory that is added
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
 * kma_memhotplug_chunks() - for how many chunks of page records to make room
 *
 * Context: process.
 * Return: four times what the RAM takes, and 1 TiB at least.
 */
u64 kma_memhotplug_chunks(void);

/**
 * kma_memhotplug_pages_forecast() - memory that tracking pages would take
 *
 * Context: process, may sleep.
 * Return: bytes, with the RAM that is there now.
 */
u64 kma_memhotplug_pages_forecast(void);

/**
 * kma_memhotplug_pages_start() - allocate records for all pages there are, and for
 * those of memory that is added
 *
 * Context: process, may sleep; kma_pagealloc is initialised and has no chunk.
 * Return: 0 or -ENOMEM; then kma_pagealloc_destroy() frees what was allocated.
 */
int kma_memhotplug_pages_start(void);

/**
 * kma_memhotplug_pages_stop() - add no more records
 *
 * Context: process, may sleep.
 */
void kma_memhotplug_pages_stop(void);

#endif /* KMA_MEMHOTPLUG_H */
