// SPDX-License-Identifier: GPL-2.0
/*
 * Tests single functions of the core, at the limits of their arguments and in states that random
 * events hardly ever reach.  All results are known exactly.  The program runs under the address
 * sanitizer and the undefined behaviour sanitizer, and takes less than a second.
 *
 *   limits [SEED]
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/numa.h>
#include <linux/topology.h>
#include <stdlib.h>
#include <string.h>

#include "seeded.h"
#include "../../../module/core/budget.h"
#include "../../../module/core/countmap.h"
#include "../../../module/core/pagealloc.h"

#define KMA_PFNS	64
#define KMA_PTR		KMA_MODEL_PTR
#define KMA_SITE	KMA_MODEL_SITE

static struct kma_core kma_core;

static void kma_setup(u64 live_max)
{
	int cpu;

	if (kma_core_init(&kma_core, live_max, KMA_SITES_MIN, KMA_PFNS))
		abort();
	for_each_possible_cpu(cpu)
		memset(per_cpu(kma_stats, cpu).v, 0, sizeof(kma_stats.v));
}

static void kma_teardown(void)
{
	kma_record_livefilter_stop();
	kma_core_destroy(&kma_core);
}

static u64 kma_stat(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

#define kma_stat_now(name) kma_stat(KMA_STAT_##name)

static void kma_alloc_at(unsigned long ptr)
{
	const struct kma_event ev = {
		.site = KMA_SITE,
		.ptr = ptr,
		.cache = 64,
		.kmalloc = true,
		.node = NUMA_NO_NODE,
	};

	kma_record_alloc(&kma_core, &ev);
}

/* The sums over all rows. */
static struct kma_row kma_rows_sum(void)
{
	struct kma_row all = {}, sum;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		all.hits += sum.hits;
		all.bulk += sum.bulk;
		all.frees += sum.frees;
		all.repaired += sum.repaired;
		all.no_entry += sum.no_entry;
		all.cross_node += sum.cross_node;
	}
	return all;
}

/* ---- events ------------------------------------------------------------------ */

static void kma_splits_classes(void)
{
	u32 order, type, bit;
	unsigned long class, sampled;

	for (order = 0; order < 16; order++)
		for (type = 0; type < 8; type++)
			for (bit = 0; bit < 32; bit++) {
				class = kma_class(order, type, 1U << bit);
				kma_expect((class & KMA_CLASS_KIND) == KMA_CLASS_SITE);
				kma_expect(kma_class_order(class) == order);
				kma_expect(kma_class_type(class) == type);
				kma_expect(kma_class_gfp(class) == 1U << bit);
				sampled = kma_class_kind(class, KMA_CLASS_SAMPLED);
				kma_expect((sampled & KMA_CLASS_KIND) == KMA_CLASS_SAMPLED);
				kma_expect((sampled ^ class) == KMA_CLASS_KIND);
			}
}

static void kma_tells_sizes_from_caches(void)
{
	kma_expect(kma_cache_is_kmalloc(8) && kma_cache_is_kmalloc(KMA_CACHE_BYTES_MAX));
	kma_expect(!kma_cache_is_kmalloc(KMA_CACHE_BYTES_MAX + 1));
	kma_expect(!kma_cache_is_kmalloc(KMA_PTR));
}

/* ---- the live table ----------------------------------------------------------- */

static bool kma_put_one(struct kma_objtab *t, unsigned long ptr)
{
	const struct kma_entry e = kma_model_entry(ptr, 0, 1);
	struct kma_entry old;

	return kma_objtab_put(t, ptr, &e, &old) == KMA_PUT_NEW;
}

static void kma_count_removed(void *arg, unsigned long ptr, const struct kma_entry *entry)
{
	(void)ptr;
	(void)entry;
	++*(u32 *)arg;
}

/* A slot that is being filled is not an object. */
static void kma_skips_busy_slots(void)
{
	struct kma_objtab t;
	struct kma_bucket *b;
	struct kma_entry e;
	u32 removed = 0;
	int i;

	kma_expect(!kma_objtab_init(&t, 100, KMA_PFNS));
	b = kma_objtab_bucket(&t, 0);
	for (i = 0; i < KMA_SLOTS; i++) {
		b->key[i] = KMA_BUSY;
		kma_expect(!kma_objtab_read(b, i, &e));
	}
	kma_expect(!kma_objtab_estimate(&t, 0));
	kma_pagegen_enter(&t.pages, KMA_BUSY);
	kma_expect(!kma_objtab_sweep(&t, b, kma_count_removed, &removed) && !removed);
	for (i = 0; i < KMA_SLOTS; i++)
		kma_expect(b->key[i] == KMA_BUSY);
	kma_objtab_destroy(&t);
}

/* Fifteen sweeps of a bucket may be in progress, and no more: then an entry stays for later. */
static void kma_sweeps_are_counted(void)
{
	struct kma_objtab t;
	struct kma_bucket *home;
	u32 removed = 0;

	kma_expect(!kma_objtab_init(&t, 100, KMA_PFNS));
	home = kma_objtab_home(&t, KMA_PTR);
	kma_expect(kma_put_one(&t, KMA_PTR));
	kma_pagegen_leave(&t.pages, KMA_PTR);
	atomic64_sub((s64)KMA_SWEEP, &home->spilled);	/* 0 - 1 is 15 */
	kma_expect(!kma_objtab_sweep(&t, home, kma_count_removed, &removed) && !removed);
	kma_expect((u64)atomic64_read(&home->spilled) == 15 * KMA_SWEEP);
	atomic64_sub((s64)KMA_SWEEP, &home->spilled);
	kma_expect(kma_objtab_sweep(&t, home, kma_count_removed, &removed) == 1 && removed == 1);
	kma_expect((u64)atomic64_read(&home->spilled) == 14 * KMA_SWEEP);
	kma_objtab_destroy(&t);
}

/* Raise the sweep count of each bucket, as if all of them were being swept. */
static void kma_sweep_all(struct kma_objtab *t)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(t); i++)
		atomic64_sub(-(s64)KMA_SWEEP, &kma_objtab_bucket(t, i)->spilled);
}

/* While a bucket is swept, no object is put into it. */
static void kma_puts_nothing_into_a_swept_bucket(void)
{
	struct kma_objtab t;
	struct kma_bucket *home;
	struct kma_entry e;
	u64 i;
	int slot;

	kma_expect(!kma_objtab_init(&t, 100, KMA_PFNS));
	home = kma_objtab_home(&t, KMA_PTR);
	kma_sweep_all(&t);
	kma_expect(!kma_objtab_claim_home(home, kma_objtab_slot(KMA_PTR)));
	kma_expect(!kma_put_one(&t, KMA_PTR));
	for (i = 0; i < kma_objtab_buckets(&t); i++)
		for (slot = 0; slot < KMA_SLOTS; slot++)
			kma_expect(!kma_objtab_bucket(&t, i)->key[slot]);
	atomic64_sub((s64)KMA_SWEEP, &home->spilled);
	kma_expect(kma_put_one(&t, KMA_PTR) && kma_objtab_take(&t, KMA_PTR, &e));
	kma_objtab_destroy(&t);
}

/* The old entry of an address was removed, but there is no room for the new one. */
static void kma_replaces_without_room(void)
{
	struct kma_row sum;

	kma_setup(100);
	kma_alloc_at(KMA_PTR);
	kma_sweep_all(&kma_core.obj);
	kma_alloc_at(KMA_PTR);
	sum = kma_rows_sum();
	kma_expect(sum.hits == 2 && sum.repaired == 1 && sum.no_entry == 1);
	kma_expect(kma_stat_now(replaced) == 1 && kma_stat_now(dropped_live_full) == 1);
	kma_record_free(&kma_core, KMA_PTR, true);
	kma_expect(kma_stat_now(free_unmatched) == 1);
	kma_teardown();
}

/* Room is made for one object after the other, without waiting for the clock. */
static void kma_makes_room_again(void)
{
	struct kma_objtab t;
	u32 i, removed = 0;

	kma_env.now = 5;
	kma_expect(!kma_objtab_init(&t, 1, KMA_PFNS));
	for (i = 0; i < 4 * KMA_SLOTS * kma_objtab_buckets(&t); i++)
		kma_put_one(&t, KMA_PTR + 8 * i);
	for (i = 0; i < KMA_PFNS; i++)
		kma_pagegen_leave(&t.pages, KMA_PTR + i * KMA_PAGE_SIZE);
	for (i = 0; i < 10; i++) {
		removed = 0;
		kma_expect(kma_objtab_make_room(&t, KMA_PTR, kma_count_removed, &removed) > 0);
		kma_expect(removed > 0);
	}
	kma_objtab_destroy(&t);
	kma_env.now = 0;
}

/*
 * An object that is in its home bucket has the depth KMA_DEPTH_HOME, also if the hash of a later
 * place picks the home bucket.  Only home buckets have room, and the counts of that depth are at
 * their maximum.
 */
static void kma_skips_home_at_later_places(void)
{
	unsigned long ptr;
	struct kma_bucket *home;
	struct kma_objtab t;
	int slot;
	u64 i;

	kma_expect(!kma_objtab_init(&t, 1, KMA_PFNS));
	for (i = 0; i < kma_objtab_buckets(&t) * KMA_SLOTS; i++)
		kma_objtab_bucket(&t, i / KMA_SLOTS)->key[i % KMA_SLOTS] = KMA_BUSY;
	for (ptr = KMA_PTR; ptr < KMA_PTR + 8000; ptr += 8) {
		home = kma_objtab_home(&t, ptr);
		for (slot = 0; slot < KMA_SLOTS; slot++)
			home->key[slot] = slot == kma_objtab_slot(ptr) ? KMA_BUSY : 0;
		home->spilled.counter = 15;
		kma_expect(!kma_put_one(&t, ptr));
		kma_expect(atomic64_read(&home->spilled) == 15);
		for (slot = 0; slot < KMA_SLOTS; slot++) {
			kma_expect(home->key[slot] == (slot == kma_objtab_slot(ptr)));
			home->key[slot] = KMA_BUSY;
		}
	}
	kma_objtab_destroy(&t);
}

/* An object that does not fit leaves no slot busy, and no count behind. */
static void kma_full_table_stays_clean(void)
{
	struct kma_bucket *home;
	struct kma_objtab t;
	u32 left = 0;
	u64 i, busy = 0;
	int slot;

	kma_expect(!kma_objtab_init(&t, 100, KMA_PFNS));
	home = kma_objtab_home(&t, KMA_PTR);
	for (i = 0; i < KMA_SLOTS; i++)
		home->key[i] = KMA_BUSY;
	/* All counts of other depths are at their maximum. */
	home->spilled.counter = KMA_SPILLED & ~15ULL;
	kma_expect(!kma_put_one(&t, KMA_PTR));
	kma_expect((u64)atomic64_read(&home->spilled) == (KMA_SPILLED & ~15ULL));
	for (i = 0; i < kma_objtab_buckets(&t); i++)
		for (slot = 0; slot < KMA_SLOTS; slot++) {
			busy += kma_objtab_bucket(&t, i)->key[slot] == KMA_BUSY;
			left += kma_objtab_bucket(&t, i)->key[slot] > KMA_BUSY;
		}
	kma_expect(busy == KMA_SLOTS && !left);
	kma_objtab_destroy(&t);
}

/* Each time a slot is filled, its generation changes; readers rely on this. */
static void kma_slot_generations_change(void)
{
	struct kma_entry e, again;
	struct kma_bucket *home;
	unsigned long slot = kma_objtab_slot(KMA_PTR);
	struct kma_objtab t;

	kma_expect(!kma_objtab_init(&t, 100, KMA_PFNS));
	home = kma_objtab_home(&t, KMA_PTR);
	kma_expect(kma_put_one(&t, KMA_PTR));
	kma_expect(kma_objtab_read(home, slot, &e) == KMA_PTR);
	kma_expect(kma_objtab_take(&t, KMA_PTR, &again) && kma_put_one(&t, KMA_PTR));
	kma_expect(kma_objtab_read(home, slot, &again) == KMA_PTR);
	kma_expect(again.generation == e.generation + 1);
	kma_objtab_destroy(&t);
}

/* ---- page generations --------------------------------------------------------- */

static void kma_generations_by_number(void)
{
	struct kma_pagegen m;
	u32 i;

	kma_expect(!kma_pagegen_init(&m, KMA_PFNS) && !m.fixed);
	for (i = 0; i < KMA_PFNS; i += 3)
		kma_expect(kma_pagegen_enter(&m, i * KMA_PAGE_SIZE) == i % 4 * 2 + 1);
	for (i = 0; i < 4 * KMA_PFNS; i++) {
		kma_expect(kma_pagegen_used_at(&m, i) == (i % KMA_PFNS % 3 == 0));
		kma_expect(kma_pagegen_used(&m, i * KMA_PAGE_SIZE) == (i % KMA_PFNS % 3 == 0));
	}
	for (i = 0; i < KMA_PFNS; i++)
		m.gen[i] = 2;
	for (i = 0; i < KMA_PFNS; i++)
		kma_expect(!kma_pagegen_used_at(&m, i));
	kma_pagegen_destroy(&m);
}

/* Several pages are freed at once, and only the last one has an object. */
static void kma_frees_pages_by_order(void)
{
	unsigned long last;
	kma_gen first;
	u32 order;
	u64 i;

	for (order = 0; order < 6; order++) {
		last = KMA_PTR + (KMA_PAGE_SIZE << order) - KMA_PAGE_SIZE;
		kma_setup(100);
		first = kma_pagegen_read(&kma_core.obj.pages, last);
		kma_alloc_at(last);
		kma_record_pages_free(&kma_core, KMA_PTR, order);
		kma_expect(kma_pagegen_read(&kma_core.obj.pages, last) == first + 2);
		kma_expect(!kma_stat_now(page_freed));
		for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++)
			kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj, i));
		kma_expect(kma_stat_now(page_freed) == 1 && kma_rows_sum().repaired == 1);
		kma_teardown();
	}
}

/*
 * When a generation wraps around, the entries of its page are removed at once, also one that is
 * not in its own slot.
 */
static void kma_wraps_by_order(void)
{
	unsigned long last, spilled;
	u32 order;

	for (order = 0; order < 6; order++) {
		last = KMA_PTR + (KMA_PAGE_SIZE << order) - KMA_PAGE_SIZE;
		kma_setup(100);
		*kma_pagegen_at(&kma_core.obj.pages, last) = KMA_GEN_LAST;
		spilled = last + KMA_PAGE_SIZE - KMA_ALIGN;
		kma_objtab_home(&kma_core.obj, spilled)->key[kma_objtab_slot(spilled)] = KMA_BUSY;
		kma_alloc_at(last + KMA_ALIGN);
		kma_alloc_at(spilled);
		kma_record_pages_free(&kma_core, KMA_PTR, order);
		kma_expect(*kma_pagegen_at(&kma_core.obj.pages, last) == 0);
		kma_expect(kma_stat_now(page_freed) == 2 && kma_rows_sum().repaired == 2);
		kma_teardown();
	}
}

/* ---- call sites and caches ---------------------------------------------------- */

static void kma_live_is_what_is_left(void)
{
	const struct kma_row row = {
		.hits = 1000, .bulk = 100, .frees = 20, .repaired = 3, .no_entry = 4,
		.bytes_req = 7777, .pingpong = 7777, .cross_node = 7777,
	};

	kma_expect(kma_row_live(&row) == 1073);
}

static void kma_retire(struct kma_cachetab *t, unsigned long cache, int expected)
{
	int id;

	kma_expect(kma_cachetab_retire(t, cache, &id) && id == expected);
	kma_expect(!kma_cachetab_retire(t, cache, &id));
}

/*
 * A cache gets the number of a retired one only if its name and both of its sizes agree, and if its
 * objects are charged, too, or not either.
 */
static void kma_reuses_numbers_of_equal_caches(void)
{
	struct kma_env_cache cache[] = {
		{ 64, 56, "one", false }, { 64, 56, "two", false }, { 64, 48, "one", false },
		{ 72, 56, "one", false }, { 64, 56, "one", true }, { 64, 56, "one", false },
	};
	struct kma_cachetab t;
	u32 i;

	kma_expect(!kma_cachetab_init(&t, false));
	for (i = 0; i < ARRAY_SIZE(cache); i++) {
		kma_expect(kma_cachetab_get(&t, (unsigned long)&cache[i]) == (i < 5 ? i : 0));
		kma_expect(kma_cachetab_get(&t, (unsigned long)&cache[i]) == (i < 5 ? i : 0));
		if (!i)
			kma_retire(&t, (unsigned long)&cache[i], 0);
	}
	kma_expect(kma_cachetab_used(&t) == 5);
	kma_expect(!t.info[0].charge && t.info[4].charge == KMA_CHARGE);
	kma_expect(t.info[3].size == 72 && t.info[3].object_size == 56);
	kma_expect(!strcmp(t.info[1].name, "two") && t.state[0] == KMA_CACHE_LIVE);
	kma_cachetab_destroy(&t);
}

/*
 * Find @nr sizes of kmalloc for which a search of the map begins at the slot of @cache[0], by
 * trying sizes in a table of their own.
 */
static void kma_same_slot(unsigned long cache[], u32 nr)
{
	struct kma_cachetab t;
	unsigned long size = cache[0];
	u32 found = 1;
	size_t first;

	while (found < nr) {
		size += 8;
		kma_expect(!kma_cachetab_init(&t, false));
		kma_cachetab_get(&t, cache[0]);
		for (first = 0; t.map[first].cache != cache[0]; first++)
			;
		kma_cachetab_destroy(&t);
		kma_expect(!kma_cachetab_init(&t, false));
		kma_cachetab_get(&t, size);
		if (t.map[first].cache == size)
			cache[found++] = size;
		kma_cachetab_destroy(&t);
	}
}

/* When the first of two caches in neighbouring slots is retired, the second one is still found. */
static void kma_retires_the_first_of_two_caches(void)
{
	unsigned long cache[2] = { 64 };
	struct kma_cachetab t;

	kma_same_slot(cache, 2);
	kma_expect(!kma_cachetab_init(&t, false));
	kma_expect(kma_cachetab_get(&t, cache[0]) == 0);
	kma_expect(kma_cachetab_get(&t, cache[1]) == 1);
	kma_retire(&t, cache[0], 0);
	kma_expect(kma_cachetab_get(&t, cache[1]) == 1);
	kma_expect(kma_cachetab_used(&t) == 2);
	kma_cachetab_destroy(&t);
}

/* The slot of a retired cache is free again. */
static void kma_retires_a_cache_many_times(void)
{
	struct kma_env_cache cache = { 64, 56, "one", false };
	struct kma_cachetab t;
	u32 i;

	kma_expect(!kma_cachetab_init(&t, false));
	for (i = 0; i < 2 * KMA_CACHES_PROBES; i++) {
		kma_expect(kma_cachetab_get(&t, (unsigned long)&cache) == 0);
		kma_retire(&t, (unsigned long)&cache, 0);
	}
	kma_cachetab_destroy(&t);
}

static void kma_classes_have_sizes(void)
{
	const unsigned long class = kma_class(3, 2, 0xcc0);
	const struct kma_cache_info *info;
	struct kma_cachetab t;
	int id;

	kma_expect(!kma_cachetab_init(&t, true));
	id = kma_cachetab_get(&t, class);
	info = &t.info[id];
	kma_expect(info->class == class && !info->sampled);
	kma_expect(info->size == 32768 && info->object_size == 32768 && !info->name[0]);
	id = kma_cachetab_get(&t, kma_class_kind(class, KMA_CLASS_SAMPLED));
	kma_expect(id == 1 && t.info[1].class == class && t.info[1].sampled);
	id = kma_cachetab_get(&t, kma_class_kind(class, KMA_CLASS_WHOLE));
	kma_expect(id == 2 && t.info[2].class == class && !t.info[2].sampled);
	kma_cachetab_destroy(&t);
}

/* Caches without a number of their own share one by size, which is rounded up to a step. */
static void kma_shares_numbers_by_size(void)
{
	static const struct {
		unsigned long size;
		u32 shared;
		int id;
	} sizes[] = {
		{ 1, 8, 0 }, { 8, 8, 0 }, { 9, 10, 2 }, { 16, 16, 8 }, { 56, 56, 22 },
		{ 64, 64, 24 }, { 65, 80, 26 }, { 80, 80, 26 }, { 96, 96, 28 },
		{ 97, 112, 30 }, { 4096, 4096, 72 }, { 4104, 5120, 74 },
		{ 1UL << 31, 1U << 31, 224 },
	};
	const struct kma_cache_info *info;
	struct kma_cachetab t;
	u32 i;
	int id;

	kma_expect(!kma_cachetab_init(&t, false));
	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&t, 100000 + i) == (int)i);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		id = kma_cachetab_get(&t, sizes[i].size);
		kma_expect(id == KMA_CACHES_MAX + sizes[i].id && kma_cache_is_other(id));
		info = &t.info[id];
		kma_expect(info->size == sizes[i].shared && info->object_size == info->size);
		kma_expect(!strcmp(info->name, "[other]"));
		/* A cache of a shared number is destroyed: others keep the number. */
		kma_retire(&t, sizes[i].size, id);
		kma_expect(t.state[id] == KMA_CACHE_LIVE);
	}
	/* Look-ups of more caches than the map has slots change nothing. */
	for (i = 0; i < 2 * KMA_CACHES_MAP; i++)
		kma_expect(kma_cache_is_other(kma_cachetab_get(&t, 8 * i + 200000)));
	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&t, 100000 + i) == (int)i);
	kma_expect(kma_cachetab_used(&t) == KMA_CACHES_MAX && !kma_cache_is_other(1023));
	kma_cachetab_destroy(&t);
}

static int kma_shares_number(struct kma_cachetab *t, unsigned int order, unsigned int type,
			     unsigned long kind)
{
	const unsigned long class = kma_class(order, type, 0x12345);
	const unsigned long all = kma_class(order, type, KMA_CLASS_GFP_OTHER);
	const int id = kma_cachetab_get(t, kma_class_kind(class, kind));

	kma_expect(kma_cache_is_other(id) && id < (int)t->nr);
	kma_expect(t->info[id].class == all && t->info[id].sampled == (kind == KMA_CLASS_SAMPLED));
	/* The class that stands for all classes of a shared number has that number. */
	kma_expect(kma_cachetab_has(t, kma_class_kind(all, kind)));
	kma_expect(kma_cachetab_get(t, kma_class_kind(all, kind)) == id);
	return id;
}

/* Classes without a number of their own share one by kind, order and migrate type. */
static void kma_shares_numbers_by_kind(void)
{
	int site, sampled, whole;
	struct kma_cachetab t;
	u32 i;

	kma_expect(!kma_cachetab_init(&t, true));
	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&t, kma_class(0, 0, i)) == (int)i);
	for (i = 0; i < 16 * 8; i++) {
		site = kma_shares_number(&t, i / 8, i % 8, KMA_CLASS_SITE);
		sampled = kma_shares_number(&t, i / 8, i % 8, KMA_CLASS_SAMPLED);
		whole = kma_shares_number(&t, i / 8, i % 8, KMA_CLASS_WHOLE);
		kma_expect(site != sampled && site != whole && sampled != whole);
	}
	kma_cachetab_destroy(&t);
}

/* Each cache has a row [other] of its own, and records of pages refer to it. */
static void kma_others_belong_to_caches(void)
{
	struct kma_sitetab t;
	u32 i;

	kma_expect(!kma_sitetab_init(&t, KMA_SITES_MIN) && !kma_sitetab_used(&t));
	for (i = 0; i < KMA_SITES_MIN; i++)
		kma_expect(!kma_sitetab_info(&t, i));
	for (i = 0; i < KMA_CACHES_MAX + KMA_CACHES_OTHER; i++) {
		kma_expect(t.other[i].id == KMA_SITES_MIN + i);
		kma_expect(t.other[i].what == KMA_SITES_MIN + i + 1);
		kma_expect(t.other[i].row == t.row[KMA_SITES_MIN + i]);
		kma_expect(t.info[KMA_SITES_MIN + i].cache == (int)i);
		kma_expect(t.info[KMA_SITES_MIN + i].shift == KMA_SHIFT_NONE);
		kma_expect(!kma_sitetab_info(&t, KMA_SITES_MIN + i));
	}
	kma_sitetab_destroy(&t);
}

/* The last row of a table has a stack. */
static void kma_last_row_has_a_stack(void)
{
	struct kma_stack stack = { .nr_frames = KMA_FRAMES_MAX };
	const struct kma_origin o = { .site = KMA_SITE, .shift = 20, .stack = &stack };
	const struct kma_site_slot *slot;
	struct kma_sitetab t;
	u32 i;

	for (i = 0; i < KMA_FRAMES_MAX; i++)
		stack.frame[i] = KMA_SITE + i;
	kma_stack_seal(&stack);
	kma_expect(!kma_sitetab_init(&t, KMA_SITES_MIN));
	for (i = 1; i < KMA_PAIRS_MIN; i++)
		kma_sitetab_get(&t, KMA_SITE + 16 * i, 64);
	slot = kma_sitetab_sample(&t, &o, 64);
	kma_expect(slot && slot->id == KMA_PAIRS_MIN - 1);
	kma_expect(!memcmp(kma_sitetab_frames(&t, slot->id), stack.frame, sizeof(stack.frame)));
	kma_expect(t.info[slot->id].nr_frames == KMA_FRAMES_MAX);
	kma_sitetab_destroy(&t);
}

/* ---- countmaps ---------------------------------------------------------------- */

static void kma_renames_rows(void)
{
	struct kma_countmap_info info = { .key.word = { 1 }, .text = "before, a long text" };
	static const char name[][16] = {
		"after", "a longer name", "a longer name!", "aft", "",
	};
	struct kma_countmap t;
	u64 word[2];
	char text[16];
	u32 id, i;

	kma_expect(!kma_countmap_init(&t, 2));
	id = kma_countmap_add(&t, &info);
	kma_expect(id == 1 && !strcmp(kma_countmap_info(&t, id)->text, info.text));
	for (i = 0; i < ARRAY_SIZE(name); i++) {
		memcpy(word, name[i], sizeof(word));
		kma_countmap_rename(&t, id, word);
		kma_countmap_comm(kma_countmap_info(&t, id), text);
		kma_expect(!memcmp(text, name[i], sizeof(text)));
	}
	kma_countmap_destroy(&t);
}

/* Two keys whose search begins at the same slot.  When one is retired, the other is found. */
static void kma_retires_the_first_of_two_rows(void)
{
	struct kma_countmap_info info = { .key.word = { 1 } };
	struct kma_countmap t;
	u32 slot, id;

	kma_expect(!kma_countmap_init(&t, 100));
	id = kma_countmap_add(&t, &info);
	for (slot = 0; t.slot[slot] != id; slot++)
		;
	do {
		kma_countmap_clear(&t);
		info.key.word[0]++;
		id = kma_countmap_add(&t, &info);
	} while (t.slot[slot] != id);
	kma_countmap_clear(&t);
	kma_expect(kma_countmap_add(&t, &(struct kma_countmap_info) { .key.word = { 1 } }) == 1);
	kma_expect(kma_countmap_add(&t, &info) == 2);
	kma_countmap_retire(&t, 1, "gone");
	kma_expect(kma_countmap_find(&t, &info.key) == 2);
	kma_countmap_destroy(&t);
}

/*
 * kma_countmap_first(): a retired row stays alone when its key gets a new row, and so does a row
 * that is not published yet.  Afterwards, kma_countmap_clear() frees all slots.
 */
static void kma_first_of_hidden_rows(void)
{
	struct kma_countmap_info info = { .key.word = { 1 } };
	struct kma_countmap t;
	u32 i, used = 0;

	kma_expect(!kma_countmap_init(&t, 10));
	kma_expect(kma_countmap_add(&t, &info) == 1);
	kma_countmap_retire(&t, 1, "gone");
	kma_expect(kma_countmap_add(&t, &info) == 2);
	kma_expect(kma_countmap_first(&t, 1) == 1 && kma_countmap_first(&t, 2) == 2);
	kma_expect(kma_countmap_add(&t, &info) == 3);
	kma_expect(kma_countmap_first(&t, 3) == 2);
	for (i = 0; i <= t.mask; i++) {
		used += !!t.slot[i];
		if (t.slot[i] == 2 || t.slot[i] == 3)
			t.slot[i] = U32_MAX;	/* busy */
	}
	kma_expect(used == 2 && kma_countmap_first(&t, 3) == 3);
	kma_countmap_clear(&t);
	for (i = 0; i <= t.mask; i++)
		kma_expect(!t.slot[i]);
	kma_countmap_destroy(&t);
}

/* The last row of a countmap is found, too. */
static void kma_finds_the_last_row(void)
{
	struct kma_countmap_info info = { .text = "a text" };
	struct kma_countmap t;
	u64 i;

	kma_expect(!kma_countmap_init(&t, 10));
	for (i = 1; i < 10; i++) {
		info.key.word[i % KMA_COUNTMAP_WORDS] = i;
		kma_expect(kma_countmap_get(&t, &info) == i);
		kma_expect(kma_countmap_find(&t, &info.key) == i);
		kma_expect(!strcmp(kma_countmap_info(&t, i)->text, "a text"));
	}
	info.key.word[0] = 100;
	kma_expect(kma_countmap_get(&t, &info) == KMA_COUNTMAP_OTHER);
	kma_countmap_destroy(&t);
}

/* ---- samples ------------------------------------------------------------------ */

static u64 kma_past(void)
{
	return this_cpu_read(kma_sampler.past[KMA_SAMPLE_OBJECTS]);
}

static void kma_sets_sample_points(void)
{
	const u64 shift = 20ULL << KMA_PAST_BITS;

	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 0, 20);
	kma_expect(kma_past() == (shift | 0xffffffff));
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 1000, 20);
	kma_expect(kma_past() == (shift | (0xffffffff - 1000)));
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 1ULL << 40, 20);
	kma_expect(kma_past() == (shift | 0x80000000));
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
	kma_expect(kma_past() == 0);
	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 1000, 20);
	kma_sample_seed(1);
	kma_expect(kma_past() == 0);
}

/* A sample point is on an object if its distance is less than the bytes of the object. */
static void kma_meets_sample_points(void)
{
	u8 point;

	kma_sample_point_set(KMA_SAMPLE_OBJECTS, 100, 20);
	kma_expect(!kma_sample_count(KMA_SAMPLE_OBJECTS, 100, &point));
	kma_expect(kma_sample_count(KMA_SAMPLE_OBJECTS, 1, &point) && point == 20);
	/* The sample point was met, and the next one is not drawn yet. */
	kma_expect(kma_sample_count(KMA_SAMPLE_OBJECTS, 1, &point) && point == 0);
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
	kma_expect(kma_sample_count(KMA_SAMPLE_OBJECTS, 0, &point) && point == 0);
}

/* Start with the random numbers of @seed, for N of 4 KiB, and draw one distance. */
static u32 kma_first_gap(u64 seed)
{
	kma_sample_seed(seed);
	kma_expect(kma_sample_take(KMA_SAMPLE_OBJECTS, 0, KMA_SHIFT_MIN) == KMA_SHIFT_MIN);
	return ~(u32)kma_past();
}

/* Without a sample point, the distance that is drawn decides. */
static void kma_draws_for_one_object(void)
{
	const u64 shift = (u64)KMA_SHIFT_MIN << KMA_PAST_BITS;
	u32 gap, next;
	u64 seed;

	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	for (seed = 1; seed < 100; seed++) {
		gap = kma_first_gap(seed);
		kma_sample_take(KMA_SAMPLE_OBJECTS, 0, KMA_SHIFT_MIN);
		next = ~(u32)kma_past();

		kma_sample_seed(seed);
		kma_expect(!kma_sample_take(KMA_SAMPLE_OBJECTS, gap, 0));
		kma_expect(kma_past() == (shift | 0xffffffff));
		kma_sample_seed(seed);
		kma_expect(!kma_sample_take(KMA_SAMPLE_OBJECTS, gap / 2, 0));
		kma_expect(kma_past() == (shift | (u32)~(gap - gap / 2)));
		kma_sample_seed(seed);
		kma_expect(kma_sample_take(KMA_SAMPLE_OBJECTS, gap + 1, 0) == KMA_SHIFT_MIN);
		kma_expect(kma_past() == (shift | (u32)~next));
	}
}

/* A sample has the shift of the sample point that it met, and the next one has the new shift. */
static void kma_keeps_the_shift_of_a_point(void)
{
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN + 3);
	kma_sample_seed(1);
	kma_expect(kma_sample_take(KMA_SAMPLE_OBJECTS, 8, KMA_SHIFT_MIN) == KMA_SHIFT_MIN);
	kma_expect(kma_past() >> KMA_PAST_BITS == KMA_SHIFT_MIN + 3);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
}

#define KMA_CERTAIN	0x100000	/* 1 MiB: always sampled, with N of 4 KiB */

static struct kma_event kma_sample_event(u32 i, u32 bytes)
{
	return (struct kma_event) {
		.site = KMA_SITE,
		.ptr = KMA_PTR + 64 * i,
		.cache = bytes,
		.kmalloc = true,
		.bytes_req = bytes - 1,
		.node = NUMA_NO_NODE,
	};
}

static void kma_sample(const struct kma_event *ev, bool bulk)
{
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, ev, ev->cache, bulk);
}

static void kma_setup_samples(u64 live_max)
{
	kma_setup(live_max);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_seed(kma_seed);
	kma_record_livefilter_start(&kma_core);
}

/* Samples of bulk allocations, of a requested node, and with two events for one object. */
static void kma_samples_keep_what_they_are(void)
{
	struct kma_event ev = kma_sample_event(0, KMA_CERTAIN);
	struct kma_row sum;

	kma_setup_samples(100);
	kma_sample(&ev, true);
	sum = kma_rows_sum();
	kma_expect(sum.bulk == 1 && !sum.hits && !sum.cross_node);
	ev = kma_sample_event(1, KMA_CERTAIN);
	ev.node = numa_node_id() + 1;
	kma_sample(&ev, false);
	sum = kma_rows_sum();
	kma_expect(sum.bulk == 1 && sum.hits == 1 && sum.cross_node == 1);
	kma_core.sites.internal[1] = KMA_SITE;
	kma_core.sites.nr_internal = 2;
	ev = kma_sample_event(2, KMA_CERTAIN);
	kma_sample(&ev, false);
	sum = kma_rows_sum();
	kma_expect(sum.bulk == 1 && sum.hits == 1);
	kma_expect(kma_stat_now(double_fired) == 1 && !kma_stat_now(alloc_unsampled));
	kma_teardown();
}

/* The sum of all rows whose call site is @site. */
static struct kma_row kma_rows_at(unsigned long site)
{
	const struct kma_site_info *info;
	struct kma_row all = {}, sum;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info || info->site != site)
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		kma_row_add(&all, &sum);
	}
	return all;
}

/* An event in a helper counts at its caller, whether it is exact, bulk or sampled. */
static void kma_finds_callers_of_helpers(void)
{
	const struct kma_event ev[] = {
		kma_sample_event(0, KMA_CERTAIN), kma_sample_event(1, KMA_CERTAIN),
		kma_sample_event(2, KMA_CERTAIN), kma_sample_event(3, KMA_CERTAIN),
	};
	struct kma_row sum;

	kma_setup_samples(100);
	kma_env.helper = KMA_SITE;
	kma_env.caller = KMA_SITE + 16;
	kma_record_alloc(&kma_core, &ev[0]);
	kma_record_bulk(&kma_core, &ev[1]);
	kma_sample(&ev[2], false);
	sum = kma_rows_at(KMA_SITE + 16);
	kma_expect(sum.hits == 2 && sum.bulk == 1 && kma_sitetab_used(&kma_core.sites) == 2);
	/* The first of two events for one object counts nowhere, even if it is in a helper. */
	kma_core.sites.internal[0] = KMA_SITE;
	kma_core.sites.nr_internal = 1;
	kma_record_alloc(&kma_core, &ev[3]);
	kma_expect(kma_stat_now(double_fired) == 1 && kma_rows_at(KMA_SITE + 16).hits == 2);
	/* If no caller is found, the event counts in the helper.  The next one does not. */
	kma_core.sites.nr_internal = 0;
	kma_env.caller = 0;
	kma_record_alloc(&kma_core, &ev[3]);
	kma_expect(kma_rows_at(KMA_SITE).hits == 1);
	kma_env.caller = KMA_SITE + 16;
	kma_record_alloc(&kma_core, &ev[3]);
	kma_expect(kma_rows_at(KMA_SITE).hits == 1 && kma_rows_at(KMA_SITE + 16).hits == 3);
	kma_env.helper = 0;
	kma_teardown();
}

/* The function of a call site becomes a helper: the row keeps its objects, and gets no more. */
static void kma_skips_a_row(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	u32 id;

	kma_setup(100);
	kma_alloc_at(KMA_PTR);
	id = kma_sitetab_get(t, KMA_SITE, 64)->id;
	kma_sitetab_skip(t, id);
	kma_sitetab_skip(t, id);
	kma_expect(t->info[id].state == KMA_SITE_SKIPPED && atomic_read(&t->retired) == 1);
	kma_expect(t->map[t->info[id].slot].site == KMA_SITE_LEFT);
	kma_env.helper = KMA_SITE;
	kma_env.caller = KMA_SITE + 16;
	kma_alloc_at(KMA_PTR + 64);
	kma_record_free(&kma_core, KMA_PTR, true);
	kma_expect(kma_rows_at(KMA_SITE).hits == 1 && kma_rows_at(KMA_SITE).frees == 1);
	kma_expect(kma_rows_at(KMA_SITE + 16).hits == 1 && !kma_rows_at(KMA_SITE + 16).frees);
	/* The call site is no longer in a helper, and gets a new row. */
	kma_env.helper = 0;
	kma_alloc_at(KMA_PTR + 128);
	kma_expect(kma_rows_at(KMA_SITE).hits == 2 && kma_sitetab_used(t) == 3);
	kma_teardown();
}

/* Once sampling has ended, the livefilter does not change any more. */
static void kma_livefilter_rests(void)
{
	unsigned long i;

	kma_setup_samples(100);
	kma_alloc_at(KMA_PTR);
	kma_record_livefilter_stop();
	kma_alloc_at(KMA_PTR);
	kma_expect(kma_stat_now(replaced) == 1);
	for (i = 0; i <= kma_core.livefilter.mask; i++)
		kma_expect(!kma_core.livefilter.cell[i]);
	kma_teardown();
}

/* Small objects: some are sampled, and each event is counted once, whatever becomes of it. */
static void kma_sampled_events_add_up(void)
{
	struct kma_event ev;
	struct kma_row sum;
	u32 i, nr = 100000;
	int cpu;

	kma_setup_samples(nr);
	for (i = 0; i < nr; i++) {
		kma_env.cpu = i % KMA_ENV_CPUS;
		/* Forget the sample point, so that a distance is drawn for the object alone. */
		if (i % 10 == 0)
			kma_sample_forget(KMA_SAMPLE_OBJECTS);
		ev = kma_sample_event(i, 64);
		kma_sample(&ev, false);
	}
	sum = kma_rows_sum();
	kma_expect(sum.hits > 1000 && sum.hits < 3000);
	kma_expect(sum.hits + kma_stat_now(alloc_unsampled) == nr);
	for (cpu = 0, i = 0; i < nr; i++, cpu++) {
		kma_env.cpu = cpu % KMA_ENV_CPUS;
		kma_stat_inc(free_unmatched);
		kma_record_free_sampled(&kma_core, KMA_PTR + 64 * i);
	}
	kma_env.cpu = 0;
	sum = kma_rows_sum();
	kma_expect(sum.frees == sum.hits && sum.frees + kma_stat_now(free_unmatched) == nr);
	kma_teardown();
}

/* ---- cost and budget ---------------------------------------------------------- */

static void kma_cost_is_of_the_counters(void)
{
	struct kma_stats stats;
	struct kma_cost cost;
	u64 events = 0;
	int i;

	for (i = 0; i < KMA_STAT_WORDS; i++)
		stats.v[i] = 1ULL << i % 60;
	for (i = 0; i < KMA_STAT_EVENTS_NR; i++)
		events += stats.v[i];
	cost = kma_cost_of(&stats, 12345);
	kma_expect(cost.clock == 12345 && cost.events == events);
	kma_expect(cost.timed == stats.v[KMA_STAT_timed_events]);
	kma_expect(cost.timed_ns == stats.v[KMA_STAT_timed_ns]);
	kma_expect(cost.timed_ns2 == stats.v[KMA_STAT_timed_ns2]);
	kma_expect(cost.sample_ns == stats.v[KMA_STAT_sample_ns]);
	kma_expect(cost.dropped == stats.v[KMA_STAT_dropped_live_full]);
}

/* The mean of 16 timed events is used, that of 15 is not. */
static void kma_few_timed_events_are_not_enough(void)
{
	const struct kma_cost from = { .timed = 100, .timed_ns = 100 * 50 };
	struct kma_cost to = { .events = 1000, .timed = 115, .timed_ns = 100 * 50 + 15 * 10 };
	struct kma_spent s = kma_cost_between(&from, &to);

	kma_expect(s.event_ps == (100 * 50 + 15 * 10) * 1000 / 115);
	to.timed = 116;
	to.timed_ns = 100 * 50 + 16 * 10;
	s = kma_cost_between(&from, &to);
	kma_expect(s.event_ps == 10 * 1000 && s.events_ns == 10 * 1000);
	/* One event, and a sum of squares that already includes another one. */
	to = (struct kma_cost) { .timed = 1, .timed_ns = 9, .timed_ns2 = 200 };
	s = kma_cost_between(&(struct kma_cost) {}, &to);
	kma_expect(s.event_ps == 9000 && !s.event_ps_se);
}

static bool kma_fill(struct kma_budget *g, u32 fill, bool dropped)
{
	const struct kma_spent spent = { .ns = 1000000, .dropped = dropped };

	return kma_budget_adjust(g, &spent, 10000, fill);
}

/* The table is full at 87 percent, and the budget forgets this below 75 percent. */
static void kma_full_is_full(void)
{
	struct kma_budget g = {};
	int i;

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	kma_expect(!kma_fill(&g, 86, false) && !g.full);
	kma_expect(kma_fill(&g, 87, false) && g.full == 87);
	kma_expect(!kma_fill(&g, 90, false) && !kma_fill(&g, 75, false) && g.full == 87);
	kma_expect(!kma_fill(&g, 74, false) && !g.full);
	kma_expect(kma_fill(&g, 87, false) && kma_fill(&g, 91, false) && g.full == 91);
	/* While objects are dropped, nothing is forgotten, however empty the table is. */
	for (i = 1; i < 8; i++)
		kma_expect(!kma_fill(&g, 10, true) && g.full == 91);
	kma_expect(kma_fill(&g, 10, true) && g.full == 10 && !g.waited);
	for (i = 1; i < 8; i++)
		kma_expect(!kma_fill(&g, 10, true));
	kma_expect(kma_fill(&g, 10, true) && g.raised == 5);
	kma_expect(g.now == KMA_SHIFT_MIN + 5);
}

/* Without a budget, samples may cost an eighth of what events cost. */
static void kma_an_eighth_is_allowed(void)
{
	struct kma_spent spent = { .ns = 1000000, .events_ns = 8000, .samples_ns = 1000 };
	struct kma_budget g = {};

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	kma_expect(!kma_budget_adjust(&g, &spent, 0, 0));
	kma_expect(!kma_budget_adjust(&g, &spent, 9000, 0));
	spent.samples_ns++;
	kma_expect(kma_budget_adjust(&g, &spent, 9000, 0) && g.now == KMA_SHIFT_MIN + 1);
	spent.samples_ns = 2002;
	kma_expect(kma_budget_adjust(&g, &spent, 0, 0) && g.now == KMA_SHIFT_MIN + 3);
}

/* N is not lowered while the table is full or objects are dropped, however little samples cost. */
static void kma_lowers_only_with_room(void)
{
	struct kma_budget g = {};
	int i;

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	kma_expect(kma_fill(&g, 87, false) && g.now == KMA_SHIFT_MIN + 1);
	for (i = 0; i < 20; i++)
		kma_expect(!kma_fill(&g, 87, false));
	/* One drop restarts the count of eight calm turns. */
	for (i = 1; i < 8; i++)
		kma_expect(!kma_fill(&g, 76, false));
	kma_expect(!kma_fill(&g, 76, true) && !g.calm);
	for (i = 1; i < 8; i++)
		kma_expect(!kma_fill(&g, 76, false));
	kma_expect(kma_fill(&g, 76, false) && g.now == KMA_SHIFT_MIN && g.lowered == 1);
}

/* ---- the module's own counters ------------------------------------------------- */

/*
 * Each combined counter adds to the counter of its tracepoint, and to that of the result of its
 * events.
 */
static void kma_combined_counters_are_split(void)
{
	static const struct {
		enum kma_stat events;
		enum kma_stat end;
	} of[] = {
		{ KMA_STAT_events_kmalloc, KMA_STAT_alloc_unsampled },
		{ KMA_STAT_events_kmem_cache_alloc, KMA_STAT_alloc_unsampled },
		{ KMA_STAT_events_kfree, KMA_STAT_free_unmatched },
		{ KMA_STAT_events_kmem_cache_free, KMA_STAT_free_unmatched },
	};
	struct kma_stats sum;
	u32 word, i;
	int cpu;

	for (i = 0; i < KMA_STAT_WORDS; i++)
		kma_expect(kma_stat_is_events(i) == (i <= KMA_STAT_events_mm_page_free ||
						     i >= KMA_STAT_unsampled_kmalloc));
	for (word = 0; word < ARRAY_SIZE(of); word++) {
		for_each_possible_cpu(cpu)
			memset(per_cpu(kma_stats, cpu).v, 0, sizeof(kma_stats.v));
		kma_stats_start();
		for (i = 0; i < 10; i++)
			kma_env_countdown(kma_stats.v[KMA_STAT_NR + word]);
		kma_stats_sum(&sum);
		for (i = 0; i < KMA_STAT_WORDS; i++)
			kma_expect(sum.v[i] == (i == of[word].events || i == of[word].end ?
						10 : 0));
	}
}

/* Only alloc_unsampled and free_unmatched may seem to decrease, and then their increase is 0. */
static void kma_counters_since(void)
{
	struct kma_stats base, now;
	bool folded;
	u32 i;

	for (i = 0; i < KMA_STAT_WORDS; i++) {
		base.v[i] = 100 + i;
		now.v[i] = 200 + 3 * i;
	}
	kma_stats_since(&now, &base);
	for (i = 0; i < KMA_STAT_NR; i++)
		kma_expect(now.v[i] == 100 + 2 * i);
	for (i = 0; i < KMA_STAT_WORDS; i++)
		now.v[i] = base.v[i] - 1;
	kma_stats_since(&now, &base);
	for (i = 0; i < KMA_STAT_NR; i++) {
		folded = i == KMA_STAT_alloc_unsampled || i == KMA_STAT_free_unmatched;
		kma_expect(now.v[i] == (folded ? 0 : -1ULL));
	}
}

/* ---- records of pages ---------------------------------------------------------- */

/* The record of a page says when and by whom the page was allocated. */
static void kma_describes_pages(void)
{
	const struct kma_page_event ev = { 1, kma_class(1, 0, 0), false };
	struct kma_pagealloc b;
	struct kma_pfn f;
	u8 point;
	u32 i;

	if (kma_pagealloc_init(&b, 2, KMA_SITES_MIN) || kma_pfntab_add(&b.pfns, 0, NUMA_NO_NODE))
		abort();
	kma_env = (struct kma_env) { .cpu = 3, .now = 77, .tgid = 88 };
	for (i = 0; i < 2; i++) {
		kma_pagealloc_class(&b, kma_pfntab_at(&b.pfns, 0), &ev);
		kma_expect(kma_pagealloc_one(&b, 2 + i, kma_class(0, 0, 0), false, &point) ==
			   (i ? KMA_ONE_DONE : KMA_ONE_OTHER));
		kma_pagealloc_class(&b, kma_pfntab_at(&b.pfns, 4),
				    &(struct kma_page_event) { 0, kma_class(0, 0, 0), false });
	}
	for (i = 0; i < 2; i++) {
		kma_expect(kma_pfn_read(kma_pfntab_at(&b.pfns, i), &f));
		kma_expect(f.time == 77 && f.tgid == 88 && kma_pfn_cpu(&f) == 3);
		kma_expect(!(f.what & KMA_PFN_REST) == !i);
	}
	kma_expect(kma_pfn_read(kma_pfntab_at(&b.pfns, 3), &f));
	kma_expect(f.time == 77 && f.tgid == 88 && kma_pfn_cpu(&f) == 3);
	kma_expect(kma_pfn_owner(&f) == KMA_OWNER_NONE);
	kma_pfn_describe(&f, 65535U << KMA_OWNER_SHIFT);
	kma_expect(kma_pfn_cpu(&f) == 3 && kma_pfn_owner(&f) == 65535);
	kma_expect(!kma_pfn_read(kma_pfntab_at(&b.pfns, 5), &f));
	kma_env = (struct kma_env) {};
	kma_pagealloc_destroy(&b);
}

/* Each page has a record of its own. */
static void kma_records_are_apart(void)
{
	const struct kma_pfn *first[2];
	struct kma_pfntab t;
	unsigned long pfn;

	kma_expect(!kma_pfntab_init(&t, 2));
	kma_expect(!kma_pfntab_add(&t, 0, NUMA_NO_NODE) && !kma_pfntab_add(&t, 1, NUMA_NO_NODE));
	first[0] = kma_pfntab_at(&t, 0);
	first[1] = kma_pfntab_at(&t, KMA_CHUNK_PFNS);
	for (pfn = 0; pfn < 2 * KMA_CHUNK_PFNS; pfn++)
		kma_expect(kma_pfntab_find(&t, pfn) ==
			   first[pfn / KMA_CHUNK_PFNS] + pfn % KMA_CHUNK_PFNS);
	kma_expect(!kma_pfntab_find(&t, 2 * KMA_CHUNK_PFNS));
	kma_pfntab_destroy(&t);
}

/* The bytes of all pages of a page allocation count, in each of the ways to record it. */
static void kma_samples_pages_by_bytes(void)
{
	const struct kma_page_event one = { 0, kma_class(0, 0, 0), false };
	const struct kma_page_event ten = { 10, kma_class(10, 0, 0), false };
	struct kma_pagealloc b;
	struct kma_pfn *f;
	u8 point = 0;
	u32 i;

	if (kma_pagealloc_init(&b, 1, KMA_SITES_MIN) || kma_pfntab_add(&b.pfns, 0, NUMA_NO_NODE))
		abort();
	f = kma_pfntab_at(&b.pfns, 0);
	kma_env.page_site = KMA_SITE;
	kma_sample_set(KMA_SAMPLE_PAGES, KMA_SHIFT_MIN);
	kma_sample_seed(1);
	kma_sample_point_set(KMA_SAMPLE_PAGES, 4 * KMA_PAGE_SIZE - 1, 20);
	kma_pagealloc_sampled(&b, &f[0], &one);
	kma_expect(kma_pagealloc_one(&b, 1, one.class, true, &point) == KMA_ONE_DONE);
	kma_expect(kma_pagealloc_one(&b, 2, one.class, true, &point) == KMA_ONE_DONE);
	kma_expect(kma_pagealloc_one(&b, 3, one.class, true, &point) == KMA_ONE_AT_POINT);
	kma_expect(point == 20);
	kma_pagealloc_sampled_hit(&b, &f[3], &one, point);
	for (i = 0; i < 4; i++)
		kma_expect(!(f[i].what & KMA_PFN_SAMPLED) == (i < 3));

	kma_sample_point_set(KMA_SAMPLE_PAGES, 1024 * KMA_PAGE_SIZE, 20);
	kma_pagealloc_sampled(&b, &f[1024], &ten);
	kma_expect(f[1024].what && !(f[1024].what & KMA_PFN_SAMPLED));
	kma_sample_point_set(KMA_SAMPLE_PAGES, 1024 * KMA_PAGE_SIZE - 1, 20);
	kma_pagealloc_sampled(&b, &f[2048], &ten);
	kma_expect(f[2048].what & KMA_PFN_SAMPLED);
	/* Without a sample point, an allocation of 4 MiB is still certain to be sampled. */
	for (i = 0; i < 8; i++) {
		kma_pagealloc_sampled_hit(&b, &f[1024 * (3 + i)], &ten, 0);
		kma_expect(f[1024 * (3 + i)].what & KMA_PFN_SAMPLED);
	}
	kma_env.page_site = 0;
	kma_pagealloc_destroy(&b);
}

/* ---- memory -------------------------------------------------------------------- */

/* The functions *_bytes() return the number of bytes that are allocated. */
static void kma_memory_is_as_announced(void)
{
	struct kma_pagealloc b;
	struct kma_countmap m;

	kma_env_bytes = 0;
	kma_expect(!kma_core_init(&kma_core, 1000, KMA_SITES_MIN, KMA_PFNS));
	kma_expect(kma_core_bytes(1000, KMA_SITES_MIN, KMA_ENV_CPUS, KMA_PFNS) ==
		   kma_env_bytes);
	kma_core_destroy(&kma_core);

	kma_env_bytes = 0;
	kma_expect(!kma_pagealloc_init(&b, 5, KMA_SITES_MIN));
	kma_expect(!kma_pfntab_add(&b.pfns, 0, NUMA_NO_NODE) &&
		   !kma_pfntab_add(&b.pfns, 3, NUMA_NO_NODE));
	kma_expect(kma_pagealloc_bytes(5, 2, KMA_SITES_MIN, KMA_ENV_CPUS) == kma_env_bytes);
	kma_pagealloc_destroy(&b);

	kma_env_bytes = 0;
	kma_expect(!kma_countmap_init(&m, 1000));
	kma_expect(kma_countmap_bytes(1000, KMA_ENV_CPUS) == kma_env_bytes);
	kma_countmap_destroy(&m);
}

/* ---- owners ---------------------------------------------------------------- */

/* A record of a test: the key, and what belongs to it. */
struct kma_numbered {
	u64 key[2];
	u64 value;
};

static u32 kma_number(struct kma_idtab *t, u64 key)
{
	const struct kma_numbered record = { .key = { key, ~key }, .value = 3 * key };
	u32 id = kma_idtab_find(t, record.key);

	return id ?: kma_idtab_add(t, &record);
}

/* Whether number @id is that of @key. */
static bool kma_number_is(const struct kma_idtab *t, u32 id, u64 key)
{
	const struct kma_numbered *record = kma_idtab_record(t, id);

	return record && record->key[0] == key && record->key[1] == ~key &&
	       record->value == 3 * key;
}

#define KMA_NUMBERS	256

/* Keys get different numbers until there is no room, and then keep them. */
static void kma_keys_get_numbers(void)
{
	static u32 id[2 * KMA_NUMBERS];
	bool taken[KMA_NUMBERS] = {};
	struct kma_idtab t;
	u32 i, none = 0;

	kma_env_bytes = 0;
	kma_expect(!kma_idtab_init(&t, KMA_NUMBERS, 3, 2, sizeof(struct kma_numbered)));
	kma_expect(kma_env_bytes == kma_idtab_bytes(KMA_NUMBERS, sizeof(struct kma_numbered)));
	for (i = 0; i < 3; i++)
		kma_expect(!kma_idtab_record(&t, i));
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		id[i] = kma_number(&t, i);
		none += !id[i];
		if (!id[i])
			continue;
		kma_expect(id[i] >= 3 && id[i] < KMA_NUMBERS && !taken[id[i]]);
		kma_expect(kma_number_is(&t, id[i], i));
		taken[id[i]] = true;
	}
	/* The last slots are found, because each key may be in four groups of sixteen. */
	kma_expect(kma_idtab_used(&t) == KMA_NUMBERS - 3 && none == KMA_NUMBERS + 3);
	for (i = 0; i < ARRAY_SIZE(id); i++)
		kma_expect(kma_number(&t, i) == id[i]);
	kma_idtab_destroy(&t);
	kma_expect(!t.tag);
}

/* Five eighths of the numbers of a large table can be used before a key gets none. */
static void kma_most_numbers_are_used(void)
{
	struct kma_idtab t;
	u32 i;

	kma_expect(!kma_idtab_init(&t, KMA_ID_MAX, 1, 2, sizeof(struct kma_numbered)));
	for (i = 0; i < KMA_ID_MAX / 8 * 5; i++)
		kma_expect(kma_number(&t, i));
	kma_expect(kma_idtab_used(&t) == KMA_ID_MAX / 8 * 5);
	kma_idtab_destroy(&t);
}

/* Numbers without a mark leave, and are freed unless they get a mark after that. */
static void kma_numbers_leave(void)
{
	u32 kept, late, gone, again;
	struct kma_idtab t;

	kma_expect(!kma_idtab_init(&t, KMA_ID_GROUP, 1, 2, sizeof(struct kma_numbered)));
	kept = kma_number(&t, 1);
	late = kma_number(&t, 2);
	gone = kma_number(&t, 3);
	kma_expect(kma_idtab_mark(&t, kept) && !kma_idtab_mark(&t, kept));
	kma_expect(kma_idtab_leave(&t) == 2 && kma_idtab_used(&t) == 3);
	/* A number that leaves is not found, so its key gets another one; its record stays. */
	again = kma_number(&t, 2);
	kma_expect(again != late && kma_number_is(&t, late, 2) && kma_number_is(&t, again, 2));
	kma_expect(kma_idtab_find_leaving(&t, (u64[]) { 3, ~3ULL }) == gone);
	kma_expect(kma_idtab_find_leaving(&t, (u64[]) { 2, ~2ULL }) == again);
	kma_expect(kma_idtab_find_leaving(&t, (u64[]) { 1, ~1ULL }) == kept);
	kma_expect(!kma_idtab_find_leaving(&t, (u64[]) { 5, ~5ULL }));
	kma_expect(kma_number(&t, 1) == kept);
	kma_idtab_unmark(&t);
	kma_idtab_mark(&t, late);
	kma_expect(kma_idtab_finish(&t) == 1 && kma_idtab_used(&t) == 3);
	kma_expect(!kma_idtab_record(&t, gone) && kma_number_is(&t, late, 2));
	/* A number that does not leave is not freed, with or without a mark. */
	kma_expect(kma_number(&t, 1) == kept && !kma_idtab_finish(&t));
	kma_expect(kma_number(&t, 2) == min(late, again));
	kma_expect(kma_number(&t, 4) == gone && kma_number_is(&t, gone, 4));
	kma_idtab_destroy(&t);
}

static void kma_owners_grow_with_ram(void)
{
	kma_expect(kma_owners_nr(0) == 1024 && kma_cgroups_nr(0) == 256);
	kma_expect(kma_owners_nr(1ULL << 30) == 32768 && kma_cgroups_nr(1ULL << 30) == 2048);
	kma_expect(kma_owners_nr((1ULL << 30) - 1) == 16384);
	kma_expect(kma_owners_nr(1ULL << 40) == 65536 && kma_cgroups_nr(1ULL << 40) == 16384);
	kma_env_bytes = 0;
	kma_expect(!kma_owners_init(1ULL << 28));
	kma_expect(kma_owners_bytes(1ULL << 28) == kma_env_bytes);
	kma_owners_destroy();
}

/* Allocate an object in the current context, and free it.  Return: its entry. */
static struct kma_entry kma_entry_of(unsigned long cache, unsigned long charge)
{
	const struct kma_event ev = {
		.site = KMA_SITE, .ptr = KMA_PTR, .cache = cache,
		.kmalloc = kma_cache_is_kmalloc(cache), .node = NUMA_NO_NODE, .charge = charge,
	};
	struct kma_entry e;

	kma_record_alloc(&kma_core, &ev);
	kma_expect(kma_objtab_take(&kma_core.obj, KMA_PTR, &e));
	return e;
}

/* Whether an object that is allocated now gets the owner of this context. */
static bool kma_owner_is_right(unsigned long cache, unsigned long charge, bool charged)
{
	const struct kma_owner want = kma_env_owner_key(charged ? KMA_CHARGE : KMA_CHARGE_NONE);
	const struct kma_entry e = kma_entry_of(cache, charge);
	const u32 nr = kma_entry_owner(&e);
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, nr);

	if (kma_entry_tgid(&e) != kma_env_tgid())
		return false;
	if (kma_env.interrupt && !charged)
		return nr == KMA_OWNER_INTERRUPT;
	return owner && !memcmp(owner, &want, sizeof(want));
}

/* All four combinations of a cache and gfp flags that ask for a charge or not. */
static bool kma_owners_are_right(struct kma_env_cache cache[2])
{
	const unsigned long of[] = { (unsigned long)&cache[0], (unsigned long)&cache[1], 64 };
	bool right = true;
	int i, twice;

	/* The second time, the owner is in the memo. */
	for (i = 0; i < ARRAY_SIZE(of); i++)
		for (twice = 0; twice < 2; twice++)
			right &= kma_owner_is_right(of[i], KMA_CHARGE_NONE, i == 1) &&
				 kma_owner_is_right(of[i], KMA_CHARGE, true);
	return right;
}

static void kma_finds_owners(void)
{
	struct kma_env_cache cache[] = { { 64, 64, "a", false }, { 64, 64, "b", true } };
	struct kma_entry e;

	kma_expect(!kma_owners_init(0));
	kma_setup(64);
	kma_env = (struct kma_env) { .cpu = 1, .tgid = 77, .groups = (void *)8 };
	e = kma_entry_of(64, KMA_CHARGE);
	kma_expect(kma_entry_owner(&e) == KMA_OWNER_NONE && kma_entry_tgid(&e) == 77);
	kma_env_owners = true;
	kma_expect(kma_owners_are_right(cache));
	kma_env.tgid = 78;
	kma_expect(kma_owners_are_right(cache));
	kma_env.groups = (void *)16;
	kma_expect(kma_owners_are_right(cache));
	kma_env.remote = true;
	kma_expect(kma_owners_are_right(cache));
	kma_env.remote = false;
	kma_expect(kma_owners_are_right(cache));
	kma_env.interrupt = true;
	kma_expect(kma_owners_are_right(cache));
	kma_env.interrupt = false;
	kma_env.cpu = 2;
	kma_expect(kma_owners_are_right(cache));
	/* The task's name has changed: in the memo, it is still the old one. */
	kma_env_renamed = 1;
	kma_expect(!kma_owners_are_right(cache));
	kma_owner_forget(kma_env.tgid + 1);
	kma_expect(!kma_owners_are_right(cache));
	kma_owner_forget(kma_env.tgid);
	kma_expect(kma_owners_are_right(cache));
	kma_env_renamed = 2;
	kma_expect(!kma_owners_are_right(cache));
	kma_owners_forget();
	kma_expect(kma_owners_are_right(cache));
	kma_env_renamed = 0;
	kma_env = (struct kma_env) {};
	kma_env_owners = false;
	kma_teardown();
	kma_owners_destroy();
}

/* Without a free number, objects get that of all further owners. */
static void kma_too_many_owners(void)
{
	const u32 nr = kma_owners_nr(0);
	struct kma_entry e;
	u32 i;

	kma_expect(!kma_owners_init(0));
	kma_setup(64);
	kma_env_owners = true;
	for (i = 1; kma_idtab_used(&kma_owners) < nr - KMA_OWNER_RESERVED; i++) {
		kma_env.groups = (void *)(8UL * i);
		kma_entry_of(64, KMA_CHARGE_NONE);
	}
	kma_env.groups = (void *)(8UL * i);
	e = kma_entry_of(64, KMA_CHARGE_NONE);
	kma_expect(kma_entry_owner(&e) == KMA_OWNER_OTHER && kma_stat_now(owner_other) >= 1);
	kma_env.groups = (void *)8UL;
	kma_expect(kma_owner_is_right(64, KMA_CHARGE_NONE, false));
	kma_env = (struct kma_env) {};
	kma_env_owners = false;
	kma_teardown();
	kma_owners_destroy();
}

static const struct kma_case kma_cases[] = {
	{ "numbers of keys", kma_keys_get_numbers },
	{ "how many numbers are used", kma_most_numbers_are_used },
	{ "numbers without a mark", kma_numbers_leave },
	{ "how many owners there are", kma_owners_grow_with_ram },
	{ "owners of objects", kma_finds_owners },
	{ "too many owners", kma_too_many_owners },
	{ "the fields of a class", kma_splits_classes },
	{ "a size or the address of a cache", kma_tells_sizes_from_caches },
	{ "busy slots", kma_skips_busy_slots },
	{ "the sweep count", kma_sweeps_are_counted },
	{ "a swept bucket", kma_puts_nothing_into_a_swept_bucket },
	{ "an entry is replaced without room", kma_replaces_without_room },
	{ "room for several objects", kma_makes_room_again },
	{ "no later place at home", kma_skips_home_at_later_places },
	{ "an object that does not fit", kma_full_table_stays_clean },
	{ "generations of slots", kma_slot_generations_change },
	{ "generations by page number", kma_generations_by_number },
	{ "pages that are freed at once", kma_frees_pages_by_order },
	{ "generations that wrap around", kma_wraps_by_order },
	{ "live objects of a row", kma_live_is_what_is_left },
	{ "numbers of retired caches", kma_reuses_numbers_of_equal_caches },
	{ "numbers that caches share", kma_shares_numbers_by_size },
	{ "numbers that classes share", kma_shares_numbers_by_kind },
	{ "the first of two caches is retired", kma_retires_the_first_of_two_caches },
	{ "a cache is retired many times", kma_retires_a_cache_many_times },
	{ "sizes of classes", kma_classes_have_sizes },
	{ "rows [other]", kma_others_belong_to_caches },
	{ "the stack of the last row", kma_last_row_has_a_stack },
	{ "renamed rows", kma_renames_rows },
	{ "the first of two rows is retired", kma_retires_the_first_of_two_rows },
	{ "rows that look-ups do not find", kma_first_of_hidden_rows },
	{ "the last row of a countmap", kma_finds_the_last_row },
	{ "sample points", kma_sets_sample_points },
	{ "objects at sample points", kma_meets_sample_points },
	{ "a distance for one object", kma_draws_for_one_object },
	{ "the shift of a sample point", kma_keeps_the_shift_of_a_point },
	{ "samples of all kinds", kma_samples_keep_what_they_are },
	{ "helpers", kma_finds_callers_of_helpers },
	{ "a function becomes a helper", kma_skips_a_row },
	{ "the livefilter after sampling", kma_livefilter_rests },
	{ "events during sampling", kma_sampled_events_add_up },
	{ "costs of the counters", kma_cost_is_of_the_counters },
	{ "few timed events", kma_few_timed_events_are_not_enough },
	{ "a full live table", kma_full_is_full },
	{ "an eighth for samples", kma_an_eighth_is_allowed },
	{ "room to lower N", kma_lowers_only_with_room },
	{ "combined counters", kma_combined_counters_are_split },
	{ "counters since a point in time", kma_counters_since },
	{ "who allocated a page", kma_describes_pages },
	{ "records of pages", kma_records_are_apart },
	{ "bytes of pages", kma_samples_pages_by_bytes },
	{ "memory", kma_memory_is_as_announced },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
