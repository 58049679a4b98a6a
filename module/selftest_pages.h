/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of pages that the self-test tries, when page tracking begins.
 *
 * As for objects (selftest_objects.h), each function allocates and frees by one path.  The events
 * of this task are noted (kma_page_listen()).  If they are right, the pages are recorded by hand,
 * so that their frees count.  They count in a row of [other] that is not in use before recording
 * begins, and whose counters become 0 again.
 *
 * Context of all of these: process, may sleep; pages are tracked, and their allocations are not
 * recorded.
 */
#ifndef KMA_SELFTEST_PAGES_H
#define KMA_SELFTEST_PAGES_H

/* mm_page_alloc and mm_page_free. */
const char *kma_selftest_pages(void);
/* The bulk page allocator. */
const char *kma_selftest_page_bulk(void);

#endif /* KMA_SELFTEST_PAGES_H */
