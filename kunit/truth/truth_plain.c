// SPDX-License-Identifier: GPL-2.0
/* Scenarios: calls of each entry point of the allocator, one after the other, in a task. */
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "truth_objects.h"
#include "truth_scenarios.h"

int truth_run_constant(void)
{
	return truth_some(TRUTH_const_8, 8, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_33, 33, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_96, 96, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_1024, 1024, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_8192, 8192, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_8193, 8193, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_20000, 20000, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_kzalloc_100, 100, NUMA_NO_NODE);
}

int truth_run_runtime(void)
{
	static const u16 sizes[] = {
		1, 7, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 192, 193,
		256, 257, 512, 513, 1024, 1025, 2048, 2049, 4096, 4097, 8192,
	};
	int i, ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(sizes); i++)
		ret = truth_some(TRUTH_kmalloc, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_kzalloc, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_kcalloc, sizes[i], NUMA_NO_NODE);
	return ret;
}

/* Sizes too large for a slab, by each function whose size is not a constant. */
int truth_run_large(void)
{
	static const u16 sizes[] = { 8193, 12288, 16384, 16385, 20000 };
	int i, ret = 0;

	truth_realloc_from = NULL;
	for (i = 0; !ret && i < ARRAY_SIZE(sizes); i++)
		ret = truth_some(TRUTH_large, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_zeroed, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_node, sizes[i], first_online_node) ?:
		      truth_some(TRUTH_large_kmemdup, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_krealloc, sizes[i], NUMA_NO_NODE);
	return ret;
}

int truth_run_nodes(void)
{
	int node, ret;

	ret = truth_some(TRUTH_kmalloc_node, 300, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_node, 1234, NUMA_NO_NODE);
	for_each_online_node(node) {
		ret = ret ?: truth_some(TRUTH_kmalloc_node, 300, node) ?:
		      truth_some(TRUTH_const_node_512, 512, node) ?:
		      truth_some(TRUTH_large_node, 9000, node) ?:
		      truth_some(TRUTH_cache_node, 1234, node);
	}
	return ret;
}

int truth_run_caches(void)
{
	int i, ret;

	ret = truth_some(TRUTH_cache_odd, 75, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_ctor, 131, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_align, 200, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_merge_a, 5000, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_merge_b, 5000, NUMA_NO_NODE) ?:
	      truth_make(TRUTH_cache_kfree, 311, NUMA_NO_NODE, 7);
	if (ret)
		return ret;
	for (i = 0; i < 4; i++)
		truth_free(&truth_live[--truth_nr_live], true);
	return 0;
}

int truth_run_copies(void)
{
	return truth_some(TRUTH_kmemdup, 1, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kmemdup, 777, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kmemdup, 4096, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kstrdup, sizeof(TRUTH_TEXT), NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kstrndup, sizeof(TRUTH_TEXT), NUMA_NO_NODE) ?:
	       truth_some(TRUTH_memdup_nul, sizeof(TRUTH_TEXT), NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kasprintf, sizeof(TRUTH_TEXT), NUMA_NO_NODE);
}

/* Strings that leak through a helper of the kernel. */
int truth_run_texts(void)
{
	return truth_make(TRUTH_kasprintf, sizeof(TRUTH_TEXT), NUMA_NO_NODE, 1000);
}

/* A leak through a helper of this module. */
int truth_run_wrapped(void)
{
	return truth_make(TRUTH_wrapped, 100, NUMA_NO_NODE, 1000);
}

int truth_run_kvmalloc(void)
{
	return truth_some(TRUTH_kvmalloc, 40, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc, 4096, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc_page, 5000, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc_page, 20000, NUMA_NO_NODE);
}

/* kfree(NULL) and kfree(ZERO_SIZE_PTR), both of which `stats` counts. */
int truth_run_nothing(void)
{
	size_t size = 0;
	void *ptr = NULL;
	int i;

	for (i = 0; i < TRUTH_NOTHINGS; i++) {
		OPTIMIZER_HIDE_VAR(size);
		OPTIMIZER_HIDE_VAR(ptr);
		kfree(ptr);
		kfree(kmalloc(size, TRUTH_GFP));
	}
	return 0;
}

/* A size above the maximum of kmalloc(). */
int truth_run_failed_once(void)
{
	struct truth_object o;

	return truth_make_at(&o, TRUTH_failed, 2 * KMALLOC_MAX_SIZE, NUMA_NO_NODE) ? -EPROTO : 0;
}

int truth_run_failed(void)
{
	int i, ret = 0;

	for (i = 0; !ret && i < TRUTH_NOTHINGS; i++)
		ret = truth_run_failed_once();
	return ret;
}

/* More objects than a small live table holds, most of them of 8 bytes. */
int truth_run_many(void)
{
	return truth_make(TRUTH_many, 8, NUMA_NO_NODE, 4000) ?:
	       truth_make(TRUTH_many, 700, NUMA_NO_NODE, 1000);
}

/* Enough for hundreds of samples of each size if one byte in 4 KiB is sampled. */
int truth_run_sampled(void)
{
	return truth_make(TRUTH_many, 128, NUMA_NO_NODE, 9000) ?:
	       truth_make(TRUTH_many, 700, NUMA_NO_NODE, 1000);
}

/*
 * Leak an object: it stays live, but nothing points to it.  Of two objects, leak one that
 * is not at the start of a page, because the address of a page is stored in many places.
 * Free the other object, because its free pointer may have held the address of the leaked
 * one.
 */
int truth_run_leak(void)
{
	struct truth_object *o = &truth_live[truth_nr_live];
	int ret = truth_make(TRUTH_leak, 64, NUMA_NO_NODE, 2);

	if (ret)
		return ret;
	if (offset_in_page(o[0].ptr))
		swap(o[0], o[1]);
	memset(o[1].ptr, 0, 64);
	truth_nr_live--;
	truth_drop(1);
	memset(o, 0, 2 * sizeof(*o));
	return 0;
}

/* Tests look for the event of this allocation in another tool's record of the same events. */
int truth_run_mark(void)
{
	return truth_make(TRUTH_mark, 40, NUMA_NO_NODE, 1);
}
