/* SPDX-License-Identifier: GPL-2.0 */
/* The call sites of kmemacct_pages: each function only allocates. */
#ifndef KMA_PAGES_SITES_H
#define KMA_PAGES_SITES_H

#include <linux/gfp.h>
#include <linux/types.h>

struct page *truth_alloc_pages(unsigned int order, gfp_t gfp);
struct page *truth_get_free_pages(unsigned int order, gfp_t gfp);
struct page *truth_alloc_pages_node(unsigned int order, gfp_t gfp);
void *truth_alloc_pages_exact(size_t bytes, gfp_t gfp);
void *truth_vmalloc(unsigned long bytes);

/* Allocate single pages in bulk. Return: how many; 0 if the kernel cannot do that. */
unsigned long truth_alloc_bulk(gfp_t gfp, unsigned long nr, struct page **page);

/**
 * struct truth_page_site - a call site that allocates pages of any order
 * @function: its name
 * @alloc: the function
 */
struct truth_page_site {
	const char *function;
	struct page *(*alloc)(unsigned int order, gfp_t gfp);
};

#define TRUTH_NR_PAGE_SITES	3

/* truth_alloc_pages(), truth_get_free_pages() and truth_alloc_pages_node(). */
extern const struct truth_page_site truth_page_sites[TRUTH_NR_PAGE_SITES];

#endif /* KMA_PAGES_SITES_H */
