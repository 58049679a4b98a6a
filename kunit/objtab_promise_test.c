// SPDX-License-Identifier: GPL-2.0
/*
 * The promise of the live table: it refuses no object while it holds fewer than live_max,
 * whatever the addresses of the objects.
 */
#include <linux/log2.h>

#include "objtab_util.h"

/* ---- addresses of objects ------------------------------------------------- */

/**
 * struct kma_layout - how objects are laid out in memory
 * @name: its name in the test report
 * @size: sizes of the objects, which take turns
 * @nr_sizes: number of sizes
 * @neighbours: slabs are next to each other, not at random places
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
		.name = "a mix of odd sizes, as in kmem_caches",
		.size = { 24, 40, 56, 104, 136, 216, 320, 600, 704, 1088 },
		.nr_sizes = 10,
	}, {
		.name = "kmalloc-8, contiguous",
		.size = { 8 },
		.nr_sizes = 1,
		.neighbours = true,
	}, {
		.name = "a mix of sizes, each contiguous",
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

/* Size of a slab as SLUB chooses it: at least sixteen objects, but at most 32 KiB. */
static u32 kma_slab_bytes(u32 size)
{
	return clamp(roundup_pow_of_two(16 * size), 4096UL, 32768UL);
}

/* A permutation of the numbers below 2^20, so that no two slabs are at the same place. */
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

/* Put @live_max objects into a table, and take all of them. */
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
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_keeps_its_promise(struct kunit *test)
{
	const struct kma_layout *layout = test->param_value;
	struct kma_objtab *t;
	u64 seed;
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_promises); i++) {
		t = kma_objtab_new(test, kma_promises[i].live_max);
		for (seed = 1; seed <= kma_promises[i].seeds; seed++)
			kma_promise_check(test, layout, t, kma_promises[i].live_max,
					  seed);
	}
}

/* ---- churn ---------------------------------------------------------------- */

static const struct kma_churn {
	const char *name;
	u32 layout;		/* index in kma_layouts */
	u32 live_max;
	u32 spread;		/* number of addresses for each live object */
	u32 rounds;
} kma_churns[] = {
	{ "kmalloc-8, 1 of 4 is live", 0, 65536, 4, 150000 },
	{ "kmalloc-64, 1 of 2 is live", 3, 4096, 2, 50000 },
	{ "kmalloc-8, 1 of 64 is live", 0, 4096, 64, 50000 },
	{ "a mix of sizes, 1 of 8 is live", 13, 4096, 8, 50000 },
	{ "a mix of sizes, each contiguous, 1 of 8 is live", 16, 1000, 8, 30000 },
};

static void kma_churn_name(const struct kma_churn *churn, char *name)
{
	strscpy(name, churn->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kma_churn, kma_churns, kma_churn_name);

/* While live_max objects are recorded, a random one is freed and another is allocated. */
static void kma_objtab_keeps_its_promise_under_churn(struct kunit *test)
{
	const struct kma_churn *c = test->param_value;
	const struct kma_layout *l = &kma_layouts[c->layout];
	struct kma_objtab *t = kma_objtab_new(test, c->live_max);
	u32 i, k, round, nr = c->live_max * c->spread, refused = 0, lost = 0;
	unsigned long *ptr = kma_test_array(test, nr, sizeof(*ptr));
	u64 random = 1;

	for (i = 0; i < nr; i++)
		ptr[i] = kma_layout_ptr(l, 1, i);
	kma_random_order(ptr, nr, &random);
	/* From here on, the first live_max addresses of ptr[] are those of live objects. */
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
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_refuses_when_overfull(struct kunit *test)
{
	const struct kma_layout *l = &kma_layouts[3];
	struct kma_objtab *t = kma_objtab_new(test, 1000);
	u32 slots = kma_objtab_buckets(t) * KMA_SLOTS, nr = 2 * slots;
	bool *in = kma_test_array(test, nr, sizeof(*in));
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

	/* Objects in the table can be replaced: the old entry makes room for the new one. */
	for (i = 0; i < nr; i++)
		wrong += in[i] && (kma_put(t, kma_layout_ptr(l, 1, i), nr + i, &old) !=
					KMA_PUT_REPLACED ||
				   !kma_payload_is(&old, kma_layout_ptr(l, 1, i), i));
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (i = 0; i < nr; i++)
		wrong += in[i] ? !kma_take_same(t, kma_layout_ptr(l, 1, i), nr + i) :
				 kma_take(t, kma_layout_ptr(l, 1, i), &e);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static struct kunit_case kma_objtab_promise_cases[] = {
	KUNIT_CASE_PARAM(kma_objtab_keeps_its_promise, kma_layout_gen_params),
	KUNIT_CASE_PARAM(kma_objtab_keeps_its_promise_under_churn,
			 kma_churn_gen_params),
	KUNIT_CASE(kma_objtab_refuses_when_overfull),
	{}
};

struct kunit_suite kma_objtab_promise_suite = {
	.name = "kmemacct_objtab_promise",
	.test_cases = kma_objtab_promise_cases,
};
