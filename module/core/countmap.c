// SPDX-License-Identifier: GPL-2.0
/* Countmaps.  See the overview in countmap.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "countmap.h"

/* Special values of a slot.  Any other value is the number of a row. */
#define KMA_COUNTMAP_FREE	0U
#define KMA_COUNTMAP_BUSY	U32_MAX
/* A row has left this slot: searches go on after the slot, and a new row may take it. */
#define KMA_COUNTMAP_TOMBSTONE	(U32_MAX - 1)

/* Number of slots to search for a key. */
#define KMA_COUNTMAP_PROBES	64

static u32 kma_countmap_slots(u32 rows)
{
	return max_t(u32, roundup_pow_of_two(2 * rows), KMA_COUNTMAP_PROBES);
}

static u32 kma_countmap_chunks(u32 rows)
{
	return DIV_ROUND_UP(rows, KMA_COUNTMAP_PER_CHUNK);
}

static u64 kma_countmap_map_bytes(u32 rows)
{
	return (u64)kma_countmap_slots(rows) * sizeof(u32) +
	       (u64)rows * sizeof(struct kma_countmap_info) + kma_spare_bytes(rows - 1);
}

static u64 kma_countmap_copies_bytes(u32 rows, u32 counters)
{
	return (u64)KMA_COUNTMAP_COPIES * rows * counters * sizeof(u64);
}

u64 kma_countmap_shared_bytes(u32 rows, u32 counters)
{
	return kma_countmap_map_bytes(rows) + kma_countmap_copies_bytes(rows, counters);
}

u64 kma_countmap_local_bytes(u32 rows, unsigned int nr_cpus)
{
	return kma_countmap_map_bytes(rows) + (u64)KMA_PERCPU_CHUNK_BYTES * nr_cpus;
}

u64 kma_countmap_bytes(u32 rows, unsigned int nr_cpus)
{
	return kma_countmap_map_bytes(rows) + (u64)rows * sizeof(void *) +
	       kma_countmap_chunks(rows) * sizeof(void *) +
	       (u64)kma_countmap_chunks(rows) * KMA_COUNTMAP_PER_CHUNK *
			sizeof(struct kma_countmap_row) * nr_cpus;
}

static int kma_countmap_alloc_map(struct kma_countmap *t)
{
	t->slot = kma_env_zalloc(kma_countmap_slots(t->rows) * sizeof(t->slot[0]));
	t->info = kma_env_zalloc(t->rows * sizeof(t->info[0]));
	/* Row KMA_COUNTMAP_OTHER is in use from the start. */
	if (!t->slot || !t->info || kma_spare_init(&t->spare, t->rows - 1))
		return -ENOMEM;
	t->mask = kma_countmap_slots(t->rows) - 1;
	/* A key may be an address, which a leak detector would take for a reference. */
	kma_env_no_scan(t->info);
	return 0;
}

static int kma_countmap_alloc_rows(struct kma_countmap *t)
{
	u32 i;

	t->row = kma_env_zalloc(t->rows * sizeof(t->row[0]));
	t->chunk = kma_env_zalloc(kma_countmap_chunks(t->rows) * sizeof(t->chunk[0]));
	if (!t->row || !t->chunk)
		return -ENOMEM;
	for (i = 0; i < kma_countmap_chunks(t->rows); i++) {
		t->chunk[i] = kma_env_zalloc_percpu(sizeof(struct kma_countmap_row));
		if (!t->chunk[i])
			return -ENOMEM;
	}
	return 0;
}

int kma_countmap_init(struct kma_countmap *t, u32 rows)
{
	u32 i;

	*t = (struct kma_countmap) { .rows = rows };
	if (kma_countmap_alloc_map(t) || kma_countmap_alloc_rows(t)) {
		kma_countmap_destroy(t);
		return -ENOMEM;
	}
	for (i = 0; i < rows; i++)
		t->row[i] = t->chunk[i / KMA_COUNTMAP_PER_CHUNK] + i % KMA_COUNTMAP_PER_CHUNK;
	return 0;
}

/* Allocate an empty countmap that has @counters.  @local: they are on each CPU, and not shared. */
static int kma_countmap_init_wide(struct kma_countmap *t, u32 rows, u32 counters, u32 maxima,
				  bool local)
{
	*t = (struct kma_countmap) {
		.rows = rows, .counters = counters, .maxima = maxima,
	};
	if (local)
		t->local = kma_env_zalloc_percpu(64);
	else
		t->shared = kma_env_zalloc(kma_countmap_copies_bytes(rows, counters));
	if ((!t->shared && !t->local) || kma_countmap_alloc_map(t)) {
		kma_countmap_destroy(t);
		return -ENOMEM;
	}
	return 0;
}

int kma_countmap_init_shared(struct kma_countmap *t, u32 rows, u32 counters, u32 maxima)
{
	return kma_countmap_init_wide(t, rows, counters, maxima, false);
}

int kma_countmap_init_local(struct kma_countmap *t, u32 rows, u32 counters, u32 maxima)
{
	return kma_countmap_init_wide(t, rows, counters, maxima, true);
}

void kma_countmap_destroy(struct kma_countmap *t)
{
	u32 i;

	for (i = 0; t->chunk && i < kma_countmap_chunks(t->rows); i++)
		kma_env_free_percpu(t->chunk[i]);
	kma_env_free(t->chunk);
	kma_env_free(t->row);
	kma_env_free(t->shared);
	kma_env_free_percpu(t->local);
	kma_spare_destroy(&t->spare);
	kma_env_free(t->info);
	kma_env_free(t->slot);
	*t = (struct kma_countmap) {};
}

void kma_countmap_clear(struct kma_countmap *t)
{
	int cpu;
	u32 i;

	if (t->shared)
		memset(t->shared, 0, kma_countmap_copies_bytes(t->rows, t->counters));
	for_each_possible_cpu(cpu)
		if (t->local)
			memset(per_cpu_ptr(t->local, cpu), 0, KMA_PERCPU_CHUNK_BYTES);
	for (i = 0; t->chunk && i < kma_countmap_chunks(t->rows); i++) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(t->chunk[i], cpu), 0,
			       KMA_COUNTMAP_PER_CHUNK * sizeof(struct kma_countmap_row));
		cond_resched();
	}
	for (i = 0; i < t->rows; i++)
		/* A reference to this row must not lead to a later row with the same number. */
		t->info[i] = (struct kma_countmap_info) { .gen = (t->info[i].gen | 1) + 1 };
	memset(t->slot, 0, kma_countmap_slots(t->rows) * sizeof(t->slot[0]));
	kma_spare_reset(&t->spare);
	t->recycled = 0;
	t->left = 0;
}

static bool kma_countmap_is(const struct kma_countmap_key *a, const struct kma_countmap_key *b)
{
	return a->word[0] == b->word[0] && a->word[1] == b->word[1] &&
	       a->word[2] == b->word[2];
}

static u32 kma_countmap_hash(const struct kma_countmap_key *key)
{
	u64 hash = 0;
	int i;

	for (i = 0; i < KMA_COUNTMAP_WORDS; i++) {
		hash = (hash ^ key->word[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

static u32 *kma_countmap_slot(const struct kma_countmap *t, u32 hash, u32 i)
{
	return &t->slot[(hash + i) & t->mask];
}

/* Find the next row of a key, from slot @i on.  Return: its number, or KMA_COUNTMAP_OTHER. */
static __always_inline u32 kma_countmap_next(const struct kma_countmap *t,
					     const struct kma_countmap_key *key, u32 hash, u32 *i)
{
	u32 id;

	while (*i < KMA_COUNTMAP_PROBES) {
		/* Pairs with the release in kma_countmap_make(). */
		id = smp_load_acquire(kma_countmap_slot(t, hash, (*i)++));
		if (id == KMA_COUNTMAP_FREE)
			break;
		if (id < t->rows && kma_countmap_is(&t->info[id].key, key))
			return id;
	}
	return KMA_COUNTMAP_OTHER;
}

u32 kma_countmap_find(const struct kma_countmap *t, const struct kma_countmap_key *key)
{
	u32 i = 0;

	return kma_countmap_next(t, key, kma_countmap_hash(key), &i);
}

/* Claim a slot for a new row: the first one that is free or a tombstone. */
static u32 *kma_countmap_claim(struct kma_countmap *t, u32 hash)
{
	u32 *slot;
	u32 i, was;

	for (i = 0; i < KMA_COUNTMAP_PROBES; i++) {
		slot = kma_countmap_slot(t, hash, i);
		was = READ_ONCE(*slot);
		if ((was == KMA_COUNTMAP_FREE || was == KMA_COUNTMAP_TOMBSTONE) &&
		    cmpxchg(slot, was, KMA_COUNTMAP_BUSY) == was)
			return slot;
	}
	return NULL;
}

/* Take a row that is not in use, if more than @keep are left.  Return: its number, or 0. */
static u32 kma_countmap_take(struct kma_countmap *t, u32 keep)
{
	return kma_spare_take(&t->spare, keep) + 1;
}

void kma_countmap_give(struct kma_countmap *t, u32 id)
{
	kma_spare_give(&t->spare, id - 1);
}

static u32 kma_countmap_make(struct kma_countmap *t, const struct kma_countmap_info *info,
			     u32 keep)
{
	u32 *slot;
	u32 id;

	if (kma_countmap_used(t) >= t->rows - keep)
		return KMA_COUNTMAP_OTHER;
	slot = kma_countmap_claim(t, kma_countmap_hash(&info->key));
	if (!slot)
		return KMA_COUNTMAP_OTHER;
	id = kma_countmap_take(t, keep);
	if (!id) {
		/*
		 * The slot must not become FREE.  Another CPU may have put its row into a later
		 * slot in the meantime, and a search ends at a FREE slot.
		 */
		WRITE_ONCE(*slot, KMA_COUNTMAP_TOMBSTONE);
		return KMA_COUNTMAP_OTHER;
	}
	t->info[id].key = info->key;
	t->info[id].more = info->more;
	memcpy(t->info[id].text, info->text, sizeof(info->text));
	/* Pairs with the acquire in kma_countmap_info(). */
	smp_store_release(&t->info[id].ready, 1);
	/* Pairs with the acquire in kma_countmap_next(). */
	smp_store_release(slot, id);
	return id;
}

u32 kma_countmap_add(struct kma_countmap *t, const struct kma_countmap_info *info)
{
	return kma_countmap_make(t, info, t->reserve);
}

u32 kma_countmap_add_reserved(struct kma_countmap *t, const struct kma_countmap_info *info)
{
	return kma_countmap_make(t, info, 0);
}

void kma_countmap_gone(struct kma_countmap *t, const struct kma_countmap_key *key)
{
	const u32 hash = kma_countmap_hash(key);
	u32 id, i = 0;

	/* CPUs that saw the key at the same time may have made several rows. */
	while ((id = kma_countmap_next(t, key, hash, &i)) != KMA_COUNTMAP_OTHER)
		WRITE_ONCE(t->info[id].gone, 1);
}

u32 kma_countmap_first(const struct kma_countmap *t, u32 id)
{
	u32 first = READ_ONCE(t->info[id].retired) ? id :
		    kma_countmap_find(t, &t->info[id].key);

	return first == KMA_COUNTMAP_OTHER ? id : first;
}

/* Find the slot of a row.  Return: NULL if the row is not published yet, or is retired. */
static u32 *kma_countmap_slot_of(struct kma_countmap *t, u32 id)
{
	const u32 hash = kma_countmap_hash(&t->info[id].key);
	u32 i;

	for (i = 0; i < KMA_COUNTMAP_PROBES; i++)
		if (READ_ONCE(*kma_countmap_slot(t, hash, i)) == id)
			return kma_countmap_slot(t, hash, i);
	return NULL;
}

bool kma_countmap_unmap(struct kma_countmap *t, u32 id)
{
	u32 *slot;

	if (READ_ONCE(t->info[id].retired))
		return true;
	slot = kma_countmap_slot_of(t, id);
	if (!slot)
		return false;
	WRITE_ONCE(*slot, KMA_COUNTMAP_TOMBSTONE);
	return true;
}

void kma_countmap_retire(struct kma_countmap *t, u32 id, const char *name)
{
	struct kma_countmap_info *info = &t->info[id];

	if (READ_ONCE(info->retired) || !kma_countmap_unmap(t, id))
		return;
	strscpy(info->text, name, sizeof(info->text));
	WRITE_ONCE(info->retired, 1);
}

void kma_countmap_free_slots(struct kma_countmap *t)
{
	const u32 slots = t->mask + 1;
	u32 i;

	/*
	 * No search needs a tombstone in front of a free slot: the search would end at the free
	 * slot.  Go through all slots backwards, and twice, because the first follows the last.
	 *
	 * A probe may have passed this slot when the slot was in use, and may just be putting its
	 * row into the free slot after it.  Then no search finds that row, and the next event of
	 * its key makes another one, as if two CPUs had seen a new key at the same time.
	 */
	for (i = 2 * slots; i--; ) {
		if (READ_ONCE(*kma_countmap_slot(t, i, 0)) == KMA_COUNTMAP_TOMBSTONE &&
		    READ_ONCE(*kma_countmap_slot(t, i, 1)) == KMA_COUNTMAP_FREE)
			cmpxchg(kma_countmap_slot(t, i, 0), KMA_COUNTMAP_TOMBSTONE,
				KMA_COUNTMAP_FREE);
		cond_resched();
	}
}

/* ---- counters -------------------------------------------------------------- */

static atomic64_t *kma_countmap_copy(const struct kma_countmap *t, u32 copy, u32 id)
{
	return &t->shared[((u64)copy * t->rows + id) * t->counters];
}

static atomic64_t *kma_countmap_mine(const struct kma_countmap *t, u32 id)
{
	const u16 cpu = raw_smp_processor_id();

	return kma_countmap_copy(t, cpu % KMA_COUNTMAP_COPIES, id);
}

void kma_countmap_add_to(struct kma_countmap *t, u32 id, u32 counter, u64 n)
{
	if (t->local) {
		this_cpu_add(t->local[id * t->counters + counter], n);
		return;
	}
	atomic64_add(n, &kma_countmap_mine(t, id)[counter]);
}

/*
 * If the task migrates between the read and the cmpxchg, the cmpxchg compares the counter of the
 * other CPU, and the loop goes on with that counter.  The maximum may be stored in the counter of
 * either CPU.
 */
static void kma_countmap_raise_local(struct kma_countmap *t, u32 i, u64 n)
{
	u64 was;

	do {
		was = this_cpu_read(t->local[i]);
	} while (was < n && this_cpu_cmpxchg(t->local[i], was, n) != was);
}

void kma_countmap_raise(struct kma_countmap *t, u32 id, u32 counter, u64 n)
{
	atomic64_t *v;
	s64 was;

	if (t->local) {
		kma_countmap_raise_local(t, id * t->counters + counter, n);
		return;
	}
	v = &kma_countmap_mine(t, id)[counter];
	was = atomic64_read(v);

	while ((u64)was < n && !atomic64_try_cmpxchg(v, &was, n))
		;
}

void kma_countmap_merge(u32 maxima, struct kma_countmap_sum *sum,
			const struct kma_countmap_sum *more)
{
	u32 i;

	for (i = 0; i < KMA_COUNTMAP_SHARED; i++) {
		if (!(maxima >> i & 1))
			sum->v[i] += more->v[i];
		else if (sum->v[i] < more->v[i])
			sum->v[i] = more->v[i];
	}
}

static void kma_countmap_sum_shared(const struct kma_countmap *t, u32 id,
				    struct kma_countmap_sum *sum)
{
	struct kma_countmap_sum one = {};
	atomic64_t *v;
	u32 copy, i;

	for (copy = 0; copy < KMA_COUNTMAP_COPIES; copy++) {
		v = kma_countmap_copy(t, copy, id);
		for (i = 0; i < t->counters; i++)
			one.v[i] = atomic64_read(&v[i]);
		kma_countmap_merge(t->maxima, sum, &one);
	}
}

static void kma_countmap_sum_local(const struct kma_countmap *t, u32 id,
				   struct kma_countmap_sum *sum)
{
	struct kma_countmap_sum one = {};
	const u64 *v;
	int cpu;
	u32 i;

	for_each_possible_cpu(cpu) {
		v = per_cpu_ptr(t->local, cpu) + id * t->counters;
		for (i = 0; i < t->counters; i++)
			one.v[i] = READ_ONCE(v[i]);
		kma_countmap_merge(t->maxima, sum, &one);
	}
}

static void kma_countmap_sum_percpu(const struct kma_countmap *t, u32 id,
				    struct kma_countmap_sum *sum)
{
	const struct kma_countmap_row *row;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		row = per_cpu_ptr(t->row[id], cpu);
		for (i = 0; i < KMA_COUNTMAP_COUNTERS; i++)
			sum->v[i] += READ_ONCE(row->v[i]);
	}
}

static void kma_countmap_add_all(struct kma_countmap *t, u32 id,
				 const struct kma_countmap_sum *sum)
{
	const u32 counters = t->counters ?: KMA_COUNTMAP_COUNTERS;
	u32 i;

	for (i = 0; i < counters; i++) {
		if (!t->counters)
			kma_countmap_count(t, id, i, sum->v[i]);
		else if (t->maxima >> i & 1)
			kma_countmap_raise(t, id, i, sum->v[i]);
		else
			kma_countmap_add_to(t, id, i, sum->v[i]);
	}
}

static void kma_countmap_zero(struct kma_countmap *t, u32 id)
{
	int cpu;
	u32 i;

	for (i = 0; t->shared && i < KMA_COUNTMAP_COPIES; i++)
		memset(kma_countmap_copy(t, i, id), 0, t->counters * sizeof(t->shared[0]));
	for_each_possible_cpu(cpu) {
		if (t->local)
			memset(per_cpu_ptr(t->local, cpu) + id * t->counters, 0,
			       t->counters * sizeof(u64));
		else if (!t->shared)
			memset(per_cpu_ptr(t->row[id], cpu), 0, sizeof(struct kma_countmap_row));
	}
}

void kma_countmap_move(struct kma_countmap *t, u32 from, u32 to)
{
	struct kma_countmap_sum sum = {};

	kma_countmap_sum(t, from, &sum);
	kma_countmap_add_all(t, to, &sum);
	kma_countmap_zero(t, from);
}

void kma_countmap_sum(const struct kma_countmap *t, u32 id, struct kma_countmap_sum *sum)
{
	if (t->shared)
		kma_countmap_sum_shared(t, id, sum);
	else if (t->local)
		kma_countmap_sum_local(t, id, sum);
	else
		kma_countmap_sum_percpu(t, id, sum);
}
