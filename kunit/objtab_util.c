// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the live table share: see objtab_util.h. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "objtab_util.h"

static void kma_objtab_free(void *t)
{
	kma_objtab_destroy(t);
}

struct kma_objtab *kma_objtab_new(struct kunit *test, u64 live_max)
{
	struct kma_objtab *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, kma_objtab_init(t, live_max, KMA_TEST_PFNS), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_objtab_free, t), 0);
	return t;
}

void *kma_test_array(struct kunit *test, size_t nr, size_t bytes)
{
	void *mem = kvcalloc(nr, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, (void (*)(void *))kvfree,
							mem), 0);
	return mem;
}

void kma_random_order(unsigned long *a, u32 nr, u64 *random)
{
	u32 i, k;

	for (i = nr; i > 1; i--) {
		k = kma_random_below(random, i);
		swap(a[i - 1], a[k]);
	}
}

bool kma_objtab_clean(const struct kma_objtab *t)
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
