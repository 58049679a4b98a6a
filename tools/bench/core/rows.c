// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the rows of call sites that are in use after what a machine does in months: modules are
 * loaded again, the sampling rate changes, and there are ever new stacks.  A few objects stay live.
 */
#include <stdio.h>
#include <stdlib.h>

#include "probes.h"
#include "../../../module/core/recycle.h"

#define KMA_ROWS_SITES_MAX	8192
#define KMA_ROWS_RELOADS	1000
#define KMA_ROWS_RATES		100
#define KMA_ROWS_STACKS		100000
#define KMA_ROWS_SITES		50	/* of a module, or of a rate */
#define KMA_ROWS_STAYS		50	/* one object in this many stays live */
#define KMA_ROWS_SITE		0xffffffffc0000000UL
#define KMA_ROWS_PTR		0xffff888004000000UL
#define KMA_ROWS_PFNS		262144

static u32 kma_rows_objects;

static bool kma_rows_wanted(void *arg, u32 id, const struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
	return true;
}

static void kma_rows_leaves(void *arg, u32 id, struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
}

static void kma_rows_recycle(void)
{
	const struct kma_recycle recycle = {
		.wanted = kma_rows_wanted, .leaves = kma_rows_leaves,
	};

	if (kma_recycle_begin(&kma_core.sites, &recycle))
		kma_recycle_finish(&kma_core.sites, &recycle);
}

/* Rows run short under the same conditions as in module/recycling.c. */
static void kma_rows_event(struct kma_origin o)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_event ev = {
		.site = o.site,
		.ptr = KMA_ROWS_PTR + 64UL * kma_rows_objects,
		.cache = 64,
		.kmalloc = true,
		.bytes_req = 64,
		.node = NUMA_NO_NODE,
	};
	const struct kma_site_slot *slot;

	if (kma_sitetab_used(t) >= t->sites_max / 8 * 7 ||
	    (u32)atomic_read(&t->stacks) >= kma_sitetab_stacks_max(t) / 8 * 7)
		kma_rows_recycle();
	slot = o.shift ? kma_sitetab_sample(&kma_core.sites, &o, ev.cache) :
			 kma_sitetab_get(&kma_core.sites, o.site, ev.cache);
	if (!slot)
		exit(1);
	kma_record_object(&kma_core, slot, &ev, false);
	if (kma_rows_objects++ % KMA_ROWS_STAYS)
		kma_record_free(&kma_core, ev.ptr, true);
}

static void kma_rows_reloads(void)
{
	u32 i, id;

	for (i = 0; i < KMA_ROWS_RELOADS * KMA_ROWS_SITES; i++) {
		kma_rows_event((struct kma_origin) {
			.site = KMA_ROWS_SITE + i % KMA_ROWS_SITES * 16,
		});
		if (i % KMA_ROWS_SITES != KMA_ROWS_SITES - 1)
			continue;
		for (id = 0; id < kma_core.sites.sites_max; id++)
			if (kma_sitetab_info(&kma_core.sites, id))
				kma_sitetab_retire(&kma_core.sites, id);
	}
}

static void kma_rows_rates(void)
{
	u32 i;

	for (i = 0; i < KMA_ROWS_RATES * KMA_ROWS_SITES; i++)
		kma_rows_event((struct kma_origin) {
			.site = KMA_ROWS_SITE + i % KMA_ROWS_SITES * 16,
			.shift = KMA_SHIFT_MIN + i / KMA_ROWS_SITES %
				 (KMA_SHIFT_MAX - KMA_SHIFT_MIN + 1),
		});
}

static void kma_rows_stacks(void)
{
	struct kma_stack stack = { .nr_frames = 2, .frame = { KMA_ROWS_SITE } };
	u32 i;

	for (i = 0; i < KMA_ROWS_STACKS; i++) {
		stack.frame[1] = KMA_ROWS_SITE + 16 * i;
		kma_stack_seal(&stack);
		kma_rows_event((struct kma_origin) {
			.site = KMA_ROWS_SITE, .shift = 19, .stack = &stack,
		});
	}
}

static void kma_rows_print(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_stats stats;
	struct kma_row sum;
	u32 id, live = 0;

	kma_rows_recycle();
	for (id = 0; id < t->sites_max; id++) {
		kma_sitetab_sum(t, id, &sum);
		live += !!kma_row_live(&sum);
	}
	kma_stats_sum(&stats);
	printf("bench scale_rows_live %u rows\n", live);
	printf("bench scale_rows_used %u rows\n", kma_sitetab_used(t));
	printf("bench scale_rows_used_ratio %.2f ratio\n", (double)kma_sitetab_used(t) / live);
	printf("bench scale_rows_other %llu events\n",
	       stats.v[KMA_STAT_other_sites] + stats.v[KMA_STAT_dropped_sites_full] +
	       stats.v[KMA_STAT_stacks_full]);
}

int main(void)
{
	if (kma_core_init(&kma_core, 1000000, KMA_ROWS_SITES_MAX, KMA_ROWS_PFNS))
		return 1;
	kma_rows_reloads();
	kma_rows_rates();
	kma_rows_stacks();
	kma_rows_print();
	return 0;
}
