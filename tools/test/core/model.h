/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tables must say: the same events, accounted for without any table.
 *
 * An event is given to the core and noted here: for each object whether it is
 * live and what its entry must be, for each pair of site and cache the counters
 * of its rows.  kma_model_check() compares all of it, for equality.
 *
 * The model does not know when the core may run out of room.  It takes from the
 * core's own counters whether the event did, and then that everything follows
 * from it; a test that has room checks that those counters are 0.
 */
#ifndef KMA_TEST_MODEL_H
#define KMA_TEST_MODEL_H

#include "../../../module/core/record.h"

#define KMA_MODEL_PTR	0xffff888000000000UL
#define KMA_MODEL_SITE	0xffffffff81000000UL

/* The first caches are sizes of kmalloc, the others kmem_caches. */
#define KMA_MODEL_KMALLOCS	4
#define KMA_MODEL_CACHES	16

/**
 * struct kma_object - an address that can be allocated
 * @ptr: the address
 * @site: number of the site of its row; nr_sites for [other]
 * @cache: number of its cache
 * @live: recorded
 * @left: its page was freed: if it is still in the table, it is stale
 * @entry: what its entry must be; @row, @generation and @depth are not used
 */
struct kma_object {
	unsigned long ptr;
	u32 site;
	u32 cache;
	bool live;
	bool left;
	struct kma_entry entry;
};

/**
 * struct kma_model - the account of one or more threads
 * @core: where the events go as well
 * @object: by address
 * @nr_objects: how many
 * @nr_sites: how many sites there are; the next number is [other]
 * @row: of each site and cache
 * @stat: those of the core's counters that are known
 * @cache: what the kmem_caches are
 */
struct kma_model {
	struct kma_core *core;
	struct kma_object *object;
	u32 nr_objects;
	u32 nr_sites;
	struct kma_row *row;
	u64 allocs;
	u64 frees;
	u64 stat[KMA_STAT_NR];
	struct kma_env_cache *cache;
};

/* Make a model of @objects, which it sorts and does not own. */
void kma_model_init(struct kma_model *m, struct kma_core *core, u32 nr_sites,
		    struct kma_object *objects, u32 nr_objects);
void kma_model_destroy(struct kma_model *m);

/* Nothing has happened yet; also zeroes the core's own counters. */
void kma_model_reset(struct kma_model *m);

/* The word by which an event names a cache. */
unsigned long kma_model_cache(const struct kma_model *m, u32 cache);

/*
 * An allocation of an object, live or not, one of a bulk allocation, and a free
 * of one, live or not, but not of one that is left.
 * All may be called anew from within themselves, about other objects.
 */
void kma_model_alloc(struct kma_model *m, struct kma_object *o, u32 site, u32 cache);
void kma_model_bulk(struct kma_model *m, struct kma_object *o, u32 site, u32 cache);
void kma_model_free(struct kma_model *m, struct kma_object *o);

/* Pages are freed, and what is live on them was freed before without an event. */
void kma_model_pages_free(struct kma_model *m, unsigned long page, u32 order);

/* Called around the core's part of each event. */
extern void (*kma_model_enter)(void);
extern void (*kma_model_leave)(void);

/* A thread's own account of the same objects, and adding it up at the end. */
void kma_model_fork(struct kma_model *m, const struct kma_model *of);
void kma_model_join(struct kma_model *sum, struct kma_model *m);

/* Of a row in use: its site and cache, as site * KMA_MODEL_CACHES + cache; or -1. */
long kma_model_row_of(const struct kma_model *m, u32 id);

/* Compare.  Return: NULL, or what is not equal. */
const char *kma_model_check(struct kma_model *m);

/* 64 bits that depend on all of those given. */
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

/* An entry whose other fields all depend on address, cache and time. */
static inline struct kma_entry kma_model_entry(unsigned long ptr, u32 cache, u32 time)
{
	u64 x = kma_mix(ptr ^ (u64)time << 20 ^ cache);

	return (struct kma_entry) {
		.bytes_req = cache < KMA_MODEL_KMALLOCS ? (x & 0xfffff) + 1 : 0,
		.time = time,
		.tgid = x >> 32,
	};
}

#endif /* KMA_TEST_MODEL_H */
