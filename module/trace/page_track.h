/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting and stopping the tracking of pages, and its settings.
 *
 * Tracking takes 16 bytes of memory for each page of RAM, and is off by default.  It can be
 * switched on and off while objects are recorded.  Allocations are recorded only after all
 * probes have been attached, and frees are followed as long as allocations are recorded.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_PAGE_TRACK_H
#define KMA_TRACE_PAGE_TRACK_H

#include "../core/pagealloc.h"

/*
 * Parse the value of `pages`: off, classes or sites.  Returns an enum kma_pages_mode, or -EINVAL.
 * Context: any.
 */
int kma_pages_parse(const char *text);

/* The value of the setting `pages` for a mode, which is not KMA_PAGES_SAMPLED.  Context: any. */
const char *kma_pages_mode_name(enum kma_pages_mode mode);

/* The current value of the setting `pages`.  Context: any. */
const char *kma_pages_name(void);

/*
 * Track pages in another mode, which is not KMA_PAGES_SAMPLED.  KMA_PAGES_OFF stops tracking and
 * frees everything that was recorded.  Returns 0, or an error; then nothing has changed.
 */
int kma_pages_set(enum kma_pages_mode mode);

/*
 * Look for the call sites of sampled allocations only, on average one per @bytes, a power of two
 * from 4 KiB to 64 MiB; or, if @bytes is 0, for those of all allocations.
 */
void kma_pages_sample(u64 bytes);

/* The value that kma_pages_sample() has set.  Context: any. */
u64 kma_pages_bytes(void);

/* Record allocations, or stop.  Call this again when a filter is set or removed. */
void kma_pages_record(bool on);

/* Whether pages are tracked.  Context: any; constant while kma_lock is held. */
bool kma_pages_tracked(void);

/* When tracking last began: ns since boot. */
u64 kma_pages_since(void);

/* The shift, or KMA_SHIFT_EXACT, of rows of call sites that are new now. */
int kma_pages_shift(void);

#endif /* KMA_TRACE_PAGE_TRACK_H */
