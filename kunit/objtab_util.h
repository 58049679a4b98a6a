/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the suites of the live table share. */
#ifndef KMA_KUNIT_OBJTAB_UTIL_H
#define KMA_KUNIT_OBJTAB_UTIL_H

#include "util.h"

/* Lowest address of made-up objects.  The tests never access this memory. */
#define KMA_TEST_BASE	0xffff888000000000UL

/* A table for @live_max objects, and zeroed memory.  Both are freed when the test ends. */
struct kma_objtab *kma_objtab_new(struct kunit *test, u64 live_max);
void *kma_test_array(struct kunit *test, size_t nr, size_t bytes);

/* Put @nr addresses into a random order. */
void kma_random_order(unsigned long *a, u32 nr, u64 *random);

/* Whether a table is empty: all keys are 0, and no bucket counts spilled objects. */
bool kma_objtab_clean(const struct kma_objtab *t);

/* Put an object as a probe does, into its own slot if that is free.  Uses kma_payload(). */
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

/* Take an object as a probe does. */
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

/* Take an object.  Return: true if its entry was in the table, unchanged. */
static inline bool kma_take_same(struct kma_objtab *t, unsigned long ptr, u32 count)
{
	struct kma_entry e;

	return kma_take(t, ptr, &e) && kma_payload_is(&e, ptr, count);
}

#endif /* KMA_KUNIT_OBJTAB_UTIL_H */
