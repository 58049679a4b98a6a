// SPDX-License-Identifier: GPL-2.0
/*
 * Measures whether the cost of an event depends on how full the tables are.
 *
 * Each figure is a ratio of two times that were measured in turns in one run, so that the speed
 * of the machine does not matter.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "probes.h"

#define KMA_SCALE_PAIRS		4096U
#define KMA_SCALE_ROUNDS	200U
#define KMA_SCALE_LIVE_MAX	107000
#define KMA_SCALE_PFNS		262144
#define KMA_SCALE_BYTES		64U
#define KMA_SCALE_PTR		0xffff888004000000UL
/* The call sites that fill the table, 16 bytes apart, and one that has no row. */
#define KMA_SCALE_SITE		0xffffffff81000000UL
#define KMA_SCALE_SITE_OTHER	0xffffffff82000000UL

/* Time of a pair at a call site, in ns. */
static double kma_scale_pairs(unsigned long site)
{
	const unsigned long ptr = KMA_SCALE_PTR + ((unsigned long)kma_env.cpu << 26);
	u64 start = kma_measure_ns();
	u32 i;

	for (i = 0; i < KMA_SCALE_PAIRS; i++) {
		kma_bench_kmalloc(site, ptr, KMA_SCALE_BYTES, KMA_SCALE_BYTES, NUMA_NO_NODE);
		kma_bench_kfree(ptr);
	}
	return (double)(kma_measure_ns() - start) / KMA_SCALE_PAIRS;
}

/* ---- the table of call sites is full ---------------------------------------- */

static struct kma_env_cache kma_scale_cache = {
	.size = 128, .object_size = 128, .name = "scale",
};

/*
 * Fill the table of call sites.  One of the rows is that of a kmem_cache, which is then
 * destroyed.
 */
static void kma_scale_fill_sites(u32 sites_max)
{
	u32 i;

	if (kma_core_init(&kma_core, KMA_SCALE_LIVE_MAX, sites_max, KMA_SCALE_PFNS))
		exit(1);
	kma_sitetab_get(&kma_core.sites, KMA_SCALE_SITE, (unsigned long)&kma_scale_cache);
	kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)&kma_scale_cache);
	for (i = 0; i < sites_max; i++)
		kma_sitetab_get(&kma_core.sites, KMA_SCALE_SITE + 16 * i, KMA_SCALE_BYTES);
	if (kma_sitetab_used(&kma_core.sites) < sites_max)
		exit(1);
}

/* Time of a pair at a call site without a row, and of one with a row, in ns. */
struct kma_scale_sites {
	double other;
	double own;
};

static struct kma_scale_sites kma_scale_sites(void)
{
	double other[KMA_SCALE_ROUNDS], own[KMA_SCALE_ROUNDS];
	u32 i;

	for (i = 0; i < KMA_SCALE_ROUNDS; i++) {
		other[i] = kma_scale_pairs(KMA_SCALE_SITE_OTHER);
		own[i] = kma_scale_pairs(KMA_SCALE_SITE);
	}
	return (struct kma_scale_sites) {
		.other = kma_measure_median(other, KMA_SCALE_ROUNDS),
		.own = kma_measure_median(own, KMA_SCALE_ROUNDS),
	};
}

struct kma_scale_thread {
	pthread_t thread;
	pthread_barrier_t *start;
	int cpu;
	struct kma_scale_sites ns;
};

static void *kma_scale_thread(void *arg)
{
	struct kma_scale_thread *t = arg;

	kma_measure_on_cpu(t->cpu);
	pthread_barrier_wait(t->start);
	t->ns = kma_scale_sites();
	return NULL;
}

/* Times on @nr threads that use the same call sites at the same time: their means. */
static struct kma_scale_sites kma_scale_threads(u32 nr)
{
	struct kma_scale_thread thread[2];
	struct kma_scale_sites ns = {};
	pthread_barrier_t start;
	u32 i;

	pthread_barrier_init(&start, NULL, nr);
	for (i = 0; i < nr; i++) {
		thread[i] = (struct kma_scale_thread) { .start = &start, .cpu = i };
		if (pthread_create(&thread[i].thread, NULL, kma_scale_thread, &thread[i]))
			exit(1);
	}
	for (i = 0; i < nr; i++) {
		pthread_join(thread[i].thread, NULL);
		ns.other += thread[i].ns.other / nr;
		ns.own += thread[i].ns.own / nr;
	}
	return ns;
}

static void kma_scale_sites_full(u32 sites_max)
{
	struct kma_scale_sites one, two;

	kma_scale_fill_sites(sites_max);
	one = kma_scale_threads(1);
	two = kma_scale_threads(2);
	printf("bench scale_sites_%u_own %.1f ns\n", sites_max, one.own);
	printf("bench scale_sites_%u_other %.1f ns\n", sites_max, one.other);
	printf("bench scale_sites_%u_other_ratio %.2f ratio\n", sites_max,
	       one.other / one.own);
	printf("bench scale_sites_%u_2_threads_ratio %.2f ratio\n", sites_max,
	       two.other / one.other);
	kma_core_destroy(&kma_core);
}

int main(void)
{
	kma_scale_sites_full(8192);
	kma_scale_sites_full(64512);
	return 0;
}
