// SPDX-License-Identifier: GPL-2.0
/* What the core needs in process context: memory for tables, and waiting.  See env.h. */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "env.h"

void kma_env_wait_for_probes(void)
{
	/* Probes run under RCU, under SRCU (those of tracepoints), or with preemption off. */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

void *kma_env_zalloc(size_t bytes)
{
	return vzalloc(bytes);
}

static int kma_cpu_node(unsigned int cpu)
{
	return cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* This allocates single pages, because vmalloc() would allocate all pages on one node. */
void *kma_env_zalloc_spread(size_t bytes)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	const unsigned int nr = DIV_ROUND_UP(bytes, PAGE_SIZE);
	struct page **page = kvcalloc(nr, sizeof(*page), GFP_KERNEL);
	unsigned int i;
	void *mem;

	for (i = 0; page && i < nr; i++) {
		page[i] = alloc_pages_node(kma_cpu_node((u64)i * nr_cpu_ids / nr), gfp, 0);
		if (!page[i])
			goto fail;
		cond_resched();
	}
	mem = page ? vmap(page, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL) : NULL;
	if (mem)
		return mem;
fail:
	while (i--)
		__free_page(page[i]);
	kvfree(page);
	return NULL;
}

void kma_env_no_scan(void *mem)
{
	kmemleak_no_scan(mem);
}

void kma_env_free(void *mem)
{
	vfree(mem);
}

void __percpu *kma_env_zalloc_percpu(size_t align)
{
	return __alloc_percpu(KMA_PERCPU_CHUNK_BYTES, align);
}

void kma_env_free_percpu(void __percpu *chunk)
{
	free_percpu(chunk);
}
