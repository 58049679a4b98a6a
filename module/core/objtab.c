// SPDX-License-Identifier: GPL-2.0
/*
 * The live objects, the rarer half: making the table, spilling, reading.
 * See the overview in objtab.h.
 */
#include "objtab.h"
#include "stat.h"

/* Buckets a shard needs so that all shards together have the slots promised. */
static u32 kma_objtab_span(u64 live_max, unsigned int nr_shards)
{
	return div_u64(live_max * KMA_SPARE, KMA_SLOTS * nr_shards) + 1;
}

u64 kma_objtab_bytes(u64 live_max, unsigned int nr_shards)
{
	u64 buckets = kma_objtab_span(live_max, nr_shards) + KMA_STEPS - 1;

	return nr_shards * (buckets * sizeof(struct kma_bucket) +
			    sizeof(struct kma_bucket *));
}

int kma_objtab_init(struct kma_objtab *t, u64 live_max, unsigned int nr_shards)
{
	unsigned int i;

	t->nr_shards = nr_shards;
	t->span = kma_objtab_span(live_max, nr_shards);
	t->nr_buckets = t->span + KMA_STEPS - 1;
	t->shard = kma_env_zalloc(nr_shards * sizeof(t->shard[0]), 0);
	if (!t->shard)
		return -ENOMEM;
	for (i = 0; i < nr_shards; i++) {
		t->shard[i] = kma_env_zalloc((size_t)t->nr_buckets *
					     sizeof(struct kma_bucket), i);
		if (!t->shard[i]) {
			kma_objtab_destroy(t);
			return -ENOMEM;
		}
		kma_env_no_scan(t->shard[i]);
	}
	return 0;
}

void kma_objtab_destroy(struct kma_objtab *t)
{
	unsigned int i;

	for (i = 0; t->shard && i < t->nr_shards; i++)
		kma_env_free(t->shard[i]);
	kma_env_free(t->shard);
	memset(t, 0, sizeof(*t));
}

/* The bucket that @ptr goes to at @depth, from 1; none depends on its page. */
static struct kma_bucket *kma_objtab_other(const struct kma_objtab *t,
					   unsigned long ptr, int depth)
{
	u64 hash = (ptr + depth) * 0xd6e8feb86659fd93ULL;

	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	return &t->shard[kma_scale(hash >> 32, t->nr_shards)]
			[kma_scale(hash & U32_MAX, t->nr_buckets)];
}

/* One more object of @home is at @depth, unless its four bits are full. */
static bool kma_spilled_inc(struct kma_bucket *home, int depth)
{
	int shift = 4 * (depth - 1);
	s64 old = atomic64_read(&home->spilled);

	do {
		if (((old >> shift) & 15) == 15)
			return false;
	} while (!atomic64_try_cmpxchg(&home->spilled, &old,
				       (s64)((u64)old + (1ULL << shift))));
	return true;
}

static void kma_spilled_dec(struct kma_bucket *home, int depth)
{
	atomic64_sub((s64)(1ULL << 4 * (depth - 1)), &home->spilled);
}

static bool kma_objtab_put_at(struct kma_objtab *t, struct kma_bucket *home,
			      unsigned long ptr, const struct kma_entry *entry,
			      int depth)
{
	struct kma_bucket *b = kma_objtab_other(t, ptr, depth);
	int i;

	/* In its home an object counts as not spilled, whatever led there. */
	if (b == home)
		return false;
	i = kma_bucket_claim(b);
	if (i < 0)
		return false;
	if (!kma_spilled_inc(home, depth)) {
		/* Free again; pairs with the cmpxchg in kma_bucket_claim(). */
		smp_store_release(&b->key[i], 0);
		return false;
	}
	/*
	 * The home says that it spills before the key can be seen: whoever
	 * frees the object got its address after this event and looks here.
	 */
	kma_bucket_fill(b, i, ptr, entry, depth);
	kma_stat_inc(spill_in);
	return true;
}

static bool kma_objtab_put_any(struct kma_objtab *t, struct kma_bucket *home,
			       unsigned long ptr, const struct kma_entry *entry)
{
	int i = kma_bucket_claim(home);
	int depth;

	if (i >= 0) {
		kma_bucket_fill(home, i, ptr, entry, 0);
		return true;
	}
	for (depth = 1; depth <= KMA_DEPTHS; depth++)
		if (kma_objtab_put_at(t, home, ptr, entry, depth))
			return true;
	return false;
}

static bool kma_objtab_take_spilled(struct kma_objtab *t,
				    struct kma_bucket *home, unsigned long ptr,
				    struct kma_entry *entry)
{
	u64 spilled = atomic64_read(&home->spilled);
	struct kma_bucket *b;
	int depth, i;

	for (depth = 1; spilled; depth++, spilled >>= 4) {
		if (!(spilled & 15))
			continue;
		b = kma_objtab_other(t, ptr, depth);
		i = kma_bucket_find(b, ptr);
		if (i < 0)
			continue;
		if (!kma_bucket_take(b, i, ptr, entry))
			return false;
		/* Two depths may name one bucket: believe the entry. */
		kma_spilled_dec(home, entry->depth);
		kma_stat_inc(spill_out);
		return true;
	}
	return false;
}

bool kma_objtab_take(struct kma_objtab *t, unsigned long ptr,
		     struct kma_entry *entry)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);

	return kma_objtab_take_home(home, ptr, entry) ||
	       kma_objtab_take_spilled(t, home, ptr, entry);
}

enum kma_put kma_objtab_put(struct kma_objtab *t, unsigned long ptr,
			    const struct kma_entry *entry,
			    struct kma_entry *old)
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	bool replaced = kma_objtab_take(t, ptr, old);

	/* A slot was just freed if so, but it may have gone to somebody else. */
	if (!kma_objtab_put_any(t, home, ptr, entry))
		return replaced ? KMA_PUT_REPLACED_FULL : KMA_PUT_FULL;
	return replaced ? KMA_PUT_REPLACED : KMA_PUT_NEW;
}

unsigned long kma_objtab_read(const struct kma_bucket *b, int slot,
			      struct kma_entry *entry)
{
	const struct kma_entry *e = &b->entry[slot];
	unsigned long ptr;

	entry->generation = READ_ONCE(e->generation);
	/*
	 * The generation before the key: one that was written while the slot
	 * was busy is that of the next key to be seen.  Read after the key, it
	 * could be the next life's beside the data of this one, if the same
	 * address comes back.  Pairs with the cmpxchg in kma_bucket_claim().
	 */
	smp_rmb();
	/* Pairs with the release in kma_bucket_fill(). */
	ptr = smp_load_acquire(&b->key[slot]);
	if (!ptr || ptr == KMA_BUSY)
		return 0;
	entry->bytes_req = READ_ONCE(e->bytes_req);
	entry->time = READ_ONCE(e->time);
	entry->tgid = READ_ONCE(e->tgid);
	entry->row = READ_ONCE(e->row);
	entry->cpu = READ_ONCE(e->cpu);
	entry->depth = READ_ONCE(e->depth);
	/*
	 * Pairs with the smp_wmb() in kma_bucket_fill(): if anything read above
	 * was written by a later owner, the generation is that owner's by now.
	 */
	smp_rmb();
	if (READ_ONCE(e->generation) != entry->generation ||
	    READ_ONCE(b->key[slot]) != ptr)
		return 0;
	return ptr;
}
