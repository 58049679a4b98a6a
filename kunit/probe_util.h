/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the suites that run the whole module share.  Everything except the module
 * parameters is started, and call sites make real allocations.
 */
#ifndef KMA_KUNIT_PROBE_UTIL_H
#define KMA_KUNIT_PROBE_UTIL_H

#include "util.h"
#include "module.h"

/* Module parameters for tables of a small size, without a budget. */
extern const struct kma_load kma_small;

/* For struct kunit_suite: clear all counters and start the module; stop the module. */
int kma_probe_init_test(struct kunit *test);
void kma_probe_exit_test(struct kunit *test);

/* Stop the module, clear its counters, and start it with other parameters. */
void kma_probe_restart(struct kunit *test, const struct kma_load *load);

/* ---- the call sites ------------------------------------------------------- */

void *kma_site_const(void);		/* kmalloc(100) */
void *kma_site_large_const(void);	/* kmalloc(16384) */
void *kma_site_atomic(void);		/* kmalloc(100, GFP_ATOMIC) */
void *kma_site_size(size_t size);	/* kmalloc() */
void *kma_site_storm(size_t size);	/* kmalloc() */
void *kma_site_fails(size_t size);	/* kmalloc(), without a warning */
void *kma_site_node(size_t size);	/* kmalloc_node(), the node of this CPU */
void *kma_site_zalloc(size_t size);	/* kzalloc() */
void *kma_site_array(size_t size);	/* kmalloc_array() */
void *kma_site_track(size_t size);	/* kmalloc_track_caller() in a function */
void *kma_site_memdup(size_t size);	/* kmemdup() */
void *kma_site_kv(size_t size);		/* kvmalloc() */
void *kma_site_realloc(void *ptr, size_t size);		/* krealloc() */
void *kma_site_cache(void);		/* kmem_cache_alloc(kma_probe_cache) */
int kma_site_bulk(int nr, void **object);	/* kmem_cache_alloc_bulk(kma_probe_cache) */

/* The cache of kma_site_cache() and kma_site_bulk(). */
extern struct kmem_cache *kma_probe_cache;

/* Create kma_probe_cache, for objects of @size bytes. Return: its slot size. */
u32 kma_probe_cache_create(struct kunit *test, const char *name, unsigned int size);

/* ---- their counters ------------------------------------------------------- */

/*
 * Add up the counters of all rows whose call site is in a function.  Only tests call the
 * functions above, so other activity of the machine does not change these counters.
 */
struct kma_site_counts kma_site_counts_of(const char *function);

/* Like kma_site_counts_of(), but returns one counter, which takes less room on the stack. */
u64 kma_count_of(const char *function, enum kma_site_column column);

/**
 * struct kma_site_expect - counters of a call site that a test case expects
 * @hits: the column of `callers` with this name
 * @bytes_req: the column of `callers` with this name
 * @frees: the column of `callers` with this name
 * @live_objs: the column of `callers` with this name
 * @no_entry: the column of `callers` with this name
 * @pingpong: the column of `callers` with this name
 * @cross_node: the column of `callers` with this name
 * @bulk_objs: the column of `callers` with this name
 * @samples: the column of `callers` with this name
 * @live_samples: the column of `callers` with this name
 * @confirmed_objs: number of live objects that are confirmed
 * @slot: bytes that each object takes, from which bytes_alloc, bytes_freed, bulk_bytes,
 *	live_bytes and confirmed_bytes are computed; 0 to not compare these columns
 */
struct kma_site_expect {
	u64 hits;
	u64 bytes_req;
	u64 frees;
	u64 live_objs;
	u64 no_entry;
	u64 pingpong;
	u64 cross_node;
	u64 bulk_objs;
	u64 samples;
	u64 live_samples;
	u64 confirmed_objs;
	u32 slot;
};

/* Check all counters of the rows whose call site is in a function. */
void kma_expect_site(struct kunit *test, const char *function,
		     const struct kma_site_expect *expect);

#endif /* KMA_KUNIT_PROBE_UTIL_H */
