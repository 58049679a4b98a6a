// SPDX-License-Identifier: GPL-2.0
/*
 * Tests module/core/failure.h: the keys of failed allocations.
 *
 *   failure
 */
#include <linux/kernel.h>

#include "case.h"
#include "../../../module/core/failure.h"

static void kma_pages(void)
{
	unsigned int order, type;
	u64 what;

	for (order = 0; order <= 10; order++)
		for (type = 0; type < 8; type++) {
			what = kma_failure_pages(order, type, 0xcc0);
			kma_expect(!kma_failure_is_object(what));
			kma_expect(kma_failure_shift(what) == order);
			kma_expect(kma_failure_type(what) == type);
			kma_expect(kma_failure_gfp(what) == 0xcc0);
			what = kma_failure_rest(what);
			kma_expect(what == kma_failure_pages(order, type, KMA_CLASS_GFP_OTHER));
		}
	/* All bits of the flags are kept. */
	kma_expect(kma_failure_gfp(kma_failure_pages(3, 1, 0x80000001)) == 0x80000001);
}

static void kma_expect_shift(u64 bytes, unsigned int shift)
{
	const u64 what = kma_failure_object(bytes, 0x820);

	kma_expect(kma_failure_is_object(what) && kma_failure_shift(what) == shift);
	kma_expect(kma_failure_gfp(what) == 0x820);
	kma_expect(kma_failure_rest(what) == kma_failure_rest(kma_failure_object(1, 0)));
	kma_expect(kma_failure_is_object(kma_failure_rest(what)));
}

static void kma_objects(void)
{
	unsigned int shift;

	kma_expect_shift(0, 0);
	kma_expect_shift(1, 0);
	kma_expect_shift(2, 1);
	for (shift = 2; shift < 64; shift++) {
		kma_expect_shift(1ULL << shift, shift);
		kma_expect_shift((1ULL << shift) - 1, shift);
		kma_expect_shift((1ULL << (shift - 1)) + 1, shift);
	}
}

static const struct kma_case kma_cases[] = {
	{ "pages", kma_pages },
	{ "objects", kma_objects },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
