// SPDX-License-Identifier: GPL-2.0
/* The call sites of kmemacct_pages. */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "truth_compat.h"
#include "pages_sites.h"

noinline __noclone struct page *truth_alloc_pages(unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages(gfp, order);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

noinline __noclone struct page *truth_get_free_pages(unsigned int order, gfp_t gfp)
{
	unsigned long addr = __get_free_pages(gfp, order);

	OPTIMIZER_HIDE_VAR(addr);
	return addr ? virt_to_page((void *)addr) : NULL;
}

noinline __noclone struct page *truth_alloc_pages_node(unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages_node(first_online_node, gfp, order);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

noinline __noclone void *truth_alloc_pages_exact(size_t bytes, gfp_t gfp)
{
	void *mem = alloc_pages_exact(bytes, gfp);

	OPTIMIZER_HIDE_VAR(mem);
	return mem;
}

noinline __noclone unsigned long
truth_alloc_bulk(gfp_t gfp, unsigned long nr, struct page **page)
{
#ifdef KMA_ALLOC_PAGES_BULK
	unsigned long got = kma_alloc_pages_bulk(gfp, nr, page);

	OPTIMIZER_HIDE_VAR(got);
	return got;
#else
	return 0;
#endif
}

noinline __noclone void *truth_vmalloc(unsigned long bytes)
{
	void *mem = vmalloc(bytes);

	OPTIMIZER_HIDE_VAR(mem);
	return mem;
}

const struct truth_page_site truth_page_sites[TRUTH_NR_PAGE_SITES] = {
	{ "truth_alloc_pages", truth_alloc_pages },
	{ "truth_get_free_pages", truth_get_free_pages },
	{ "truth_alloc_pages_node", truth_alloc_pages_node },
};
