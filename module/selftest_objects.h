/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of objects that the self-test tries: ways to allocate and to free.
 *
 * Each function allocates and frees objects by one path, and asks the witness (witness.h) what was
 * recorded.  The function returns NULL if that is right, kma_witness_untested, or what is wrong.
 *
 * Context, unless a function says otherwise: process, may sleep; between kma_witness_start() and
 * kma_witness_stop(), and after kma_witness_clear().
 */
#ifndef KMA_SELFTEST_OBJECTS_H
#define KMA_SELFTEST_OBJECTS_H

/*
 * Create the kmem_cache that the functions below need.  If there is no memory for the cache, they
 * return kma_witness_untested.  Context of both: process, may sleep.
 */
void kma_selftest_objects_start(void);
void kma_selftest_objects_stop(void);

/* Allocations with events, and kfree() and kmem_cache_free(). */
const char *kma_selftest_kmalloc(void);
const char *kma_selftest_kmalloc_node(void);
const char *kma_selftest_kmalloc_large(void);
const char *kma_selftest_krealloc(void);
const char *kma_selftest_cache(void);
const char *kma_selftest_cache_node(void);
/* Frees without an event. */
const char *kma_selftest_free_bulk(void);
const char *kma_selftest_kfree_rcu(void);
const char *kma_selftest_kfree_nolock(void);
const char *kma_selftest_kfree_rcu_nolock(void);
/* Allocations without an event. */
const char *kma_selftest_alloc_bulk(void);
const char *kma_selftest_kmalloc_nolock(void);
/* Pages that are freed while an object on them is recorded. */
const char *kma_selftest_page_net(void);
/* The end of a kmem_cache.  This test comes last, because it destroys the cache of the others. */
const char *kma_selftest_cache_destroy(void);

#endif /* KMA_SELFTEST_OBJECTS_H */
