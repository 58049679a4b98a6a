/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of pages that the self-test tries, when page tracking begins.
 *
 * As for objects (selftest_objects.h), each function allocates and frees pages by one path.  The
 * function notes the allocations of this task (kma_page_listen()).  If these are right, it makes
 * records of the pages, so that their frees count.  They count in a row [other] that is not in use
 * before recording begins, and whose counters the function sets to 0 again.
 *
 * Context of all functions: process, may sleep; pages are tracked, and their allocations are not
 * recorded.
 */
#ifndef KMA_SELFTEST_PAGES_H
#define KMA_SELFTEST_PAGES_H

/* mm_page_alloc and mm_page_free. */
const char *kma_selftest_pages(void);
/* The bulk page allocator. */
const char *kma_selftest_page_bulk(void);

#endif /* KMA_SELFTEST_PAGES_H */
