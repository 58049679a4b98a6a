// SPDX-License-Identifier: GPL-2.0
/*
 * Several threads use the core at the same time, each as a CPU, under the thread sanitizer.
 *
 * As with an allocator, an address belongs to one thread at a time.  A thread takes it from
 * a slot by an atomic exchange, and puts it back there.  Nothing else orders the threads, so
 * the sanitizer checks the ordering of the core itself.  A reader copies entries and sums
 * meanwhile, and checks conditions that always hold.  At the end, all is compared with the
 * models of the threads.
 *
 * The tests that switch sampling on and off have no model of each event.  They check that all
 * sums are exact, and that no entry is left once all objects are freed.
 *
 *   stress [SEED]
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "model.h"

#define KMA_OBJECTS	3000
#define KMA_OWN		60	/* objects of each thread's own cache */
#define KMA_PFNS	16
#define KMA_SITES	100
#define KMA_SHARED	12	/* caches of all threads; each further cache is of one thread */

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
	u64 passed;		/* events that have ended; at the end, more than any number */
	u64 random;
};

/* Held while rows are read or recycled. */
static pthread_mutex_t kma_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- CPUs ------------------------------------------------------------------ */

/* The site depends on address and time, so that the reader can check the whole entry. */
static u32 kma_site(unsigned long ptr, u32 time)
{
	return kma_mix(ptr + time) % KMA_SITES;
}

static void kma_worker_alloc(struct kma_worker *w, struct kma_object *o, u32 cache)
{
	u32 site = kma_site(o->ptr, kma_env.now + 1);

	/* Allocate in bulk only from a kmem_cache: bytes_req is then 0 in both cases. */
	if (cache >= KMA_MODEL_KMALLOCS && kma_random_below(&w->random, 2))
		kma_model_bulk(&w->model, o, site, cache);
	else
		kma_model_alloc(&w->model, o, site, cache);
}

/* Take an object from its slot, allocate or free it, and put it back. */
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

/*
 * A kmem_cache of this CPU alone is used, destroyed, and later created again.  Its objects
 * are on a page of their own.  Some are freed without an event, before their page is freed.
 */
static void kma_worker_own_cache(struct kma_worker *w)
{
	u32 i, cache = KMA_SHARED + w->cpu;

	for (i = 0; i < KMA_OWN; i++)
		kma_worker_alloc(w, &w->own[i], cache);
	for (i = 0; i < KMA_OWN; i++)
		if (kma_random_below(&w->random, 4))
			kma_model_free(&w->model, &w->own[i]);
	kma_model_pages_free(&w->model, w->own[0].ptr & -KMA_PAGE_SIZE, 0);
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
		__atomic_store_n(&w->passed, i + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&w->passed, U64_MAX, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- recycling ------------------------------------------------------------- */

static struct kma_worker *kma_workers;
static int kma_nr_workers;
static u64 kma_recycled;

/*
 * Wait until each worker has ended the event that it is in now.  A worker may begin its next event
 * before this thread sees that the last one has ended, so wait for the end of two.
 */
static void kma_wait_for_workers(void)
{
	u64 *passed, before;
	int i;

	for (i = 0; i < kma_nr_workers; i++) {
		passed = &kma_workers[i].passed;
		before = __atomic_load_n(passed, __ATOMIC_ACQUIRE);
		while (before != U64_MAX &&
		       __atomic_load_n(passed, __ATOMIC_ACQUIRE) < before + 2)
			sched_yield();
	}
}

static void *kma_recycler_main(void *unused)
{
	(void)unused;
	kma_env_wait = kma_wait_for_workers;
	while (__atomic_load_n(&kma_running, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&kma_lock);
		kma_recycled += kma_model_recycle(&kma_model);
		pthread_mutex_unlock(&kma_lock);
		sched_yield();
	}
	return NULL;
}

/* ---- the reader ------------------------------------------------------------ */

static u64 kma_copies;

/* Whether all members of an entry belong to one allocation of the address. */
static bool kma_copy_is_whole(unsigned long ptr, const struct kma_entry *e)
{
	long row = kma_model_row_of(&kma_model, e->row);
	u32 site = row / KMA_MODEL_CACHES;
	struct kma_entry want;

	if (row < 0)
		return false;
	want = kma_model_entry(ptr, row % KMA_MODEL_CACHES, e->time);
	return e->bytes_req == want.bytes_req &&
	       kma_entry_tgid(e) == kma_model_tgid(want.tgid_depth) &&
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
		pthread_mutex_lock(&kma_lock);
		*why = kma_read_objects();
		if (!*why)
			*why = kma_read_rows();
		pthread_mutex_unlock(&kma_lock);
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
	pthread_t reader, recycler;
	u32 i;

	if (kma_core_init(&kma_core, live_max, sites_max, KMA_PFNS))
		abort();
	kma_model_reset(&kma_model);
	kma_workers = w;
	kma_nr_workers = nr;
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
	pthread_create(&recycler, NULL, kma_recycler_main, NULL);
	kma_workers_run(w, nr);
	__atomic_store_n(&kma_running, 0, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	pthread_join(recycler, NULL);
	for (i = 0; i < (u32)nr; i++)
		kma_model_join(&kma_model, &w[i].model);
	if (!why)
		why = kma_model_check(&kma_model);
	memset(kma_slot, 0, sizeof(kma_slot));
	kma_core_destroy(&kma_core);
	return why;
}

/* Many short rounds, because new sites and caches are most frequent at first, and a long one. */
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

/* One address is allocated again and again: only the slot's generation tells entries apart. */
static void kma_one_address(void)
{
	struct kma_worker w = { .events = 0 };
	const char *why = NULL;
	pthread_t reader;
	u32 i;

	if (kma_core_init(&kma_core, 8, 4000, KMA_PFNS))
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

/* Each cache gets one number, and its description is complete when the number is returned. */
static void *kma_new_caches_main(void *arg)
{
	struct kma_cachetab *t = &kma_core.sites.caches;
	const char **why = arg;
	u32 i;
	int id;

	for (i = 1; i <= KMA_NEW_CACHES; i++) {
		id = kma_cachetab_get(t, 8 * i);
		if (id < 0 || kma_cachetab_state(t, id) != KMA_CACHE_LIVE ||
		    t->info[id].size != 8 * i)
			*why = "a cache has a wrong number";
	}
	return NULL;
}

static void kma_new_caches(void)
{
	const char *why[KMA_ENV_CPUS] = {};
	struct kma_cachetab *t = &kma_core.sites.caches;
	pthread_t thread[KMA_ENV_CPUS];
	u32 round, i, used;

	for (round = 0; round < 100; round++) {
		if (kma_core_init(&kma_core, 8, KMA_SITES_MIN, KMA_PFNS))
			abort();
		for (i = 0; i < KMA_ENV_CPUS; i++)
			pthread_create(&thread[i], NULL, kma_new_caches_main, &why[i]);
		for (i = 0; i < KMA_ENV_CPUS; i++)
			pthread_join(thread[i], NULL);
		for (i = 0; i < KMA_ENV_CPUS; i++)
			kma_expect_ok(why[i]);
		/* A cache may have several numbers, but now all look-ups return the same one. */
		used = kma_cachetab_used(t);
		kma_expect(used >= KMA_NEW_CACHES && used <= KMA_ENV_CPUS * KMA_NEW_CACHES);
		for (i = 1; i <= KMA_NEW_CACHES; i++)
			kma_expect(kma_cachetab_get(t, 8 * i) == kma_cachetab_get(t, 8 * i));
		kma_expect(kma_cachetab_used(t) == used);
		kma_core_destroy(&kma_core);
	}
}

/* ---- one object ------------------------------------------------------------ */

#define KMA_RACES	10000

static u32 kma_met;

/* Wait until all threads have called this @times times. */
static void kma_meet(u32 times)
{
	__atomic_fetch_add(&kma_met, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&kma_met, __ATOMIC_ACQUIRE) < times * KMA_ENV_CPUS)
		sched_yield();
}

static void *kma_one_object_main(void *cpu)
{
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE, .ptr = KMA_MODEL_PTR, .cache = 64, .kmalloc = true,
		.bytes_req = 60, .node = NUMA_NO_NODE,
	};
	u32 round;

	kma_env.cpu = (uintptr_t)cpu;
	for (round = 0; round < KMA_RACES; round++) {
		if (!cpu)
			kma_record_alloc(&kma_core, &ev);
		kma_meet(2 * round + 1);
		/* As if traced late: only then may another CPU remove the entry, too. */
		kma_record_free(&kma_core, ev.ptr, false);
		kma_meet(2 * round + 2);
	}
	return NULL;
}

/* All CPUs free the same object at the same time: exactly one of them finds it. */
static void kma_one_object(void)
{
	pthread_t thread[KMA_ENV_CPUS];
	struct kma_stats stats;
	struct kma_row sum;
	uintptr_t i;

	if (kma_core_init(&kma_core, 8, KMA_SITES_MIN, KMA_PFNS))
		abort();
	kma_model_reset(&kma_model);
	kma_met = 0;
	for (i = 0; i < KMA_ENV_CPUS; i++)
		pthread_create(&thread[i], NULL, kma_one_object_main, (void *)i);
	for (i = 0; i < KMA_ENV_CPUS; i++)
		pthread_join(thread[i], NULL);
	kma_sitetab_sum(&kma_core.sites, 0, &sum);
	kma_stats_sum(&stats);
	kma_expect(sum.hits == KMA_RACES && sum.frees == KMA_RACES);
	kma_expect(stats.v[KMA_STAT_free_unmatched] == KMA_RACES * (KMA_ENV_CPUS - 1));
	kma_core_destroy(&kma_core);
}

/* ---- sampling on and off ----------------------------------------------------- */

#define KMA_SWITCHES	100
#define KMA_PASSED	200000	/* loops of the first thread, if nothing is switched */
#define KMA_SAMPLED_BYTES	2048	/* about half of N: only some objects are sampled */

/* Stand for the static keys of module/sampling.c. */
static int kma_allocs_sampled, kma_frees_filtered;

/**
 * struct kma_passer - a thread that allocates and frees, with or without sampling
 * @thread: the thread
 * @cpu: its CPU
 * @random: state of its random numbers
 * @passed: number of loops; once it has increased by two, the thread has seen all
 *	switches that were changed before
 * @allocs: number of allocations
 * @frees: number of frees
 */
struct kma_passer {
	pthread_t thread;
	int cpu;
	u64 random;
	u64 passed;
	u64 allocs;
	u64 frees;
};

static void kma_pass_alloc(struct kma_passer *p, struct kma_object *o)
{
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + kma_random_below(&p->random, 8),
		.ptr = o->ptr,
		.cache = KMA_SAMPLED_BYTES,
		.kmalloc = true,
		.bytes_req = 1,
		.node = NUMA_NO_NODE,
	};

	kma_env.stack = KMA_MODEL_SITE + kma_random_below(&p->random, 3);
	/*
	 * Pairs with the release in kma_switch().  Like a static key: a thread that sees the
	 * key set also sees all stores from before it was set.
	 */
	if (smp_load_acquire(&kma_allocs_sampled)) {
		kma_stat_inc(alloc_unsampled);
		kma_record_sampled(&kma_core, &ev, KMA_SAMPLED_BYTES, false);
	} else {
		kma_record_alloc(&kma_core, &ev);
	}
	o->live = true;
	p->allocs++;
}

static void kma_pass_free(struct kma_passer *p, struct kma_object *o)
{
	/* Pairs with the release in kma_switch(), like a static key. */
	if (smp_load_acquire(&kma_frees_filtered)) {
		kma_stat_inc(free_unmatched);
		kma_record_free_sampled(&kma_core, o->ptr);
	} else {
		kma_record_free(&kma_core, o->ptr, true);
	}
	o->live = false;
	p->frees++;
}

static void *kma_passer_main(void *arg)
{
	struct kma_passer *p = arg;
	struct kma_object **slot, *o;

	kma_env.cpu = p->cpu;
	while (__atomic_load_n(&kma_running, __ATOMIC_RELAXED)) {
		slot = &kma_slot[kma_random_below(&p->random, KMA_OBJECTS)];
		o = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQUIRE);
		if (o && o->live)
			kma_pass_free(p, o);
		else if (o)
			kma_pass_alloc(p, o);
		if (o)
			__atomic_store_n(slot, o, __ATOMIC_RELEASE);
		__atomic_store_n(&p->passed, p->passed + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void kma_wait_for(const struct kma_passer *p, int nr)
{
	u64 before;
	int i;

	for (i = 0; i < nr; i++) {
		before = __atomic_load_n(&p[i].passed, __ATOMIC_ACQUIRE);
		while (__atomic_load_n(&p[i].passed, __ATOMIC_ACQUIRE) < before + 2)
			sched_yield();
	}
}

/* Takes the same steps as kma_sampling_begin() and kma_sampling_end(). */
static void kma_switch(const struct kma_passer *p, int nr, bool on)
{
	/* Each release pairs with the acquire in kma_pass_alloc() or kma_pass_free(). */
	if (on) {
		kma_livefilter_clear(&kma_core.livefilter);
		smp_store_release(&kma_allocs_sampled, 1);	/* see above */
		kma_wait_for(p, nr);
		kma_record_livefilter_start(&kma_core);
		smp_store_release(&kma_frees_filtered, 1);	/* see above */
	} else {
		smp_store_release(&kma_frees_filtered, 0);	/* see above */
		kma_record_livefilter_stop();
		smp_store_release(&kma_allocs_sampled, 0);	/* see above */
		kma_wait_for(p, nr);
	}
	/* Let the threads run in the new mode. */
	kma_wait_for(p, nr);
}

/* All objects have been freed: check that the sums are exact and the live table is empty. */
static void kma_passed_all(const struct kma_passer *p, int nr)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u64 allocs = 0, frees = 0, hits = 0, freed = 0;
	struct kma_stats stats;
	struct kma_row sum;
	u64 i;
	u32 id;

	for (i = 0; i < (u64)nr; i++) {
		allocs += p[i].allocs;
		frees += p[i].frees;
	}
	for (id = 0; id < kma_sitetab_rows(t); id++) {
		kma_sitetab_sum(t, id, &sum);
		kma_expect(sum.hits == sum.frees && !sum.repaired && !sum.no_entry);
		hits += sum.hits;
		freed += sum.frees;
	}
	kma_stats_sum(&stats);
	kma_expect(allocs == frees);
	kma_expect(stats.v[KMA_STAT_alloc_unsampled] > 1000 && hits > 1000);
	kma_expect(allocs == hits + stats.v[KMA_STAT_alloc_unsampled]);
	kma_expect(frees == freed + stats.v[KMA_STAT_free_unmatched]);
	for (i = 0; i < kma_objtab_buckets(&kma_core.obj) * KMA_SLOTS; i++)
		kma_expect(!kma_objtab_bucket(&kma_core.obj, i / KMA_SLOTS)->key[i % KMA_SLOTS]);
}

/*
 * The livefilter is empty, unless sampling was switched.  An object that was added to it, and
 * freed before frees were filtered, stays in it.
 */
static void kma_livefilter_is_empty(void)
{
	kma_expect(!kma_model_livefilter(&kma_core));
}

static void kma_sampling(int nr, int switches)
{
	struct kma_passer p[KMA_ENV_CPUS] = {};
	int i;

	if (kma_core_init(&kma_core, KMA_OBJECTS, 1000, KMA_PFNS))
		abort();
	kma_model_reset(&kma_model);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_seed(kma_seed++);
	kma_switch(p, 0, true);
	for (i = 0; i < KMA_OBJECTS; i++)
		kma_slot[i] = &kma_object[i];
	kma_running = 1;
	for (i = 0; i < nr; i++) {
		p[i].cpu = i;
		p[i].random = kma_mix(kma_seed++);
		pthread_create(&p[i].thread, NULL, kma_passer_main, &p[i]);
	}
	for (i = 0; i < switches; i++)
		kma_switch(p, nr, i % 2);
	/* Pairs with the release in kma_passer_main(). */
	while (!switches && smp_load_acquire(&p[0].passed) < KMA_PASSED)
		sched_yield();
	__atomic_store_n(&kma_running, 0, __ATOMIC_RELAXED);
	for (i = 0; i < nr; i++)
		pthread_join(p[i].thread, NULL);
	for (i = 0; i < KMA_OBJECTS; i++)
		if (kma_object[i].live)
			kma_pass_free(&p[0], &kma_object[i]);
	kma_passed_all(p, nr);
	if (!switches)
		kma_livefilter_is_empty();
	memset(kma_slot, 0, sizeof(kma_slot));
	kma_core_destroy(&kma_core);
}

static void kma_two_cpus_sampling(void)
{
	kma_sampling(2, 0);
}

static void kma_four_cpus_sampling(void)
{
	kma_sampling(4, 0);
}

static void kma_two_cpus_on_and_off(void)
{
	kma_sampling(2, KMA_SWITCHES);
}

static void kma_four_cpus_on_and_off(void)
{
	kma_sampling(4, KMA_SWITCHES);
}

/* The last objects belong to one CPU each, with a page for each CPU. */
static unsigned long kma_ptr(u32 i)
{
	const u32 shared = KMA_OBJECTS - KMA_ENV_CPUS * KMA_OWN;

	if (i < shared)
		return KMA_MODEL_PTR + 8 * i;
	i -= shared;
	return KMA_MODEL_PTR + (8 + i / KMA_OWN) * KMA_PAGE_SIZE + i % KMA_OWN * 64;
}

static const struct kma_case kma_cases[] = {
	{ "new caches on four CPUs", kma_new_caches },
	{ "one address, allocated again and again", kma_one_address },
	{ "one object, freed by four CPUs at once", kma_one_object },
	{ "two CPUs", kma_two_cpus },
	{ "four CPUs", kma_four_cpus },
	{ "two CPUs, all tables full", kma_two_cpus_without_room },
	{ "four CPUs, all tables full", kma_four_cpus_without_room },
	{ "two CPUs, sampling", kma_two_cpus_sampling },
	{ "four CPUs, sampling", kma_four_cpus_sampling },
	{ "two CPUs, sampling on and off", kma_two_cpus_on_and_off },
	{ "four CPUs, sampling on and off", kma_four_cpus_on_and_off },
};

int main(int argc, char **argv)
{
	int failed;
	u32 i;

	if (argc > 1)
		kma_seed = strtoull(argv[1], NULL, 0);
	kma_model_owners();
	printf("seed %llu\n", kma_seed);
	for (i = 0; i < KMA_OBJECTS; i++)
		kma_object[i].ptr = kma_ptr(i);
	kma_model_init(&kma_model, &kma_core, KMA_SITES, kma_object, KMA_OBJECTS);
	failed = kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
	printf("%llu copies accepted by the reader, %llu rows recycled\n", kma_copies,
	       kma_recycled);
	kma_model_destroy(&kma_model);
	return !!failed;
}
