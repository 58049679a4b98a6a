// SPDX-License-Identifier: GPL-2.0
/*
 * The live table.  It never accesses the memory of objects, so all addresses here are
 * made up.
 */
#include <linux/slab.h>

#include "objtab_util.h"

/* ---- home buckets --------------------------------------------------------- */

/* Addresses of kmalloc-8 objects with the same home bucket. */
static void kma_same_home(const struct kma_objtab *t, unsigned long *a, u32 nr)
{
	const struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long ptr = KMA_TEST_BASE;
	u32 i = 0;

	for (; i < nr; ptr += 8)
		if (kma_objtab_home(t, ptr) == home)
			a[i++] = ptr;
}

/* Number of objects that a bucket counts as spilled. */
static u32 kma_spilled_nr(const struct kma_bucket *b)
{
	u64 spilled = atomic64_read(&b->spilled) >> 4 * KMA_DEPTH_HOME;
	u32 nr = 0;

	for (; spilled; spilled >>= 4)
		nr += spilled & 15;
	return nr;
}

/* ---- one object ----------------------------------------------------------- */

/* Take an object, and check that its entry is the one that kma_put() wrote. */
static void kma_expect_taken(struct kunit *test, struct kma_objtab *t, unsigned long ptr,
			     u32 count)
{
	const struct kma_entry expect = kma_payload(ptr, count);
	struct kma_entry actual;

	KUNIT_ASSERT_TRUE(test, kma_take(t, ptr, &actual));
	kma_expect_entry(test, &expect, &actual);
}

static void kma_objtab_takes_what_was_put(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 100);
	struct kma_entry e, old;

	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 1, &old), KMA_PUT_NEW);
	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE + 8, 2, &old), KMA_PUT_NEW);

	kma_expect_taken(test, t, KMA_TEST_BASE, 1);
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	kma_expect_taken(test, t, KMA_TEST_BASE + 8, 2);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_misses_what_was_not_put(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 100);
	struct kma_entry e;

	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE + 8, &e));
	kma_expect_taken(test, t, KMA_TEST_BASE, 1);
}

static void kma_objtab_replaces_and_tells_the_old(struct kunit *test)
{
	const struct kma_entry expect_old = kma_payload(KMA_TEST_BASE, 1);
	struct kma_objtab *t = kma_objtab_new(test, 100);
	struct kma_entry e, old;

	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 1, &old), KMA_PUT_NEW);
	KUNIT_EXPECT_EQ(test, kma_put(t, KMA_TEST_BASE, 2, &old), KMA_PUT_REPLACED);

	kma_expect_entry(test, &expect_old, &old);
	kma_expect_taken(test, t, KMA_TEST_BASE, 2);
	KUNIT_EXPECT_FALSE(test, kma_take(t, KMA_TEST_BASE, &e));
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_replaces_what_has_spilled(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 1000);
	unsigned long ptr[2 * KMA_SLOTS];
	struct kma_entry expect_old, old;
	int i;

	kma_same_home(t, ptr, ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		KUNIT_EXPECT_TRUE(test, kma_put_new(t, ptr[i], i));
	for (i = 0; i < ARRAY_SIZE(ptr); i++) {
		expect_old = kma_payload(ptr[i], i);
		KUNIT_EXPECT_EQ(test, kma_put(t, ptr[i], 100 + i, &old),
				KMA_PUT_REPLACED);
		kma_expect_entry(test, &expect_old, &old);
	}

	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_expect_taken(test, t, ptr[i], 100 + i);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_reads_without_taking(struct kunit *test)
{
	const struct kma_entry expect = kma_payload(KMA_TEST_BASE, 1);
	struct kma_objtab *t = kma_objtab_new(test, 100);
	struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	struct kma_entry e;
	int slot, seen = 0;

	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));

	for (slot = 0; slot < KMA_SLOTS; slot++) {
		if (kma_objtab_read(home, slot, &e) != KMA_TEST_BASE)
			continue;
		kma_expect_entry(test, &expect, &e);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, 1);
	kma_expect_taken(test, t, KMA_TEST_BASE, 1);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), 0);
}

static void kma_objtab_reads_no_busy_slot(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 100);
	struct kma_bucket *home = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long slot = kma_objtab_slot(KMA_TEST_BASE);
	struct kma_entry e;

	home->key[slot] = KMA_BUSY;
	KUNIT_EXPECT_EQ(test, kma_objtab_read(home, slot, &e), 0);

	/* A put does not wait for the busy slot either. */
	KUNIT_EXPECT_TRUE(test, kma_put_new(t, KMA_TEST_BASE, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&home->spilled), 1);
	kma_expect_taken(test, t, KMA_TEST_BASE, 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&home->spilled), 0);
	KUNIT_EXPECT_EQ(test, home->key[slot], KMA_BUSY);
}

/* ---- spilling ------------------------------------------------------------- */

static void kma_reverse(unsigned long *a, u32 nr, u64 *unused)
{
	u32 i;

	for (i = 0; i < nr / 2; i++)
		swap(a[i], a[nr - 1 - i]);
}

static void kma_keep_order(unsigned long *a, u32 nr, u64 *unused)
{
}

static void kma_spill_and_take(struct kunit *test, u32 nr, const char *what,
			       void (*order)(unsigned long *, u32, u64 *))
{
	struct kma_objtab *t = kma_objtab_new(test, 1000);
	unsigned long *ptr = kma_test_array(test, nr, sizeof(*ptr));
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
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_finds_what_has_spilled(struct kunit *test)
{
	kma_spill_and_take(test, KMA_SLOTS + 1, "the first", kma_keep_order);
	kma_spill_and_take(test, 60, "in order", kma_keep_order);
	kma_spill_and_take(test, 60, "in reverse", kma_reverse);
	kma_spill_and_take(test, 60, "shuffled", kma_random_order);
}

static void kma_objtab_counts_spilling(struct kunit *test)
{
	enum { SPILLED = 3 };
	struct kma_objtab *t = kma_objtab_new(test, 1000);
	u64 in = kma_stat_now(spill_in), out = kma_stat_now(spill_out);
	unsigned long ptr[KMA_SLOTS + SPILLED];
	int i;

	kma_same_home(t, ptr, ARRAY_SIZE(ptr));
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_put_new(t, ptr[i], i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_in) - in, SPILLED);
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		kma_take_same(t, ptr[i], i);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_out) - out, SPILLED);
}

/*
 * All objects have the same home bucket.  The four bits that count a depth must not
 * overflow into those of the next depth: no object is put at a depth whose count is full.
 * In a table of few buckets, two depths are often the same bucket.  Then an object that is
 * found at the first depth may be counted at the second.
 */
static void kma_fill_depths(struct kunit *test, struct kma_objtab *t)
{
	const u32 most = KMA_SLOTS + 15 * (KMA_DEPTHS - KMA_DEPTH_HOME), nr = most + 100;
	unsigned long *ptr = kma_test_array(test, nr, sizeof(*ptr));
	bool *in = kma_test_array(test, nr, sizeof(*in));
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
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static void kma_objtab_depths_do_not_overflow(struct kunit *test)
{
	kma_fill_depths(test, kma_objtab_new(test, 4000));
	kma_fill_depths(test, kma_objtab_new(test, 50));
}

/* ---- memory --------------------------------------------------------------- */

static void kma_objtab_takes_the_memory_it_says(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 4096);
	u64 expect = kma_objtab_buckets(t) * sizeof(struct kma_bucket) +
		     kma_env_pfns_bytes(t->pages.gen, t->pages.mask + 1, sizeof(kma_gen));

	KUNIT_EXPECT_EQ(test, kma_objtab_bytes(4096, KMA_TEST_PFNS), expect);
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
	KUNIT_CASE(kma_objtab_depths_do_not_overflow),
	KUNIT_CASE(kma_objtab_takes_the_memory_it_says),
	KUNIT_CASE(kma_objtab_destroys_what_was_never_made),
	{}
};

struct kunit_suite kma_objtab_suite = {
	.name = "kmemacct_objtab",
	.test_cases = kma_objtab_cases,
};
