// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the core with sequential events, under the address sanitizer and the undefined
 * behaviour sanitizer.  Each event is on a random CPU.
 *
 *   unit [SEED]
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/numa.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "seeded.h"
#include "../../../module/core/budget.h"

/* Number of pages with generations.  Tests of generations use no other pages. */
#define KMA_PFNS	64

static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object *kma_object;

static u64 kma_stat(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

#define kma_stat_now(name) kma_stat(KMA_STAT_##name)

/* ---- the live table alone -------------------------------------------------- */

static bool kma_entry_is(const struct kma_entry *e, unsigned long ptr, u32 time)
{
	const struct kma_entry want = kma_model_entry(ptr, 0, time);

	return e->time == want.time && e->bytes_req == want.bytes_req &&
	       kma_entry_tgid(e) == want.tgid_depth;
}

/* Put an object; @old is the entry that it replaces. */
static enum kma_put kma_put(struct kma_objtab *t, unsigned long ptr, u32 time,
			    struct kma_entry *old)
{
	const struct kma_entry e = kma_model_entry(ptr, 0, time);

	return kma_objtab_put(t, ptr, &e, old);
}

static bool kma_put_is(struct kma_objtab *t, unsigned long ptr, u32 time,
		       enum kma_put expected)
{
	struct kma_entry old;

	return kma_put(t, ptr, time, &old) == expected;
}

static bool kma_take_is(struct kma_objtab *t, unsigned long ptr, u32 time)
{
	struct kma_entry e;

	return kma_objtab_take(t, ptr, &e) && kma_entry_is(&e, ptr, time);
}

static bool kma_is_in(struct kma_objtab *t, unsigned long ptr)
{
	struct kma_entry e;

	return kma_objtab_take(t, ptr, &e);
}

/* Whether a table is empty: all keys are 0, and no bucket counts spilled objects. */
static bool kma_is_clean(const struct kma_objtab *t)
{
	u64 i, used = 0;

	for (i = 0; i < kma_objtab_buckets(t) * KMA_SLOTS; i++) {
		const struct kma_bucket *b = kma_objtab_bucket(t, i / KMA_SLOTS);

		used += b->key[i % KMA_SLOTS] || atomic64_read(&b->spilled);
	}
	return !used;
}

static void kma_swap(unsigned long *a, unsigned long *b)
{
	const unsigned long was = *a;

	*a = *b;
	*b = was;
}

/* Put @nr addresses into a random order. */
static void kma_shuffle(unsigned long *ptr, u32 nr)
{
	for (; nr > 1; nr--)
		kma_swap(&ptr[nr - 1], &ptr[kma_below(nr)]);
}

/* Make all slots busy, except in one bucket, which becomes empty. */
static void kma_occupy(struct kma_objtab *t, const struct kma_bucket *but)
{
	struct kma_bucket *b;
	int slot;
	u64 i;

	for (i = 0; i < kma_objtab_buckets(t); i++) {
		b = kma_objtab_bucket(t, i);
		for (slot = 0; slot < KMA_SLOTS; slot++)
			b->key[slot] = b == but ? 0 : KMA_BUSY;
	}
}

static int kma_slot_in(const struct kma_bucket *b, unsigned long ptr)
{
	int slot = kma_bucket_find(b, ptr);

	if (slot < 0)
		abort();
	return slot;
}

/*
 * Put an object while only bucket @b has room.  If this is its home bucket, @own says whether
 * the object's own slot is free.  The object may have no place in @b.
 */
static void kma_put_there(struct kma_objtab *t, unsigned long ptr,
			  struct kma_bucket *b, bool own, bool seen[KMA_DEPTHS + 1])
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	struct kma_entry old;
	int depth;
	u64 spilled;

	kma_occupy(t, b);
	if (!own)
		home->key[kma_objtab_slot(ptr)] = KMA_BUSY;
	if (kma_put_is(t, ptr, 1, KMA_PUT_FULL))
		return;
	depth = kma_entry_depth(&b->entry[kma_slot_in(b, ptr)]);
	kma_expect((depth <= KMA_DEPTH_HOME) == (b == home));
	spilled = depth ? 1ULL << 4 * (depth - 1) : 0;
	kma_expect((u64)atomic64_read(&home->spilled) == spilled);
	seen[depth] = true;

	kma_expect(kma_put(t, ptr, 2, &old) == KMA_PUT_REPLACED && kma_entry_is(&old, ptr, 1));
	kma_expect((u64)atomic64_read(&home->spilled) == spilled);
	kma_expect(kma_take_is(t, ptr, 2));
	kma_expect(kma_bucket_find(b, ptr) < 0 && !atomic64_read(&home->spilled));
}

static void kma_spills_at_every_depth(void)
{
	bool seen[KMA_DEPTHS + 1] = {};
	struct kma_objtab t;
	int depth;
	u64 i;

	if (kma_objtab_init(&t, 100, KMA_PFNS))
		abort();
	/* Several addresses, because two depths of one address may be in the same bucket. */
	for (i = 0; i < 8 * kma_objtab_buckets(&t); i++) {
		kma_put_there(&t, KMA_MODEL_PTR + i % 8 * 4096,
			      kma_objtab_bucket(&t, i / 8), true, seen);
		kma_put_there(&t, KMA_MODEL_PTR + i % 8 * 4096,
			      kma_objtab_bucket(&t, i / 8), false, seen);
	}
	for (depth = 0; depth <= KMA_DEPTHS; depth++)
		kma_expect(seen[depth]);
	kma_objtab_destroy(&t);
}

/* The order in which objects are taken again. */
enum kma_order { KMA_IN_ORDER, KMA_REVERSED, KMA_SHUFFLED, KMA_ORDERS };

static void kma_reorder(unsigned long *ptr, u32 nr, enum kma_order order)
{
	u32 i;

	if (order == KMA_SHUFFLED)
		kma_shuffle(ptr, nr);
	for (i = 0; order == KMA_REVERSED && i < nr / 2; i++)
		kma_swap(&ptr[i], &ptr[nr - 1 - i]);
}

/*
 * Put objects of one home bucket until none fits: then all counts of other buckets are 15.  The
 * last objects are at the largest depths.
 */
static void kma_fill_counts(u64 live_max, enum kma_order order)
{
	const u32 most = KMA_SLOTS + 15 * (KMA_DEPTHS - KMA_DEPTH_HOME);
	const u64 in_before = kma_stat_now(spill_in), out_before = kma_stat_now(spill_out);
	static unsigned long ptr[KMA_SLOTS + 15 * KMA_DEPTHS + 100];
	struct kma_bucket *home;
	struct kma_objtab t;
	u32 i, in = 0;

	if (kma_objtab_init(&t, live_max, KMA_PFNS))
		abort();
	home = kma_objtab_home(&t, KMA_MODEL_PTR);
	for (i = 0, ptr[0] = KMA_MODEL_PTR; i < ARRAY_SIZE(ptr); i++) {
		for (ptr[i] = i ? ptr[i - 1] + 8 : ptr[0];
		     kma_objtab_home(&t, ptr[i]) != home; ptr[i] += 8)
			;
	}
	/* Move the objects that fit to the front. */
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		if (kma_put_is(&t, ptr[i], ptr[i], KMA_PUT_NEW))
			kma_swap(&ptr[i], &ptr[in++]);
	kma_expect(in == most && kma_stat_now(spill_in) - in_before == most - KMA_SLOTS);
	kma_expect((u64)atomic64_read(&home->spilled) >> 4 * KMA_DEPTH_HOME ==
		   KMA_SPILLED >> 4 * KMA_DEPTH_HOME);
	kma_reorder(ptr, in, order);
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_expect(i < in ? kma_take_is(&t, ptr[i], ptr[i]) : !kma_is_in(&t, ptr[i]));
	kma_expect(kma_is_clean(&t) && kma_stat_now(spill_out) - out_before == most - KMA_SLOTS);
	kma_objtab_destroy(&t);
}

/* In the small table, two depths of an object are often in the same bucket. */
static void kma_spilled_counts_fill_up(void)
{
	enum kma_order order;

	for (order = 0; order < KMA_ORDERS; order++) {
		kma_fill_counts(4000, order);
		kma_fill_counts(50, order);
	}
}

/* ---- live_max objects always fit ------------------------------------------- */

#define KMA_MIX		0	/* slabs have the sizes of kma_sizes[] in turn */

static const u32 kma_sizes[] = {
	8, 16, 24, 32, 40, 64, 96, 104, 128, 192, 216, 256, 320, 512, 704, 1024,
	1088, 2048, 4096, 8192,
};

/* A permutation of the numbers below 2^28, so that no two slabs are at the same place. */
static u64 kma_slab_place(u32 slab)
{
	const u32 mask = (1U << 28) - 1;

	slab = (slab + (u32)kma_seed) * 2654435761U & mask;
	slab ^= slab >> 14;
	slab = slab * 0x2c1b3c6dU & mask;
	return slab ^ slab >> 14;
}

/*
 * Fill @ptr with the addresses of objects in whole slabs.  Each slab is at a random place or,
 * with @in_a_row, behind the previous one, which fills the most buckets.
 */
static void kma_slabs(unsigned long *ptr, u32 nr, u32 size, bool in_a_row)
{
	u32 i = 0, slab = 0, one, bytes, at;
	u64 place, end = (kma_seed & 0xffff) * 4096;

	while (i < nr) {
		one = size != KMA_MIX ? size : kma_sizes[slab % ARRAY_SIZE(kma_sizes)];
		bytes = roundup_pow_of_two(16 * one);
		bytes = bytes < 4096 ? 4096 : bytes > 32768 ? 32768 : bytes;
		place = in_a_row ? end : kma_slab_place(slab) << 15;
		end += bytes;
		slab++;
		for (at = 0; at + one <= bytes && i < nr; at += one)
			ptr[i++] = KMA_MODEL_PTR + place + at;
	}
}

static bool kma_home_is_full(const struct kma_objtab *t, unsigned long ptr)
{
	const struct kma_bucket *home = kma_objtab_home(t, ptr);
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (!home->key[i])
			return false;
	return true;
}

/*
 * Put all objects.  Those whose home bucket is full come last, when as many buckets as
 * possible are full.
 */
static const char *kma_put_all(struct kma_objtab *t, unsigned long *ptr, u32 nr)
{
	unsigned long now;
	u32 i, in = 0;

	for (i = 0; i < nr; i++) {
		now = ptr[i];
		if (kma_home_is_full(t, now))
			continue;
		ptr[i] = ptr[in];
		ptr[in] = now;
		if (!kma_put_is(t, now, in, KMA_PUT_NEW))
			return "an object whose home bucket has room was not added";
		in++;
	}
	for (; in < nr; in++) {
		/* Each put may estimate anew whether the table is crowded. */
		kma_env.now += 2;
		if (!kma_put_is(t, ptr[in], in, KMA_PUT_NEW))
			return "an object was not added";
	}
	return NULL;
}

/* Put live_max objects of one size and take them again.  Return: NULL, or what went wrong. */
static const char *kma_promise(u32 live_max, u32 size, bool in_a_row)
{
	unsigned long *ptr = calloc(live_max, sizeof(*ptr));
	struct kma_objtab t;
	const char *why;
	u32 i;

	if (!ptr || kma_objtab_init(&t, live_max, KMA_PFNS))
		abort();
	kma_slabs(ptr, live_max, size, in_a_row);
	why = kma_put_all(&t, ptr, live_max);
	for (i = 0; i < live_max && !why; i++)
		if (!kma_take_is(&t, ptr[i], i))
			why = "an object was not found";
	if (!why && !kma_is_clean(&t))
		why = "the table is not empty";
	kma_objtab_destroy(&t);
	free(ptr);
	return why;
}

static void kma_promises(u32 live_max, bool in_a_row)
{
	u32 k;

	for (k = 0; k < ARRAY_SIZE(kma_sizes); k++)
		kma_expect_ok(kma_promise(live_max, kma_sizes[k], in_a_row));
	kma_expect_ok(kma_promise(live_max, KMA_MIX, in_a_row));
}

static void kma_keeps_its_promise(void)
{
	static const u32 live_max[] = { 100, 1000, 4096, 65536 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(live_max); i++) {
		kma_promises(live_max[i], false);
		kma_promises(live_max[i], true);
	}
	/* With KMA_PLACES halved, about a dozen of these objects do not fit. */
	kma_expect_ok(kma_promise(8 << 20, 8, true));
}

/* While live_max objects are recorded, a random one is freed and another is allocated. */
static void kma_keeps_its_promise_under_churn(void)
{
	static const struct {
		u32 live_max, spread, size, rounds;	/* @spread addresses for each object */
		bool in_a_row;
	} churns[] = {
		{ 65536, 4, 8, 150000, false }, { 4096, 2, 64, 50000, false },
		{ 4096, 64, 8, 50000, false }, { 4096, 8, KMA_MIX, 50000, false },
		{ 1000, 8, KMA_MIX, 30000, true },
	}, *c;
	unsigned long *ptr;
	struct kma_objtab t;
	u32 i, round, nr;

	for (c = churns; c < churns + ARRAY_SIZE(churns); c++) {
		nr = c->live_max * c->spread;
		ptr = calloc(nr, sizeof(*ptr));
		if (!ptr || kma_objtab_init(&t, c->live_max, KMA_PFNS))
			abort();
		kma_slabs(ptr, nr, c->size, c->in_a_row);
		kma_shuffle(ptr, nr);
		/* The first live_max addresses are those of live objects. */
		for (i = 0; i < c->live_max; i++)
			kma_expect(kma_put_is(&t, ptr[i], ptr[i], KMA_PUT_NEW));
		for (round = 0; round < c->rounds; round++) {
			i = kma_below(c->live_max);
			kma_expect(kma_take_is(&t, ptr[i], ptr[i]));
			kma_swap(&ptr[i], &ptr[c->live_max + kma_below(nr - c->live_max)]);
			kma_expect(kma_put_is(&t, ptr[i], ptr[i], KMA_PUT_NEW));
		}
		for (i = 0; i < nr; i++)
			kma_expect(i < c->live_max ? kma_take_is(&t, ptr[i], ptr[i]) :
						     !kma_is_in(&t, ptr[i]));
		kma_expect(kma_is_clean(&t));
		kma_objtab_destroy(&t);
		free(ptr);
	}
}

/*
 * A table is found to be crowded once it has clearly more than live_max objects.  From then on,
 * and until the clock advances, an object is put into its home bucket or not at all, even if
 * most objects have been taken since.
 */
static void kma_crowded_table_uses_home_only(void)
{
	const u32 live_max = 4000, nr = 4 * live_max;
	unsigned long *ptr = calloc(nr, sizeof(*ptr)), refused = 0;
	struct kma_objtab t;
	u32 i, k, in;

	if (!ptr || kma_objtab_init(&t, live_max, KMA_PFNS))
		abort();
	kma_slabs(ptr, nr, 64, false);
	kma_env.now = 100;
	for (in = 0; in < live_max / 2 * 3; in++)
		kma_expect(kma_put_is(&t, ptr[in], in, KMA_PUT_NEW));
	kma_expect(!(t.crowded & 1));
	kma_env.now = 102;
	for (i = in; t.crowded != 103 && i < nr; i++)
		if (kma_put_is(&t, ptr[i], in, KMA_PUT_NEW))
			ptr[in++] = ptr[i];
	kma_expect(t.crowded == 103 && in < live_max * 2);
	for (; i < nr; i++) {
		const bool full = kma_home_is_full(&t, ptr[i]);

		kma_expect(kma_put_is(&t, ptr[i], in, full ? KMA_PUT_FULL : KMA_PUT_NEW));
		if (full)
			refused = ptr[i];
		else
			ptr[in++] = ptr[i];
	}
	kma_expect(refused);
	/* An object in the table can be replaced, whatever its place. */
	for (k = 0; k < in; k++)
		kma_expect(kma_put_is(&t, ptr[k], k, KMA_PUT_REPLACED));
	for (k = 0; k < in; k++)
		if (kma_bucket_find(kma_objtab_home(&t, refused), ptr[k]) < 0)
			kma_expect(kma_take_is(&t, ptr[k], k));
	kma_expect(kma_put_is(&t, refused, nr, KMA_PUT_FULL));
	kma_env.now = 104;
	kma_expect(kma_put_is(&t, refused, nr, KMA_PUT_NEW));
	kma_objtab_destroy(&t);
	free(ptr);
}

/* ---- events against the model ---------------------------------------------- */

static void kma_setup(u64 live_max, u32 sites_max, u32 nr_sites, u32 nr_objects)
{
	u32 i;

	kma_object = calloc(nr_objects, sizeof(*kma_object));
	if (!kma_object ||
	    kma_core_init(&kma_core, live_max, sites_max, KMA_PFNS))
		abort();
	for (i = 0; i < nr_objects; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, nr_sites, kma_object, nr_objects);
	kma_model_reset(&kma_model);
}

static void kma_teardown(void)
{
	kma_model_destroy(&kma_model);
	kma_core_destroy(&kma_core);
	free(kma_object);
}

/* Free random pages, aligned to the size of all of them. */
static void kma_pages_free(void)
{
	u32 order = kma_below(5);
	u32 nr = kma_below(KMA_PFNS >> order);

	kma_model_pages_free(&kma_model,
			     KMA_MODEL_PTR + nr * (KMA_PAGE_SIZE << order), order);
}

/* Random events.  An object may be allocated while it is live, and freed while it is not. */
static void kma_events(u32 nr, u32 nr_caches)
{
	struct kma_object *o;
	u32 what, site;

	for (; nr; nr--) {
		kma_env.cpu = kma_below(KMA_ENV_CPUS);
		if (!kma_below(2000))
			kma_pages_free();
		o = &kma_object[kma_below(kma_model.nr_objects)];
		what = kma_below(4);
		site = kma_below(kma_model.nr_sites);
		if (!what)
			kma_model_free(&kma_model, o);
		else if (what == 1)
			kma_model_bulk(&kma_model, o, site, kma_below(nr_caches));
		else
			kma_model_alloc(&kma_model, o, site, kma_below(nr_caches));
	}
}

/* Compare with the model only ten times, because this takes long. */
static void kma_agree(u32 events, u32 nr_caches)
{
	int i;

	for (i = 0; i < 10; i++) {
		kma_events(events / 10, nr_caches);
		kma_expect_ok(kma_model_check(&kma_model));
	}
}

static void kma_agrees_with_room(void)
{
	kma_setup(8000, 1024, 60, 8000);
	kma_agree(1000000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(replaced) > 1000 && kma_stat_now(spill_in) > 1000);
	kma_expect(kma_stat_now(page_freed) > 1000);
	kma_expect(!kma_stat_now(dropped_live_full) && !kma_stat_now(other_sites));
	kma_teardown();
}

static void kma_agrees_without_slots(void)
{
	kma_setup(8, 1000, 60, 8000);
	kma_agree(300000, 4);
	kma_expect(kma_stat_now(dropped_live_full) > 1000);
	kma_teardown();
}

static void kma_agrees_without_rows(void)
{
	kma_setup(3000, KMA_SITES_MIN, 300, 3000);
	kma_agree(300000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(other_sites) > 1000);
	kma_expect(kma_sitetab_used(&kma_core.sites) == KMA_PAIRS_MIN);
	kma_teardown();
}

/* All cache numbers except two are taken before the first event: others get reserved ones. */
static void kma_agrees_without_caches(void)
{
	u32 i;

	kma_setup(3000, 2000, 60, 3000);
	for (i = 2; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&kma_core.sites.caches, 100000 + i) == (int)i - 2);
	kma_agree(100000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(other_caches) == KMA_MODEL_CACHES - 2);
	kma_expect(!kma_stat_now(other_sites));
	kma_expect(kma_cachetab_used(&kma_core.sites.caches) == KMA_CACHES_MAX);
	kma_teardown();
}

static void kma_agrees_with_inner_sites(void)
{
	kma_setup(3000, 1000, 60, 3000);
	kma_core.sites.internal[0] = KMA_MODEL_SITE + 16 * 7;
	kma_core.sites.internal[1] = KMA_MODEL_SITE + 16 * 11;
	kma_core.sites.nr_internal = 2;
	kma_agree(100000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(double_fired) > 1000);
	kma_teardown();
}

/* ---- page generations ------------------------------------------------------ */

/* Half of the generations, the odd ones, have objects. */
#define KMA_GENS	((KMA_GEN_LAST + 1) / 2)

/* The number of generations exceeds the range of a kma_gen. */
static void kma_finds_what_is_left(void)
{
	u32 i, found = 0, gens = 2 * KMA_GENS;
	struct kma_object *o;

	kma_setup(100, KMA_SITES_MIN, 4, KMA_PAGE_SIZE / 8);
	for (i = 0; i < gens; i++) {
		o = &kma_object[kma_below(kma_model.nr_objects)];
		kma_model_alloc(&kma_model, o, i % 4, i % KMA_MODEL_CACHES);
		if (i % 3)
			kma_model_free(&kma_model, o);
		else
			found++;
		/* The last generation comes twice.  Both times, several pages are freed at once. */
		kma_model_pages_free(&kma_model, KMA_MODEL_PTR, (i + 3) % 7);
		if (i % 5000 == 99)
			kma_expect_ok(kma_model_check(&kma_model));
	}
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(kma_stat_now(page_freed) == found);
	kma_teardown();
}

/* A stale entry has the number of a generation, and the same number is used again. */
static void kma_sees_no_generation_again(void)
{
	u32 i, first;

	for (first = 0; first < KMA_GENS; first += KMA_GENS / 16 - 1) {
		kma_setup(100, KMA_SITES_MIN, 4, 1000);
		for (i = 0; i < first + KMA_GENS; i++) {
			kma_model_alloc(&kma_model, &kma_object[1], 1, 0);
			if (i == first)
				kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
			kma_model_free(&kma_model, &kma_object[1]);
			kma_model_pages_free(&kma_model, KMA_MODEL_PTR, 0);
		}
		/* This generation has the number of the generation of the stale entry. */
		kma_model_alloc(&kma_model, &kma_object[1], 1, 0);
		kma_expect_ok(kma_model_check(&kma_model));
		kma_expect(kma_stat_now(page_freed) == 1);
		kma_teardown();
	}
}

#define KMA_RANGE_GENS	64

static kma_gen kma_any_gen(void)
{
	static const kma_gen edge[] = { 0, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0x8001,
					 0xfffe, 0xffff };

	return kma_below(2) ? edge[kma_below(ARRAY_SIZE(edge))] : kma_below(65536);
}

/* Like kma_record_pages_slow().  Return: false if the generations must end one by one. */
static bool kma_end_pages(struct kma_pagegen *m, unsigned long page, u32 order)
{
	struct kma_genrange l = kma_pagegen_range(m, page, order);

	return !kma_genrange_used(&l) || kma_genrange_end(l);
}

/* Ending the generations of several pages at once has the same result as one by one. */
static void kma_generations_of_a_range_are_many(void)
{
	struct kma_pagegen m, one;
	u32 round, i, order, first;
	unsigned long page;
	bool done, last;

	kma_expect(!kma_pagegen_init(&m, KMA_RANGE_GENS));
	kma_expect(!kma_pagegen_init(&one, KMA_RANGE_GENS));
	for (round = 0; round < 200000; round++) {
		order = 2 + kma_below(5);
		first = kma_below(KMA_RANGE_GENS >> order) << order;
		page = (unsigned long)first * KMA_PAGE_SIZE;
		last = false;
		for (i = 0; i < KMA_RANGE_GENS; i++) {
			m.gen[i] = kma_any_gen();
			one.gen[i] = m.gen[i];
		}
		for (i = 0; i < 1U << order; i++)
			last |= kma_pagegen_leave(&one, page + i * KMA_PAGE_SIZE);
		done = kma_end_pages(&m, page, order);
		kma_expect(done == !last);
		for (i = 0; i < 1U << order && !done; i++)
			kma_pagegen_leave(&m, page + i * KMA_PAGE_SIZE);
		kma_expect(!memcmp(m.gen, one.gen, KMA_RANGE_GENS * sizeof(kma_gen)));
	}
	kma_pagegen_destroy(&m);
	kma_pagegen_destroy(&one);
}

/* For any address and order, the range of generations is inside the array. */
static void kma_generations_of_a_range_are_in_the_map(void)
{
	struct kma_pagegen m;
	struct kma_genrange l;
	u32 pfns, order, i;

	for (pfns = 4; pfns <= 64; pfns *= 2) {
		kma_expect(!kma_pagegen_init(&m, pfns));
		for (i = 0; i < 1000; i++) {
			order = 2 + kma_below(30);
			l = kma_pagegen_range(&m, (unsigned long)kma_below(1U << 20) << 12, order);
			kma_expect(l.at >= (u64 *)m.gen && l.at < l.end);
			kma_expect(l.end <= (u64 *)&m.gen[pfns]);
			kma_expect((char *)l.end - (char *)l.at ==
				   min_t(u64, pfns, 1ULL << order) * sizeof(kma_gen));
		}
		kma_pagegen_destroy(&m);
	}
}

/* Classes often differ in their gfp flags only, which are the upper bits of a class. */
static void kma_flags_choose_the_slot(void)
{
	const struct kma_sitetab t = {
		.map_mask = (16384 - 1) * sizeof(struct kma_site_slot),
	};
	const unsigned long class = kma_class(0, 0, 0xcc0);
	int bit;

	/* The highest is __GFP_ACCOUNT. */
	for (bit = 0; bit <= 22; bit++)
		kma_expect(kma_sitetab_hash(&t, KMA_CLASS_WHOLE, class) !=
			   kma_sitetab_hash(&t, KMA_CLASS_WHOLE, class ^ 1ULL << (9 + bit)));
}

/* Modules have many functions of one length, whose call sites are at equal distances. */
static void kma_sites_of_one_distance_are_near(void)
{
	const struct kma_site_slot *slot;
	struct kma_sitetab t;
	u32 distance, i;

	for (distance = 16; distance <= 1024; distance += 16) {
		kma_expect(!kma_sitetab_init(&t, 8192));
		for (i = 0; i < 1000; i++)
			kma_sitetab_get(&t, KMA_MODEL_SITE + i * distance, 32);
		for (i = 0; i < 1000; i++)
			kma_expect(kma_sitetab_near(&t, KMA_MODEL_SITE + i * distance, 32,
						    &slot));
		kma_sitetab_destroy(&t);
	}
}

/*
 * Three pairs have the same cache line, which has two slots.  The third pair is found
 * elsewhere, also after the first one was retired.
 */
static void kma_three_sites_meet(void)
{
	const struct kma_site_slot *slot, *met[3];
	struct kma_sitetab t;
	u32 i;

	kma_expect(!kma_sitetab_init(&t, KMA_SITES_MIN));
	for (i = 0; i < 3; i++)
		met[i] = kma_sitetab_get(&t, KMA_MODEL_SITE - 8 * i, 64 + 8 * i);
	kma_expect(met[0] == kma_sitetab_first(&t, KMA_MODEL_SITE, 64));
	kma_expect(met[1] == kma_sitetab_second(met[0]));
	for (i = 0; i < 2; i++)
		kma_sitetab_retire(&t, met[0]->id);
	kma_expect(atomic_read(&t.retired) == 1 && !t.no_cache);
	for (i = 0; i < 3; i++) {
		kma_expect(kma_sitetab_near(&t, KMA_MODEL_SITE - 8 * i, 64 + 8 * i, &slot) ==
			   (i == 1));
		kma_expect(i != 1 || slot == met[1]);
	}
	kma_expect(kma_sitetab_get(&t, KMA_MODEL_SITE - 16, 80) == met[2]);
	kma_expect(kma_sitetab_used(&t) == 3);
	/* The next pair gets the slot of the first one, and hides no other. */
	kma_expect(kma_sitetab_get(&t, KMA_MODEL_SITE - 24, 88) == met[0]);
	kma_expect(kma_sitetab_get(&t, KMA_MODEL_SITE - 16, 80) == met[2]);
	kma_sitetab_destroy(&t);
}

/* More pairs have one hash than a look-up searches slots: the others have no row of their own. */
static void kma_crowded_hash_gives_up(void)
{
	enum { LOST = 8, PAIRS = KMA_SITES_PROBES + LOST, ROUNDS = 3 };
	const u64 before = kma_stat_now(other_sites);
	const struct kma_site_slot *slot[PAIRS];
	struct kma_sitetab t;
	struct kma_row sum;
	u32 i;

	kma_expect(!kma_sitetab_init(&t, 2 * KMA_SITES_PROBES));
	for (i = 0; i < ROUNDS * PAIRS; i++) {
		slot[i % PAIRS] = kma_sitetab_get(&t, KMA_MODEL_SITE - 8 * (i % PAIRS),
						  8 * (i % PAIRS + 1));
		this_cpu_inc(slot[i % PAIRS]->row->hits);
	}
	/* Each cache has a row [other] of its own. */
	for (i = 0; i < PAIRS; i++) {
		kma_expect((slot[i]->id < t.sites_max) == (i < KMA_SITES_PROBES));
		kma_sitetab_sum(&t, slot[i]->id, &sum);
		kma_expect(sum.hits == ROUNDS);
	}
	kma_expect(kma_sitetab_used(&t) == KMA_SITES_PROBES);
	kma_expect(kma_stat_now(other_sites) == before + ROUNDS * LOST);
	kma_sitetab_destroy(&t);
}

static void kma_leaves_others_alone(void)
{
	kma_setup(100, KMA_SITES_MIN, 4, 2000);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	kma_model_alloc(&kma_model, &kma_object[600], 1, 0);
	kma_model_pages_free(&kma_model, KMA_MODEL_PTR + KMA_PAGE_SIZE, 0);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(kma_stat_now(page_freed) == 1);
	kma_expect(kma_object[0].live);
	kma_teardown();
}

/* A generation without objects does not end when its page is freed. */
static void kma_ends_only_used_generations(void)
{
	u32 order;

	kma_setup(100, KMA_SITES_MIN, 4, 2000);
	for (order = 0; order < 7; order++)
		kma_model_pages_free(&kma_model, KMA_MODEL_PTR, order);
	for (order = 0; order < KMA_PFNS; order++)
		kma_expect(kma_core.obj.pages.gen[order] == order % 4 * 2);
	kma_teardown();
}

/*
 * If pages share a generation, it must not end when one page is freed, because another one
 * may have objects.
 */
static void kma_loses_nothing_without_generations(void)
{
	struct kma_object far = { .ptr = KMA_MODEL_PTR + KMA_PFNS * KMA_PAGE_SIZE };

	kma_setup(100, KMA_SITES_MIN, 4, 2000);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	kma_core.obj.pages.fixed = true;
	kma_record_pages_free(&kma_core, far.ptr, 0);
	kma_record_pages_free(&kma_core, far.ptr, 6);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(kma_object[0].live && !kma_stat_now(page_freed));
	kma_teardown();
}

/* A table full of stale entries has room for new objects. */
static void kma_makes_room(void)
{
	u64 dropped;
	u32 i;

	kma_setup(8, KMA_SITES_MIN, 4, 20000);
	for (i = 0; i < 10 * 512; i++)
		kma_model_alloc(&kma_model, &kma_object[i], 1, 0);
	dropped = kma_stat_now(dropped_live_full);
	kma_expect(dropped);
	for (i = 0; i < 10; i++)
		kma_model_pages_free(&kma_model, KMA_MODEL_PTR + i * KMA_PAGE_SIZE, 0);
	/* The table counts as full for as long as the clock stands still. */
	kma_env.now += 2;
	for (i = 0; i < 250; i++)
		kma_model_alloc(&kma_model, &kma_object[10 * 512 + i], 1, 0);
	kma_expect(kma_stat_now(dropped_live_full) == dropped);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* ---- retired caches and sites ----------------------------------------------- */

static void kma_free_all_of(u32 cache)
{
	u32 i;

	for (i = 0; i < kma_model.nr_objects; i++)
		if (kma_object[i].live && kma_object[i].cache == cache)
			kma_model_free(&kma_model, &kma_object[i]);
}

static u32 kma_one_kmem_cache(void)
{
	return KMA_MODEL_KMALLOCS + kma_below(KMA_MODEL_CACHES - KMA_MODEL_KMALLOCS);
}

/* In the model, a cache is identified by its name: swap the names at two addresses. */
static void kma_swap_caches(u32 a, u32 b)
{
	struct kma_env_cache c = kma_model.cache[a];

	kma_model.cache[a] = kma_model.cache[b];
	kma_model.cache[b] = c;
}

static void kma_swap_rows(u32 a, u32 b)
{
	struct kma_row *row = kma_model.row, c;
	u32 site;

	for (site = 0; site <= kma_model.nr_sites; site++, row += KMA_MODEL_CACHES) {
		c = row[a];
		row[a] = row[b];
		row[b] = c;
	}
}

/* Exactly the rows of two caches are retired. */
static void kma_expect_retired(u32 a, u32 b)
{
	const struct kma_site_info *info;
	u32 id, cache;

	kma_expect(kma_core.sites.no_cache);
	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		cache = kma_model_row_of(&kma_model, id) % KMA_MODEL_CACHES;
		kma_expect(!info || info->state == (cache == a || cache == b ?
						    KMA_SITE_NO_CACHE : KMA_SITE_LIVE));
	}
}

/*
 * Two kmem_caches are destroyed, and created again at each other's address.  Their rows are
 * used again, so 60 sites and 16 caches never need more rows than there are pairs.
 */
static void kma_agrees_while_caches_die(void)
{
	const u32 sites_max = 1024;
	u32 round, a, b;

	kma_expect(KMA_PAIRS_MAX(sites_max) == 60 * KMA_MODEL_CACHES);
	kma_setup(1000, sites_max, 60, 1000);
	for (round = 0; round < 100; round++) {
		kma_events(10000, KMA_MODEL_CACHES);
		a = kma_one_kmem_cache();
		b = kma_one_kmem_cache();
		kma_free_all_of(a);
		kma_free_all_of(b);
		kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, a));
		kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, b));
		/* Later, rows of earlier rounds may still be retired. */
		if (!round)
			kma_expect_retired(a, b);
		kma_swap_caches(a, b);
		kma_swap_rows(a, b);
		kma_expect_ok(kma_model_check(&kma_model));
	}
	kma_expect(!kma_stat_now(other_sites) && !kma_stat_now(dropped_live_full));
	kma_expect(kma_cachetab_used(&kma_core.sites.caches) == KMA_MODEL_CACHES);
	kma_teardown();
}

/* When other code is loaded at the address of a call site, the old row keeps its counts. */
static void kma_retires_sites(void)
{
	struct kma_row sum;
	u32 id, first;

	kma_setup(100, KMA_SITES_MIN, 4, 100);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	first = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, 64)->id;
	for (id = first; id + 1 < KMA_PAIRS_MIN; id++) {
		kma_sitetab_retire(&kma_core.sites, id);
		kma_model_alloc(&kma_model, &kma_object[id + 1 - first], 1, 0);
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		kma_expect(sum.hits == 1);
		kma_sitetab_sum(&kma_core.sites, id + 1, &sum);
		kma_expect(sum.hits == 1);
	}
	kma_expect((u32)atomic_read(&kma_core.sites.retired) == id - first);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(!kma_stat_now(other_sites));
	/* No row is left for another call site. */
	kma_sitetab_retire(&kma_core.sites, id);
	kma_model_alloc(&kma_model, &kma_object[99], 1, 0);
	kma_expect(kma_stat_now(other_sites) == 1);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* Record an event at each of @nr sites, and check that none of them has a row of its own. */
static void kma_other_events(u32 first, u32 nr, u32 cache)
{
	const u64 before = kma_stat_now(other_sites);
	u32 i;

	for (i = 0; i < nr; i++) {
		kma_model_alloc(&kma_model, &kma_object[i], first + i, cache);
		kma_model_free(&kma_model, &kma_object[i]);
	}
	kma_expect(kma_stat_now(other_sites) == before + nr);
}

/* Copy memory to pages that cannot be written to: a write ends the program. */
static void *kma_read_only_copy(const void *mem, size_t bytes)
{
	void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		abort();
	memcpy(copy, mem, bytes);
	if (mprotect(copy, bytes, PROT_READ))
		abort();
	return copy;
}

/* Run a function with the map and the descriptions of rows in memory that cannot be written. */
static void kma_read_only(void (*run)(void))
{
	struct kma_sitetab *t = &kma_core.sites;
	const size_t map_bytes = t->map_mask + sizeof(t->map[0]);
	const size_t info_bytes = kma_sitetab_rows(t) * sizeof(t->info[0]);
	struct kma_site_info *info = t->info;
	struct kma_site_slot *map = t->map;

	t->map = kma_read_only_copy(map, map_bytes);
	t->info = kma_read_only_copy(info, info_bytes);
	run();
	munmap(t->map, map_bytes);
	munmap(t->info, info_bytes);
	t->map = map;
	t->info = info;
}

static void kma_others_exact(void)
{
	kma_other_events(KMA_PAIRS_MIN, 60, 0);
	kma_other_events(0, 1, KMA_MODEL_KMALLOCS);
}

static const struct kma_site_slot *kma_other_sample(void)
{
	const struct kma_origin sample = { .site = KMA_MODEL_SITE, .shift = KMA_SHIFT_MIN };

	return kma_sitetab_sample(&kma_core.sites, &sample, kma_model_cache(&kma_model, 0));
}

static void kma_others_sampled(void)
{
	kma_expect(kma_other_sample()->id < kma_core.sites.sites_max);
}

/* Once a row [other] is in use, its events write neither to the map nor to the row descriptions. */
static void kma_full_table_is_only_read(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	u32 i;

	kma_setup(100, KMA_SITES_MIN, 2 * KMA_PAIRS_MIN, 100);
	/* One row belongs to a destroyed kmem_cache. */
	kma_model_alloc(&kma_model, &kma_object[0], 0, KMA_MODEL_KMALLOCS);
	kma_model_free(&kma_model, &kma_object[0]);
	kma_sitetab_retire_cache(t, kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS));
	for (i = 1; i < KMA_PAIRS_MIN; i++) {
		kma_model_alloc(&kma_model, &kma_object[0], i, 0);
		kma_model_free(&kma_model, &kma_object[0]);
	}
	kma_expect(!kma_stat_now(other_sites));
	/* As if the parked slot of its row had been left behind when a module was unloaded. */
	t->info[0].state = KMA_SITE_NO_MODULE;
	kma_other_events(KMA_PAIRS_MIN, 1, 0);
	kma_other_events(0, 1, KMA_MODEL_KMALLOCS);
	kma_read_only(kma_others_exact);
	kma_expect_ok(kma_model_check(&kma_model));
	/* The row [other] of the cache counts exact events, so this makes a further one. */
	kma_expect(kma_other_sample()->id < t->sites_max);
	kma_expect(kma_sitetab_used(t) == KMA_PAIRS_MIN + 1);
	kma_read_only(kma_others_sampled);
	kma_expect(kma_sitetab_used(t) == KMA_PAIRS_MIN + 1 && !kma_stat_now(dropped_sites_full));
	kma_teardown();
}

/* The number of slots that lead to a row. */
static u32 kma_slots_of(u32 id)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u32 i, nr = 0;

	for (i = 0; i <= t->map_mask / sizeof(t->map[0]); i++)
		nr += t->map[i].site && t->map[i].id == id;
	return nr;
}

/* A full table reuses the row of a destroyed kmem_cache, unless its module was unloaded. */
static void kma_full_table_reuses_rows(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	const u32 a = KMA_MODEL_KMALLOCS, b = a + 1;
	u32 i, id;

	kma_setup(100, KMA_SITES_MIN, 2 * KMA_PAIRS_MIN, 100);
	kma_model_alloc(&kma_model, &kma_object[0], 0, a);
	kma_model_free(&kma_model, &kma_object[0]);
	id = kma_sitetab_get(t, KMA_MODEL_SITE, kma_model_cache(&kma_model, a))->id;
	for (i = 1; i < KMA_PAIRS_MIN; i++) {
		kma_model_alloc(&kma_model, &kma_object[0], i, 0);
		kma_model_free(&kma_model, &kma_object[0]);
	}
	kma_sitetab_retire_cache(t, kma_model_cache(&kma_model, a));
	kma_expect(t->info[id].state == KMA_SITE_NO_CACHE);
	/* The cache is created again at another address. */
	kma_swap_caches(a, b);
	kma_expect(kma_sitetab_get(t, KMA_MODEL_SITE, kma_model_cache(&kma_model, b))->id == id);
	kma_expect(t->info[id].state == KMA_SITE_LIVE && !atomic_read(&t->retired));

	kma_sitetab_retire_cache(t, kma_model_cache(&kma_model, b));
	kma_sitetab_retire(t, id);
	kma_expect(t->info[id].state == KMA_SITE_NO_MODULE && atomic_read(&t->retired) == 1);
	kma_swap_caches(a, b);
	kma_expect(kma_sitetab_get(t, KMA_MODEL_SITE, kma_model_cache(&kma_model, a))->id >=
		   KMA_SITES_MIN);
	kma_expect(!kma_slots_of(id));
	kma_teardown();
}

/*
 * Two CPUs that see a new pair at the same time make two rows for it.  Both are reused, whichever
 * of them is looked at first, and one whose module was unloaded is not in the way.
 */
static void kma_reuses_both_rows_of_a_pair(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	unsigned long cache;
	u32 round, a, b;

	kma_setup(100, KMA_SITES_MIN, 4, 100);
	cache = kma_model_cache(&kma_model, KMA_MODEL_KMALLOCS);
	a = kma_sitetab_get(t, KMA_MODEL_SITE, cache)->id;
	/* As if another CPU had not seen the slot yet. */
	for (round = 0; round < 10; round++) {
		t->map[t->info[a].slot].site = KMA_SITE_FREE;
		b = kma_sitetab_get(t, KMA_MODEL_SITE, cache)->id;
		kma_expect(b != a && b <= 1 && kma_slots_of(b) == 1);
		kma_sitetab_retire_cache(t, cache);
		kma_expect(t->info[a].state == KMA_SITE_NO_CACHE && kma_slots_of(a) == 1);
		kma_expect(t->info[b].state == KMA_SITE_NO_CACHE && kma_slots_of(b) == 1);
		kma_expect(atomic_read(&t->retired) == 2);
		a = kma_sitetab_get(t, KMA_MODEL_SITE, cache)->id;
		kma_expect(a <= 1 && t->info[a].state == KMA_SITE_LIVE && kma_slots_of(a) == 1);
	}
	kma_sitetab_retire_cache(t, cache);
	/* The second of the two is retired first. */
	kma_sitetab_retire(t, 1 - a);
	kma_expect(!kma_slots_of(1 - a) && kma_slots_of(a) == 1);
	kma_expect(kma_sitetab_get(t, KMA_MODEL_SITE, cache)->id == a);
	kma_sitetab_retire_cache(t, cache);
	kma_sitetab_retire(t, a);
	kma_expect(!kma_slots_of(a) && kma_sitetab_used(t) == 2);
	kma_teardown();
}

/* ---- samples ---------------------------------------------------------------- */

#define KMA_BYTES	0x100000	/* 1 MiB: always sampled, with N of 4 KiB */

/* Sampling with an N of 4 KiB, and empty tables. */
static void kma_setup_samples(u32 sites_max)
{
	kma_setup(4000, sites_max, 4, 400);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_seed(kma_seed);
	kma_record_livefilter_start(&kma_core);
}

static void kma_teardown_samples(void)
{
	kma_record_livefilter_stop();
	kma_env.stack = 0;
	kma_teardown();
}

static void kma_sample_at(u32 site, u32 object)
{
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + site,
		.ptr = kma_object[object].ptr,
		.cache = KMA_BYTES,
		.kmalloc = true,
		.bytes_req = 1000,
		.node = NUMA_NO_NODE,
	};

	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, KMA_BYTES, false);
}

static void kma_unsample_at(unsigned long ptr)
{
	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(&kma_core, ptr);
}

static u32 kma_rows_used(void)
{
	return kma_sitetab_used(&kma_core.sites);
}

/* The description of an object's row, or NULL if the object is not in its home bucket. */
static const struct kma_site_info *kma_info_of(u32 object)
{
	struct kma_bucket *home = kma_objtab_home(&kma_core.obj, kma_object[object].ptr);
	int slot = kma_bucket_find(home, kma_object[object].ptr);

	return slot < 0 ? NULL : &kma_core.sites.info[home->entry[slot].row];
}

static u64 kma_livefilter_sum(void)
{
	return kma_model_livefilter(&kma_core);
}

static void kma_filters_frees(void)
{
	u32 i;

	kma_setup_samples(KMA_SITES_MIN);
	for (i = 0; i < 100; i++)
		kma_sample_at(0, i);
	kma_expect(kma_livefilter_sum() == 100);
	/* These objects are not recorded, although the livefilter may have them. */
	kma_unsample_at(kma_object[99].ptr + 8);
	kma_unsample_at(kma_object[399].ptr);
	kma_expect(kma_stat_now(free_unmatched) == 2 && kma_livefilter_sum() == 100);
	/* An address is allocated again without a free event, and later a page is freed. */
	kma_sample_at(1, 0);
	kma_expect(kma_stat_now(replaced) == 1 && kma_livefilter_sum() == 100);
	for (i = 50; i < 100; i++)
		kma_unsample_at(kma_object[i].ptr);
	kma_expect(kma_livefilter_sum() == 50);
	kma_record_pages_free(&kma_core, kma_object[0].ptr & -KMA_PAGE_SIZE, 0);
	for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++)
		kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj, i));
	kma_expect(kma_stat_now(page_freed) == 50 && !kma_livefilter_sum());
	kma_teardown_samples();
}

/* A livefilter outside of the tables. */
static struct kma_livefilter kma_livefilter;

static void kma_livefilter_setup(u64 pfns)
{
	if (kma_livefilter_init(&kma_livefilter, pfns))
		abort();
}

static bool kma_livefilter_is_empty(void)
{
	unsigned long i;

	for (i = 0; i <= kma_livefilter.mask; i++)
		if (kma_livefilter.cell[i])
			return false;
	return true;
}

/* A cell of the livefilter that has reached its maximum keeps this value. */
static void kma_livefilter_fills_up(void)
{
	const unsigned long ptr = KMA_MODEL_PTR, next = ptr + KMA_LIVEFILTER_STEP;
	struct kma_livefilter *f = &kma_livefilter;
	u32 i;

	kma_livefilter_setup(KMA_PFNS);
	for (i = 0; i < KMA_LIVEFILTER_KEPT - 1; i++)
		kma_livefilter_add(f, ptr);
	for (i = 0; i < KMA_LIVEFILTER_KEPT - 1; i++)
		kma_livefilter_remove(f, ptr);
	kma_expect(kma_livefilter_is_empty());
	for (i = 0; i < 300; i++)
		kma_livefilter_add(f, ptr);
	for (i = 0; i < 300; i++)
		kma_livefilter_remove(f, ptr);
	kma_expect(*kma_livefilter_at(f, ptr) == KMA_LIVEFILTER_KEPT);
	/* A cell with the maximum matches all objects. */
	for (i = 0; i < KMA_LIVEFILTER_STEP; i += KMA_ALIGN)
		kma_expect(kma_livefilter_used(f, ptr + i) && kma_livefilter_has(f, ptr + i));
	kma_expect(!kma_livefilter_used(f, ptr - 1) && !kma_livefilter_used(f, next));
	kma_livefilter_keep(f, next);
	kma_livefilter_add(f, next);
	kma_livefilter_remove(f, next);
	kma_livefilter_remove(f, next);
	kma_expect(*kma_livefilter_at(f, next) == KMA_LIVEFILTER_KEPT);
	kma_livefilter_clear(f);
	kma_expect(kma_livefilter_is_empty());
	kma_livefilter_destroy(f);
}

/*
 * How many of @nr objects that share the cell of an object, and are multiples of @step from it,
 * have its tag.
 */
static u32 kma_livefilter_alike(unsigned long ptr, unsigned long step, u32 nr)
{
	u32 i, alike = 0;

	kma_livefilter_add(&kma_livefilter, ptr);
	for (i = 1; i <= nr; i++) {
		kma_expect(kma_livefilter_used(&kma_livefilter, ptr + i * step));
		alike += kma_livefilter_has(&kma_livefilter, ptr + i * step);
	}
	kma_livefilter_remove(&kma_livefilter, ptr);
	return alike;
}

/*
 * Two objects that share a cell have the same tag with a probability of 1/31.  This holds for
 * neighbours of any size, and for objects that are a multiple of the filter's range apart.
 */
static void kma_livefilter_tells_objects_apart(void)
{
	u32 step, alike, all;
	unsigned long ptr;

	kma_livefilter_setup(KMA_PFNS);
	for (step = KMA_ALIGN; step < KMA_LIVEFILTER_STEP; step += KMA_ALIGN) {
		alike = 0;
		all = 0;
		for (ptr = KMA_MODEL_PTR; ptr < KMA_MODEL_PTR + (4000 << 12); ptr += 1 << 12) {
			alike += kma_livefilter_alike(ptr, step, (KMA_LIVEFILTER_STEP - 1) / step);
			all += (KMA_LIVEFILTER_STEP - 1) / step;
		}
		kma_expect(alike > all / 31 / 2 && alike < all / 31 * 2);
	}
	alike = kma_livefilter_alike(KMA_MODEL_PTR, KMA_LIVEFILTER_STEP *
				     (kma_livefilter.mask + 1), 8000);
	kma_expect(alike > 8000 / 31 - 60 && alike < 8000 / 31 + 60);
	kma_expect(kma_livefilter_is_empty());
	kma_livefilter_destroy(&kma_livefilter);
}

/* Whatever is added and removed, the livefilter has all objects that were not removed. */
static void kma_livefilter_misses_no_object(void)
{
	static unsigned long ptr[4000];
	static bool added[ARRAY_SIZE(ptr)];
	u32 i, turn, nr = 0, used = 0;

	kma_livefilter_setup(KMA_PFNS);
	memset(added, 0, sizeof(added));
	/* There are 1,000 cells for 4,000 objects, two of which may have the same address. */
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		ptr[i] = KMA_MODEL_PTR + KMA_LIVEFILTER_STEP * (kma_livefilter.mask + 1) *
			 kma_below(64) + KMA_ALIGN * kma_below(1000 * KMA_LIVEFILTER_STEP /
							       KMA_ALIGN);
	for (turn = 0; turn < 1000000; turn++) {
		i = kma_below(ARRAY_SIZE(ptr));
		kma_expect(!added[i] || kma_livefilter_has(&kma_livefilter, ptr[i]));
		if (added[i])
			kma_livefilter_remove(&kma_livefilter, ptr[i]);
		else
			kma_livefilter_add(&kma_livefilter, ptr[i]);
		added[i] = !added[i];
		i = kma_below(ARRAY_SIZE(ptr));
		kma_expect(!added[i] || (kma_livefilter_used(&kma_livefilter, ptr[i]) &&
					 kma_livefilter_has(&kma_livefilter, ptr[i])));
	}
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		nr += added[i];
	for (i = 0; i <= kma_livefilter.mask; i++)
		used += kma_livefilter.cell[i] & KMA_LIVEFILTER_NUMBER;
	kma_expect(nr > 1000 && nr < 3000 && nr == used);
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		if (added[i])
			kma_livefilter_remove(&kma_livefilter, ptr[i]);
	kma_expect(kma_livefilter_is_empty());
	kma_livefilter_destroy(&kma_livefilter);
}

/* The livefilter is sized by the memory, and clearing it clears all of it. */
static void kma_livefilter_sizes(void)
{
	static const struct {
		u64 pfns;
		u64 bytes;
	} sizes[] = {
		{ 4, 256 << 10 }, { 1 << 18, 256 << 10 }, { 1 << 22, 256 << 10 },
		{ 1 << 23, 256 << 10 }, { 1 << 24, 2 << 20 }, { 1 << 27, 16 << 20 },
		{ 1 << 28, 32 << 20 }, { 1 << 29, 64 << 20 }, { 1 << 30, 64 << 20 },
		{ 1ULL << 36, 64 << 20 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		kma_expect(kma_livefilter_bytes(sizes[i].pfns) == sizes[i].bytes);
		kma_livefilter_setup(sizes[i].pfns);
		kma_expect((kma_livefilter.mask + 1) * sizeof(u16) == sizes[i].bytes);
		memset(kma_livefilter.cell, 1, sizes[i].bytes);
		kma_livefilter_clear(&kma_livefilter);
		kma_expect(kma_livefilter_is_empty());
		kma_livefilter_destroy(&kma_livefilter);
	}
}

/*
 * kma_record_livefilter_start() adds the objects that were recorded before, and their frees
 * remove them again.  A sample that may be in the livefilter already is never removed.
 */
static void kma_filters_what_was_recorded(void)
{
	u32 i;

	kma_setup(4000, KMA_SITES_MIN, 4, 400);
	for (i = 0; i < 200; i++)
		kma_model_alloc(&kma_model, &kma_object[i], i % 4, 0);
	kma_record_livefilter_start(&kma_core);
	kma_expect(kma_livefilter_sum() == 200);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	for (i = 200; i < 400; i++)
		kma_sample_at(0, i);
	for (i = 0; i < 399; i++)
		kma_unsample_at(kma_object[i].ptr);
	kma_expect(!kma_stat_now(free_unmatched) && kma_livefilter_sum() == 1);

	/*
	 * Sampling was off and is on again: it is not known whether the last sample is in the
	 * livefilter.
	 */
	kma_record_livefilter_stop();
	kma_livefilter_clear(&kma_core.livefilter);
	kma_record_livefilter_start(&kma_core);
	kma_unsample_at(kma_object[399].ptr);
	kma_expect(!kma_stat_now(free_unmatched) &&
		   kma_livefilter_sum() == KMA_LIVEFILTER_NUMBER);
	kma_teardown_samples();
}

/* Samples that differ in site, shift or stack have separate rows. */
static void kma_tells_samples_apart(void)
{
	const struct kma_site_info *info;
	const unsigned long *frame;

	kma_setup_samples(KMA_SITES_MIN);
	kma_expect(!kma_core.sites.sampled);
	kma_sample_at(1, 0);
	kma_sample_at(1, 1);
	kma_expect(kma_rows_used() == 1 && kma_core.sites.sampled);
	kma_sample_at(2, 2);
	kma_env.stack = KMA_MODEL_SITE + 5;
	kma_sample_at(1, 3);
	kma_sample_at(1, 4);
	kma_env.stack = KMA_MODEL_SITE + 6;
	kma_sample_at(1, 5);
	kma_expect(kma_rows_used() == 4 && atomic_read(&kma_core.sites.stacks) == 2);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN + 1);
	kma_sample_seed(1);
	kma_sample_at(1, 6);
	kma_expect(kma_rows_used() == 5);
	/* An object that is not sampled has another row than samples of the same site. */
	kma_model_alloc(&kma_model, &kma_object[7], 0, 0);
	kma_expect(kma_rows_used() == 6);
	/* The sum of site and shift is that of the third sample. */
	kma_env.stack = 0;
	kma_sample_at(1, 8);
	kma_expect(kma_rows_used() == 7);

	info = kma_info_of(5);
	kma_expect(info && info->shift == KMA_SHIFT_MIN && info->nr_frames == 2);
	frame = kma_sitetab_frames(&kma_core.sites, info - kma_core.sites.info);
	kma_expect(frame[0] == KMA_MODEL_SITE + 1 && frame[1] == KMA_MODEL_SITE + 6);
	info = kma_info_of(6);
	kma_expect(info && info->shift == KMA_SHIFT_MIN + 1 &&
		   info->site == KMA_MODEL_SITE + 1);
	info = kma_info_of(0);
	kma_expect(info && !info->nr_frames);
	kma_expect(kma_sitetab_is_sampled(&kma_core.sites, info - kma_core.sites.info));
	info = kma_info_of(7);
	kma_expect(info && info->shift == KMA_SHIFT_EXACT && info->state == KMA_SITE_LIVE);
	kma_expect(!kma_sitetab_is_sampled(&kma_core.sites, info - kma_core.sites.info));
	kma_teardown_samples();
}

/* At most three of four rows have a stack; further samples share a row without a stack. */
static void kma_runs_out_of_stacks(void)
{
	const u32 stacks = KMA_SITES_MIN / 4 * 3;
	u32 i;

	kma_setup_samples(KMA_SITES_MIN);
	for (i = 0; i < 100; i++) {
		kma_env.stack = KMA_MODEL_SITE + i + 100;
		kma_sample_at(1, i);
	}
	kma_expect((u32)atomic_read(&kma_core.sites.stacks) == stacks);
	kma_expect(kma_rows_used() == stacks + 1);
	kma_expect(kma_stat_now(stacks_full) == 100 - stacks);
	kma_expect(kma_info_of(99) && !kma_info_of(99)->nr_frames);
	kma_teardown_samples();
}

/*
 * Each shift has a row [other] of its own, so that the weight of the samples is known.  When no
 * row is left for one, its samples are dropped.
 */
static void kma_runs_out_of_rows(void)
{
	const struct kma_site_info *info;
	struct kma_row sum;
	int shift = KMA_SHIFT_MIN;
	u32 i, other;

	kma_setup_samples(KMA_SITES_MIN);
	for (i = 0; i < KMA_PAIRS_MIN + 10; i++)
		kma_sample_at(i, i);
	kma_expect(kma_stat_now(other_sites) == 10);
	other = kma_info_of(KMA_PAIRS_MIN) - kma_core.sites.info;
	kma_expect(other >= KMA_SITES_MIN && kma_core.sites.info[other].shift == KMA_SHIFT_MIN);
	for (i = 0; i < KMA_SITES_MIN - KMA_PAIRS_MIN; i++) {
		kma_sample_set(KMA_SAMPLE_OBJECTS, ++shift);
		kma_sample_seed(1);
		kma_sample_at(1, 100 + i);
		info = kma_info_of(100 + i);
		kma_expect(info && !info->site && info->shift == shift);
	}
	kma_expect(!kma_stat_now(dropped_sites_full) && kma_stat_now(other_sites) == 10 + i);
	kma_sample_set(KMA_SAMPLE_OBJECTS, ++shift);
	kma_sample_seed(1);
	kma_sample_at(1, 200);
	kma_expect(kma_stat_now(dropped_sites_full) == 1 && !kma_info_of(200));
	kma_expect(!kma_livefilter_used(&kma_core.livefilter, kma_object[200].ptr));
	/*
	 * No row is left for other objects of this cache either; those of another cache have one.
	 */
	kma_expect(!kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 4000, KMA_BYTES));
	kma_expect(kma_stat_now(dropped_sites_full) == 2);
	kma_expect(kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 4000, 96)->id >=
		   KMA_SITES_MIN);
	kma_sitetab_sum(&kma_core.sites, other, &sum);
	kma_expect(sum.hits == 10);
	kma_teardown_samples();
}

/* A sample without room in the live table counts as a hit, and leaves the livefilter. */
static void kma_samples_without_slots(void)
{
	u32 i, before;

	kma_setup(8, KMA_SITES_MIN, 4, 4000);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_record_livefilter_start(&kma_core);
	for (i = 0; i < 4000; i++)
		kma_sample_at(1, i);
	before = kma_stat_now(dropped_live_full);
	kma_expect(before > 0 && kma_livefilter_sum() == 4000 - before);
	for (i = 0; i < 4000; i++)
		kma_unsample_at(kma_object[i].ptr);
	kma_expect(!kma_livefilter_sum() && kma_stat_now(free_unmatched) == before);
	kma_teardown_samples();
}

/* ---- counters of events, overhead and budget -------------------------------- */

/* Each event is counted, even those of interrupts, and one in KMA_TIMED is timed. */
static void kma_events_are_counted(void)
{
	u64 before = kma_stat_now(events_kfree);
	int i, nested, timed = 0, events = 0;

	kma_stats_start();
	for (i = 0; i < 300 * KMA_TIMED; i++) {
		kma_env.cpu = i & 1;
		events++;
		if (!kma_stat_event(events_kfree))
			continue;
		/* Interrupts have events before kma_stat_event_again() is called. */
		for (nested = timed % 5; nested; nested--, events++)
			if (kma_stat_event(events_kfree))
				kma_stat_event_again(events_kfree);
		kma_stat_event_again(events_kfree);
		timed++;
	}
	kma_env.cpu = 0;
	kma_expect(kma_stat_now(events_kfree) - before == events);
	/* Fewer than one in KMA_TIMED, because some events of interrupts are due instead. */
	kma_expect(timed > 100 && timed <= events / KMA_TIMED);
	/* kma_stats_start() keeps words that are in use. */
	kma_stats_start();
	kma_expect(kma_stat_now(events_kfree) - before == events);
}

/*
 * A combined counter counts an event as unsampled, which most are.  An event that turns out to
 * be something else is taken back.
 */
static void kma_unrecorded_is_counted(void)
{
	const u64 events = kma_stat_now(events_kmalloc), ends = kma_stat_now(alloc_unsampled);
	const u64 failed = kma_stat_now(alloc_failed);
	struct kma_stats base, now;
	int i;

	kma_stats_sum(&base);
	for (i = 0; i < 100; i++) {
		kma_env.cpu = i & 1;
		kma_stat_event(unsampled_kmalloc);
		kma_stat_event(unsampled_kmem_cache_alloc);
		if (i % 10)
			continue;
		/* On another CPU, because some kernels let a probe migrate */
		kma_env.cpu ^= 1;
		kma_stat_dec(alloc_unsampled);
		kma_stat_inc(alloc_failed);
	}
	kma_env.cpu = 0;
	kma_expect(kma_stat_now(events_kmalloc) == events + 100);
	kma_expect(kma_stat_now(alloc_unsampled) == ends + 190);
	kma_expect(kma_stat_now(alloc_failed) == failed + 10);
	kma_stats_sum(&now);
	kma_expect(!now.v[KMA_STAT_unsampled_kmalloc]);
	kma_stats_since(&now, &base);
	kma_expect(now.v[KMA_STAT_alloc_unsampled] == 190);
	/* An event was counted, but not taken back yet, when @base was read. */
	kma_stats_sum(&base);
	kma_stat_dec(alloc_unsampled);
	kma_stats_sum(&now);
	kma_stats_since(&now, &base);
	kma_expect(now.v[KMA_STAT_alloc_unsampled] == 0);
	/* A probe migrated while the counters of the CPUs were read, one after the other. */
	memset(&kma_stats, 0, sizeof(kma_stats));
	kma_stat_dec(free_unmatched);
	kma_expect(kma_stat_now(free_unmatched) == 0);
	kma_stat_inc(free_unmatched);
	kma_stats_start();
}

/* A word that was not initialized: an event came before kma_stats_start() on this CPU. */
static void kma_counting_starts_at_zero(void)
{
	u64 word = 0;
	int i;

	for (i = 1; i <= 0x8000; i++) {
		word = (word & ~0xffffULL) | (u16)(word - 1);
		kma_expect(kma_stat_events(word) == i);
	}
	kma_expect(kma_stat_events(KMA_EVENTS_NONE) == 0);
}

static void kma_knows_what_was_spent(void)
{
	/* 100 events were timed: 50 took 20 ns, and 50 took 60 ns. */
	const struct kma_cost from = { 1000000000, 5000, 20, 800, 40000, 7, 1 };
	const struct kma_cost to = { 3000000000, 2005000, 120, 4800, 240000, 5000007, 1 };
	struct kma_spent s = kma_cost_between(&from, &to);

	/* 2 million events at 40 ns each, and 5 ms of samples, in 2 s */
	kma_expect(s.ns == 2000000000 && s.events_ns == 80000000);
	kma_expect(s.samples_ns == 5000000 && s.event_ps == 40000 && !s.dropped);
	kma_expect(kma_spent_share(&s, s.events_ns + s.samples_ns, 1) == 4250);
	kma_expect(kma_spent_share(&s, s.events_ns + s.samples_ns, 10) == 425);
	/* 20 / sqrt(99) */
	kma_expect(s.event_ps_se == 2010 && s.events_ns_se == 4020000);
	/* Only ten events were timed between the two, so the average of all 30 is used. */
	s = kma_cost_between(&(struct kma_cost) { .timed = 20, .timed_ns = 1000 },
			     &(struct kma_cost) { .clock = 1, .events = 3, .timed = 30,
						  .timed_ns = 4000, .timed_ns2 = 533334,
						  .dropped = 2 });
	kma_expect(s.events_ns == 400 && s.event_ps == 133333 && s.dropped);
	/* All events took the same time; the rest is the rounding error of a division. */
	kma_expect(s.event_ps_se < 100);
	s = kma_cost_between(&from, &from);
	kma_expect(!s.ns && !s.events_ns && !kma_spent_share(&s, 1000, 4));
	s = kma_cost_between(&(struct kma_cost) {}, &(struct kma_cost) { .events = 9 });
	kma_expect(!s.events_ns && !s.event_ps);
	/* There is no standard error for one event, or if the two sums are inconsistent. */
	s = kma_cost_between(&(struct kma_cost) {},
			     &(struct kma_cost) { .timed = 1, .timed_ns = 9, .timed_ns2 = 81 });
	kma_expect(s.event_ps == 9000 && !s.event_ps_se);
	s = kma_cost_between(&(struct kma_cost) {},
			     &(struct kma_cost) { .timed = 2, .timed_ns = 18, .timed_ns2 = 81 });
	kma_expect(s.event_ps == 9000 && !s.event_ps_se);
}

#define KMA_SECOND	1000000000ULL
#define KMA_BUDGET	(KMA_SECOND / 100)

/* Make a turn in which samples take @samples ns with the smallest N, and less with a larger N. */
static bool kma_turn(struct kma_budget *g, u64 events, u64 samples, u32 fill, bool dropped)
{
	const struct kma_spent spent = {
		.ns = KMA_SECOND,
		.events_ns = events,
		.samples_ns = samples >> (g->now - KMA_SHIFT_MIN),
		.dropped = dropped,
	};

	return kma_budget_adjust(g, &spent, KMA_BUDGET, fill);
}

static int kma_budget_turns(struct kma_budget *g, int turns, u64 events, u64 samples)
{
	int changes = 0;

	while (turns--)
		changes += kma_turn(g, events, samples, 10, false);
	return changes;
}

static void kma_budget_the_budget(void)
{
	struct kma_budget g = {};

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	/* Samples take exactly the budget, and then one ns more */
	kma_expect(!kma_budget_turns(&g, 100, KMA_BUDGET / 2, KMA_BUDGET / 2));
	kma_expect(kma_budget_turns(&g, 1, KMA_BUDGET / 2, KMA_BUDGET / 2 + 1));
	kma_expect(g.now == g.asked + 1 && g.raised == 1 && !g.lowered);
	/* With the larger N, the cost is within the budget, but not low enough to lower N. */
	kma_expect(!kma_budget_turns(&g, 100, KMA_BUDGET / 2, KMA_BUDGET / 2 + 1));
	/* At a hundred times the budget, one turn makes as many steps as needed, and no more. */
	kma_expect(kma_budget_turns(&g, 1, 0, 100 * KMA_BUDGET));
	kma_expect(g.now == g.asked + 7 && g.raised == 2);
	/* Without costs, N decreases by one step in eight turns, down to the requested N. */
	kma_expect(!kma_budget_turns(&g, 7, 0, 0) && kma_budget_turns(&g, 1, 0, 0));
	kma_expect(g.now == g.asked + 6 && g.lowered == 1);
	kma_expect(kma_budget_turns(&g, 1000, 0, 0) == 6 && g.now == g.asked);
	/* A turn with high costs restarts the count of eight turns. */
	kma_budget_turns(&g, 1, 0, 2 * KMA_BUDGET);
	kma_expect(!kma_budget_turns(&g, 7, 0, 0));
	kma_expect(!kma_budget_turns(&g, 1, 0, KMA_BUDGET));
	kma_expect(!kma_budget_turns(&g, 7, 0, 0) && kma_budget_turns(&g, 1, 0, 0));
	/* N never exceeds its maximum. */
	kma_budget_turns(&g, 3, 0, ~0ULL >> 1);
	kma_expect(g.now == KMA_SHIFT_MAX);
	kma_expect(!kma_budget_turns(&g, 3, 0, ~0ULL >> 1));
}

/*
 * Events alone exceed the budget.  N is raised until samples cost no more than an eighth of
 * the events.
 */
static void kma_budget_without_hope(void)
{
	struct kma_budget g = {};

	kma_budget_ask(&g, KMA_SHIFT_MIN);
	kma_budget_turns(&g, 100, 8 * KMA_BUDGET, 16 * KMA_BUDGET);
	kma_expect(g.now == g.asked + 4 && g.raised == 1 && !g.lowered);
}

static void kma_budget_the_table(void)
{
	struct kma_budget g = {};
	int i;

	kma_budget_ask(&g, 19);
	kma_expect(!kma_turn(&g, 0, 0, 86, false));
	kma_expect(kma_turn(&g, 0, 0, 88, false) && g.now == 20);
	/* The table stays as full as it is, with some noise. */
	for (i = 0; i < 100; i++)
		kma_expect(!kma_turn(&g, 0, 0, 86 + i % 6, false));
	kma_expect(kma_turn(&g, 0, 0, 92, false) && g.now == 21);
	/* Dropped objects raise N at once, and then every eighth turn. */
	g.full = 0;
	kma_expect(kma_turn(&g, 0, 0, 92, true) && g.now == 22);
	for (i = 1; i < 8; i++)
		kma_expect(!kma_turn(&g, 0, 0, 92, true));
	kma_expect(kma_turn(&g, 0, 0, 92, true) && g.now == 23 && g.raised == 4);
	/* N is lowered only after the table is no longer full. */
	for (i = 0; i < 20; i++)
		kma_expect(!kma_turn(&g, 0, 0, 90, false));
	kma_expect(kma_budget_turns(&g, 1000, 0, 0) == 4 && g.now == g.asked);
	kma_expect(kma_turn(&g, 0, 0, 88, false));
}

/* The estimate is exact for a small table, and within 10 percent for others. */
static void kma_estimates_what_is_live(void)
{
	static const u32 promised[] = { 100, 10000, 200000 };
	struct kma_objtab t;
	u64 estimate;
	u32 nr;
	int i;

	for (i = 0; i < ARRAY_SIZE(promised); i++) {
		kma_expect(!kma_objtab_init(&t, promised[i], KMA_PFNS));
		for (nr = 0; nr < promised[i]; nr++)
			kma_expect(kma_put_is(&t, 0x100000 + 64 * nr, nr, KMA_PUT_NEW));
		estimate = kma_objtab_estimate(&t, 12345 * i);
		kma_expect(i || estimate == nr);
		kma_expect(estimate > nr * 9 / 10 && estimate < nr * 11 / 10);
		kma_objtab_destroy(&t);
	}
}

/* ---- memory ---------------------------------------------------------------- */

/* Each memory allocation fails once.  The leak sanitizer reports memory that is not freed. */
static void kma_stands_without_memory(void)
{
	int i = 0, ret;

	do {
		kma_env_fail_at = ++i;
		ret = kma_core_init(&kma_core, 100, KMA_SITES_MIN, KMA_PFNS);
		kma_expect(ret == (kma_env_fail_at ? 0 : -ENOMEM));
		kma_core_destroy(&kma_core);
	} while (ret);
	kma_env_fail_at = 0;
	kma_expect(i > 10);
	memset(&kma_core, 0, sizeof(kma_core));
	kma_core_destroy(&kma_core);
}

static const struct kma_case kma_cases[] = {
	{ "objects spill at every depth", kma_spills_at_every_depth },
	{ "spilled counts do not overflow", kma_spilled_counts_fill_up },
	{ "a crowded table uses home buckets only", kma_crowded_table_uses_home_only },
	{ "a million events agree with the model", kma_agrees_with_room },
	{ "events agree with the model when the live table is full", kma_agrees_without_slots },
	{ "events agree with the model when the site table is full", kma_agrees_without_rows },
	{ "events agree with the model when the cache table is full", kma_agrees_without_caches },
	{ "double-fired events agree with the model", kma_agrees_with_inner_sites },
	{ "events agree with the model while caches are destroyed", kma_agrees_while_caches_die },
	{ "stale entries are found", kma_finds_what_is_left },
	{ "no stale entry outlives the reuse of its gen", kma_sees_no_generation_again },
	{ "gfp flags affect the slot of a class", kma_flags_choose_the_slot },
	{ "sites at equal distances are found near", kma_sites_of_one_distance_are_near },
	{ "three sites share a cache line", kma_three_sites_meet },
	{ "more pairs of one hash than a look-up searches", kma_crowded_hash_gives_up },
	{ "gens of several pages end together", kma_generations_of_a_range_are_many },
	{ "a range of gens is inside the array", kma_generations_of_a_range_are_in_the_map },
	{ "a freed page leaves other pages alone", kma_leaves_others_alone },
	{ "only used gens end", kma_ends_only_used_generations },
	{ "pages that share a gen lose no object", kma_loses_nothing_without_generations },
	{ "stale entries make room", kma_makes_room },
	{ "a retired site keeps its counters", kma_retires_sites },
	{ "events only read a full table of call sites", kma_full_table_is_only_read },
	{ "a full table reuses rows of caches", kma_full_table_reuses_rows },
	{ "both rows of a pair are reused", kma_reuses_both_rows_of_a_pair },
	{ "frees of objects that are not sampled are filtered", kma_filters_frees },
	{ "a full cell of the livefilter stays full", kma_livefilter_fills_up },
	{ "the livefilter tells objects of a cell apart", kma_livefilter_tells_objects_apart },
	{ "the livefilter misses no object", kma_livefilter_misses_no_object },
	{ "the livefilter is sized by the memory", kma_livefilter_sizes },
	{ "objects recorded before sampling are freed", kma_filters_what_was_recorded },
	{ "samples that differ have separate rows", kma_tells_samples_apart },
	{ "samples without room for their stacks", kma_runs_out_of_stacks },
	{ "samples without rows", kma_runs_out_of_rows },
	{ "samples without slots", kma_samples_without_slots },
	{ "all events are counted, some are timed", kma_events_are_counted },
	{ "counting starts at zero", kma_counting_starts_at_zero },
	{ "events that are not recorded are counted", kma_unrecorded_is_counted },
	{ "costs are computed", kma_knows_what_was_spent },
	{ "samples stay within the budget", kma_budget_the_budget },
	{ "events alone exceed the budget", kma_budget_without_hope },
	{ "samples fit into the live table", kma_budget_the_table },
	{ "the number of live objects is estimated", kma_estimates_what_is_live },
	{ "tables without memory", kma_stands_without_memory },
	{ "live_max objects always fit", kma_keeps_its_promise },
	{ "live_max objects fit while objects come and go", kma_keeps_its_promise_under_churn },
};

int main(int argc, char **argv)
{
	kma_model_owners();
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
