/* SPDX-License-Identifier: GPL-2.0 */
/* What the suites of the live table share. */
#ifndef KMA_KUNIT_OBJTAB_UTIL_H
#define KMA_KUNIT_OBJTAB_UTIL_H

#include "util.h"

/* Objects lie from here on; nothing is at these addresses. */
#define KMA_TEST_BASE	0xffff888000000000UL

/* A table for @live_max objects, and zeroed memory; both live as long as the test. */
struct kma_objtab *kma_objtab_new(struct kunit *test, u64 live_max);
void *kma_test_array(struct kunit *test, size_t nr, size_t bytes);

/* Put @nr addresses into a random order. */
void kma_random_order(unsigned long *a, u32 nr, u64 *random);

/* Whether a table is as good as new: no key, no mark. */
bool kma_objtab_clean(const struct kma_objtab *t);

/* Put an object as probes do it: at home if that will do.  The entry is kma_payload(). */
static inline enum kma_put kma_put(struct kma_objtab *t, unsigned long ptr, u32 count,
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

/* Take an object as probes do it. */
static inline bool kma_take(struct kma_objtab *t, unsigned long ptr, struct kma_entry *e)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);

	if (kma_objtab_take_home(home, ptr, e))
		return true;
	return kma_bucket_spilled(home) && kma_objtab_take(t, ptr, e);
}

static inline bool kma_put_new(struct kma_objtab *t, unsigned long ptr, u32 count)
{
	struct kma_entry old;

	return kma_put(t, ptr, count, &old) == KMA_PUT_NEW;
}

/* Take an object, which must be there as it was put. */
static inline bool kma_take_same(struct kma_objtab *t, unsigned long ptr, u32 count)
{
	struct kma_entry e;

	return kma_take(t, ptr, &e) && kma_payload_is(&e, ptr, count);
}

#endif /* KMA_KUNIT_OBJTAB_UTIL_H */
