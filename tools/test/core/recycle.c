// SPDX-License-Identifier: GPL-2.0
/*
 * Tests recycling of rows, with sequential events, under the address sanitizer and the undefined
 * behaviour sanitizer.  Events that happen while rows are recycled are called from
 * kma_env_wait_for_probes().
 *
 *   recycle [SEED]
 */
#include <stdlib.h>

#include "seeded.h"
#include "../../../module/core/recycle.h"

#define KMA_PFNS	64
#define KMA_LIVE_MAX	20000

static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object *kma_object;

static void kma_setup(u32 sites_max, u32 nr_sites, u32 nr_objects)
{
	u32 i;

	kma_object = calloc(nr_objects, sizeof(*kma_object));
	if (!kma_object || kma_core_init(&kma_core, KMA_LIVE_MAX, sites_max, KMA_PFNS))
		abort();
	for (i = 0; i < nr_objects; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, nr_sites, kma_object, nr_objects);
	kma_model_reset(&kma_model);
}

static void kma_teardown(void)
{
	kma_env_wait = NULL;
	kma_core_destroy(&kma_core);
	kma_model_destroy(&kma_model);
	free(kma_object);
}

static u32 kma_used(void)
{
	return kma_sitetab_used(&kma_core.sites);
}

static void kma_pair(u32 object, u32 site, u32 cache)
{
	kma_model_alloc(&kma_model, &kma_object[object], site, cache);
	kma_model_free(&kma_model, &kma_object[object]);
}

static u64 kma_stat_sum(enum kma_stat stat)
{
	struct kma_stats stats;

	kma_stats_sum(&stats);
	return stats.v[stat];
}

/* The row of a live object, which is in its home bucket. */
static u32 kma_row_of(u32 object)
{
	const unsigned long ptr = kma_object[object].ptr;
	struct kma_bucket *home = kma_objtab_home(&kma_core.obj, ptr);
	const int slot = kma_bucket_find(home, ptr);

	if (slot < 0)
		abort();
	return home->entry[slot].row;
}

/* ---- one row ---------------------------------------------------------------- */

/* A row with a live object stays; without one, it is used for another site. */
static void kma_recycles_rows_without_objects(void)
{
	u32 i, row;

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	kma_model_alloc(&kma_model, &kma_object[1], 2, 0);
	row = kma_row_of(0);
	kma_expect(!kma_model_recycle(&kma_model) && kma_used() == 2);
	kma_model_free(&kma_model, &kma_object[0]);
	kma_expect(kma_model_recycle(&kma_model) == 1 && kma_used() == 1);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(!kma_sitetab_info(&kma_core.sites, row));
	/* The freed number is the last in the ring buffer. */
	for (i = 0; i < KMA_SITES_MIN - 1; i++)
		kma_pair(2, 3 + i, 0);
	kma_expect(kma_used() == KMA_SITES_MIN && !kma_stat_sum(KMA_STAT_other_sites));
	kma_expect(kma_sitetab_info(&kma_core.sites, row)->site ==
		   KMA_MODEL_SITE + 16 * (KMA_SITES_MIN + 1));
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* Rows of unloaded modules and of destroyed caches are recycled, too. */
static void kma_recycles_retired_rows(void)
{
	const u32 cache = KMA_MODEL_KMALLOCS;

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	kma_sitetab_retire(&kma_core.sites, kma_row_of(0));
	kma_model_alloc(&kma_model, &kma_object[1], 1, cache);
	kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, cache));
	kma_expect(atomic_read(&kma_core.sites.retired) == 2);
	kma_expect(!kma_model_recycle(&kma_model) && kma_used() == 2);
	kma_model_free(&kma_model, &kma_object[0]);
	kma_model_free(&kma_model, &kma_object[1]);
	kma_expect(kma_model_recycle(&kma_model) == 2 && !kma_used());
	kma_expect(!atomic_read(&kma_core.sites.retired));
	/* The cache appears again.  Its parked row is gone, and it gets a new one. */
	kma_pair(1, 1, cache);
	kma_expect(kma_used() == 1 && !atomic_read(&kma_core.sites.retired));
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* ---- events meanwhile ------------------------------------------------------- */

static u32 kma_waits;
static const struct kma_site_slot *kma_found;

/* The first wait is for a probe that has found the row before, and puts an object now. */
static void kma_late_put(void)
{
	const unsigned long ptr = kma_object[0].ptr;
	struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16, .ptr = ptr, .cache = 64, .kmalloc = true,
		.node = NUMA_NO_NODE,
	};

	if (!kma_waits++)
		kma_record_object(&kma_core, kma_found, &ev, false);
}

static void kma_waits_for_probes(void)
{
	u32 row;

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_pair(0, 1, 0);
	kma_found = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, 64);
	row = kma_found->id;
	kma_waits = 0;
	kma_env_wait = kma_late_put;
	kma_expect(!kma_model_recycle(&kma_model) && kma_waits == 1);
	kma_expect(kma_row_of(0) == row);
	kma_expect(kma_core.sites.info[row].state == KMA_SITE_LEAVING);
	/* Events of the site use another row from now on. */
	kma_pair(1, 1, 0);
	kma_expect(kma_used() == 2);
	kma_env_wait = NULL;
	kma_record_free(&kma_core, kma_object[0].ptr, true);
	kma_expect(kma_model_recycle(&kma_model) == 2 && !kma_used());
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->hits == 3);
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->frees == 3);
	kma_teardown();
}

/* In the second wait, a probe finishes the count of a free, and the cache is destroyed. */
static void kma_late_count(void)
{
	if (kma_waits++ != 1)
		return;
	this_cpu_inc(kma_found->row->pingpong);
	kma_sitetab_retire_cache(&kma_core.sites,
				 kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS));
	kma_pair(1, 1, KMA_MODEL_KMALLOCS);
}

static void kma_counts_late_frees(void)
{
	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_pair(0, 1, KMA_MODEL_KMALLOCS);
	kma_found = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16,
				    kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS));
	kma_waits = 0;
	kma_env_wait = kma_late_count;
	kma_expect(kma_model_recycle(&kma_model) == 1 && kma_waits == 2);
	kma_expect(kma_used() == 1);
	kma_env_wait = NULL;
	kma_expect(kma_model_recycle(&kma_model) == 1 && !kma_used());
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->pingpong == 1);
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->hits == 2);
	kma_teardown();
}

/* ---- many events ------------------------------------------------------------ */

static void kma_random_event(u32 nr_caches)
{
	struct kma_object *o = &kma_object[kma_below(kma_model.nr_objects)];

	kma_env.cpu = kma_below(KMA_ENV_CPUS);
	if (kma_below(2))
		kma_model_alloc(&kma_model, o, kma_below(kma_model.nr_sites),
				kma_below(nr_caches));
	else if (!o->left)
		kma_model_free(&kma_model, o);
}

static void kma_random_events(void)
{
	const u32 nr = kma_below(40);
	u32 i;

	for (i = 0; i < nr; i++)
		kma_random_event(KMA_MODEL_CACHES);
	if (!kma_below(3))
		kma_sitetab_retire_cache(&kma_core.sites,
					 kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS +
							 kma_below(KMA_MODEL_CACHES -
								   KMA_MODEL_KMALLOCS)));
}

/* Events before, during and after recycling agree with the model. */
static void kma_agrees_while_recycled(void)
{
	u32 i, nr = 0;

	kma_setup(4000, 60, 120);
	kma_env_wait = kma_random_events;
	for (i = 0; i < 2000; i++) {
		kma_random_events();
		if (!kma_below(4))
			nr += kma_model_recycle(&kma_model);
		if (i % 100 == 99)
			kma_expect_ok(kma_model_check(&kma_model));
	}
	kma_expect(nr > 2000);
	kma_expect(!kma_stat_sum(KMA_STAT_other_sites));
	kma_teardown();
}

static const struct kma_case kma_cases[] = {
	{ "rows without objects are recycled", kma_recycles_rows_without_objects },
	{ "retired rows are recycled", kma_recycles_retired_rows },
	{ "a row that a probe has found is not recycled", kma_waits_for_probes },
	{ "a late count of a free is not lost", kma_counts_late_frees },
	{ "events agree with the model while rows are recycled", kma_agrees_while_recycled },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
