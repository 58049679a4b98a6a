// SPDX-License-Identifier: GPL-2.0
/*
 * Measures whether the cost of an event depends on how full the tables are.
 *
 * Each figure is a ratio of two times that were measured in turns in one run, so that the speed
 * of the machine does not matter.
 */
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
	u32 i = 0;

	if (kma_core_init(&kma_core, KMA_SCALE_LIVE_MAX, sites_max, KMA_SCALE_PFNS))
		exit(1);
	kma_sitetab_get(&kma_core.sites, KMA_SCALE_SITE, (unsigned long)&kma_scale_cache);
	kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)&kma_scale_cache);
	while (kma_sitetab_used(&kma_core.sites) < KMA_PAIRS_MAX(sites_max))
		kma_sitetab_get(&kma_core.sites, KMA_SCALE_SITE + 16 * i++, KMA_SCALE_BYTES);
}

/* Time of a pair at a call site without a row, and of one with a row, in ns. */
enum { KMA_SCALE_OTHER, KMA_SCALE_OWN };

static void kma_scale_sites(const void *unused, double *ns)
{
	double other[KMA_SCALE_ROUNDS], own[KMA_SCALE_ROUNDS];
	u32 i;

	(void)unused;
	for (i = 0; i < KMA_SCALE_ROUNDS; i++) {
		other[i] = kma_scale_pairs(KMA_SCALE_SITE_OTHER);
		own[i] = kma_scale_pairs(KMA_SCALE_SITE);
	}
	ns[KMA_SCALE_OTHER] = kma_measure_median(other, KMA_SCALE_ROUNDS);
	ns[KMA_SCALE_OWN] = kma_measure_median(own, KMA_SCALE_ROUNDS);
}

static void kma_scale_sites_full(u32 sites_max)
{
	double one[2], two[2];

	kma_scale_fill_sites(sites_max);
	kma_measure_threads(1, kma_scale_sites, NULL, one);
	kma_measure_threads(2, kma_scale_sites, NULL, two);
	printf("bench scale_sites_%u_own %.1f ns\n", sites_max, one[KMA_SCALE_OWN]);
	printf("bench scale_sites_%u_other %.1f ns\n", sites_max, one[KMA_SCALE_OTHER]);
	printf("bench scale_sites_%u_other_ratio %.2f ratio\n", sites_max,
	       one[KMA_SCALE_OTHER] / one[KMA_SCALE_OWN]);
	printf("bench scale_sites_%u_2_threads_ratio %.2f ratio\n", sites_max,
	       two[KMA_SCALE_OTHER] / one[KMA_SCALE_OTHER]);
	kma_core_destroy(&kma_core);
}

/* The first row [other] counts samples, so objects that are not sampled use a further one. */
static void kma_scale_sites_further(u32 sites_max)
{
	const struct kma_origin sample = { .site = KMA_SCALE_SITE_OTHER, .shift = KMA_SHIFT_MIN };
	double ns[2];

	kma_scale_fill_sites(sites_max);
	kma_sitetab_sample(&kma_core.sites, &sample, KMA_SCALE_BYTES);
	kma_measure_threads(1, kma_scale_sites, NULL, ns);
	printf("bench scale_sites_%u_further_ratio %.2f ratio\n", sites_max,
	       ns[KMA_SCALE_OTHER] / ns[KMA_SCALE_OWN]);
	kma_core_destroy(&kma_core);
}

/* ---- many samples are live --------------------------------------------------- */

#define KMA_SCALE_FREES		(16U << 10)	/* in each time that is measured */
#define KMA_SCALE_FREE_PTRS	(1024U << 10)
#define KMA_SCALE_FREE_ROUNDS	1000U
#define KMA_SCALE_SAMPLES_MAX	1000000U
#define KMA_SCALE_CERTAIN	(1024UL << 10)	/* bytes of an object that is always a sample */

/* Samples are at multiples of 128, and objects that are not sampled are 64 bytes above these. */
#define KMA_SCALE_ALIGN		128UL

/* Addresses of the samples, of objects anywhere, and of objects on the pages of samples. */
static unsigned long kma_scale_sample[KMA_SCALE_SAMPLES_MAX];
static unsigned long kma_scale_any[KMA_SCALE_FREE_PTRS];
static unsigned long kma_scale_near[KMA_SCALE_FREE_PTRS];

/* A machine: GiB of memory, whose addresses follow each other, and how many samples are live. */
struct kma_scale_machine {
	u32 gib;
	u32 samples;
};

/* 32 bits that look random. */
static u32 kma_scale_random(void)
{
	static u64 state = 1;

	state = state * 0x5851f42d4c957f2dULL + 0x14057b7ef767814fULL;
	return state >> 32;
}

/* Any multiple of KMA_SCALE_ALIGN in the @bytes bytes from @from. */
static unsigned long kma_scale_ptr(unsigned long from, unsigned long bytes)
{
	return from + (unsigned long)((kma_u128)kma_scale_random() *
				      (bytes / KMA_SCALE_ALIGN) >> 32) * KMA_SCALE_ALIGN;
}

/* Choose the addresses for a machine. */
static void kma_scale_choose(const struct kma_scale_machine *m)
{
	const unsigned long first = 0xffff888000000000UL, bytes = (unsigned long)m->gib << 30;
	unsigned long page;
	u32 i;

	for (i = 0; i < m->samples; i++)
		kma_scale_sample[i] = kma_scale_ptr(first, bytes);
	for (i = 0; i < KMA_SCALE_FREE_PTRS; i++) {
		page = kma_scale_sample[kma_scale_random() % m->samples] & -KMA_PAGE_SIZE;
		kma_scale_any[i] = kma_scale_ptr(first, bytes) + KMA_SCALE_ALIGN / 2;
		kma_scale_near[i] = kma_scale_ptr(page, KMA_PAGE_SIZE) + KMA_SCALE_ALIGN / 2;
	}
}

/* Allocate tables of the size that they have on the machine. */
static void kma_scale_start(const struct kma_scale_machine *m)
{
	const u64 pfns = (u64)m->gib << (30 - KMA_PAGE_SHIFT), many = 1 << 20;
	const u64 live_max = ((u64)m->gib << 30) / 128 / (kma_objtab_bytes(many, 0) / many);

	if (kma_core_init(&kma_core, min_t(u64, live_max, 16 << 20), 8192, pfns))
		exit(1);
	kma_record_livefilter_start(&kma_core);
}

static void kma_scale_fill(const struct kma_scale_machine *m)
{
	u32 i;

	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	for (i = 0; i < m->samples; i++)
		kma_bench_kmalloc_sampled(KMA_SCALE_SITE, kma_scale_sample[i],
					  KMA_SCALE_CERTAIN, KMA_SCALE_CERTAIN, NUMA_NO_NODE);
}

/* Time of a free, in ns.  None of the objects is a sample. */
static double kma_scale_frees(const unsigned long *ptr)
{
	const u64 start = kma_measure_ns();
	u32 i;

	for (i = 0; i < KMA_SCALE_FREES; i++)
		kma_bench_kfree_filtered(ptr[i]);
	return (double)(kma_measure_ns() - start) / KMA_SCALE_FREES;
}

/* How many samples were recorded and not freed. */
static u64 kma_scale_live(void)
{
	struct kma_row sum;
	u64 live = 0;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		live += sum.hits - sum.frees;
	}
	return live;
}

/* Time frees in turns, with the empty livefilter @none and with the livefilter of the samples. */
static void kma_scale_frees_compare(const struct kma_scale_machine *m, const char *name,
				    const unsigned long *ptr,
				    const struct kma_livefilter *none)
{
	double without[KMA_SCALE_FREE_ROUNDS], with[KMA_SCALE_FREE_ROUNDS], one, two;
	const struct kma_livefilter all = kma_core.livefilter;
	const unsigned long *at;
	u32 i;

	for (i = 0; i < KMA_SCALE_FREE_ROUNDS; i++) {
		at = &ptr[i * KMA_SCALE_FREES % KMA_SCALE_FREE_PTRS];
		kma_core.livefilter = *none;
		without[i] = kma_scale_frees(at);
		kma_core.livefilter = all;
		with[i] = kma_scale_frees(at);
	}
	one = kma_measure_median(without, KMA_SCALE_FREE_ROUNDS);
	two = kma_measure_median(with, KMA_SCALE_FREE_ROUNDS);
	printf("bench scale_free_%uG_%s_none %.2f ns\n", m->gib, name, one);
	printf("bench scale_free_%uG_%s_%u %.2f ns\n", m->gib, name, m->samples, two);
	printf("bench scale_free_%uG_%s_%u_ratio %.2f ratio\n", m->gib, name, m->samples,
	       two / one);
}

static void kma_scale_samples(const struct kma_scale_machine *m)
{
	const u64 pfns = (u64)m->gib << (30 - KMA_PAGE_SHIFT);
	struct kma_livefilter none;

	kma_scale_choose(m);
	kma_scale_start(m);
	kma_scale_fill(m);
	if (kma_livefilter_init(&none, pfns))
		exit(1);
	printf("bench scale_free_%uG_livefilter %llu KiB\n", m->gib,
	       (unsigned long long)kma_livefilter_bytes(pfns) >> 10);
	kma_scale_frees_compare(m, "any", kma_scale_any, &none);
	kma_scale_frees_compare(m, "near", kma_scale_near, &none);
	/* No free was of a sample. */
	if (kma_scale_live() != m->samples)
		exit(1);
	kma_livefilter_destroy(&none);
	kma_core_destroy(&kma_core);
}

int main(void)
{
	static const struct kma_scale_machine machine[] = {
		{ 16, 32768 }, { 512, 200000 }, { 512, KMA_SCALE_SAMPLES_MAX },
	};
	u32 i;

	kma_scale_sites_full(8192);
	kma_scale_sites_full(64000);
	kma_scale_sites_further(8192);
	kma_scale_sites_further(64000);
	for (i = 0; i < ARRAY_SIZE(machine); i++)
		kma_scale_samples(&machine[i]);
	return 0;
}
