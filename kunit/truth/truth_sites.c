// SPDX-License-Identifier: GPL-2.0
/* The call sites of kmemacct_truth: see truth_sites.h for their names. */
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "truth_env.h"
#include "truth_sites.h"

void *truth_realloc_from;
void *truth_batch[TRUTH_BATCH_MAX];

static const char truth_text[] = TRUTH_TEXT;
static const char truth_data[4096];
static const char truth_large_data[20000];

/* The pointer only says whether there was memory: the objects are in truth_batch. */
#define TRUTH_BULK(cache, gfp, nr)					\
	(kmem_cache_alloc_bulk(cache, gfp, nr, truth_batch) ? truth_batch[0] : NULL)

/*
 * One noinline function each.  Neither the call in it nor a call of it may
 * become a jump, or the call site is another one: the barrier after the
 * allocation sees to the first, the table of pointers to the second.
 */
#define X(name, _cache, allocation)					\
static noinline void *truth_##name(size_t size, int node)		\
{									\
	struct kmem_cache **cache __maybe_unused =			\
		&truth_caches[TRUTH_##_cache].cache;			\
	void *ptr = allocation;						\
									\
	barrier();							\
	return ptr;							\
}

TRUTH_SITES(X)
#undef X

/* Its code is gone when the module has been loaded. */
static noinline __init void *truth_init(size_t size, int node)
{
	void *ptr = kmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

/*
 * On most kernels the call site is inside of the allocator, for sizes of more than
 * a page; for others kvmalloc() ends with a jump to kmalloc, and the site is its caller.
 */
static noinline void *truth_kvmalloc_page(size_t size, int node)
{
	void *ptr = kvmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

struct truth_site truth_sites[TRUTH_NR] = {
#define X(_name, _cache, ...) { "truth_" #_name, TRUTH_##_cache, truth_##_name },
	TRUTH_SITES(X)
#undef X
	[TRUTH_init] = { "truth_init", TRUTH_KMALLOC },
#ifdef KMA_HAVE_KVMALLOC_CALLER
	[TRUTH_kvmalloc_page] = { "truth_kvmalloc_page", TRUTH_KMALLOC,
				  truth_kvmalloc_page },
#else
	[TRUTH_kvmalloc_page] = { "-", TRUTH_KMALLOC, truth_kvmalloc_page },
#endif
};

void __init truth_sites_start(void)
{
#ifndef KMA_HAVE_LARGE_CALLER
	/* The call site is inside of the functions that they call. */
	truth_sites[TRUTH_large_kmemdup].name = "-";
	truth_sites[TRUTH_large_krealloc].name = "-";
#endif
	truth_sites[TRUTH_init].alloc = truth_init;
}

void __init truth_sites_loaded(void)
{
	truth_sites[TRUTH_init].alloc = NULL;
}
