/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting and stopping the tracking of pages, and its settings.
 *
 * Tracking takes 16 bytes of memory for each page of RAM, and is off by default.  It can be
 * switched on and off while objects are recorded.  Allocations are recorded only after all
 * probes have been attached, and frees are followed as long as allocations are recorded.
 */
#ifndef KMA_TRACE_PAGE_TRACK_H
#define KMA_TRACE_PAGE_TRACK_H

#include "../core/pagealloc.h"

/**
 * kma_pages_parse() - parse the value of the setting `pages`
 * @text: off, classes or sites
 *
 * Context: any.
 * Return: the mode, an enum kma_pages_mode; or -EINVAL.
 */
int kma_pages_parse(const char *text);

/**
 * kma_pages_mode_name() - the value of the setting `pages` for a mode
 * @mode: the mode, not KMA_PAGES_SAMPLED
 *
 * Context: any.
 * Return: off, classes or sites.
 */
const char *kma_pages_mode_name(enum kma_pages_mode mode);

/**
 * kma_pages_name() - the current value of the setting `pages`
 *
 * Context: any.
 * Return: off, classes or sites.
 */
const char *kma_pages_name(void);

/**
 * kma_pages_set() - track pages in another mode
 * @mode: the mode, not KMA_PAGES_SAMPLED
 *
 * KMA_PAGES_OFF stops tracking and frees everything that was recorded.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error; then nothing has changed.
 */
int kma_pages_set(enum kma_pages_mode mode);

/**
 * kma_pages_sample() - look for the call sites of sampled allocations only
 * @bytes: bytes between samples, on average: a power of two from 4 KiB to 64 MiB; 0 to
 *	look for the call sites of all allocations
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_pages_sample(u64 bytes);

/**
 * kma_pages_bytes() - the value that kma_pages_sample() has set
 *
 * Context: any.
 * Return: bytes between samples, on average; 0 without sampling.
 */
u64 kma_pages_bytes(void);

/**
 * kma_pages_record() - record allocations of pages, or stop recording them
 * @on: true to record them
 *
 * Call this again when a filter is set or removed.
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
 * kma_pages_since() - when tracking last began
 *
 * Context: process; kma_lock is held.
 * Return: boot time in nanoseconds.
 */
u64 kma_pages_since(void);

/**
 * kma_pages_shift() - the shift of rows of call sites that are new now
 *
 * Context: process; kma_lock is held.
 * Return: the binary logarithm of the N that page allocations are sampled with, or
 * KMA_SHIFT_EXACT.
 */
int kma_pages_shift(void);

#endif /* KMA_TRACE_PAGE_TRACK_H */
