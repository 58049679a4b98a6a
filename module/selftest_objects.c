// SPDX-License-Identifier: GPL-2.0
/* The paths of objects that the self-test tries.  See selftest_objects.h. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "compat.h"
#include "selftest_objects.h"
#include "state.h"
#include "trace/bulk.h"
#include "trace/cache.h"
#include "trace/nolock.h"
#include "witness.h"

/* Sizes of small objects, in bytes.  Neither is a size class of kmalloc. */
#define KMA_SELFTEST_BYTES	100
#define KMA_SELFTEST_MORE	300
/* Number of objects of a bulk allocation or free. */
#define KMA_SELFTEST_NR		4

static struct kmem_cache *kma_selftest_slab;

/* A cache with a constructor is not merged with another one. */
static void kma_selftest_ctor(void *object)
{
}

void kma_selftest_objects_start(void)
{
	kma_selftest_slab = kmem_cache_create(KBUILD_MODNAME "-selftest", KMA_SELFTEST_BYTES,
					      0, 0, kma_selftest_ctor);
}

void kma_selftest_objects_stop(void)
{
	kmem_cache_destroy(kma_selftest_slab);
	kma_selftest_slab = NULL;
}

/* ---- allocations and frees with events ------------------------------------- */

/* Test the allocation of @ptr, which may have failed, and free it by kfree(). */
static const char *kma_selftest_kfree(void *ptr, size_t bytes, bool bulk)
{
	const char *wrong = ptr ? kma_witness_allocated(ptr, bytes, NULL, bulk) :
				  kma_witness_untested;

	kfree(ptr);
	return wrong ?: kma_witness_freed(1);
}

const char *kma_selftest_kmalloc(void)
{
	void *ptr = kmalloc(KMA_SELFTEST_BYTES, KMA_WITNESS_GFP);

	return kma_selftest_kfree(ptr, KMA_SELFTEST_BYTES, false);
}

const char *kma_selftest_kmalloc_node(void)
{
	size_t bytes = KMA_SELFTEST_BYTES;
	void *ptr;

	/* Hide the size from the compiler: a constant size has another entry point. */
	OPTIMIZER_HIDE_VAR(bytes);
	ptr = kmalloc_node(bytes, KMA_WITNESS_GFP, numa_mem_id());
	return kma_selftest_kfree(ptr, bytes, false);
}

/* Test the allocation of @ptr, whose call site may be inside the allocator, and free it. */
static const char *kma_selftest_large(void *ptr)
{
	/* If memory is fragmented, kvmalloc() calls vmalloc(), which has no event. */
	const char *wrong = ptr && !is_vmalloc_addr(ptr) ? kma_witness_once(ptr) :
							    kma_witness_untested;

	kvfree(ptr);
	/* The next object may get the same address. */
	kma_witness_clear();
	return wrong;
}

/*
 * Since 6.10, some of these allocations have two events.  The module has to know the first
 * (trace/double.h).
 */
const char *kma_selftest_kmalloc_large(void)
{
	const size_t constant = KMALLOC_MAX_CACHE_SIZE + 1;
	size_t bytes = constant;
	const gfp_t gfp = KMA_WITNESS_GFP;
	const char *wrong;

	OPTIMIZER_HIDE_VAR(bytes);
	wrong = kma_selftest_kfree(kmalloc(bytes, gfp), bytes, false);
	kma_witness_clear();
	wrong = wrong ?: kma_selftest_kfree(kmalloc(constant, gfp), constant, false);
	kma_witness_clear();
	wrong = wrong ?: kma_selftest_kfree(kmalloc_node(bytes, gfp, numa_mem_id()), bytes, false);
	kma_witness_clear();
	return wrong ?: kma_selftest_large(krealloc(NULL, bytes, gfp)) ?:
	       kma_selftest_large(kvmalloc(bytes, gfp));
}

/* Test that krealloc() has moved an object from @old to @new, and free @new. */
static const char *kma_selftest_moved(void *old, void *new)
{
	const char *wrong = new == old ? kma_witness_untested :
			    kma_witness_allocated(new, KMA_SELFTEST_MORE, NULL, false) ?:
			    kma_witness_freed(1);
	void *same;

	if (!wrong) {
		/* This grows in place, without an event. */
		same = krealloc(new, KMA_SELFTEST_MORE + 1, KMA_WITNESS_GFP);
		wrong = same == new ? kma_witness_freed(1) : kma_witness_untested;
		new = same ?: new;
	}
	kfree(new);
	return wrong ?: kma_witness_freed(2);
}

const char *kma_selftest_krealloc(void)
{
	void *new, *old = kmalloc(KMA_SELFTEST_BYTES, KMA_WITNESS_GFP);
	const char *wrong = old ? kma_witness_allocated(old, KMA_SELFTEST_BYTES, NULL, false) :
				  kma_witness_untested;

	new = wrong ? NULL : krealloc(old, KMA_SELFTEST_MORE, KMA_WITNESS_GFP);
	if (new)
		return kma_selftest_moved(old, new);
	kfree(old);
	return wrong ?: kma_witness_untested;
}

/* Test the allocation of @ptr, which may have failed, and free it by kmem_cache_free(). */
static const char *kma_selftest_cache_free(void *ptr)
{
	const char *wrong;

	if (!ptr)
		return kma_witness_untested;
	wrong = kma_witness_allocated(ptr, 0, kma_selftest_slab, false);
	kmem_cache_free(kma_selftest_slab, ptr);
	return wrong ?: kma_witness_freed(1);
}

const char *kma_selftest_cache(void)
{
	return !kma_selftest_slab ? kma_witness_untested :
	       kma_selftest_cache_free(kmem_cache_alloc(kma_selftest_slab, KMA_WITNESS_GFP));
}

const char *kma_selftest_cache_node(void)
{
	return !kma_selftest_slab ? kma_witness_untested :
	       kma_selftest_cache_free(kmem_cache_alloc_node(kma_selftest_slab, KMA_WITNESS_GFP,
							     numa_mem_id()));
}

/* ---- frees without an event ------------------------------------------------- */

/* An object with room for the head of RCU, which is not at the start of the object. */
struct kma_selftest_rcu {
	unsigned long other;
	union {
		struct rcu_head rcu;
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		struct kvfree_rcu_head nolock;
#endif
	};
};

/* Allocate objects of @cache or kmalloc(), and put them into the live table.  Return: how many. */
static int kma_selftest_make(struct kmem_cache *cache, void **ptr)
{
	int nr = 0;

	kma_witness_pause();
	while (nr < KMA_SELFTEST_NR) {
		ptr[nr] = cache ? kmem_cache_alloc(cache, KMA_WITNESS_GFP) :
				  kmalloc(KMA_SELFTEST_BYTES, KMA_WITNESS_GFP);
		if (!ptr[nr])
			break;
		kma_witness_put(ptr[nr++]);
	}
	return nr;
}

/* Free objects of @cache or, without one, by kfree_bulk(), which kfree_rcu() uses for any cache. */
static const char *kma_selftest_free_some(struct kmem_cache *cache)
{
	void *ptr[KMA_SELFTEST_NR];
	const int nr = kma_selftest_make(cache, ptr);

	if (!nr)
		return kma_witness_untested;
	if (cache)
		kmem_cache_free_bulk(cache, nr, ptr);
	else
		kfree_bulk(nr, ptr);
	return kma_witness_freed(nr);
}

const char *kma_selftest_free_bulk(void)
{
	const char *wrong;

	if (!kma_bulk_frees_followed())
		return kma_witness_untested;
	wrong = kma_selftest_free_some(NULL);
	kma_witness_clear();
	return wrong || !kma_selftest_slab ? wrong : kma_selftest_free_some(kma_selftest_slab);
}

#ifdef KMA_HAVE_SHEAVES
#define KMA_SELFTEST_RCU_FREES	1
#else
/* The object is freed later, as by kfree_bulk().  Until then, it has to count as live. */
#define KMA_SELFTEST_RCU_FREES	0
#endif

/* The object is removed in an RCU read-side section, before another task can get its address. */
const char *kma_selftest_kfree_rcu(void)
{
	struct kma_selftest_rcu *object;
	const char *wrong;

	if (!kma_bulk_frees_followed())
		return kma_witness_untested;
	kma_witness_pause();
	object = kmalloc(sizeof(*object), KMA_WITNESS_GFP);
	if (!object)
		return kma_witness_untested;
	kma_witness_put(object);
	rcu_read_lock();
	kfree_rcu(object, rcu);
	wrong = kma_witness_freed(KMA_SELFTEST_RCU_FREES);
	kma_witness_take(object);
	rcu_read_unlock();
	return wrong;
}

#ifdef KMA_HAVE_KMALLOC_NOLOCK
/* Allocate an object that may be freed by kfree_nolock(), and put it into the live table. */
static void *kma_selftest_nolock(void)
{
	void *ptr = NULL;

	if (!kma_bulk_frees_followed())
		return NULL;
	kma_witness_pause();
	ptr = kmalloc_nolock(sizeof(struct kma_selftest_rcu), 0, NUMA_NO_NODE);
	if (ptr)
		kma_witness_put(ptr);
	return ptr;
}

const char *kma_selftest_kfree_nolock(void)
{
	void *ptr = kma_selftest_nolock();

	if (!ptr)
		return kma_witness_untested;
	kfree_nolock(ptr);
	return kma_witness_freed(1);
}
#else
const char *kma_selftest_kfree_nolock(void)
{
	return kma_witness_untested;
}
#endif

#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
const char *kma_selftest_kfree_rcu_nolock(void)
{
	struct kma_selftest_rcu *object = kma_selftest_nolock();
	const char *wrong;

	if (!object)
		return kma_witness_untested;
	rcu_read_lock();
	kfree_rcu_nolock(object, nolock);
	wrong = kma_witness_freed(1);
	kma_witness_take(object);
	rcu_read_unlock();
	return wrong;
}
#else
const char *kma_selftest_kfree_rcu_nolock(void)
{
	return kma_witness_untested;
}
#endif

/* ---- allocations without an event -------------------------------------------- */

const char *kma_selftest_alloc_bulk(void)
{
	const char *wrong = NULL;
	void *ptr[KMA_SELFTEST_NR];
	int i;

	if (!kma_bulk_allocs_followed() || !kma_selftest_slab ||
	    !kmem_cache_alloc_bulk(kma_selftest_slab, KMA_WITNESS_GFP, KMA_SELFTEST_NR, ptr))
		return kma_witness_untested;
	for (i = 0; i < KMA_SELFTEST_NR; i++)
		wrong = wrong ?: kma_witness_allocated(ptr[i], 0, kma_selftest_slab, true);
	for (i = 0; i < KMA_SELFTEST_NR; i++)
		kmem_cache_free(kma_selftest_slab, ptr[i]);
	return wrong ?: kma_witness_freed(KMA_SELFTEST_NR);
}

#ifdef KMA_HAVE_KMALLOC_NOLOCK
/* An allocation of 0 bytes cannot fail.  Others may fail, and always do on some kernels. */
const char *kma_selftest_kmalloc_nolock(void)
{
	const char *wrong;
	void *ptr;

	if (!kma_nolock_allocs_followed())
		return kma_witness_untested;
	ptr = kmalloc_nolock(0, 0, NUMA_NO_NODE);
	wrong = kma_witness_once(ptr);
	if (wrong)
		return wrong;
	ptr = kmalloc_nolock(KMA_SELFTEST_BYTES, 0, NUMA_NO_NODE);
	return ptr ? kma_selftest_kfree(ptr, KMA_SELFTEST_BYTES, true) : NULL;
}
#else
const char *kma_selftest_kmalloc_nolock(void)
{
	return kma_witness_untested;
}
#endif

/* ---- pages and caches --------------------------------------------------------- */

/* Test the free of several pages, with an entry for an address at which no object can be. */
#define KMA_SELFTEST_ORDER	2

const char *kma_selftest_page_net(void)
{
	const unsigned long pages = READ_ONCE(kma_core.obj.pages.fixed) ? 0 :
				    __get_free_pages(KMA_WITNESS_GFP, KMA_SELFTEST_ORDER);
	const void *outside = (void *)pages + (PAGE_SIZE << KMA_SELFTEST_ORDER) - 1;

	if (!pages)
		return kma_witness_untested;
	kma_witness_pause();
	kma_witness_put(outside);
	free_pages(pages, KMA_SELFTEST_ORDER);
	return kma_witness_stale(outside);
}

const char *kma_selftest_cache_destroy(void)
{
	struct kmem_cache *cache = kma_selftest_slab;

	if (!cache || !kma_cache_destroy_followed())
		return kma_witness_untested;
	kma_selftest_slab = NULL;
	return kma_cache_destroy_watched(cache) ? NULL : "the end of a cache was not seen";
}
