// SPDX-License-Identifier: GPL-2.0
/*
 * Several threads at once, each a CPU, under the thread sanitizer.
 *
 * Addresses are owned by one thread at a time, as by an allocator: to be had
 * from a slot by an exchange, and put back there.  Nothing else orders the
 * threads, so that the sanitizer sees what the core itself does.  A reader
 * copies entries and sums meanwhile and checks what must always hold of them.
 * When all is quiet everything is compared with the threads' accounts.
 *
 *   stress [SEED]
 */
#include <pthread.h>
#include <stdlib.h>

#include "case.h"
#include "model.h"

#define KMA_OBJECTS	3000
#define KMA_OWN		60	/* of a thread alone, for its own cache */
#define KMA_SITES	100
#define KMA_SHARED	12	/* caches; the others are each one thread's */

static u64 kma_seed = 1;

static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object kma_object[KMA_OBJECTS];
static struct kma_object *kma_slot[KMA_OBJECTS];
static int kma_running;

struct kma_worker {
	pthread_t thread;
	struct kma_model model;
	struct kma_object *own;
	int cpu;
	u32 events;
	u64 random;
};

/* ---- CPUs ------------------------------------------------------------------ */

/* The site says which life of which address it is, for the reader to check. */
static u32 kma_site(unsigned long ptr, u32 time)
{
	return kma_mix(ptr + time) % KMA_SITES;
}

static void kma_worker_alloc(struct kma_worker *w, struct kma_object *o, u32 cache)
{
	u32 site = kma_site(o->ptr, kma_env.now + 1);

	/* Of a kmem_cache, which tells no bytes in either case. */
	if (cache >= KMA_MODEL_KMALLOCS && kma_random_below(&w->random, 2))
		kma_model_bulk(&w->model, o, site, cache);
	else
		kma_model_alloc(&w->model, o, site, cache);
}

/* Somebody's object becomes ours, something happens to it, and it goes back. */
static void kma_worker_shared(struct kma_worker *w)
{
	struct kma_object **slot = &kma_slot[kma_random_below(&w->random, KMA_OBJECTS)];
	struct kma_object *o = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQUIRE);

	if (!o)
		return;
	if (kma_random_below(&w->random, 2))
		kma_worker_alloc(w, o, kma_random_below(&w->random, KMA_SHARED));
	else
		kma_model_free(&w->model, o);
	__atomic_store_n(slot, o, __ATOMIC_RELEASE);
}

/* A kmem_cache of this CPU alone lives and dies, and comes again. */
static void kma_worker_own_cache(struct kma_worker *w)
{
	u32 i, cache = KMA_SHARED + w->cpu;

	for (i = 0; i < KMA_OWN; i++)
		kma_worker_alloc(w, &w->own[i], cache);
	for (i = 0; i < KMA_OWN; i++)
		kma_model_free(&w->model, &w->own[i]);
	kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, cache));
}

static void *kma_worker_main(void *arg)
{
	struct kma_worker *w = arg;
	u32 i;

	kma_env.cpu = w->cpu;
	kma_env.now = w->cpu << 28;
	for (i = 0; i < w->events; i++) {
		kma_worker_shared(w);
		if (i % 1000 == 500)
			kma_worker_own_cache(w);
	}
	return NULL;
}

/* ---- the reader ------------------------------------------------------------ */

static u64 kma_copies;

/* Whether all of an entry is of one life of that address. */
static bool kma_copy_is_whole(unsigned long ptr, const struct kma_entry *e)
{
	long row = kma_model_row_of(&kma_model, e->row);
	u32 site = row / KMA_MODEL_CACHES;
	struct kma_entry want;

	if (row < 0)
		return false;
	want = kma_model_entry(ptr, row % KMA_MODEL_CACHES, e->time);
	return e->bytes_req == want.bytes_req && e->tgid == want.tgid &&
	       e->cpu == e->time >> 28 &&
	       (site == KMA_SITES || site == kma_site(ptr, e->time));
}

static const char *kma_read_bucket(const struct kma_bucket *b)
{
	struct kma_entry e;
	unsigned long ptr;
	int slot;

	for (slot = 0; slot < KMA_SLOTS; slot++) {
		ptr = kma_objtab_read(b, slot, &e);
		kma_copies += !!ptr;
		if (ptr && !kma_copy_is_whole(ptr, &e))
			return "the reader accepted a copy of two entries";
	}
	return NULL;
}

static const char *kma_read_objects(void)
{
	const char *why = NULL;
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&kma_core.obj) && !why; i++)
		why = kma_read_bucket(kma_objtab_bucket(&kma_core.obj, i));
	return why;
}

static const char *kma_read_rows(void)
{
	struct kma_row sum;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		if (sum.frees + sum.repaired + sum.no_entry > sum.hits + sum.bulk)
			return "the reader saw more frees than allocations";
	}
	return NULL;
}

static void *kma_reader_main(void *arg)
{
	const char **why = arg;

	while (!*why && __atomic_load_n(&kma_running, __ATOMIC_RELAXED)) {
		*why = kma_read_objects();
		if (!*why)
			*why = kma_read_rows();
	}
	return NULL;
}

/* ---- rounds ---------------------------------------------------------------- */

static void kma_workers_run(struct kma_worker *w, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		pthread_create(&w[i].thread, NULL, kma_worker_main, &w[i]);
	for (i = 0; i < nr; i++)
		pthread_join(w[i].thread, NULL);
}

static const char *kma_round(int nr, u32 live_max, u32 sites_max, u32 events)
{
	struct kma_worker w[KMA_ENV_CPUS] = {};
	const char *why = NULL;
	pthread_t reader;
	u32 i;

	if (kma_core_init(&kma_core, live_max, sites_max, nr))
		abort();
	kma_model_reset(&kma_model);
	for (i = 0; i < KMA_OBJECTS - nr * KMA_OWN; i++)
		kma_slot[i] = &kma_object[i];
	for (i = 0; i < (u32)nr; i++) {
		kma_model_fork(&w[i].model, &kma_model);
		w[i].own = &kma_object[KMA_OBJECTS - (i + 1) * KMA_OWN];
		w[i].cpu = i;
		w[i].events = events;
		w[i].random = kma_mix(kma_seed++);
	}
	kma_running = 1;
	pthread_create(&reader, NULL, kma_reader_main, &why);
	kma_workers_run(w, nr);
	__atomic_store_n(&kma_running, 0, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	for (i = 0; i < (u32)nr; i++)
		kma_model_join(&kma_model, &w[i].model);
	if (!why)
		why = kma_model_check(&kma_model);
	memset(kma_slot, 0, sizeof(kma_slot));
	kma_core_destroy(&kma_core);
	return why;
}

/* Many short rounds for what happens at first sight, and a long one. */
static void kma_rounds(int nr, u32 live_max, u32 sites_max)
{
	int i;

	for (i = 0; i < 30; i++)
		kma_expect_ok(kma_round(nr, live_max, sites_max, 1100));
	kma_expect_ok(kma_round(nr, live_max, sites_max, 150000 / nr));
}

static void kma_two_cpus(void)
{
	kma_rounds(2, KMA_OBJECTS, 4000);
}

static void kma_four_cpus(void)
{
	kma_rounds(4, KMA_OBJECTS, 4000);
}

static void kma_two_cpus_without_room(void)
{
	kma_rounds(2, 8, KMA_SITES_MIN);
}

static void kma_four_cpus_without_room(void)
{
	kma_rounds(4, 8, KMA_SITES_MIN);
}

/* ---- one address ----------------------------------------------------------- */

static void *kma_one_address_main(void *arg)
{
	const char **why = arg;

	while (!*why && __atomic_load_n(&kma_running, __ATOMIC_RELAXED))
		*why = kma_read_bucket(kma_objtab_home(&kma_core.obj, kma_object[0].ptr));
	return NULL;
}

/* Life after life in one slot, which only the generation tells apart. */
static void kma_one_address(void)
{
	struct kma_worker w = { .events = 0 };
	const char *why = NULL;
	pthread_t reader;
	u32 i;

	if (kma_core_init(&kma_core, 8, 4000, 1))
		abort();
	kma_model_reset(&kma_model);
	kma_model_fork(&w.model, &kma_model);
	kma_env.now = 0;
	kma_running = 1;
	pthread_create(&reader, NULL, kma_one_address_main, &why);
	for (i = 0; i < 1000000; i++)
		kma_worker_alloc(&w, &kma_object[0], i % KMA_SHARED);
	__atomic_store_n(&kma_running, 0, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	kma_model_join(&kma_model, &w.model);
	kma_expect_ok(why);
	kma_expect_ok(kma_model_check(&kma_model));
	kma_core_destroy(&kma_core);
}

/* ---- new caches ------------------------------------------------------------ */

#define KMA_NEW_CACHES	200

/* Each has a number of its own, and is described when the number is known. */
static void *kma_new_caches_main(void *arg)
{
	struct kma_cachetab *t = &kma_core.sites.caches;
	const char **why = arg;
	u32 i;
	int id;

	for (i = 1; i <= KMA_NEW_CACHES; i++) {
		id = kma_cachetab_get(t, 8 * i);
		/* Pairs with the release in kma_cachetab_create(). */
		if (id < 0 || !smp_load_acquire(&t->info[id].ready) ||
		    t->info[id].size != 8 * i)
			*why = "a cache has a wrong number";
	}
	return NULL;
}

static void kma_new_caches(void)
{
	const char *why[KMA_ENV_CPUS] = {};
	pthread_t thread[KMA_ENV_CPUS];
	u32 round, i;

	for (round = 0; round < 100; round++) {
		if (kma_core_init(&kma_core, 8, KMA_SITES_MIN, KMA_ENV_CPUS))
			abort();
		for (i = 0; i < KMA_ENV_CPUS; i++)
			pthread_create(&thread[i], NULL, kma_new_caches_main, &why[i]);
		for (i = 0; i < KMA_ENV_CPUS; i++)
			pthread_join(thread[i], NULL);
		for (i = 0; i < KMA_ENV_CPUS; i++)
			kma_expect_ok(why[i]);
		kma_core_destroy(&kma_core);
	}
}

static const struct kma_case kma_cases[] = {
	{ "new caches at once", kma_new_caches },
	{ "one address, life after life", kma_one_address },
	{ "two CPUs at once", kma_two_cpus },
	{ "four CPUs at once", kma_four_cpus },
	{ "two CPUs, all tables full", kma_two_cpus_without_room },
	{ "four CPUs, all tables full", kma_four_cpus_without_room },
};

int main(int argc, char **argv)
{
	int failed;
	u32 i;

	if (argc > 1)
		kma_seed = strtoull(argv[1], NULL, 0);
	printf("seed %llu\n", kma_seed);
	for (i = 0; i < KMA_OBJECTS; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, KMA_SITES, kma_object, KMA_OBJECTS);
	failed = kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
	printf("%llu copies accepted by the reader\n", kma_copies);
	kma_model_destroy(&kma_model);
	return !!failed;
}
