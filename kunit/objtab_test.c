// SPDX-License-Identifier: GPL-2.0
/*
 * The live table.  It never looks at what an address leads to, so all
 * addresses here are made up.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "util.h"

/* ---- helpers -------------------------------------------------------------- */

#define KMA_TEST_BASE	0xffff888000000000UL

/* Put and take as probes do it: at home if that will do. */
static enum kma_put kma_put(struct kma_objtab *t, unsigned long ptr, u32 count,
			    struct kma_entry *old)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	unsigned long slot = kma_objtab_slot(ptr);
	struct kma_entry e = kma_payload(ptr, count);

	if (!kma_objtab_claim_home(home, slot))
		return kma_objtab_put(t, ptr, &e, old);
	kma_bucket_fill(home, slot, ptr, &e, kma_pagegen_enter(&t->pages, ptr), 0);
	return KMA_PUT_NEW;
}

static bool kma_take(struct kma_objtab *t, unsigned long ptr, struct kma_entry *e)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);

	if (kma_objtab_take_home(home, ptr, e))
		return true;
	return kma_bucket_spilled(home) && kma_objtab_take(t, ptr, e);
}

static bool kma_put_new(struct kma_objtab *t, unsigned long ptr, u32 count)
{
	struct kma_entry old;

	return kma_put(t, ptr, count, &old) == KMA_PUT_NEW;
}

/* Take an object, which must be there as it was put. */
static bool kma_take_same(struct kma_objtab *t, unsigned long ptr, u32 count)
{
	struct kma_entry e;

	return kma_take(t, ptr, &e) && kma_payload_is(&e, ptr, count);
}

/* A table that is as good as new: no key, no mark. */
static bool kma_table_clean(const struct kma_objtab *t)
{
	const struct kma_bucket *b;
	u64 i;
	int slot;

	for (i = 0; i < kma_objtab_buckets(t); i++) {
		b = kma_objtab_bucket(t, i);
		if (atomic64_read(&b->spilled))
			return false;
		for (slot = 0; slot < KMA_SLOTS; slot++)
			if (b->key[slot])
				return false;
	}
	return true;
}

static void kma_table_free(void *t)
{
	kma_objtab_destroy(t);
}

static struct kma_objtab *kma_table(struct kunit *test, u64 live_max)
{
	struct kma_objtab *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, kma_objtab_init(t, live_max, KMA_TEST_PFNS), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_table_free, t), 0);
	return t;
}

static void *kma_array(struct kunit *test, size_t nr, size_t bytes)
{
	void *mem = kvcalloc(nr, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, (void (*)(void *))kvfree,
							mem), 0);
	return mem;
}

static void kma_shuffle(unsigned long *a, u32 nr, u64 *random)
{
	u32 i, k;

	for (i = nr; i > 1; i--) {
		k = kma_random_below(random, i);
		swap(a[i - 1], a[k]);
	}
}

static void kma_reverse(unsigned long *a, u32 nr, u64 *unused)
{
	u32 i;

	for (i = 0; i < nr / 2; i++)
		swap(a[i], a[nr - 1 - i]);
}

static void kma_keep_order(unsigned long *a, u32 nr, u64 *unused)
{
}

/* Addresses of kmalloc-8 objects that all have one home. */
static void kma_same_home(const struct kma_objtab *t, unsigned long *a, u32 nr)
{
	const struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long ptr = KMA_TEST_BASE;
	u32 i = 0;

	for (; i < nr; ptr += 8)
		if (kma_objtab_home(t, ptr) == home)
			a[i++] = ptr;
}

/* How many objects the marks of a bucket say are in other ones. */
static u32 kma_spilled_nr(const struct kma_bucket *b)
{
	u64 spilled = atomic64_read(&b->spilled) >> 4 * KMA_DEPTH_HOME;
	u32 nr = 0;

	for (; spilled; spilled >>= 4)
		nr += spilled & 15;
	return nr;
}

/* ---- one object ----------------------------------------------------------- */

static void kma_objtab_takes_what_was_put(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 100);
	struct kma_entry e, old;

	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 1, &old), KMA_PUT_NEW);
	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE + 8, 2, &old), KMA_PUT_NEW);

	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE + 8, 2));
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_misses_what_was_not_put(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 100);
	struct kma_entry e;

	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE + 8, &e));
	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE, 1));
}

static void kma_objtab_replaces_and_tells_the_old(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 100);
	struct kma_entry e, old;

	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 1, &old), KMA_PUT_NEW);
	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 2, &old), KMA_PUT_REPLACED);

	KUNIT_EXPECT_TRUE(test, kma_payload_is(&old, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE, 2));
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_replaces_what_has_spilled(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 1000);
	unsigned long ptr[2 * KMA_SLOTS];
	struct kma_entry old;
	int i;

	kma_same_home(t, ptr, ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		KUNIT_EXPECT_TRUE(test, kma_put_new(t, ptr[i], i));
	for (i = 0; i < ARRAY_SIZE(ptr); i++) {
		KUNIT_EXPECT_EQ(test, kma_put(t, ptr[i], 100 + i, &old),
				KMA_PUT_REPLACED);
		KUNIT_EXPECT_TRUE(test, kma_payload_is(&old, ptr[i], i));
	}

	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		KUNIT_EXPECT_TRUE(test, kma_take_same(t, ptr[i], 100 + i));
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_reads_without_taking(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 100);
	struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	struct kma_entry e;
	int slot, seen = 0;

	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));

	for (slot = 0; slot < KMA_SLOTS; slot++)
		if (kma_objtab_read(home, slot, &e) == KMA_TEST_BASE)
			seen += kma_payload_is(&e, KMA_TEST_BASE, 1);
	KUNIT_EXPECT_EQ(test, seen, 1);
	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), 0);
}

static void kma_objtab_reads_no_busy_slot(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 100);
	struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long slot = kma_objtab_slot(KMA_TEST_BASE);
	struct kma_entry e;

	home->key[slot] = KMA_BUSY;
	KUNIT_EXPECT_EQ(test, kma_objtab_read(home, slot, &e), 0);

	/* Nobody waits for it either. */
	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&home->spilled), 1);
	KUNIT_EXPECT_TRUE(test, kma_take_same(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&home->spilled), 0);
	KUNIT_EXPECT_EQ(test, home->key[slot], KMA_BUSY);
}

/* ---- spilling ------------------------------------------------------------- */

static void kma_spill_and_take(struct kunit *test, u32 nr, const char *what,
			       void (*order)(unsigned long *, u32, u64 *))
{
	struct kma_objtab *t = kma_table(test, 1000);
	unsigned long *ptr = kma_array(test, nr, sizeof(*ptr));
	struct kma_bucket *home;
	u64 random = 1;
	u32 i;

	kma_same_home(t, ptr, nr);
	home = kma_objtab_home(t, ptr[0]);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, kma_put_new(t, ptr[i], ptr[i]), "%s", what);
	KUNIT_EXPECT_EQ(test, kma_spilled_nr(home), nr - KMA_SLOTS);

	order(ptr, nr, &random);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, kma_take_same(t, ptr[i], ptr[i]), "%s", what);
	KUNIT_EXPECT_EQ(test, atomic64_read(&home->spilled), 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_finds_what_has_spilled(struct kunit *test)
{
	kma_spill_and_take(test, KMA_SLOTS + 1, "the first", kma_keep_order);
	kma_spill_and_take(test, 60, "in order", kma_keep_order);
	kma_spill_and_take(test, 60, "in reverse", kma_reverse);
	kma_spill_and_take(test, 60, "shuffled", kma_shuffle);
}

static void kma_objtab_counts_spilling(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 1000);
	u64 in = kma_stat_now(spill_in), out = kma_stat_now(spill_out);
	unsigned long ptr[KMA_SLOTS + 3];
	int i;

	kma_same_home(t, ptr, ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_put_new(t, ptr[i], i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_in) - in, 3);
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_take_same(t, ptr[i], i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_out) - out, 3);
}

/*
 * With all objects in one home the four bits of a depth must not overflow into
 * the next one's: what a full mark cannot count is not put there.  In a table
 * of few buckets two depths often name the same one, and then what is found at
 * the first may be marked at the second.
 */
static void kma_fill_marks(struct kunit *test, struct kma_objtab *t)
{
	const u32 most = KMA_SLOTS + 15 * (KMA_DEPTHS - KMA_DEPTH_HOME), nr = most + 100;
	unsigned long *ptr = kma_array(test, nr, sizeof(*ptr));
	bool *in = kma_array(test, nr, sizeof(*in));
	struct kma_bucket *home;
	u32 i, recorded = 0;

	kma_same_home(t, ptr, nr);
	home = kma_objtab_home(t, ptr[0]);
	for (i = 0; i < nr; i++) {
		in[i] = kma_put_new(t, ptr[i], i);
		recorded += in[i];
	}
	KUNIT_EXPECT_EQ(test, recorded, most);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&home->spilled) >> 4 * KMA_DEPTH_HOME,
			KMA_SPILLED >> 4 * KMA_DEPTH_HOME);

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, kma_take_same(t, ptr[i], i), in[i]);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_marks_do_not_overflow(struct kunit *test)
{
	kma_fill_marks(test, kma_table(test, 4000));
	kma_fill_marks(test, kma_table(test, 50));
}

/* ---- the promise ---------------------------------------------------------- */

/**
 * struct kma_layout - how objects lie in memory
 * @name: in words
 * @size: sizes of objects that come in turn
 * @nr_sizes: how many
 * @neighbours: slabs are next to each other, not anywhere
 */
struct kma_layout {
	const char *name;
	u32 size[12];
	u32 nr_sizes;
	bool neighbours;
};

#define KMA_ONE_SIZE(bytes) { .name = "kmalloc-" #bytes, .size = { bytes }, .nr_sizes = 1 }

static const struct kma_layout kma_layouts[] = {
	KMA_ONE_SIZE(8), KMA_ONE_SIZE(16), KMA_ONE_SIZE(32), KMA_ONE_SIZE(64),
	KMA_ONE_SIZE(96), KMA_ONE_SIZE(128), KMA_ONE_SIZE(192), KMA_ONE_SIZE(256),
	KMA_ONE_SIZE(512), KMA_ONE_SIZE(1024), KMA_ONE_SIZE(2048),
	KMA_ONE_SIZE(4096), KMA_ONE_SIZE(8192),
	{
		.name = "a mix of sizes",
		.size = { 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096 },
		.nr_sizes = 12,
	}, {
		.name = "a mix of odd sizes, as of kmem_caches",
		.size = { 24, 40, 56, 104, 136, 216, 320, 600, 704, 1088 },
		.nr_sizes = 10,
	}, {
		.name = "kmalloc-8 in one piece",
		.size = { 8 },
		.nr_sizes = 1,
		.neighbours = true,
	}, {
		.name = "a mix of sizes, each in one piece",
		.size = { 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096 },
		.nr_sizes = 12,
		.neighbours = true,
	},
};

static void kma_layout_name(const struct kma_layout *layout, char *name)
{
	strscpy(name, layout->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kma_layout, kma_layouts, kma_layout_name);

/* Sixteen objects or more, but no more than 32 KiB, as SLUB would. */
static u32 kma_slab_bytes(u32 size)
{
	return clamp(roundup_pow_of_two(16 * size), 4096UL, 32768UL);
}

/* A permutation of the numbers below 2^20: no two slabs are in one place. */
static u32 kma_slab_place(u32 i, u64 seed)
{
	const u32 mask = (1 << 20) - 1;
	int round;

	for (round = 0; round < 3; round++) {
		i = (i + (u32)kma_mix(seed + round)) & mask;
		i = (i * 0x2c1b3c6dU) & mask;
		i ^= i >> 11;
	}
	return i;
}

/* Address of object number @i. */
static unsigned long kma_layout_ptr(const struct kma_layout *l, u64 seed, u32 i)
{
	u32 turn = i % l->nr_sizes;
	u32 size = l->size[turn];
	u32 slab_bytes = kma_slab_bytes(size);
	u32 in_slab = slab_bytes / size;
	u32 slab = i / l->nr_sizes / in_slab;
	u64 place = l->neighbours ? slab + (seed << 10) :
				    kma_slab_place(slab, seed + turn);

	return KMA_TEST_BASE + ((u64)turn << 36) + place * slab_bytes +
	       i / l->nr_sizes % in_slab * size;
}

static const struct {
	u32 live_max;
	u32 seeds;
} kma_promises[] = {
	{ .live_max = 65536, .seeds = 1 },
	{ .live_max = 4096, .seeds = 4 },
	{ .live_max = 1000, .seeds = 4 },
	{ .live_max = 100, .seeds = 20 },
};

/* Fill a table up to the promise and empty it again. */
static void kma_promise_check(struct kunit *test, const struct kma_layout *l,
			      struct kma_objtab *t, u32 live_max, u64 seed)
{
	u32 i, refused = 0, lost = 0;

	for (i = 0; i < live_max; i++)
		refused += !kma_put_new(t, kma_layout_ptr(l, seed, i), i);
	for (i = 0; i < live_max; i++)
		lost += !kma_take_same(t, kma_layout_ptr(l, seed, i), i);
	KUNIT_EXPECT_EQ_MSG(test, refused, 0, "of %u, seed %llu",
			    live_max, seed);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_keeps_its_promise(struct kunit *test)
{
	const struct kma_layout *layout = test->param_value;
	struct kma_objtab *t;
	u64 seed;
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_promises); i++) {
		t = kma_table(test, kma_promises[i].live_max);
		for (seed = 1; seed <= kma_promises[i].seeds; seed++)
			kma_promise_check(test, layout, t, kma_promises[i].live_max,
					  seed);
	}
}

/* ---- churn ---------------------------------------------------------------- */

static const struct kma_churn {
	const char *name;
	u32 layout;		/* number in kma_layouts */
	u32 live_max;
	u32 spread;		/* addresses for each live object */
	u32 rounds;
} kma_churns[] = {
	{ "kmalloc-8, one of 4 gens", 0, 65536, 4, 150000 },
	{ "kmalloc-64, one of 2 gens", 3, 4096, 2, 50000 },
	{ "kmalloc-8, one of 64 gens", 0, 4096, 64, 50000 },
	{ "a mix, one of 8 gens", 13, 4096, 8, 50000 },
	{ "a mix in one piece, one of 8 gens", 16, 1000, 8, 30000 },
};

static void kma_churn_name(const struct kma_churn *churn, char *name)
{
	strscpy(name, churn->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kma_churn, kma_churns, kma_churn_name);

/* At full level, one random object dies and another address comes to generation. */
static void kma_objtab_keeps_its_promise_under_churn(struct kunit *test)
{
	const struct kma_churn *c = test->param_value;
	const struct kma_layout *l = &kma_layouts[c->layout];
	struct kma_objtab *t = kma_table(test, c->live_max);
	u32 i, k, round, nr = c->live_max * c->spread, refused = 0, lost = 0;
	unsigned long *ptr = kma_array(test, nr, sizeof(*ptr));
	u64 random = 1;

	for (i = 0; i < nr; i++)
		ptr[i] = kma_layout_ptr(l, 1, i);
	kma_shuffle(ptr, nr, &random);
	/* From here on the first live_max of them are alive. */
	for (i = 0; i < c->live_max; i++)
		refused += !kma_put_new(t, ptr[i], ptr[i] >> 3);
	for (round = 0; round < c->rounds; round++) {
		i = kma_random_below(&random, c->live_max);
		lost += !kma_take_same(t, ptr[i], ptr[i] >> 3);
		k = c->live_max + kma_random_below(&random, nr - c->live_max);
		swap(ptr[i], ptr[k]);
		refused += !kma_put_new(t, ptr[i], ptr[i] >> 3);
	}
	for (i = 0; i < nr; i++)
		lost += kma_take_same(t, ptr[i], ptr[i] >> 3) != (i < c->live_max);

	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

static void kma_objtab_refuses_when_overfull(struct kunit *test)
{
	const struct kma_layout *l = &kma_layouts[3];
	struct kma_objtab *t = kma_table(test, 1000);
	u32 slots = kma_objtab_buckets(t) * KMA_SLOTS, nr = 2 * slots;
	bool *in = kma_array(test, nr, sizeof(*in));
	u32 i, recorded = 0, wrong = 0;
	struct kma_entry e, old;
	enum kma_put put;

	for (i = 0; i < nr; i++) {
		put = kma_put(t, kma_layout_ptr(l, 1, i), i, &old);
		in[i] = put == KMA_PUT_NEW;
		wrong += put != KMA_PUT_NEW && put != KMA_PUT_FULL;
		recorded += in[i];
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GE(test, recorded, 1000);
	KUNIT_EXPECT_LE(test, recorded, slots);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), recorded);

	/* Those inside can be replaced: their own slot is free for them. */
	for (i = 0; i < nr; i++)
		wrong += in[i] && (kma_put(t, kma_layout_ptr(l, 1, i), nr + i, &old) !=
					KMA_PUT_REPLACED ||
				   !kma_payload_is(&old, kma_layout_ptr(l, 1, i), i));
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (i = 0; i < nr; i++)
		wrong += in[i] ? !kma_take_same(t, kma_layout_ptr(l, 1, i), nr + i) :
				 kma_take(t, kma_layout_ptr(l, 1, i), &e);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

/* ---- several at once ------------------------------------------------------ */

#define KMA_WORKER_PTRS	100

/* Somebody who puts and takes addresses of his own. */
struct kma_worker {
	struct kma_objtab *t;
	unsigned long ptr[KMA_WORKER_PTRS];
	u32 count[KMA_WORKER_PTRS];	/* 0: not in the table */
	u32 puts;
	u32 full;
	u32 wrong;
	u64 random;
};

static void kma_worker_put(struct kma_worker *w, u32 i)
{
	struct kma_entry old;
	enum kma_put put = kma_put(w->t, w->ptr[i], w->puts + 1, &old);

	if (put == KMA_PUT_NEW)
		w->count[i] = ++w->puts;
	else if (put == KMA_PUT_FULL)
		w->full++;
	else
		w->wrong++;
}

static void kma_worker_take(struct kma_worker *w, u32 i)
{
	struct kma_entry e;

	w->wrong += w->count[i] ? !kma_take_same(w->t, w->ptr[i], w->count[i]) :
				  kma_take(w->t, w->ptr[i], &e);
	w->count[i] = 0;
}

static void kma_worker_step(struct kma_worker *w)
{
	u32 i = kma_random_below(&w->random, KMA_WORKER_PTRS);

	if (w->count[i])
		kma_worker_take(w, i);
	else
		kma_worker_put(w, i);
}

static void kma_worker_finish(struct kma_worker *w)
{
	u32 i;

	for (i = 0; i < KMA_WORKER_PTRS; i++)
		kma_worker_take(w, i);
}

/* Workers whose addresses are all different and share two homes. */
static struct kma_worker *kma_workers(struct kunit *test, struct kma_objtab *t,
				      int nr)
{
	struct kma_worker *w = kma_array(test, nr, sizeof(*w));
	const struct kma_bucket *a = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long ptr = KMA_TEST_BASE;
	int i, k;

	for (i = 0; i < nr; i++) {
		w[i].t = t;
		w[i].random = i;
	}
	for (i = 0; i < KMA_WORKER_PTRS; i++)
		for (k = 0; k < nr; ptr += 8)
			if (kma_objtab_home(t, ptr) == a ||
			    kma_objtab_home(t, ptr) == a + 1)
				w[k++].ptr[i] = ptr;
	return w;
}

#define KMA_CREW_STEPS	40000

struct kma_crowd {
	struct kma_objtab *t;
	struct kma_worker *w;
	int nr_workers;
	atomic_t at_work;
	u64 reads;
	u64 mixed;
};

static void kma_crowd_read(struct kma_crowd *crowd)
{
	struct kma_entry e;
	unsigned long ptr;
	u64 i;
	int slot;

	for (i = 0; i < kma_objtab_buckets(crowd->t); i++) {
		for (slot = 0; slot < KMA_SLOTS; slot++) {
			ptr = kma_objtab_read(kma_objtab_bucket(crowd->t, i), slot, &e);
			if (!ptr)
				continue;
			crowd->reads++;
			crowd->mixed += !kma_payload_is(&e, ptr, e.bytes_req);
		}
		cond_resched();
	}
}

static void kma_crowd_main(void *arg, int nr)
{
	struct kma_crowd *crowd = arg;
	int i;

	if (nr == crowd->nr_workers) {
		do {
			kma_crowd_read(crowd);
		} while (atomic_read(&crowd->at_work));
		return;
	}
	for (i = 0; i < KMA_CREW_STEPS; i++) {
		kma_worker_step(&crowd->w[nr]);
		cond_resched();
	}
	atomic_dec(&crowd->at_work);
}

/* Puts and takes on all CPUs in the same few buckets, and a reader. */
static void kma_objtab_stands_a_crowd(struct kunit *test)
{
	int i, nr = kma_crew_size();
	struct kma_objtab *t = kma_table(test, 200);
	struct kma_crowd crowd = {
		.t = t,
		.w = kma_workers(test, t, nr),
		.nr_workers = nr,
		.at_work = ATOMIC_INIT(nr),
	};
	u64 in = kma_stat_now(spill_in), out = kma_stat_now(spill_out);
	u32 live = 0, k;

	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_crowd_main, &crowd, nr + 1), 0);

	for (i = 0; i < nr; i++)
		for (k = 0; k < KMA_WORKER_PTRS; k++)
			live += crowd.w[i].count[k] != 0;
	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), live);
	for (i = 0; i < nr; i++) {
		kma_worker_finish(&crowd.w[i]);
		KUNIT_EXPECT_EQ(test, crowd.w[i].wrong, 0);
		KUNIT_EXPECT_GT(test, crowd.w[i].puts, KMA_CREW_STEPS / 4);
	}
	KUNIT_EXPECT_GT(test, crowd.reads, 0);
	KUNIT_EXPECT_EQ(test, crowd.mixed, 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
	KUNIT_EXPECT_GT(test, kma_stat_now(spill_in) - in, 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_in) - in,
			kma_stat_now(spill_out) - out);
}

/*
 * A timer that stops the CPU for a moment, again and again: what takes a few
 * instructions without it takes long enough for another CPU to come between.
 */
struct kma_jitter {
	struct hrtimer timer;
	u64 random;
};

static enum hrtimer_restart kma_jitter_fire(struct hrtimer *timer)
{
	struct kma_jitter *j = container_of(timer, struct kma_jitter, timer);

	ndelay(kma_random_below(&j->random, 10000));
	hrtimer_forward_now(timer, ns_to_ktime(10000 + kma_random_below(&j->random, 100000)));
	return HRTIMER_RESTART;
}

/* On this CPU. */
static void kma_jitter_start(struct kma_jitter *j, u64 seed)
{
	j->random = seed;
	hrtimer_init(&j->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	j->timer.function = kma_jitter_fire;
	hrtimer_start(&j->timer, ns_to_ktime(1000), HRTIMER_MODE_REL_PINNED_HARD);
}

static void kma_jitter_stop(struct kma_jitter *j)
{
	hrtimer_cancel(&j->timer);
}

/* One slot, in which one address generations again and again. */
struct kma_rebirth {
	struct kma_objtab *t;
	struct kma_jitter jitter[2];
	atomic_t at_work;
	u64 reads;
	u64 mixed;
	u64 wrong;
};

#define KMA_GENS	50000

static void kma_rebirth_read(struct kma_rebirth *r)
{
	struct kma_bucket *home = kma_objtab_home(r->t, KMA_TEST_BASE);
	int i, slot = kma_objtab_slot(KMA_TEST_BASE);
	struct kma_entry e;

	while (atomic_read(&r->at_work)) {
		for (i = 0; i < 100; i++) {
			if (!kma_objtab_read(home, slot, &e))
				continue;
			r->reads++;
			/* The generation counts generations, and so does the payload. */
			r->mixed += !kma_payload_is(&e, KMA_TEST_BASE, e.generation);
		}
		cond_resched();
	}
}

static void kma_rebirth_live(struct kma_rebirth *r)
{
	u32 gen;

	for (gen = 1; gen <= KMA_GENS; gen++) {
		r->wrong += !kma_put_new(r->t, KMA_TEST_BASE, gen);
		r->wrong += !kma_take_same(r->t, KMA_TEST_BASE, gen);
		cond_resched();
	}
	atomic_dec(&r->at_work);
}

static void kma_rebirth_main(void *arg, int nr)
{
	struct kma_rebirth *r = arg;

	kma_jitter_start(&r->jitter[nr], nr);
	if (nr)
		kma_rebirth_read(r);
	else
		kma_rebirth_live(r);
	kma_jitter_stop(&r->jitter[nr]);
}

/*
 * The hardest case for a reader: while it copies, the object is freed and
 * another one with the same address put into the same slot.  The key does not
 * tell then; the copy must still be of one of the two.
 */
static void kma_objtab_reader_knows_generations_apart(struct kunit *test)
{
	struct kma_rebirth *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->t = kma_table(test, 100);
	atomic_set(&r->at_work, 1);
	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_rebirth_main, r, 2), 0);
	KUNIT_EXPECT_EQ(test, r->wrong, 0);
	KUNIT_EXPECT_GT(test, r->reads, 0);
	KUNIT_EXPECT_EQ(test, r->mixed, 0);
}

/* Several who free the same object at the same time: one of them does. */
struct kma_race {
	struct kma_objtab *t;
	atomic_t turn;		/* frees of all threads in all rounds */
	atomic_t won;
	int nr;
};

#define KMA_RACES	500

static void kma_race_main(void *arg, int nr)
{
	struct kma_race *r = arg;
	struct kma_entry e;
	int round;

	for (round = 0; round < KMA_RACES; round++) {
		if (!nr)
			kma_put_new(r->t, KMA_TEST_BASE, round);
		/* Wait for each other before and after. */
		atomic_inc(&r->turn);
		while (atomic_read(&r->turn) < (2 * round + 1) * r->nr)
			cond_resched();
		if (kma_take(r->t, KMA_TEST_BASE, &e))
			atomic_inc(&r->won);
		atomic_inc(&r->turn);
		while (atomic_read(&r->turn) < (2 * round + 2) * r->nr)
			cond_resched();
	}
}

static void kma_objtab_gives_an_object_to_one_taker(struct kunit *test)
{
	struct kma_race r = {
		.t = kma_table(test, 100),
		.nr = 2,
	};

	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_race_main, &r, r.nr), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&r.won), KMA_RACES);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(r.t));
}

/* ---- in interrupts -------------------------------------------------------- */

struct kma_nested {
	struct hrtimer timer;
	struct kma_worker *w;
	u32 fired;
	u32 not_hard;
};

#define KMA_NESTED_STEPS	60000
#define KMA_NESTED_NS		(100 * NSEC_PER_USEC)

static enum hrtimer_restart kma_nested_fire(struct hrtimer *timer)
{
	struct kma_nested *n = container_of(timer, struct kma_nested, timer);
	int i;

	n->fired++;
	n->not_hard += !in_hardirq();
	for (i = 0; i < 8; i++)
		kma_worker_step(n->w);
	hrtimer_forward_now(timer, ns_to_ktime(KMA_NESTED_NS));
	return HRTIMER_RESTART;
}

/* A hard interrupt does in the same buckets what the task is in the midst of. */
static void kma_objtab_stands_interrupts(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 200);
	struct kma_worker *w = kma_workers(test, t, 2);
	struct kma_nested n = { .w = &w[1] };
	int i;

	hrtimer_init_on_stack(&n.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	n.timer.function = kma_nested_fire;
	migrate_disable();
	hrtimer_start(&n.timer, ns_to_ktime(KMA_NESTED_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < KMA_NESTED_STEPS; i++)
		kma_worker_step(&w[0]);
	hrtimer_cancel(&n.timer);
	migrate_enable();
	destroy_hrtimer_on_stack(&n.timer);

	for (i = 0; i < 2; i++) {
		kma_worker_finish(&w[i]);
		KUNIT_EXPECT_EQ(test, w[i].wrong, 0);
		KUNIT_EXPECT_GT(test, w[i].puts, 0);
	}
	KUNIT_EXPECT_GT(test, n.fired, 10);
	KUNIT_EXPECT_EQ(test, n.not_hard, 0);
	KUNIT_EXPECT_TRUE(test, kma_table_clean(t));
}

/* ---- memory --------------------------------------------------------------- */

static void kma_objtab_takes_the_memory_it_says(struct kunit *test)
{
	struct kma_objtab *t = kma_table(test, 4096);
	u64 bytes = kma_objtab_buckets(t) * sizeof(struct kma_bucket) +
		    (t->pages.mask + 1) * sizeof(kma_gen);

	KUNIT_EXPECT_EQ(test, kma_objtab_bytes(4096, KMA_TEST_PFNS), bytes);
}

static void kma_objtab_destroys_what_was_never_made(struct kunit *test)
{
	struct kma_objtab t = {};

	kma_objtab_destroy(&t);
	KUNIT_EXPECT_NULL(test, t.bucket);
}

static struct kunit_case kma_objtab_cases[] = {
	KUNIT_CASE(kma_objtab_takes_what_was_put),
	KUNIT_CASE(kma_objtab_misses_what_was_not_put),
	KUNIT_CASE(kma_objtab_replaces_and_tells_the_old),
	KUNIT_CASE(kma_objtab_replaces_what_has_spilled),
	KUNIT_CASE(kma_objtab_reads_without_taking),
	KUNIT_CASE(kma_objtab_reads_no_busy_slot),
	KUNIT_CASE(kma_objtab_finds_what_has_spilled),
	KUNIT_CASE(kma_objtab_counts_spilling),
	KUNIT_CASE(kma_objtab_marks_do_not_overflow),
	KUNIT_CASE_PARAM(kma_objtab_keeps_its_promise, kma_layout_gen_params),
	KUNIT_CASE_PARAM(kma_objtab_keeps_its_promise_under_churn,
			 kma_churn_gen_params),
	KUNIT_CASE(kma_objtab_refuses_when_overfull),
	KUNIT_CASE(kma_objtab_stands_a_crowd),
	KUNIT_CASE(kma_objtab_reader_knows_generations_apart),
	KUNIT_CASE(kma_objtab_gives_an_object_to_one_taker),
	KUNIT_CASE(kma_objtab_stands_interrupts),
	KUNIT_CASE(kma_objtab_takes_the_memory_it_says),
	KUNIT_CASE(kma_objtab_destroys_what_was_never_made),
	{}
};

struct kunit_suite kma_objtab_suite = {
	.name = "kmemacct_objtab",
	.test_cases = kma_objtab_cases,
};
