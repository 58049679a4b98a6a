// SPDX-License-Identifier: GPL-2.0
/*
 * The core, one event after the other, under the address sanitizer and the one
 * for undefined behaviour.  The events' CPU changes from one to the next.
 *
 *   unit [SEED]
 */
#include <stdlib.h>

#include "case.h"
#include "model.h"

static u64 kma_seed = 1;
static u64 kma_random_state;
static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object *kma_object;

static u32 kma_below(u32 n)
{
	return kma_random_below(&kma_random_state, n);
}

/* ---- the live table alone -------------------------------------------------- */

static bool kma_put_is(struct kma_objtab *t, unsigned long ptr, u32 time,
		       enum kma_put expected)
{
	const struct kma_entry e = kma_model_entry(ptr, 0, time);
	struct kma_entry old;

	return kma_objtab_put(t, ptr, &e, &old) == expected;
}

static bool kma_take_is(struct kma_objtab *t, unsigned long ptr, u32 time)
{
	const struct kma_entry want = kma_model_entry(ptr, 0, time);
	struct kma_entry e;

	return kma_objtab_take(t, ptr, &e) && e.time == want.time &&
	       e.bytes_req == want.bytes_req && e.tgid == want.tgid;
}

/* Nobody's key in all slots but those of one bucket. */
static void kma_occupy(struct kma_objtab *t, const struct kma_bucket *but)
{
	struct kma_bucket *b;
	int slot;
	u64 i;

	for (i = 0; i < kma_objtab_buckets(t); i++) {
		b = kma_objtab_bucket(t, i);
		for (slot = 0; slot < KMA_SLOTS; slot++)
			b->key[slot] = b == but ? 0 : KMA_BUSY;
	}
}

/* All buckets but one have no room: the object goes there, if it can. */
static void kma_put_there(struct kma_objtab *t, unsigned long ptr,
			  struct kma_bucket *b, bool seen[KMA_DEPTHS + 1])
{
	struct kma_bucket *home = kma_objtab_home(t, ptr);
	int depth;
	u64 mark;

	kma_occupy(t, b);
	if (kma_put_is(t, ptr, 1, KMA_PUT_FULL))
		return;
	kma_expect(b->key[0] == ptr);
	depth = b->entry[0].depth;
	mark = depth ? 1ULL << 4 * (depth - 1) : 0;
	kma_expect((u64)atomic64_read(&home->spilled) == mark);
	seen[depth] = true;

	kma_expect(kma_put_is(t, ptr, 2, KMA_PUT_REPLACED));
	kma_expect((u64)atomic64_read(&home->spilled) == mark);
	kma_expect(kma_take_is(t, ptr, 2));
	kma_expect(!b->key[0] && !atomic64_read(&home->spilled));
}

static void kma_spills_at_every_depth(void)
{
	bool seen[KMA_DEPTHS + 1] = {};
	struct kma_objtab t;
	int depth;
	u64 i;

	if (kma_objtab_init(&t, 100, 2))
		abort();
	/* Two depths of one address may name one bucket: several addresses. */
	for (i = 0; i < 8 * kma_objtab_buckets(&t); i++)
		kma_put_there(&t, KMA_MODEL_PTR + i % 8 * 4096,
			      kma_objtab_bucket(&t, i / 8), seen);
	for (depth = 0; depth <= KMA_DEPTHS; depth++)
		kma_expect(seen[depth]);
	kma_objtab_destroy(&t);
}

/* Objects of one home until it takes no more: all marks are at their end. */
static void kma_fill_marks(u64 live_max)
{
	const u32 most = KMA_SLOTS + 15 * KMA_DEPTHS;
	static unsigned long ptr[KMA_SLOTS + 15 * KMA_DEPTHS + 100];
	struct kma_bucket *home;
	struct kma_entry e, old;
	struct kma_objtab t;
	u32 i, in = 0;

	if (kma_objtab_init(&t, live_max, 1))
		abort();
	home = kma_objtab_home(&t, KMA_MODEL_PTR);
	for (i = 0, ptr[0] = KMA_MODEL_PTR; i < ARRAY_SIZE(ptr); ) {
		e = kma_model_entry(ptr[i], 0, i);
		in += kma_objtab_put(&t, ptr[i], &e, &old) == KMA_PUT_NEW;
		if (++i < ARRAY_SIZE(ptr))
			for (ptr[i] = ptr[i - 1] + 8;
			     kma_objtab_home(&t, ptr[i]) != home; ptr[i] += 8)
				;
	}
	kma_expect(in == most);
	kma_expect((u64)atomic64_read(&home->spilled) == U64_MAX);
	/* The last ones first: they went deep because the first marks were full. */
	for (i = ARRAY_SIZE(ptr); i > 0; i--)
		in -= kma_objtab_take(&t, ptr[i - 1], &e);
	kma_expect(!in && !atomic64_read(&home->spilled));
	kma_objtab_destroy(&t);
}

/* In a table of few buckets two depths often name the same one. */
static void kma_marks_fill_up(void)
{
	kma_fill_marks(4000);
	kma_fill_marks(50);
}

/* ---- live_max is a promise ------------------------------------------------- */

#define KMA_MIX		0	/* a size of the list for each slab in turn */

static const u32 kma_sizes[] = {
	8, 16, 24, 32, 40, 64, 96, 104, 128, 192, 216, 256, 320, 512, 704, 1024,
	1088, 2048, 4096, 8192,
};

/* A permutation of the numbers below 2^28: no two slabs are in one place. */
static u64 kma_slab_place(u32 slab)
{
	const u32 mask = (1U << 28) - 1;

	slab = (slab + (u32)kma_seed) * 2654435761U & mask;
	slab ^= slab >> 14;
	slab = slab * 0x2c1b3c6dU & mask;
	return slab ^ slab >> 14;
}

/* Addresses of whole slabs of objects of one size, each slab at a random place. */
static void kma_slabs(unsigned long *ptr, u32 nr, u32 size)
{
	u32 i = 0, slab = 0, one, bytes, at;
	u64 place;

	while (i < nr) {
		one = size != KMA_MIX ? size : kma_sizes[slab % ARRAY_SIZE(kma_sizes)];
		bytes = roundup_pow_of_two(16 * one);
		bytes = bytes < 4096 ? 4096 : bytes > 32768 ? 32768 : bytes;
		place = kma_slab_place(slab++);
		for (at = 0; at + one <= bytes && i < nr; at += one)
			ptr[i++] = KMA_MODEL_PTR + (place << 15) + at;
	}
}

static const char *kma_promise(u32 live_max, u32 shards, u32 size)
{
	unsigned long *ptr = calloc(live_max, sizeof(*ptr));
	const char *why = NULL;
	struct kma_objtab t;
	u32 i;

	if (!ptr || kma_objtab_init(&t, live_max, shards))
		abort();
	kma_slabs(ptr, live_max, size);
	for (i = 0; i < live_max && !why; i++)
		if (!kma_put_is(&t, ptr[i], i, KMA_PUT_NEW))
			why = "refused an object, or knew it already";
	for (i = 0; i < live_max && !why; i++)
		if (!kma_take_is(&t, ptr[i], i))
			why = "lost an object";
	kma_objtab_destroy(&t);
	free(ptr);
	return why;
}

static void kma_keeps_its_promise(void)
{
	static const u32 live_max[] = { 100, 1000, 4096, 65536 };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(live_max); i++) {
		for (k = 0; k < ARRAY_SIZE(kma_sizes); k++)
			kma_expect_ok(kma_promise(live_max[i], 1 + k % 7, kma_sizes[k]));
		for (k = 1; k < 8; k++)
			kma_expect_ok(kma_promise(live_max[i], k, KMA_MIX));
	}
}

/* ---- events against the model ---------------------------------------------- */

static void kma_setup(u64 live_max, u32 sites_max, u32 nr_sites, u32 nr_objects)
{
	u32 i;

	kma_object = calloc(nr_objects, sizeof(*kma_object));
	if (!kma_object || kma_core_init(&kma_core, live_max, sites_max, KMA_ENV_CPUS))
		abort();
	for (i = 0; i < nr_objects; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, nr_sites, kma_object, nr_objects);
	kma_model_reset(&kma_model);
}

static void kma_teardown(void)
{
	kma_model_destroy(&kma_model);
	kma_core_destroy(&kma_core);
	free(kma_object);
}

/* All are asked of a random object, whether it is live or not. */
static void kma_events(u32 nr, u32 nr_caches)
{
	struct kma_object *o;
	u32 what, site;

	for (; nr; nr--) {
		kma_env.cpu = kma_below(KMA_ENV_CPUS);
		o = &kma_object[kma_below(kma_model.nr_objects)];
		what = kma_below(4);
		site = kma_below(kma_model.nr_sites);
		if (!what)
			kma_model_free(&kma_model, o);
		else if (what == 1)
			kma_model_bulk(&kma_model, o, site, kma_below(nr_caches));
		else
			kma_model_alloc(&kma_model, o, site, kma_below(nr_caches));
	}
}

static u64 kma_stat(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

#define kma_stat_now(name) kma_stat(KMA_STAT_##name)

/* Comparing takes long: now and then. */
static void kma_agree(u32 events, u32 nr_caches)
{
	int i;

	for (i = 0; i < 10; i++) {
		kma_events(events / 10, nr_caches);
		kma_expect_ok(kma_model_check(&kma_model));
	}
}

static void kma_agrees_with_room(void)
{
	kma_setup(8000, 1000, 60, 8000);
	kma_agree(1000000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(replaced) > 1000 && kma_stat_now(spill_in) > 1000);
	kma_expect(!kma_stat_now(dropped_live_full) && !kma_stat_now(other_sites));
	kma_teardown();
}

static void kma_agrees_without_slots(void)
{
	kma_setup(8, 1000, 60, 8000);
	kma_agree(300000, 4);
	kma_expect(kma_stat_now(dropped_live_full) > 1000);
	kma_teardown();
}

static void kma_agrees_without_rows(void)
{
	kma_setup(3000, KMA_SITES_MIN, 300, 3000);
	kma_agree(300000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(other_sites) > 1000);
	kma_expect(atomic_read(&kma_core.sites.used) == KMA_SITES_MIN);
	kma_teardown();
}

/* All numbers but two are given before the first event. */
static void kma_agrees_without_caches(void)
{
	u32 i;

	kma_setup(3000, 1000, 60, 3000);
	for (i = 2; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&kma_core.sites.caches, 100000 + i) >= 0);
	kma_agree(100000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(dropped_caches_full) > 1000);
	kma_expect(kma_cachetab_used(&kma_core.sites.caches) == KMA_CACHES_MAX);
	kma_teardown();
}

static void kma_agrees_with_inner_sites(void)
{
	kma_setup(3000, 1000, 60, 3000);
	kma_core.sites.inner[0] = KMA_MODEL_SITE + 16 * 7;
	kma_core.sites.inner[1] = KMA_MODEL_SITE + 16 * 11;
	kma_core.sites.nr_inner = 2;
	kma_agree(100000, KMA_MODEL_CACHES);
	kma_expect(kma_stat_now(double_fired) > 1000);
	kma_teardown();
}

/* ---- what goes away -------------------------------------------------------- */

static void kma_free_all_of(u32 cache)
{
	u32 i;

	for (i = 0; i < kma_model.nr_objects; i++)
		if (kma_object[i].live && kma_object[i].cache == cache)
			kma_model_free(&kma_model, &kma_object[i]);
}

static u32 kma_one_kmem_cache(void)
{
	return KMA_MODEL_KMALLOCS + kma_below(KMA_MODEL_CACHES - KMA_MODEL_KMALLOCS);
}

/* The caches of one name are one in the model, so what moves is the name. */
static void kma_swap_caches(u32 a, u32 b)
{
	struct kma_env_cache c = kma_model.cache[a];

	kma_model.cache[a] = kma_model.cache[b];
	kma_model.cache[b] = c;
}

static void kma_swap_rows(u32 a, u32 b)
{
	struct kma_row *row = kma_model.row, c;
	u32 site;

	for (site = 0; site <= kma_model.nr_sites; site++, row += KMA_MODEL_CACHES) {
		c = row[a];
		row[a] = row[b];
		row[b] = c;
	}
}

/*
 * Two kmem_caches die, and come again at each other's address; rows are used
 * again, so that 64 sites and 16 caches never need more rows than pairs.
 */
static void kma_agrees_while_caches_die(void)
{
	u32 round, a, b;

	kma_setup(1000, 64 * KMA_MODEL_CACHES, 64, 1000);
	for (round = 0; round < 100; round++) {
		kma_events(10000, KMA_MODEL_CACHES);
		a = kma_one_kmem_cache();
		b = kma_one_kmem_cache();
		kma_free_all_of(a);
		kma_free_all_of(b);
		kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, a));
		kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, b));
		kma_swap_caches(a, b);
		kma_swap_rows(a, b);
		kma_expect_ok(kma_model_check(&kma_model));
	}
	kma_expect(!kma_stat_now(other_sites) && !kma_stat_now(dropped_live_full));
	kma_expect(kma_cachetab_used(&kma_core.sites.caches) == KMA_MODEL_CACHES);
	kma_teardown();
}

/* New code at the same address: the old row keeps what it has. */
static void kma_retires_sites(void)
{
	struct kma_row sum;
	u32 id, first;

	kma_setup(100, KMA_SITES_MIN, 4, 100);
	kma_model_alloc(&kma_model, &kma_object[0], 1, 0);
	first = kma_sitetab_get(&kma_core.sites, KMA_MODEL_SITE + 16, 64)->id;
	for (id = first; id + 1 < KMA_SITES_MIN; id++) {
		kma_sitetab_retire(&kma_core.sites, id);
		kma_model_alloc(&kma_model, &kma_object[id + 1 - first], 1, 0);
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		kma_expect(sum.hits == 1);
		kma_sitetab_sum(&kma_core.sites, id + 1, &sum);
		kma_expect(sum.hits == 1);
	}
	kma_expect((u32)atomic_read(&kma_core.sites.retired) == id - first);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_expect(!kma_stat_now(other_sites));
	/* And now there is none left for another one. */
	kma_sitetab_retire(&kma_core.sites, id);
	kma_model_alloc(&kma_model, &kma_object[99], 1, 0);
	kma_expect(kma_stat_now(other_sites) == 1);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_teardown();
}

/* ---- memory ---------------------------------------------------------------- */

/* The leak sanitizer looks for what is left. */
static void kma_stands_without_memory(void)
{
	int i = 0, ret;

	do {
		kma_env_fail_at = ++i;
		ret = kma_core_init(&kma_core, 100, KMA_SITES_MIN, KMA_ENV_CPUS);
		kma_expect(ret == (kma_env_fail_at ? 0 : -ENOMEM));
		kma_core_destroy(&kma_core);
	} while (ret);
	kma_env_fail_at = 0;
	kma_expect(i > 10);
	memset(&kma_core, 0, sizeof(kma_core));
	kma_core_destroy(&kma_core);
}

static const struct kma_case kma_cases[] = {
	{ "objects spill at every depth", kma_spills_at_every_depth },
	{ "marks fill up and do not overflow", kma_marks_fill_up },
	{ "live_max is a promise", kma_keeps_its_promise },
	{ "a million events agree with the model", kma_agrees_with_room },
	{ "they do when the live table is full", kma_agrees_without_slots },
	{ "they do when the site table is full", kma_agrees_without_rows },
	{ "they do when the cache table is full", kma_agrees_without_caches },
	{ "they do with double-fired events", kma_agrees_with_inner_sites },
	{ "they do while caches die and come again", kma_agrees_while_caches_die },
	{ "a site that goes away leaves its counters", kma_retires_sites },
	{ "memory that is refused", kma_stands_without_memory },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		kma_seed = strtoull(argv[1], NULL, 0);
	kma_random_state = kma_seed;
	printf("seed %llu\n", kma_seed);
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
