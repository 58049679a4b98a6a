// SPDX-License-Identifier: GPL-2.0
/* Memory for the core's tables.  See core/env.h. */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/numa.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "core/env.h"
#include "core/sitetab.h"

void *kma_env_zalloc(size_t bytes, int cpu)
{
	bool known = cpu < nr_cpu_ids && cpu_possible(cpu);

	return vzalloc_node(bytes, known ? cpu_to_node(cpu) : NUMA_NO_NODE);
}

void kma_env_no_scan(void *mem)
{
	kmemleak_no_scan(mem);
}

void kma_env_free(void *mem)
{
	vfree(mem);
}

struct kma_row __percpu *kma_env_alloc_rows(void)
{
	return __alloc_percpu(KMA_ROWS_PER_CHUNK * sizeof(struct kma_row),
			      sizeof(struct kma_row));
}

void kma_env_free_rows(struct kma_row __percpu *rows)
{
	free_percpu(rows);
}
