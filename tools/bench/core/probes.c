// SPDX-License-Identifier: GPL-2.0
/* Simulated events for the core: see probes.h. */
#include <stdlib.h>

#include "probes.h"

#define KMA_BENCH_LIVE_MAX	107000
#define KMA_BENCH_SITES_MAX	8192
#define KMA_BENCH_PFNS	262144

/* Address of the first CPU's slabs; those of each further CPU are 64 MiB higher. */
#define KMA_BENCH_PTR		0xffff888004000000UL
#define KMA_BENCH_SITE		0xffffffff81234567UL

struct kma_core kma_core;

const struct kma_bench_shape kma_bench_shapes[] = {
	{ "32_one", 32, 1 },
	{ "32_64", 32, 64 },
	{ "32_4096", 32, 4096 },
	{ "240_one", 256, 1 },
	{ "240_64", 256, 64 },
	{ "240_4096", 256, 4096 },
	{ "2048_one", 2048, 1 },
	{ "2048_64", 2048, 64 },
	{ "2048_4096", 2048, 4096 },
};

const u32 kma_bench_nr_shapes = ARRAY_SIZE(kma_bench_shapes);

void kma_bench_start(void)
{
	if (kma_core_init(&kma_core, KMA_BENCH_LIVE_MAX, KMA_BENCH_SITES_MAX,
			  KMA_BENCH_PFNS))
		exit(1);
}

static __always_inline struct kma_event kma_bench_event(unsigned long site,
							unsigned long ptr,
							size_t bytes_req,
							size_t bytes_alloc, int node)
{
	return (struct kma_event) {
		.site = site,
		.ptr = ptr,
		.cache = bytes_alloc,
		.kmalloc = true,
		.bytes_req = bytes_req,
		.node = node,
	};
}

noinline void kma_bench_kmalloc(unsigned long site, unsigned long ptr,
				size_t bytes_req, size_t bytes_alloc, int node)
{
	const struct kma_event ev = kma_bench_event(site, ptr, bytes_req, bytes_alloc, node);

	kma_stat_inc(events_kmalloc);
	kma_record_alloc(&kma_core, &ev);
}

noinline void kma_bench_kfree(unsigned long ptr)
{
	kma_stat_inc(events_kfree);
	kma_record_free(&kma_core, ptr, true);
}

noinline void kma_bench_kmalloc_sampled(unsigned long site, unsigned long ptr,
					size_t bytes_req, size_t bytes_alloc, int node)
{
	const struct kma_event ev = kma_bench_event(site, ptr, bytes_req, bytes_alloc, node);

	kma_stat_inc(unsampled_kmalloc);
	kma_record_sampled(&kma_core, &ev, bytes_alloc, false);
}

noinline void kma_bench_kfree_filtered(unsigned long ptr)
{
	kma_stat_inc(unmatched_kfree);
	kma_record_free_sampled(&kma_core, ptr);
}

void kma_bench_pairs(const struct kma_bench_shape *s, u32 pairs)
{
	const unsigned long first = KMA_BENCH_PTR + ((unsigned long)kma_env.cpu << 26);
	u32 i;

	for (; pairs; pairs -= s->batch) {
		for (i = 0; i < s->batch; i++)
			kma_bench_kmalloc(KMA_BENCH_SITE + s->bytes,
					  first + (unsigned long)i * s->bytes,
					  s->bytes, s->bytes, NUMA_NO_NODE);
		for (i = 0; i < s->batch; i++)
			kma_bench_kfree(first + (unsigned long)i * s->bytes);
	}
}
