/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the tables, which counts the same events without a hash table.
 *
 * Each event is passed to the core and recorded in the model: for each object, whether it
 * is live and its expected entry; for each pair of site and cache, the expected counters of
 * its rows.  kma_model_check() compares all of this with the core, exactly.
 *
 * The model does not know when the core runs out of room.  It learns from the core's own
 * counters that an event was dropped or counted in [other], and checks the consequences.  A
 * test that has enough room checks that these counters are 0.
 */
#ifndef KMA_TEST_MODEL_H
#define KMA_TEST_MODEL_H

#include "../../../module/core/record.h"
#include "../../../module/core/recycle.h"

/* The number of rows for call sites in the smallest table. */
#define KMA_PAIRS_MIN	KMA_PAIRS_MAX(KMA_SITES_MIN)

#define KMA_MODEL_PTR	0xffff888000000000UL
#define KMA_MODEL_SITE	0xffffffff81000000UL

/* The first KMA_MODEL_KMALLOCS caches are sizes of kmalloc, the others kmem_caches. */
#define KMA_MODEL_KMALLOCS	4
#define KMA_MODEL_CACHES	16

/**
 * struct kma_object - an address that can be allocated
 * @ptr: the address
 * @site: number of the site of its row; nr_sites for [other]
 * @cache: number of its cache
 * @live: the table has to have an entry for it
 * @left: its page was freed: if the table still has an entry for it, the entry is stale
 * @entry: the expected entry; its row, generations, owner and depth are not used
 * @owner: the expected owner, if owners are recorded
 */
struct kma_object {
	unsigned long ptr;
	u32 site;
	u32 cache;
	bool live;
	bool left;
	struct kma_entry entry;
	struct kma_owner owner;
};

/**
 * struct kma_model - the expected state after the events of one or more threads
 * @core: the core under test
 * @object: the objects, sorted by address
 * @nr_objects: number of objects
 * @nr_sites: number of call sites; the site with this number is [other]
 * @row: expected counters of each site and cache
 * @gone: the part of @row that is of rows that were recycled
 * @got: the counters that the core had when it was last checked
 * @left: for each cache, the part of @gone that left the core with a number of the cache
 * @caches: recycle numbers of caches, too
 * @allocs: number of allocations
 * @frees: number of frees
 * @stat: expected values of the core's counters (stat.h)
 * @cache: the kmem_caches
 */
struct kma_model {
	struct kma_core *core;
	struct kma_object *object;
	u32 nr_objects;
	u32 nr_sites;
	struct kma_row *row;
	struct kma_row *gone;
	struct kma_row *got;
	struct kma_row left[KMA_MODEL_CACHES];
	bool caches;
	u64 allocs;
	u64 frees;
	u64 stat[KMA_STAT_NR];
	struct kma_env_cache *cache;
};

/* Initialize a model.  It sorts @objects; the caller frees them after kma_model_destroy(). */
void kma_model_init(struct kma_model *m, struct kma_core *core, u32 nr_sites,
		    struct kma_object *objects, u32 nr_objects);
void kma_model_destroy(struct kma_model *m);

/* Record owners from now on.  The program ends without freeing their tables. */
void kma_model_owners(void);

/* Return to the state before all events; also zeroes the counters of the core (stat.h). */
void kma_model_reset(struct kma_model *m);

/* The cache word (event.h) of a cache. */
unsigned long kma_model_cache(const struct kma_model *m, u32 cache);

/*
 * Record the allocation of an object, the allocation of an object in bulk, and a free.  The
 * object may be live or not.  If a free is of an object that is @left, the model learns from the
 * core whether there was still an entry.  A signal handler may call these functions for other
 * objects while one of them runs.
 */
void kma_model_alloc(struct kma_model *m, struct kma_object *o, u32 site, u32 cache);
void kma_model_bulk(struct kma_model *m, struct kma_object *o, u32 site, u32 cache);
void kma_model_free(struct kma_model *m, struct kma_object *o);

/* Record that pages are freed.  Live objects on them were freed before without an event. */
void kma_model_pages_free(struct kma_model *m, unsigned long page, u32 order);

/*
 * Begin to recycle all rows without live objects, and all numbers of destroyed caches; finish it,
 * and return how many rows were recycled; or do both.
 */
bool kma_model_recycle_begin(struct kma_model *m);
u32 kma_model_recycle_finish(struct kma_model *m);
u32 kma_model_recycle(struct kma_model *m);

/* The thread group ID that the core records for a task: events of some are in interrupts. */
static inline u32 kma_model_tgid(u32 tgid)
{
	return kma_env_owners && !(tgid % 5) ? 0 : tgid;
}

/* If not NULL, these are called before and after the core records an event. */
extern void (*kma_model_enter)(void);
extern void (*kma_model_leave)(void);

/*
 * kma_model_fork() makes a model for one thread, with the same objects and new counters.
 * kma_model_join() adds these counters to @sum at the end.
 */
void kma_model_fork(struct kma_model *m, const struct kma_model *of);
void kma_model_join(struct kma_model *sum, struct kma_model *m);

/* Return: site * KMA_MODEL_CACHES + cache of row @id, or -1 if the row is not in use. */
long kma_model_row_of(const struct kma_model *m, u32 id);

/* Compare the core with the model.  Return: NULL, or a description of the first difference. */
const char *kma_model_check(struct kma_model *m);

/* Return: the number of objects that the livefilter counts. */
u64 kma_model_livefilter(const struct kma_core *core);

/* Return: 64 bits, each of which depends on all bits of @x. */
static inline u64 kma_mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline u32 kma_random_below(u64 *state, u32 n)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return ((kma_mix(*state) >> 32) * n) >> 32;
}

/* An entry with pseudo-random values that depend on address, cache and time. */
static inline struct kma_entry kma_model_entry(unsigned long ptr, u32 cache, u32 time)
{
	u64 x = kma_mix(ptr ^ (u64)time << 20 ^ cache);

	return (struct kma_entry) {
		.bytes_req = cache < KMA_MODEL_KMALLOCS ? (x & 0xfffff) + 1 : 0,
		.time = time,
		.tgid_depth = (x >> 42) % 5 ? time / 8 % 100 : x >> 42,
	};
}

#endif /* KMA_TEST_MODEL_H */
