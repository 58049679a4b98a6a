// SPDX-License-Identifier: GPL-2.0
/* Scenarios: krealloc(), which allocates, frees, both or neither. */
#include <linux/slab.h>

#include "truth_objects.h"
#include "truth_scenarios.h"

/* Resize the last live object so that it moves: an allocation, and a free of the old one. */
static int truth_realloc_moving(size_t size)
{
	struct truth_object old = truth_live[--truth_nr_live];
	int ret;

	truth_realloc_from = old.ptr;
	truth_get_cpu();
	ret = truth_make(size > KMALLOC_MAX_CACHE_SIZE ? TRUTH_large_krealloc :
							 TRUTH_krealloc,
			 size, NUMA_NO_NODE, 1);
	if (!ret)
		truth_count_free(&old, smp_processor_id());
	truth_put_cpu();
	truth_realloc_from = NULL;
	if (ret)
		truth_live[truth_nr_live++] = old;
	return ret;
}

/* Resize the last live object in place, which makes no event. */
static int truth_realloc_in_place(size_t size)
{
	struct truth_object *o = &truth_live[truth_nr_live - 1];

	return krealloc(o->ptr, size, TRUTH_GFP) == o->ptr ? 0 : -EPROTO;
}

/* Resize the last live object to 0 bytes, which frees it. */
static int truth_realloc_to_zero(void)
{
	struct truth_object *o = &truth_live[--truth_nr_live];
	void *ptr;

	truth_count_free(o, truth_get_cpu());
	ptr = krealloc(o->ptr, 0, TRUTH_GFP);
	truth_put_cpu();
	return ptr == ZERO_SIZE_PTR ? 0 : -EPROTO;
}

int truth_run_krealloc(void)
{
	int ret = truth_some(TRUTH_krealloc, 60, NUMA_NO_NODE);

	return ret ?: truth_realloc_in_place(64) ?:
	       truth_realloc_in_place(20) ?:
	       truth_realloc_moving(65) ?:
	       truth_realloc_in_place(96) ?:
	       truth_realloc_moving(3000) ?:
	       truth_realloc_moving(30000) ?:
	       truth_make(TRUTH_kmalloc, 50, NUMA_NO_NODE, 2) ?:
	       truth_realloc_moving(500) ?:
	       truth_realloc_to_zero();
}

/* An object grows and shrinks in place; kmemacct keeps the size of its allocation. */
int truth_run_resize(void)
{
	int ret = truth_make(TRUTH_resized, 60, NUMA_NO_NODE, 3);

	return ret ?: truth_realloc_in_place(64) ?: truth_realloc_in_place(20);
}
