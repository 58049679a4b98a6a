/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracking pages: beginning, ending, and its settings.
 *
 * Tracking takes memory, sixteen bytes for each page of RAM, and is off until it is
 * asked for.  It begins and ends while everything else goes on.  Frees are followed
 * first and last, and allocations are recorded once everything is attached.
 */
#ifndef KMA_TRACE_PAGE_TRACK_H
#define KMA_TRACE_PAGE_TRACK_H

#include "../core/pagealloc.h"

/**
 * kma_pages_parse() - parse the value of the setting `pages`
 * @text: off, classes or sites
 *
 * Context: any.
 * Return: enum kma_pages_mode, or -EINVAL.
 */
int kma_pages_parse(const char *text);

/**
 * kma_pages_name() - the value of the setting `pages`
 *
 * Context: any.
 * Return: as for kma_pages_parse().
 */
const char *kma_pages_name(void);

/**
 * kma_pages_set() - track pages in another mode
 * @mode: the mode, not KMA_PAGES_SAMPLED
 *
 * KMA_PAGES_OFF frees everything that was recorded.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error, and then nothing has changed.
 */
int kma_pages_set(enum kma_pages_mode mode);

/**
 * kma_pages_sample() - look for the call sites of sampled allocations only
 * @bytes: bytes between samples, on average: a power of two from 4 KiB to 64 MiB; 0:
 *	look for the call sites of all allocations
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_pages_sample(u64 bytes);

/**
 * kma_pages_bytes() - the value of kma_pages_sample()
 *
 * Context: any.
 * Return: bytes between samples; 0: no sampling.
 */
u64 kma_pages_bytes(void);

/**
 * kma_pages_record() - record allocations of pages, or do not
 * @on: record them
 *
 * To be called again when a filter is set or removed.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_pages_record(bool on);

/**
 * kma_pages_tracked() - whether pages are tracked
 *
 * Context: any; constant while kma_lock is held.
 * Return: true if so.
 */
bool kma_pages_tracked(void);

/**
 * kma_pages_since() - when tracking began last
 *
 * Context: process; kma_lock is held.
 * Return: boot time in nanoseconds.
 */
u64 kma_pages_since(void);

/**
 * kma_pages_memory() - memory that tracking takes, without its countmaps
 *
 * Context: process; kma_lock is held.
 * Return: bytes; 0 if pages are not tracked.
 */
u64 kma_pages_memory(void);

#endif /* KMA_TRACE_PAGE_TRACK_H */
