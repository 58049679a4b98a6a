// SPDX-License-Identifier: GPL-2.0
/* The caches.  See the overview in cachetab.h. */
#include "cachetab.h"
#include "event.h"
#include "reach.h"

/* Special values of a slot's cache word.  kmalloc never allocates as few bytes as this. */
#define KMA_CACHE_FREE		0UL
#define KMA_CACHE_BUSY		1UL

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
						unsigned long cache, u32 i)
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

/* The cmpxchg comes before the slot gets another number: pairs with kma_cachetab_get(). */
static bool kma_cache_slot_claim(struct kma_cache_slot *slot)
{
	return READ_ONCE(slot->cache) == KMA_CACHE_FREE &&
	       cmpxchg(&slot->cache, KMA_CACHE_FREE, KMA_CACHE_BUSY) == KMA_CACHE_FREE;
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
		kma_reach_extend(&kma_cachetab_slot(t, cache, 0)->reach, i);
		/*
		 * A cache that gets no number keeps the slot, so that its next event need not
		 * try again.
		 */
		id = kma_cachetab_create(t, cache);
		WRITE_ONCE(slot->id, id);
		/* Pairs with the acquire in kma_cachetab_find(). */
		smp_store_release(&slot->cache, cache);
		return id;
	}
	return KMA_CACHE_NONE;
}

static struct kma_cache_slot *kma_cachetab_find(struct kma_cachetab *t,
						unsigned long cache)
{
	/*
	 * If another CPU is still filling the slot of this cache, the search misses it, and the
	 * cache gets a second number.  Pairs with the cmpxchg in kma_reach_extend().
	 */
	const u32 reach = READ_ONCE(kma_cachetab_slot(t, cache, 0)->reach);
	struct kma_cache_slot *slot;
	u32 i;

	for (i = 0; i <= reach; i++) {
		slot = kma_cachetab_slot(t, cache, i);
		/* Pairs with the release in kma_cachetab_insert(). */
		if (smp_load_acquire(&slot->cache) == cache)
			return slot;
	}
	return NULL;
}

int kma_cachetab_get(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot = kma_cachetab_find(t, cache);
	int id;

	if (!slot)
		return kma_cachetab_insert(t, cache);
	/*
	 * The slot may be freed and claimed for another cache at any time.  The number is that of
	 * this cache if the slot still has it.  Pairs with the cmpxchg in kma_cache_slot_claim().
	 */
	id = smp_load_acquire(&slot->id);
	return likely(READ_ONCE(slot->cache) == cache) ? id : kma_cachetab_insert(t, cache);
}

bool kma_cachetab_has(struct kma_cachetab *t, unsigned long cache)
{
	return kma_cachetab_find(t, cache);
}

bool kma_cachetab_retire(struct kma_cachetab *t, unsigned long cache, int *id)
{
	struct kma_cache_slot *slot;

	/* Another CPU may free the slot, and claim it for another cache, at any time. */
	do {
		slot = kma_cachetab_find(t, cache);
		if (!slot)
			return false;
		*id = READ_ONCE(slot->id);
	} while (cmpxchg(&slot->cache, cache, KMA_CACHE_FREE) != cache);
	if (*id != KMA_CACHE_NONE)
		WRITE_ONCE(t->info[*id].retired, 1);
	return true;
}
