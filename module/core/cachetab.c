// SPDX-License-Identifier: GPL-2.0
/* The caches.  See the overview in cachetab.h. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "cachetab.h"
#include "event.h"
#include "owner.h"
#include "reach.h"
#include "stat.h"

/* Special values of a slot's cache word.  They are less than any size that kmalloc allocates. */
#define KMA_CACHE_FREE		0UL
#define KMA_CACHE_BUSY		1UL

size_t kma_cachetab_bytes(bool classes)
{
	return KMA_CACHES_MAP * sizeof(struct kma_cache_slot) +
	       kma_caches_nr(classes) * (sizeof(struct kma_cache_info) + sizeof(u8)) +
	       kma_spare_bytes(KMA_CACHES_MAX);
}

void kma_cachetab_destroy(struct kma_cachetab *t)
{
	kma_env_free(t->map);
	kma_env_free(t->info);
	kma_env_free(t->state);
	kma_spare_destroy(&t->spare);
	memset(t, 0, sizeof(*t));
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
		info->sampled = (cache & KMA_CLASS_KIND) == KMA_CLASS_SAMPLED;
		info->size = KMA_PAGE_SIZE << kma_class_order(cache);
		info->object_size = info->size;
	} else if (kma_cache_is_kmalloc(cache)) {
		info->size = cache;
	} else {
		kma_env_cache_info(cache, &info->size, &info->object_size, info->name);
		if (kma_env_cache_is_charged(cache))
			info->charge = KMA_CHARGE;
	}
}

/*
 * Take over the number of a retired cache of the same name and sizes.  Return: the number, or -1.
 */
static int kma_cachetab_reuse(struct kma_cachetab *t,
			      const struct kma_cache_info *look)
{
	const struct kma_cache_info *info;
	int id;

	for (id = 0; id < KMA_CACHES_MAX; id++) {
		info = &t->info[id];
		if (kma_cachetab_state(t, id) == KMA_CACHE_RETIRED &&
		    info->size == look->size &&
		    info->object_size == look->object_size &&
		    info->charge == look->charge &&
		    !strcmp(info->name, look->name) &&
		    cmpxchg(&t->state[id], KMA_CACHE_RETIRED, KMA_CACHE_LIVE) ==
			KMA_CACHE_RETIRED)
			return id;
	}
	return -1;
}

/*
 * Return: the reserved number for caches of a size whose objects are charged, or not charged, to a
 * cgroup.  Rounds @size up to the next step.
 */
static int kma_cache_other(u32 *size, bool charged)
{
	const u32 less = clamp_t(u32, *size, 8, 1U << 31) - 1;
	const u32 log = ilog2(less);
	const u32 step = less >> (log - 2) & 3;

	*size = (step + 5) << (log - 2);
	return KMA_CACHES_MAX + 2 * (4 * (log - 2) + step - 3) + charged;
}

/* Return: the reserved number for all classes of the same kind, order and migrate type. */
static int kma_class_other(unsigned long class)
{
	return KMA_CACHES_MAX + (class & (KMA_CLASSES_OTHER - 1));
}

static int kma_cachetab_other(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_info look = {};

	if (t->classes)
		return kma_class_other(cache);
	kma_cache_describe(t, cache, &look);
	kma_stat_inc(other_caches);
	return kma_cache_other(&look.size, look.charge);
}

/* Give a cache a number. */
static int kma_cachetab_create(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_info look = {};
	int id;

	kma_cache_describe(t, cache, &look);
	id = kma_cachetab_reuse(t, &look);
	if (id >= 0)
		return id;
	id = kma_spare_take(&t->spare, 0);
	if (id < 0)
		return kma_cachetab_other(t, cache);
	t->info[id] = look;
	/* Pairs with the acquire in kma_cachetab_state(). */
	smp_store_release(&t->state[id], KMA_CACHE_LIVE);
	return id;
}

/* The cmpxchg comes before the slot gets another number: pairs with kma_cachetab_get(). */
static bool kma_cache_slot_claim(struct kma_cache_slot *slot)
{
	return READ_ONCE(slot->cache) == KMA_CACHE_FREE &&
	       cmpxchg(&slot->cache, KMA_CACHE_FREE, KMA_CACHE_BUSY) == KMA_CACHE_FREE;
}

/* Claim a free slot for a cache.  Return: the slot, or NULL if none is free. */
static struct kma_cache_slot *kma_cachetab_claim(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot;
	int i;

	for (i = 0; i < KMA_CACHES_PROBES; i++) {
		slot = kma_cachetab_slot(t, cache, i);
		if (!kma_cache_slot_claim(slot))
			continue;
		kma_reach_extend(&kma_cachetab_slot(t, cache, 0)->reach, i);
		return slot;
	}
	return NULL;
}

static void kma_cachetab_publish(struct kma_cache_slot *slot, unsigned long cache, int id)
{
	WRITE_ONCE(slot->id, id);
	/* Pairs with the acquire in kma_cachetab_find(). */
	smp_store_release(&slot->cache, cache);
}

/*
 * Out of line, so that looking up a known cache saves no registers.  A cache that finds no slot
 * gets a reserved number: otherwise each of its events would take another number.
 */
static noinline int kma_cachetab_insert(struct kma_cachetab *t, unsigned long cache)
{
	struct kma_cache_slot *slot = kma_cachetab_claim(t, cache);
	int id;

	if (!slot)
		return kma_cachetab_other(t, cache);
	id = kma_cachetab_create(t, cache);
	kma_cachetab_publish(slot, cache, id);
	return id;
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
	if (!kma_cache_is_other(*id))
		WRITE_ONCE(t->state[*id], KMA_CACHE_RETIRED);
	return true;
}

/* Describe the reserved numbers of a table of objects. */
static void kma_cachetab_reserve_sizes(struct kma_cachetab *t)
{
	u32 size = 8, i;
	int id;

	for (i = 0; i < KMA_CACHES_OTHER; i++, size += !(i % 2)) {
		id = kma_cache_other(&size, i % 2);
		t->info[id].size = size;
		t->info[id].object_size = size;
		t->info[id].charge = i % 2 * KMA_CHARGE;
		strscpy(t->info[id].name, "[other]", KMA_CACHE_NAME_LEN);
		t->state[id] = KMA_CACHE_LIVE;
	}
}

/* Describe the reserved numbers of a table of page allocations, and put them into the map. */
static void kma_cachetab_reserve_classes(struct kma_cachetab *t)
{
	const unsigned long gfp = (unsigned long)KMA_CLASS_GFP_OTHER << KMA_CLASS_GFP_SHIFT;
	unsigned long class;
	int id;

	for (class = gfp; class < gfp + KMA_CLASSES_OTHER; class++) {
		if (!(class & KMA_CLASS_KIND))
			continue;
		id = kma_class_other(class);
		kma_cache_describe(t, class, &t->info[id]);
		t->state[id] = KMA_CACHE_LIVE;
		kma_cachetab_publish(kma_cachetab_claim(t, class), class, id);
	}
}

int kma_cachetab_init(struct kma_cachetab *t, bool classes)
{
	*t = (struct kma_cachetab) { .classes = classes, .nr = kma_caches_nr(classes) };
	t->map = kma_env_zalloc(KMA_CACHES_MAP * sizeof(t->map[0]));
	t->info = kma_env_zalloc(t->nr * sizeof(t->info[0]));
	t->state = kma_env_zalloc(t->nr * sizeof(t->state[0]));
	if (!t->map || !t->info || !t->state || kma_spare_init(&t->spare, KMA_CACHES_MAX)) {
		kma_cachetab_destroy(t);
		return -ENOMEM;
	}
	kma_env_no_scan(t->map);
	if (classes)
		kma_cachetab_reserve_classes(t);
	else
		kma_cachetab_reserve_sizes(t);
	return 0;
}
