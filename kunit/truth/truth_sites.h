/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites of kmemacct_truth.
 *
 * TRUTH_SITES() lists them: X(name, cache, allocation).  For each line, truth_sites.c
 * defines the function truth_NAME(), which only allocates, and which kmemacct must
 * report as the call site.  This file defines the number TRUTH_NAME.  The allocation
 * may use `size`, `node` and `cache`; a bulk allocation returns `size` objects.  The
 * functions are:
 *
 * truth_const_8() truth_const_33() truth_const_96() truth_const_1024()
 * truth_const_8192() truth_const_8193() truth_const_20000()
 * truth_const_kzalloc_100() truth_kmalloc() truth_kzalloc() truth_kcalloc()
 * truth_large() truth_large_zeroed() truth_large_node() truth_large_kmemdup()
 * truth_large_krealloc() truth_kmalloc_node() truth_const_node_512() truth_kmemdup()
 * truth_kstrdup() truth_kstrndup() truth_memdup_nul() truth_kasprintf() truth_wrapped()
 * truth_krealloc() truth_kvmalloc() truth_kvmalloc_page() truth_failed()
 * truth_cache_odd()
 * truth_cache_ctor() truth_cache_align() truth_cache_node() truth_cache_kfree()
 * truth_merge_a() truth_merge_b() truth_cycle() truth_softirq() truth_hardirq()
 * truth_timer() truth_hrtimer() truth_ipi() truth_worker() truth_many() truth_way()
 * truth_mark() truth_leak() truth_storm_const() truth_storm_kmalloc()
 * truth_storm_large() truth_storm_batch() truth_storm_cache() truth_bulk_odd()
 * truth_bulk_ctor() truth_mixed_kmalloc() truth_mixed_large() truth_mixed_align()
 * truth_mixed_node() truth_rcu_kmalloc() truth_rcu_large() truth_rcu_cache()
 * truth_rcu_kvmalloc() truth_rcu_zeroed() truth_rcu_headless() truth_resized()
 * truth_crossed() truth_typesafe() truth_guarded() truth_guarded_cache()
 * truth_smaller() truth_larger() truth_charged_const() truth_charged_large()
 * truth_charged_kmalloc() truth_charged_cache() truth_charged_bulk() truth_doomed()
 *
 * truth_init() is not in the list, because its code is in another section.
 */
#ifndef KMA_TRUTH_SITES_H
#define KMA_TRUTH_SITES_H

#include <linux/gfp.h>
#include <linux/types.h>

#include "truth_caches.h"

/* Allowed in every context.  Preemption is off meanwhile, so that the CPU is known. */
#define TRUTH_GFP	(GFP_ATOMIC | __GFP_NOWARN)
/* Charged to a cgroup; fails at once if the cgroup has reached its limit. */
#define TRUTH_CHARGED	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

#define TRUTH_SITES(X)									\
	X(const_8, KMALLOC, kmalloc(8, TRUTH_GFP))					\
	X(const_33, KMALLOC, kmalloc(33, TRUTH_GFP))					\
	X(const_96, KMALLOC, kmalloc(96, TRUTH_GFP))					\
	X(const_1024, KMALLOC, kmalloc(1024, TRUTH_GFP))				\
	X(const_8192, KMALLOC, kmalloc(8192, TRUTH_GFP))				\
	X(const_8193, KMALLOC, kmalloc(8193, TRUTH_GFP))				\
	X(const_20000, KMALLOC, kmalloc(20000, TRUTH_GFP))				\
	X(const_kzalloc_100, KMALLOC, kzalloc(100, TRUTH_GFP))				\
	X(kmalloc, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(kzalloc, KMALLOC, kzalloc(size, TRUTH_GFP))					\
	X(kcalloc, KMALLOC, kcalloc(size, 1, TRUTH_GFP))				\
	X(large, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(large_zeroed, KMALLOC, kzalloc(size, TRUTH_GFP))				\
	X(large_node, KMALLOC, kmalloc_node(size, TRUTH_GFP, node))			\
	X(large_kmemdup, KMALLOC, kmemdup(truth_large_data, size, TRUTH_GFP))		\
	X(large_krealloc, KMALLOC, krealloc(truth_realloc_from, size, TRUTH_GFP))	\
	X(kmalloc_node, KMALLOC, kmalloc_node(size, TRUTH_GFP, node))			\
	X(const_node_512, KMALLOC, kmalloc_node(512, TRUTH_GFP, node))			\
	X(kmemdup, KMALLOC, kmemdup(truth_data, size, TRUTH_GFP))			\
	X(kstrdup, KMALLOC, kstrdup(truth_text, TRUTH_GFP))				\
	X(kstrndup, KMALLOC, kstrndup(truth_text, size, TRUTH_GFP))			\
	X(memdup_nul, KMALLOC, kmemdup_nul(truth_text, size - 1, TRUTH_GFP))		\
	X(kasprintf, KMALLOC, kasprintf(TRUTH_GFP, "%s", truth_text))			\
	X(wrapped, KMALLOC, truth_wrapper(size))					\
	X(krealloc, KMALLOC, krealloc(truth_realloc_from, size, TRUTH_GFP))		\
	X(kvmalloc, KMALLOC, kvmalloc(size, TRUTH_GFP))					\
	X(kvmalloc_page, KMALLOC, kvmalloc(size, TRUTH_GFP))				\
	X(failed, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(cache_odd, CACHE_ODD, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(cache_ctor, CACHE_CTOR, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(cache_align, CACHE_ALIGN, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(cache_node, CACHE_NODE, kmem_cache_alloc_node(*cache, TRUTH_GFP, node))	\
	X(cache_kfree, CACHE_KFREE, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(merge_a, CACHE_MERGE_A, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(merge_b, CACHE_MERGE_B, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(cycle, CACHE_CYCLE, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(softirq, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(hardirq, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(timer, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(hrtimer, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(ipi, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(worker, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(many, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(way, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(mark, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(leak, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(storm_const, KMALLOC, kmalloc(96, TRUTH_GFP))					\
	X(storm_kmalloc, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(storm_large, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(storm_batch, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(storm_cache, CACHE_STORM, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(bulk_odd, CACHE_ODD, TRUTH_BULK(*cache, TRUTH_GFP, size))			\
	X(bulk_ctor, CACHE_CTOR, TRUTH_BULK(*cache, TRUTH_GFP, size))			\
	X(mixed_kmalloc, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(mixed_large, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(mixed_align, CACHE_ALIGN, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(mixed_node, CACHE_NODE, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(rcu_kmalloc, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(rcu_large, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(rcu_cache, CACHE_RCU, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(rcu_kvmalloc, KMALLOC, kvmalloc(size, TRUTH_GFP))				\
	X(rcu_zeroed, KMALLOC, kzalloc(size, TRUTH_GFP))				\
	X(rcu_headless, KMALLOC, kmalloc(size, TRUTH_GFP))				\
	X(resized, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(crossed, KMALLOC, kmalloc(64, TRUTH_GFP))					\
	X(typesafe, CACHE_TYPESAFE, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(guarded, KMALLOC, kmalloc(size, TRUTH_GFP))					\
	X(guarded_cache, CACHE_NODE, kmem_cache_alloc(*cache, TRUTH_GFP))		\
	X(smaller, CACHE_SMALLER, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(larger, CACHE_LARGER, kmem_cache_alloc(*cache, TRUTH_GFP))			\
	X(charged_const, KMALLOC, kmalloc(20000, TRUTH_CHARGED))			\
	X(charged_large, KMALLOC, kmalloc(size, TRUTH_CHARGED))				\
	X(charged_kmalloc, KMALLOC, kmalloc(size, TRUTH_CHARGED))			\
	X(charged_cache, CACHE_ODD, kmem_cache_alloc(*cache, TRUTH_CHARGED))		\
	X(charged_bulk, CACHE_CTOR, TRUTH_BULK(*cache, TRUTH_CHARGED, size))		\
	X(doomed, CACHE_DOOMED, kmem_cache_alloc(*cache, TRUTH_GFP))

#include "truth_site.h"

/**
 * truth_sites_start() - allow calls of truth_init()
 *
 * Context: the module's init function, before any object is made.
 */
void truth_sites_start(void);

/* Forbid calls of truth_init(), because the kernel is about to free its code. */
void truth_sites_loaded(void);

/* The string that truth_kstrdup() copies. */
#define TRUTH_TEXT	"what is said thrice is true"

/* The object that truth_krealloc() and truth_large_krealloc() resize. */
extern void *truth_realloc_from;

/* The objects that one bulk call allocates or frees. */
#define TRUTH_BATCH_MAX	500

extern void *truth_batch[TRUTH_BATCH_MAX];

#endif /* KMA_TRUTH_SITES_H */
