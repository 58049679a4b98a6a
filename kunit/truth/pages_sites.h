/* SPDX-License-Identifier: GPL-2.0 */
/* The call sites of kmemacct_pages: each function allocates, and does nothing else. */
#ifndef KMA_PAGES_SITES_H
#define KMA_PAGES_SITES_H

#include <linux/gfp.h>
#include <linux/types.h>

struct page *truth_alloc_pages(unsigned int order, gfp_t gfp);
struct page *truth_get_free_pages(unsigned int order, gfp_t gfp);
struct page *truth_alloc_pages_node(unsigned int order, gfp_t gfp);
void *truth_alloc_pages_exact(size_t bytes, gfp_t gfp);
void *truth_vmalloc(unsigned long bytes);

/* Single pages by one call. Return: how many; 0 if the kernel has no such call. */
unsigned long truth_alloc_bulk(gfp_t gfp, unsigned long nr, struct page **page);

/**
 * struct truth_way - a call site for blocks of any order
 * @function: its name
 * @alloc: the function
 */
struct truth_way {
	const char *function;
	struct page *(*alloc)(unsigned int order, gfp_t gfp);
};

#define TRUTH_NR_WAYS	3

/* truth_alloc_pages(), truth_get_free_pages() and truth_alloc_pages_node(). */
extern const struct truth_way truth_ways[TRUTH_NR_WAYS];

#endif /* KMA_PAGES_SITES_H */
