// SPDX-License-Identifier: GPL-2.0
/* The caches.  See the overview in cachetab.h. */
#include "cachetab.h"
#include "event.h"

/* Special values of a slot's cache word.  kmalloc never allocates as few bytes as this. */
#define KMA_CACHE_FREE		0UL
#define KMA_CACHE_BUSY		1UL
#define KMA_CACHE_RETIRED	2UL

size_t kma_cachetab_bytes(void)
{
	return KMA_CACHES_MAP * sizeof(struct kma_cache_slot) +
	       KMA_CACHES_MAX * sizeof(struct kma_cache_info);
}

int kma_cachetab_init(struct kma_cachetab *t, bool classes)
{
	t->classes = classes;
	atomic_set(&t->used, 0);
	t->map = kma_env_zalloc(KMA_CACHES_MAP * sizeof(t->map[0]));
	t->info = kma_env_zalloc(KMA_CACHES_MAX * sizeof(t->info[0]));
	if (!t->map || !t->info) {
		kma_cachetab_destroy(t);
		return -ENOMEM;
	}
	kma_env_no_scan(t->map);
	return 0;
}

void kma_cachetab_destroy(struct kma_cachetab *t)
{
	kma_env_free(t->map);
	kma_env_free(t->info);
	memset(t, 0, sizeof(*t));
}

int kma_cachetab_used(const struct kma_cachetab *t)
{
	return min(atomic_read(&t->used), KMA_CACHES_MAX);
}

static struct kma_cache_slot *kma_cachetab_slot(struct kma_cachetab *t,
						unsigned long cache, int i)
{
	u64 hash = (u64)cache * 0x9e3779b97f4a7c15ULL;

	return &t->map[((hash >> 32) + i) % KMA_CACHES_MAP];
}

static void kma_cache_describe(const struct kma_cachetab *t, unsigned long cache,
			       struct kma_cache_info *info)
{
	if (t->classes) {
		info->class = (cache & ~KMA_CLASS_KIND) | KMA_CLASS_SITE;
		info->shadow = (cache & KMA_CLASS_KIND) == KMA_CLASS_SHADOW;
		info->size = KMA_PAGE_SIZE << kma_class_order(cache);
		info->object_size = info->size;
	} else if (kma_cache_is_kmalloc(cache)) {
		info->size = cache;
	} else {
		kma_env_cache_info(cache, &info->size, &info->object_size,
				   info->name);
	}
}

/* Take over the number of a retired cache that has the same name and sizes. */
static int kma_cachetab_reuse(struct kma_cachetab *t,
			      const struct kma_cache_info *look)
{
	int used = kma_cachetab_used(t);
	struct kma_cache_info *info;
	int id;

	for (id = 0; id < used; id++) {
		info = &t->info[id];
		/* Pairs with the release in kma_cachetab_create(). */
		if (smp_load_acquire(&info->ready) &&
		    READ_ONCE(info->retired) &&
		    info->size == look->size &&
		    info->object_size == look->object_size &&
		    !strcmp(info->name, look->name) &&
		    cmpxchg(&info->retired, 1, 0) == 1)
			return id;
	}
	return KMA_CACHE_NONE;
}

static int kma_cachetab_create(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_info look = {};
	struct kma_cache_info *info;
	int id;

	kma_cache_describe(t, cache, &look);
	id = kma_cachetab_reuse(t, &look);
	if (id != KMA_CACHE_NONE)
		return id;
	if (atomic_read(&t->used) >= KMA_CACHES_MAX)
		return KMA_CACHE_NONE;
	id = atomic_fetch_inc(&t->used);
	if (id >= KMA_CACHES_MAX)
		return KMA_CACHE_NONE;
	info = &t->info[id];
	/* Do not assign the whole struct: other CPUs may already read @ready and @retired. */
	info->size = look.size;
	info->object_size = look.object_size;
	info->class = look.class;
	info->shadow = look.shadow;
	memcpy(info->name, look.name, sizeof(info->name));
	/* Pairs with the acquire in kma_cachetab_reuse(). */
	smp_store_release(&info->ready, true);
	return id;
}

/* Claim a slot of the map, if it is free or retired. */
static bool kma_cache_slot_claim(struct kma_cache_slot *slot)
{
	unsigned long cache = READ_ONCE(slot->cache);

	return (cache == KMA_CACHE_FREE || cache == KMA_CACHE_RETIRED) &&
	       cmpxchg(&slot->cache, cache, KMA_CACHE_BUSY) == cache;
}

/* Out of line, so that looking up a known cache saves no registers. */
static noinline int kma_cachetab_insert(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot;
	int i, id;

	for (i = 0; i < KMA_CACHES_PROBES; i++) {
		slot = kma_cachetab_slot(t, cache, i);
		if (!kma_cache_slot_claim(slot))
			continue;
		id = kma_cachetab_create(t, cache);
		WRITE_ONCE(slot->id, id);
		/*
		 * If there is no number for the cache, the slot must become RETIRED, not
		 * FREE.  Another CPU may have put its cache word into a later slot in the
		 * meantime, and a search ends at a FREE slot.  Pairs with the acquire in
		 * kma_cachetab_find().
		 */
		smp_store_release(&slot->cache, id == KMA_CACHE_NONE ?
				  KMA_CACHE_RETIRED : cache);
		return id;
	}
	return KMA_CACHE_NONE;
}

static struct kma_cache_slot *kma_cachetab_find(struct kma_cachetab *t,
						unsigned long cache)
{
	struct kma_cache_slot *slot;
	unsigned long word;
	int i;

	for (i = 0; i < KMA_CACHES_PROBES; i++) {
		slot = kma_cachetab_slot(t, cache, i);
		/* Pairs with the release in kma_cachetab_insert(). */
		word = smp_load_acquire(&slot->cache);
		if (word == cache)
			return slot;
		if (word == KMA_CACHE_FREE)
			break;
	}
	return NULL;
}

int kma_cachetab_get(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot = kma_cachetab_find(t, cache);

	return slot ? READ_ONCE(slot->id) : kma_cachetab_insert(t, cache);
}

void kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot;

	while ((slot = kma_cachetab_find(t, cache))) {
		WRITE_ONCE(t->info[READ_ONCE(slot->id)].retired, 1);
		cmpxchg(&slot->cache, cache, KMA_CACHE_RETIRED);
	}
}
