/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites that run the whole module share: all of it but its parameters is
 * started, and call sites make real allocations.
 */
#ifndef KMA_KUNIT_PROBE_UTIL_H
#define KMA_KUNIT_PROBE_UTIL_H

#include "util.h"
#include "module.h"

/* How the module is started. */
extern const struct kma_load kma_small;

/* Start the module, with all counters at 0. For struct kunit_suite. */
int kma_probe_init_test(struct kunit *test);
void kma_probe_exit_test(struct kunit *test);

/* Stop the module, let its counters start at 0, and start it in another way. */
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
int kma_site_bulk(int nr, void **object);	/* kmem_cache_alloc_bulk(), the same */

/* A cache for the last two. */
extern struct kmem_cache *kma_probe_cache;

/* Make it, for objects of @size bytes. Return: bytes that an object takes. */
u32 kma_probe_cache_create(struct kunit *test, const char *name, unsigned int size);

/* ---- what the tables say of them ------------------------------------------ */

/*
 * The counters of all rows whose call site is in a function.  Nothing else calls the
 * functions above, so they are quiet whatever the machine does.
 */
struct kma_site_counts kma_site_counts_of(const char *function);

/* One of them: a whole row takes much of a stack. */
u64 kma_count_of(const char *function, enum kma_site_column column);

/**
 * struct kma_site_expect - what a case expects of a call site
 * @hits: column of the same name, as all that follow
 * @bytes_req: likewise
 * @frees: likewise
 * @live_objs: likewise
 * @no_entry: likewise
 * @pingpong: likewise
 * @cross_node: likewise
 * @bulk_objs: likewise
 * @samples: likewise
 * @live_samples: likewise
 * @confirmed_objs: live objects that are confirmed
 * @slot: bytes that each object takes, of which bytes_alloc, bytes_freed, bulk_bytes,
 *	live_bytes and confirmed_bytes follow; 0 if these are not to be compared
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

/* Check all of it. */
void kma_expect_site(struct kunit *test, const char *function,
		     const struct kma_site_expect *expect);

#endif /* KMA_KUNIT_PROBE_UTIL_H */
