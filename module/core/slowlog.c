// SPDX-License-Identifier: GPL-2.0
/* The log of slow phases.  See the overview in slowlog.h. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "slowlog.h"

int kma_slowlog_init(struct kma_slowlog *t)
{
	atomic64_set(&t->head, 0);
	t->record = kma_env_zalloc(KMA_SLOW_RECORDS * sizeof(t->record[0]));
	return t->record ? 0 : -ENOMEM;
}

void kma_slowlog_destroy(struct kma_slowlog *t)
{
	kma_env_free(t->record);
	*t = (struct kma_slowlog) {};
}

static struct kma_slow *kma_slowlog_place(const struct kma_slowlog *t, u64 nr)
{
	return &t->record[nr % KMA_SLOW_RECORDS];
}

struct kma_slow *kma_slowlog_begin(struct kma_slowlog *t, u64 *nr)
{
	struct kma_slow *r;
	u64 was;

	*nr = atomic64_inc_return(&t->head);
	r = kma_slowlog_place(t, *nr);
	was = READ_ONCE(r->nr);
	/*
	 * A place that was never written has the number 0, like one that is being written.  Only in
	 * the first round can the place be one that was never written.
	 */
	if ((!was && *nr > KMA_SLOW_RECORDS) || cmpxchg(&r->nr, was, 0) != was) {
		kma_stat_inc(slow_lost);
		return NULL;
	}
	/* A reader that sees one of the next stores sees the 0, too. */
	smp_wmb();	/* pairs with the smp_rmb() in kma_slowlog_read() */
	return r;
}

void kma_slowlog_publish(struct kma_slow *r, u64 nr)
{
	/* Pairs with the acquire in kma_slowlog_read(). */
	smp_store_release(&r->nr, nr);
}

void kma_slowlog_forget(struct kma_slowlog *t, bool (*gone)(const void *arg, unsigned long address),
			const void *arg)
{
	unsigned long *address, was;
	u32 i, k;

	for (i = 0; t->record && i < KMA_SLOW_RECORDS; i++) {
		for (k = 0; k <= KMA_SLOW_FRAMES; k++) {
			address = k ? &t->record[i].frame[k - 1] : &t->record[i].site;
			was = READ_ONCE(*address);
			/* A probe may write another record here. */
			if (was && gone(arg, was))
				cmpxchg(address, was, KMA_SLOW_UNLOADED);
		}
	}
}

bool kma_slowlog_read(const struct kma_slowlog *t, u64 nr, struct kma_slow *copy)
{
	const struct kma_slow *r = kma_slowlog_place(t, nr);

	/* Pairs with the release in kma_slowlog_publish(). */
	if (smp_load_acquire(&r->nr) != nr)
		return false;
	memcpy(copy, r, sizeof(*copy));
	smp_rmb();	/* pairs with the smp_wmb() in kma_slowlog_begin() */
	return READ_ONCE(r->nr) == nr;
}
