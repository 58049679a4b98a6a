// SPDX-License-Identifier: GPL-2.0
/*
 * Tests recycling of rows, with sequential events, under the address sanitizer and the undefined
 * behaviour sanitizer.  Events that happen while rows are recycled are called from
 * kma_env_wait_for_probes().
 *
 *   recycle [SEED]
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <stdlib.h>
#include <string.h>

#include "seeded.h"
#include "../../../module/core/recycle.h"

#define KMA_PFNS	64
#define KMA_LIVE_MAX	20000

static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object *kma_object;

static void kma_setup_sized(u32 sites_max, u64 live_max, u32 nr_sites, u32 nr_objects)
{
	u32 i;

	kma_object = calloc(nr_objects, sizeof(*kma_object));
	if (!kma_object || kma_core_init(&kma_core, live_max, sites_max, KMA_PFNS))
		abort();
	for (i = 0; i < nr_objects; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, nr_sites, kma_object, nr_objects);
	kma_model_reset(&kma_model);
	kma_model.caches = true;
}

static void kma_setup(u32 sites_max, u32 nr_sites, u32 nr_objects)
{
	kma_setup_sized(sites_max, KMA_LIVE_MAX, nr_sites, nr_objects);
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

static void kma_alloc_free(u32 object, u32 site, u32 cache)
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

/* Each row in use is in the list of its cache, and no other row is in a list. */
static void kma_expect_lists(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info;
	u32 next, nr = 0;
	int cache;

	for (cache = 0; cache < (int)t->caches.nr; cache++) {
		for (next = t->first[cache]; next && nr <= t->sites_max; next = info->next) {
			info = &t->info[next - 1];
			kma_expect(info->cache == cache && info->state != KMA_SITE_UNUSED);
			nr++;
		}
	}
	kma_expect(nr == kma_used());
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
	kma_alloc_free(2, 1, 0);
	kma_expect(kma_used() == 2 && !atomic_read(&kma_core.sites.retired));
	kma_model_free(&kma_model, &kma_object[0]);
	kma_expect(kma_model_recycle(&kma_model) == 1 && kma_used() == 1);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(!kma_sitetab_info(&kma_core.sites, row));
	for (i = 0; i < KMA_PAIRS_MIN - 1; i++)
		kma_alloc_free(2, 3 + i, 0);
	kma_expect(kma_used() == KMA_PAIRS_MIN && !kma_stat_sum(KMA_STAT_other_sites));
	kma_expect(kma_model_recycle(&kma_model) == KMA_PAIRS_MIN - 1);
	/* The freed number was put into the ring buffer after all others. */
	for (; i < KMA_SITES_MIN - 1; i++)
		kma_alloc_free(2, 3 + i, 0);
	kma_expect(kma_sitetab_info(&kma_core.sites, row)->site == KMA_MODEL_SITE + 16 * (2 + i));
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect_lists();
	kma_recycle_forget(&kma_core.sites);
	kma_expect(!kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->hits);
	kma_teardown();
}

static const struct kma_site_slot *kma_found_slot;
static u32 kma_found_row, kma_found_waits;

/* Another pair with the same first slot does not get the slot that a probe has found. */
static void kma_slot_is_not_given(void)
{
	const unsigned long site = KMA_MODEL_SITE + 16 - 8 * ++kma_found_waits;
	const unsigned long cache = kma_model_cache(&kma_model, 0) + 8 * kma_found_waits;

	kma_expect(kma_sitetab_first(&kma_core.sites, site, cache) == kma_found_slot);
	kma_expect(kma_sitetab_get(&kma_core.sites, site, cache) != kma_found_slot);
	kma_expect(kma_found_slot->id == kma_found_row);
}

static void kma_slot_waits_for_probes(void)
{
	const unsigned long cache = 64;

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_expect(kma_model_cache(&kma_model, 0) == cache);
	kma_alloc_free(0, 1, 0);
	kma_found_slot = kma_sitetab_first(&kma_core.sites, KMA_MODEL_SITE + 16, cache);
	kma_found_row = kma_found_slot->id;
	kma_found_waits = 0;
	kma_env_wait = kma_slot_is_not_given;
	kma_expect(kma_model_recycle(&kma_model) == 1 && kma_found_waits == 2);
	kma_expect(kma_found_slot->site == KMA_SITE_FREE);
	kma_env_wait = NULL;
	/* The next pair gets the slot. */
	kma_expect(kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, cache) ==
		   kma_found_slot);
	kma_teardown();
}

/* Rows that are not wanted stay. */
static bool kma_wants_the_second(void *arg, u32 id, const struct kma_row *sum)
{
	return id == *(u32 *)arg && sum->hits == 1;
}

static void kma_leaves_nothing(void *arg, u32 id, struct kma_row *sum)
{
	(void)id;
	(void)arg;
	*sum = (struct kma_row) {};
}

static void kma_recycles_rows_that_are_wanted(void)
{
	u32 second = 1;
	const struct kma_recycle recycle = {
		.wanted = kma_wants_the_second,
		.leaves = kma_leaves_nothing,
		.arg = &second,
	};

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_alloc_free(0, 1, 0);
	kma_alloc_free(0, 2, 0);
	kma_alloc_free(0, 3, 0);
	kma_expect(kma_recycle_begin(&kma_core.sites, &recycle));
	kma_expect(kma_recycle_finish(&kma_core.sites, &recycle).rows == 1);
	kma_expect(kma_used() == 2 && !kma_sitetab_info(&kma_core.sites, second));
	kma_expect(!kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->hits);
	kma_expect(!kma_recycle_begin(&kma_core.sites, &recycle));
	kma_expect_lists();
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
	kma_alloc_free(1, 1, cache);
	kma_expect(kma_used() == 1 && !atomic_read(&kma_core.sites.retired));
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* ---- numbers of caches ------------------------------------------------------- */

static struct kma_cachetab *kma_caches(void)
{
	return &kma_core.sites.caches;
}

/* A number stays while an object of its cache is live, even if this is in the row [other]. */
static void kma_recycles_a_number(bool other)
{
	const u32 cache = KMA_MODEL_KMALLOCS;
	unsigned long word;
	u32 i;

	kma_setup(KMA_SITES_MIN, 200, 100);
	word = kma_model_cache(&kma_model, cache);
	for (i = 0; other && i < KMA_PAIRS_MIN; i++)
		kma_model_alloc(&kma_model, &kma_object[1 + i], 2 + i, 0);
	kma_model_alloc(&kma_model, &kma_object[0], 1, cache);
	kma_expect(kma_stat_sum(KMA_STAT_other_sites) == other);
	kma_sitetab_retire_cache(&kma_core.sites, word);
	kma_expect(kma_cachetab_used(kma_caches()) == 1U + other);
	kma_model_recycle(&kma_model);
	kma_expect(kma_caches()->state[other] == KMA_CACHE_RETIRED);
	kma_model_free(&kma_model, &kma_object[0]);
	kma_model.caches = false;
	kma_model_recycle(&kma_model);
	kma_expect(kma_caches()->state[other] == KMA_CACHE_RETIRED);
	kma_model.caches = true;
	kma_model_recycle(&kma_model);
	kma_expect(kma_caches()->state[other] == KMA_CACHE_UNUSED);
	kma_expect(kma_cachetab_used(kma_caches()) == other);
	kma_expect(kma_model.left[cache].hits == 1 && kma_model.left[cache].frees == 1);
	kma_expect(kma_core.sites.info[KMA_SITES_MIN + other].shift == KMA_SHIFT_NONE);
	kma_expect_ok(kma_model_check(&kma_model));
	/* The cache appears again: it gets another number, and the row [other] counts from 0. */
	kma_alloc_free(0, 1, cache);
	kma_expect(kma_cachetab_get(kma_caches(), word) == 1 + (int)other);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect_lists();
	kma_teardown();
}

static void kma_recycles_numbers(void)
{
	kma_recycles_a_number(false);
	kma_recycles_a_number(true);
}

/*
 * A probe that has looked up the number of a cache before the cache was destroyed makes a row, and
 * puts an object.  The states are as if the number had been taken over before recycling began.
 */
static void kma_late_row(void)
{
	const unsigned long word = kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS);
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16, .ptr = kma_object[0].ptr, .cache = word,
		.node = NUMA_NO_NODE,
	};

	kma_env_wait = NULL;
	kma_expect(kma_caches()->state[0] == KMA_CACHE_LEAVING);
	kma_caches()->state[0] = KMA_CACHE_RETIRED;
	kma_record_alloc(&kma_core, &ev);
	kma_expect(kma_core.sites.info[kma_row_of(0)].cache == 0);
	kma_sitetab_retire_cache(&kma_core.sites, word);
	kma_caches()->state[0] = KMA_CACHE_LEAVING;
}

/* A number to which a probe adds a row during the first wait stays. */
static void kma_number_waits_for_probe(void)
{
	unsigned long word;

	kma_setup(KMA_SITES_MIN, 200, 100);
	word = kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS);
	kma_cachetab_get(kma_caches(), word);
	kma_sitetab_retire_cache(&kma_core.sites, word);
	kma_env_wait = kma_late_row;
	kma_model_recycle(&kma_model);
	kma_expect(!kma_env_wait && kma_caches()->state[0] == KMA_CACHE_RETIRED);
	kma_expect(kma_cachetab_used(kma_caches()) == 1);
	kma_record_free(&kma_core, kma_object[0].ptr, true);
	kma_expect(kma_model_recycle(&kma_model) == 1 && !kma_cachetab_used(kma_caches()));
	kma_teardown();
}

/* ---- events meanwhile ------------------------------------------------------- */

static u32 kma_waits;
static const struct kma_site_slot *kma_found;

/* Number of the wait that is for a probe that has found the row, and puts an object then. */
static u32 kma_late_wait;

static void kma_late_put(void)
{
	struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16, .ptr = kma_object[0].ptr, .cache = 64,
		.kmalloc = true, .node = NUMA_NO_NODE,
	};

	if (++kma_waits == kma_late_wait)
		kma_record_object(&kma_core, kma_found, &ev, false);
}

static void kma_waits_for_probe(u32 wait)
{
	u32 row;

	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_alloc_free(0, 1, 0);
	kma_found = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, 64);
	row = kma_found->id;
	kma_waits = 0;
	kma_late_wait = wait;
	kma_env_wait = kma_late_put;
	kma_expect(!kma_model_recycle(&kma_model) && kma_waits == 2);
	kma_expect(kma_row_of(0) == row);
	kma_expect(kma_core.sites.info[row].state == KMA_SITE_LEAVING);
	kma_expect(atomic_read(&kma_core.sites.retired) == 1);
	/* Events of the site use another row from now on. */
	kma_alloc_free(1, 1, 0);
	kma_expect(kma_used() == 2);
	kma_env_wait = NULL;
	kma_expect(kma_model_recycle(&kma_model) == 1 && kma_used() == 1);
	kma_record_free(&kma_core, kma_object[0].ptr, true);
	kma_expect(kma_model_recycle(&kma_model) == 1 && !kma_used());
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->hits == 3);
	kma_expect(kma_recycle_past(&kma_core.sites, 0, KMA_SHIFT_EXACT)->frees == 3);
	kma_teardown();
}

static void kma_waits_for_probes(void)
{
	kma_waits_for_probe(1);
	kma_waits_for_probe(2);
}

/* The number of a cache stays, too, if one of its rows does. */
static void kma_number_waits_for_row(void)
{
	u32 cache = KMA_MODEL_KMALLOCS;

	for (kma_late_wait = 1; kma_late_wait <= 2; kma_late_wait++) {
		kma_setup(KMA_SITES_MIN, 200, 100);
		kma_alloc_free(0, 1, cache);
		kma_found = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16,
					    kma_model_cache(&kma_model, cache));
		kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, cache));
		kma_waits = 0;
		kma_env_wait = kma_late_put;
		kma_expect(!kma_model_recycle(&kma_model) && kma_waits == 2);
		kma_expect(kma_core.sites.info[kma_row_of(0)].cache == 0);
		kma_expect(kma_caches()->state[0] == KMA_CACHE_RETIRED);
		kma_expect_lists();
		kma_env_wait = NULL;
		kma_record_free(&kma_core, kma_object[0].ptr, true);
		kma_expect(kma_model_recycle(&kma_model) == 1);
		kma_expect(kma_caches()->state[0] == KMA_CACHE_UNUSED);
		kma_expect(kma_model.left[cache].hits == 2 && kma_model.left[cache].frees == 2);
		kma_teardown();
	}
}

/* Without memory for what rows have counted, none is recycled, and the next call tries again. */
static void kma_recycles_nothing_without_memory(void)
{
	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_alloc_free(0, 1, 0);
	kma_env_fail_at = 1;
	kma_expect(!kma_model_recycle_begin(&kma_model) && !kma_recycle_bytes(&kma_core.sites));
	kma_expect(!atomic_read(&kma_core.sites.retired));
	kma_env_fail_at = 0;
	kma_env_bytes = 0;
	kma_expect(kma_model_recycle(&kma_model) == 1);
	kma_expect(kma_recycle_bytes(&kma_core.sites) == kma_env_bytes);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* A row that has counted nothing was made by a probe that has not counted its event yet. */
static void kma_keeps_new_rows(void)
{
	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, 64);
	kma_expect(!kma_model_recycle(&kma_model) && kma_used() == 1);
	kma_expect(!atomic_read(&kma_core.sites.retired));
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
	kma_alloc_free(1, 1, KMA_MODEL_KMALLOCS);
}

static void kma_late_count_is_kept(void)
{
	kma_setup(KMA_SITES_MIN, 200, 100);
	kma_alloc_free(0, 1, KMA_MODEL_KMALLOCS);
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
	if (!kma_below(6))
		kma_model_bulk(&kma_model, o, kma_below(kma_model.nr_sites),
			       KMA_MODEL_KMALLOCS);
	else if (kma_below(2))
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
	if (!kma_below(100))
		kma_model_pages_free(&kma_model, KMA_MODEL_PTR, 0);
	if (!kma_below(3))
		kma_sitetab_retire_cache(&kma_core.sites,
					 kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS +
							 kma_below(KMA_MODEL_CACHES -
								   KMA_MODEL_KMALLOCS)));
}

/* Events before, during and after recycling agree with the model. */
static void kma_agrees_while_recycled(u32 sites_max, u64 live_max, bool with_room)
{
	u32 i, nr = 0;

	kma_setup_sized(sites_max, live_max, 60, with_room ? 120 : 3000);
	kma_env_wait = kma_random_events;
	for (i = 0; i < 2000; i++) {
		kma_random_events();
		if (!kma_below(4))
			nr += kma_model_recycle(&kma_model);
		if (i % 100 == 99)
			kma_expect_ok(kma_model_check(&kma_model));
	}
	kma_expect_lists();
	kma_expect(nr > (with_room ? 2000 : 100));
	kma_expect(!kma_stat_sum(KMA_STAT_other_sites) == with_room);
	kma_expect(!kma_stat_sum(KMA_STAT_dropped_live_full) == with_room);
	kma_teardown();
}

static void kma_agrees_with_room(void)
{
	kma_agrees_while_recycled(4000, KMA_LIVE_MAX, true);
}

static void kma_agrees_without_room(void)
{
	kma_agrees_while_recycled(KMA_SITES_MIN, 8, false);
}

/* ---- months ----------------------------------------------------------------- */

#define KMA_MONTHS_SITES	20	/* call sites of a module */
#define KMA_MONTHS_RELOADS	1000
#define KMA_MONTHS_RATES	100
#define KMA_MONTHS_STACKS	100000

/*
 * The purpose of each row when it was retired, as the module keeps names, and the purpose for which
 * each object that stays live was allocated.
 */
static u32 kma_kept[4096];
static u32 kma_truth[KMA_MONTHS_RELOADS + KMA_MONTHS_RATES + KMA_MONTHS_STACKS];
static u64 kma_hits[KMA_SHIFT_MAX + 1];

static bool kma_wants_all(void *arg, u32 id, const struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
	return true;
}

static void kma_forgets(void *arg, u32 id, struct kma_row *sum)
{
	(void)arg;
	(void)sum;
	kma_kept[id] = 0;
}

static void kma_recycle_all(void)
{
	const struct kma_recycle recycle = { .wanted = kma_wants_all, .leaves = kma_forgets };

	if (kma_recycle_begin(&kma_core.sites, &recycle))
		kma_recycle_finish(&kma_core.sites, &recycle);
}

/* Allocate an object for @what; it is freed at once, unless it @stays. */
static void kma_month_event(struct kma_origin o, u32 what, bool stays)
{
	const unsigned long ptr = KMA_MODEL_PTR + 64 * what;
	const struct kma_event ev = {
		.site = o.site, .ptr = ptr, .cache = 64, .kmalloc = true, .bytes_req = 1,
		.node = NUMA_NO_NODE,
	};
	const struct kma_site_slot *slot;

	if (kma_used() >= kma_core.sites.sites_max / 2)
		kma_recycle_all();
	slot = o.shift ? kma_sitetab_sample(&kma_core.sites, &o, ev.cache) :
			 kma_sitetab_get(&kma_core.sites, o.site, ev.cache);
	kma_expect(slot);
	kma_record_object(&kma_core, slot, &ev, false);
	kma_hits[o.shift]++;
	kma_truth[what] = stays;
	if (!stays)
		kma_record_free(&kma_core, ptr, true);
}

/* A module is unloaded: its rows are retired, and their purposes are kept. */
static void kma_month_unload(u32 reload)
{
	const struct kma_site_info *info;
	u32 id;

	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info || kma_kept[id] || info->shift || !info->site)
			continue;
		kma_kept[id] = reload + 1;
		kma_sitetab_retire(&kma_core.sites, id);
	}
}

static void kma_month_of_reloads(void)
{
	u32 reload, site;

	for (reload = 0; reload < KMA_MONTHS_RELOADS; reload++) {
		for (site = 0; site < KMA_MONTHS_SITES; site++)
			kma_month_event((struct kma_origin) { .site = KMA_MODEL_SITE + 16 * site },
					reload, site == KMA_MONTHS_SITES - 1 && reload % 50 == 0);
		kma_month_unload(reload);
	}
}

static void kma_month_of_rates(void)
{
	u32 i, site;

	for (i = 0; i < KMA_MONTHS_RATES; i++)
		for (site = 0; site < 100; site++)
			kma_month_event((struct kma_origin) {
						.site = KMA_MODEL_SITE + 16 * site,
						.shift = KMA_SHIFT_MIN + i % 15,
					}, KMA_MONTHS_RELOADS + i, site == 99 && i % 50 == 0);
}

static void kma_month_of_stacks(void)
{
	struct kma_stack stack = { .nr_frames = 2, .frame = { KMA_MODEL_SITE } };
	u32 i;

	for (i = 0; i < KMA_MONTHS_STACKS; i++) {
		stack.frame[1] = KMA_MODEL_SITE + 16 * i;
		kma_stack_seal(&stack);
		kma_month_event((struct kma_origin) {
					.site = KMA_MODEL_SITE, .shift = 19, .stack = &stack,
				}, KMA_MONTHS_RELOADS + KMA_MONTHS_RATES + i, i % 1000 == 0);
	}
}

#define KMA_MONTHS_CACHES	20000

static struct kma_row kma_caches_left;

static void kma_cache_of_month_leaves(void *arg, int id)
{
	(void)arg;
	kma_caches_left.hits += kma_recycle_past(&kma_core.sites, id, KMA_SHIFT_EXACT)->hits;
	kma_caches_left.frees += kma_recycle_past(&kma_core.sites, id, KMA_SHIFT_EXACT)->frees;
}

static void kma_recycle_caches(void)
{
	const struct kma_recycle recycle = {
		.caches = true,
		.wanted = kma_wants_all,
		.leaves = kma_forgets,
		.cache_leaves = kma_cache_of_month_leaves,
	};

	if (kma_recycle_begin(&kma_core.sites, &recycle))
		kma_recycle_finish(&kma_core.sites, &recycle);
}

/* The name of the cache of an object, according to the row of the object. */
static const char *kma_cache_name_of(u32 object)
{
	return kma_caches()->info[kma_core.sites.info[kma_row_of(object)].cache].name;
}

/*
 * Each cache has a new name, and an address that another cache had.  One object of each hundredth
 * cache is freed only when 5,000 other caches have come and gone.
 */
static void kma_months_of_caches(void)
{
	static struct kma_env_cache cache[2];
	static char name[50][KMA_CACHE_NAME_LEN];
	struct kma_env_cache *c;
	struct kma_event ev = { .site = KMA_MODEL_SITE, .node = NUMA_NO_NODE };
	u32 i, old;

	kma_setup(4000, 1, 51);
	for (i = 0; i < KMA_MONTHS_CACHES; i++) {
		c = &cache[i % 2];
		c->size = 64 + 8 * (i % 60);
		c->object_size = c->size;
		snprintf(c->name, sizeof(c->name), "fcall-%u", i);
		ev.cache = (unsigned long)c;
		ev.ptr = kma_object[50].ptr;
		kma_record_alloc(&kma_core, &ev);
		kma_expect(!strcmp(kma_cache_name_of(50), c->name));
		kma_record_free(&kma_core, ev.ptr, true);
		if (i % 100 == 0) {
			old = i / 100 % 50;
			ev.ptr = kma_object[old].ptr;
			if (i >= 5000) {
				kma_expect(!strcmp(kma_cache_name_of(old), name[old]));
				kma_record_free(&kma_core, ev.ptr, true);
			}
			kma_record_alloc(&kma_core, &ev);
			memcpy(name[old], c->name, sizeof(name[old]));
		}
		kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)c);
		if (kma_cachetab_used(kma_caches()) >= KMA_CACHES_MAX / 8 * 7)
			kma_recycle_caches();
	}
	kma_recycle_caches();
	kma_expect(kma_cachetab_used(kma_caches()) == 50 && kma_used() == 50);
	for (old = 0; old < 50; old++) {
		kma_expect(!strcmp(kma_cache_name_of(old), name[old]));
		kma_record_free(&kma_core, kma_object[old].ptr, true);
	}
	kma_recycle_caches();
	kma_expect(!kma_cachetab_used(kma_caches()) && !kma_used());
	kma_expect(kma_caches_left.hits == KMA_MONTHS_CACHES + KMA_MONTHS_CACHES / 100);
	kma_expect(kma_caches_left.frees == kma_caches_left.hits);
	kma_expect(!kma_stat_sum(KMA_STAT_other_caches) && !kma_stat_sum(KMA_STAT_other_sites));
	kma_expect_lists();
	kma_teardown();
}

/*
 * Each object that stays is in a row of the purpose that it was allocated for, and each such row is
 * in use.
 */
static void kma_expect_truth(void)
{
	const u32 stacks = KMA_MONTHS_RELOADS + KMA_MONTHS_RATES;
	const struct kma_sitetab *t = &kma_core.sites;
	u32 what, id, live = 0;

	for (what = 0; what < ARRAY_SIZE(kma_truth); what++) {
		const unsigned long ptr = KMA_MODEL_PTR + 64 * what;
		struct kma_bucket *home = kma_objtab_home(&kma_core.obj, ptr);
		const int slot = kma_bucket_find(home, ptr);

		kma_expect(kma_truth[what] == (slot >= 0));
		if (slot < 0)
			continue;
		live++;
		id = home->entry[slot].row;
		if (what < KMA_MONTHS_RELOADS)
			kma_expect(kma_kept[id] == what + 1);
		else if (what < stacks)
			kma_expect(t->info[id].shift ==
				   KMA_SHIFT_MIN + (int)(what - KMA_MONTHS_RELOADS) % 15);
		else
			kma_expect(kma_sitetab_frames(t, id)[1] ==
				   KMA_MODEL_SITE + 16 * (what - stacks));
	}
	kma_expect(kma_used() == live);
}

/* Sums by shift are exact, whatever was recycled. */
static void kma_expect_sums(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u64 hits[KMA_SHIFT_MAX + 1] = {}, stacks = 0;
	struct kma_row sum;
	int shift;
	u32 id;

	for (id = 0; id < t->sites_max; id++) {
		if (!kma_sitetab_info(t, id))
			continue;
		kma_sitetab_sum(t, id, &sum);
		hits[t->info[id].shift] += sum.hits;
		stacks += !!t->info[id].nr_frames;
	}
	for (shift = 0; shift <= KMA_SHIFT_MAX; shift++) {
		if (shift == KMA_SHIFT_EXACT || shift >= KMA_SHIFT_MIN)
			hits[shift] += kma_recycle_past(t, 0, shift)->hits;
		kma_expect(hits[shift] == kma_hits[shift]);
	}
	kma_expect(stacks == (u64)atomic_read(&t->stacks));
	kma_expect(!kma_stat_sum(KMA_STAT_other_sites) && !kma_stat_sum(KMA_STAT_stacks_full));
}

static void kma_months(void)
{
	kma_setup(ARRAY_SIZE(kma_kept), 1, 1);
	kma_month_of_reloads();
	kma_month_of_rates();
	kma_month_of_stacks();
	kma_expect_sums();
	kma_recycle_all();
	kma_expect_sums();
	kma_expect_truth();
	kma_expect_lists();
	kma_teardown();
}

static const struct kma_case kma_cases[] = {
	{ "rows without objects are recycled", kma_recycles_rows_without_objects },
	{ "retired rows are recycled", kma_recycles_retired_rows },
	{ "a row that a probe has found is not recycled", kma_waits_for_probes },
	{ "a slot that a probe has found is not given to another pair",
	  kma_slot_waits_for_probes },
	{ "a number of a cache whose row a probe has found is not recycled",
	  kma_number_waits_for_row },
	{ "new rows are kept", kma_keeps_new_rows },
	{ "numbers of destroyed caches are recycled", kma_recycles_numbers },
	{ "a number that a probe uses is not recycled", kma_number_waits_for_probe },
	{ "rows are not recycled without memory", kma_recycles_nothing_without_memory },
	{ "a late count of a free is not lost", kma_late_count_is_kept },
	{ "rows that are not wanted are not recycled", kma_recycles_rows_that_are_wanted },
	{ "events agree with the model while rows are recycled", kma_agrees_with_room },
	{ "events agree with the model when tables are full, too", kma_agrees_without_room },
	{ "reloads, rates and stacks of months", kma_months },
	{ "caches of months", kma_months_of_caches },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
