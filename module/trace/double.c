// SPDX-License-Identifier: GPL-2.0
/* Learn the inner call sites.  See double.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "double.h"

#define KMA_DOUBLE_EVENTS	16

/* Events since the last call of KMA_DOUBLE_TRY(), of the task that runs kma_double_learn(). */
static struct {
	int nr;
	struct {
		unsigned long site;
		unsigned long ptr;
	} event[KMA_DOUBLE_EVENTS];
} kma_double_log;

void kma_double_heard(const struct kma_event *ev, bool bulk)
{
	if (kma_double_log.nr == KMA_DOUBLE_EVENTS)
		return;
	kma_double_log.event[kma_double_log.nr].site = ev->site;
	kma_double_log.event[kma_double_log.nr].ptr = ev->ptr;
	kma_double_log.nr++;
}

/* If there were two or more events for @ptr, add the call site of the first one to @t. */
static void kma_double_find(struct kma_sitetab *t, unsigned long ptr)
{
	unsigned long first = 0;
	int i, nr = 0;

	for (i = 0; i < kma_double_log.nr; i++)
		if (kma_double_log.event[i].ptr == ptr && !nr++)
			first = kma_double_log.event[i].site;
	if (nr < 2 || kma_sitetab_is_inner(t, first) ||
	    t->nr_internal == KMA_INTERNAL_MAX)
		return;
	t->internal[t->nr_internal++] = first;
}

/* Call @alloc, an allocation, and learn from its events.  Evaluates to 0 or -ENOMEM. */
#define KMA_DOUBLE_TRY(t, alloc) ({						\
	void *__ptr;							\
									\
	kma_double_log.nr = 0;						\
	__ptr = (alloc);						\
	if (__ptr)							\
		kma_double_find(t, (unsigned long)__ptr);				\
	kvfree(__ptr);							\
	__ptr ? 0 : -ENOMEM;						\
})

int kma_double_learn(struct kma_sitetab *t)
{
	size_t size = KMALLOC_MAX_CACHE_SIZE + 1;
	const gfp_t gfp = GFP_KERNEL;
	int ret;

	/* Hide the size from the compiler: a constant size has another entry point. */
	OPTIMIZER_HIDE_VAR(size);
	ret = KMA_DOUBLE_TRY(t, kmalloc(size, gfp)) ?:
	      KMA_DOUBLE_TRY(t, kmalloc_node(size, gfp, numa_node_id())) ?:
	      KMA_DOUBLE_TRY(t, kmalloc_track_caller(size, gfp)) ?:
	      KMA_DOUBLE_TRY(t, kmalloc_node_track_caller(size, gfp, numa_node_id())) ?:
	      KMA_DOUBLE_TRY(t, krealloc(NULL, size, gfp)) ?:
	      KMA_DOUBLE_TRY(t, kvmalloc(size, gfp));
	/* A leak detector would take the addresses in the log for references to objects. */
	memset(kma_double_log.event, 0, sizeof(kma_double_log.event));
	return ret;
}
