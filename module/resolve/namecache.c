// SPDX-License-Identifier: GPL-2.0
/* Names of code addresses that were looked up before.  See namecache.h. */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../core/env.h"
#include "../state.h"
#include "namecache.h"

/* Values of a slot's @addr.  There is no code at these addresses. */
#define KMA_NAMECACHE_FREE	0UL
#define KMA_NAMECACHE_REMOVED	1UL

/**
 * struct kma_namecache - the cache
 * @used: number of slots that are not free; includes those of removed names
 * @end: bytes of @text in use
 * @slot: the hash table; a name is in the first slot of its hash, or in one after it
 * @text: the names, each with its NUL
 */
struct kma_namecache {
	u32 used;
	u32 end;
	struct kma_namecache_slot {
		unsigned long addr;
		u32 text;		/* position in @text */
	} slot[KMA_NAMECACHE_SLOTS];
	char text[KMA_NAMECACHE_TEXT];
};

/* KMA_NAMECACHE_SLOTS is a power of two: its ilog2() is the number of bits of a slot's number. */
static_assert(!(KMA_NAMECACHE_SLOTS & (KMA_NAMECACHE_SLOTS - 1)));

/* NULL if it is not allocated.  Protected by kma_lock. */
static struct kma_namecache *kma_namecache;

void kma_namecache_start(void)
{
	lockdep_assert_held(&kma_lock);
	if (!kma_namecache)
		kma_namecache = kma_env_zalloc_try(sizeof(*kma_namecache));
}

void kma_namecache_stop(void)
{
	kma_env_free(kma_namecache);
	kma_namecache = NULL;
}

/* Return the slot of an address, or the free slot that the address can be put into. */
static struct kma_namecache_slot *kma_namecache_slot(struct kma_namecache *c,
						     unsigned long addr)
{
	u32 i = hash_long(addr, ilog2(KMA_NAMECACHE_SLOTS));

	while (c->slot[i].addr != addr && c->slot[i].addr != KMA_NAMECACHE_FREE)
		i = (i + 1) % KMA_NAMECACHE_SLOTS;
	return &c->slot[i];
}

const char *kma_namecache_find(unsigned long addr)
{
	struct kma_namecache *c = kma_namecache;
	const struct kma_namecache_slot *slot;

	lockdep_assert_held(&kma_lock);
	if (!c || addr <= KMA_NAMECACHE_REMOVED)
		return NULL;
	slot = kma_namecache_slot(c, addr);
	return slot->addr ? &c->text[slot->text] : NULL;
}

static void kma_namecache_clear(struct kma_namecache *c)
{
	memset(c->slot, 0, sizeof(c->slot));
	c->used = 0;
	c->end = 0;
}

void kma_namecache_add(unsigned long addr, const char *name)
{
	const size_t len = strlen(name) + 1;
	struct kma_namecache *c = kma_namecache;
	struct kma_namecache_slot *slot;

	lockdep_assert_held(&kma_lock);
	if (!c || addr <= KMA_NAMECACHE_REMOVED)
		return;
	if (c->used == KMA_NAMECACHE_USED_MAX || c->end + len > KMA_NAMECACHE_TEXT)
		kma_namecache_clear(c);
	slot = kma_namecache_slot(c, addr);
	slot->addr = addr;
	slot->text = c->end;
	memcpy(&c->text[c->end], name, len);
	c->end += len;
	c->used++;
}

void kma_namecache_forget(const struct module *mod)
{
	struct kma_namecache_slot *slot;
	u32 i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; kma_namecache && i < KMA_NAMECACHE_SLOTS; i++) {
		slot = &kma_namecache->slot[i];
		if (slot->addr > KMA_NAMECACHE_REMOVED && within_module(slot->addr, mod))
			slot->addr = KMA_NAMECACHE_REMOVED;
		if (!(i % 1024))
			cond_resched();
	}
}
