// SPDX-License-Identifier: GPL-2.0
/* The records of pages: setup and reading.  See the overview in pfntab.h. */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pfntab.h"

int kma_pfntab_init(struct kma_pfntab *t, u64 nr_chunks)
{
	u64 i;

	*t = (struct kma_pfntab) {
		.chunk = kma_env_zalloc(nr_chunks * sizeof(t->chunk[0])),
		.absent = kma_env_zalloc(kma_pfntab_chunk_bytes()),
	};
	if (!t->chunk || !t->absent) {
		kma_pfntab_destroy(t);
		return -ENOMEM;
	}
	for (i = 0; i < KMA_CHUNK_PFNS; i++)
		t->absent[i].what = KMA_PFN_ABSENT;
	for (i = 0; i < nr_chunks; i++)
		t->chunk[i] = t->absent;
	t->nr_chunks = nr_chunks;
	return 0;
}

int kma_pfntab_add(struct kma_pfntab *t, u64 i, int node)
{
	struct kma_pfn *chunk;

	if (t->chunk[i] != t->absent)
		return 0;
	chunk = kma_env_zalloc_near(kma_pfntab_chunk_bytes(), i * KMA_CHUNK_PFNS, KMA_CHUNK_PFNS,
				    node);
	if (!chunk)
		return -ENOMEM;
	/*
	 * Pairs with the address dependency in kma_pfntab_at(): a CPU that sees the
	 * pointer to the chunk also sees that the chunk is zeroed.
	 */
	smp_store_release(&t->chunk[i], chunk);
	WRITE_ONCE(t->nr_there, t->nr_there + 1);
	return 0;
}

void kma_pfntab_destroy(struct kma_pfntab *t)
{
	u64 i;

	for (i = 0; i < t->nr_chunks; i++) {
		if (t->chunk[i] != t->absent)
			kma_env_free(t->chunk[i]);
		cond_resched();
	}
	kma_env_free(t->chunk);
	kma_env_free(t->absent);
	memset(t, 0, sizeof(*t));
}

bool kma_pfn_read(const struct kma_pfn *f, struct kma_pfn *copy)
{
	/* Pairs with the release in kma_pfn_set(). */
	copy->what = smp_load_acquire(&f->what);
	copy->time = READ_ONCE(f->time);
	copy->tgid = READ_ONCE(f->tgid);
	copy->cpu_owner = READ_ONCE(f->cpu_owner);
	/*
	 * A probe that has changed any of these members had cleared @what and written @time
	 * before: pairs with the smp_wmb() in kma_pfn_describe() and in
	 * kma_pagealloc_replaced().
	 */
	smp_rmb();
	return copy->what && READ_ONCE(f->what) == copy->what &&
	       READ_ONCE(f->time) == copy->time;
}
