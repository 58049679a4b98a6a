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

/* NULL if there was no memory.  All objects, the returned one included, are in truth_batch. */
#define TRUTH_BULK(cache, gfp, nr)					\
	(kmem_cache_alloc_bulk(cache, gfp, nr, truth_batch) ? truth_batch[0] : NULL)

/* A helper of this module: it only allocates for its caller. */
static noinline void *truth_wrapper(size_t size)
{
	void *ptr = kmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

/*
 * One noinline function for each call site.  Neither the allocation in it nor a call of
 * the function may become a tail call, or the call site would be another one.  The barrier
 * after the allocation prevents the first, the table of pointers the second.
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

/* The kernel frees the code of this function once the module has been loaded. */
static noinline __init void *truth_init(size_t size, int node)
{
	void *ptr = kmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

struct truth_site truth_sites[TRUTH_NR] = {
#define X(_name, _cache, ...) { "truth_" #_name, TRUTH_##_cache, truth_##_name },
	TRUTH_SITES(X)
#undef X
	[TRUTH_init] = { "truth_init", TRUTH_KMALLOC },
};

void __init truth_sites_start(void)
{
	truth_sites[TRUTH_init].alloc = truth_init;
}

void __init truth_sites_loaded(void)
{
	truth_sites[TRUTH_init].alloc = NULL;
}
