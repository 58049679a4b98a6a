// SPDX-License-Identifier: GPL-2.0
/* Pairs of a charged cgroup and a row of call sites.  See charge_pairs.h. */
#include <linux/errno.h>
#include <linux/sched.h>

#include "../core/owner.h"
#include "../state.h"
#include "charge_pairs.h"

/* The fewest and the most places of a hash table of pairs. */
#define KMA_CHARGE_PAIRS_MIN	4096U
#define KMA_CHARGE_PAIRS_MAX	16777216U

/* A key has 16 bits for the row: neither table has more rows than that. */
static_assert(KMA_SITES_MAX + KMA_CACHES_MAX + KMA_CACHES_RESERVED <= U16_MAX + 1);

int kma_charge_owners_init(struct kma_charge_owners *o)
{
	o->owner = kma_copy_alloc(KMA_ID_MAX, sizeof(o->owner[0]));
	o->cgroup = kma_copy_alloc(kma_cgroups.nr, sizeof(o->cgroup[0]));
	return o->owner && o->cgroup ? 0 : -ENOMEM;
}

void kma_charge_owners_free(struct kma_charge_owners *o)
{
	kma_copy_free(o->owner);
	kma_copy_free(o->cgroup);
}

static u16 kma_charge_owner_find(struct kma_charge_owners *o, u32 nr)
{
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, nr);
	u32 cgroup;

	if (!owner || owner->charged == KMA_CHARGED_NONE || owner->charged == KMA_CHARGED_UNKNOWN)
		return KMA_OWNER_OTHER;
	cgroup = kma_idtab_find(&kma_cgroups, &owner->charged);
	if (cgroup == KMA_ID_NONE)
		return nr;
	if (!o->cgroup[cgroup])
		o->cgroup[cgroup] = nr;
	return o->cgroup[cgroup];
}

u32 kma_charge_owner(struct kma_charge_owners *o, u32 nr)
{
	if (!o->owner[nr])
		o->owner[nr] = kma_charge_owner_find(o, nr);
	return o->owner[nr] == KMA_OWNER_OTHER ? 0 : o->owner[nr];
}

static int kma_charge_pairs_alloc(struct kma_charge_pairs *p, u32 nr)
{
	p->pair = kma_copy_alloc(nr, sizeof(p->pair[0]));
	p->nr = nr;
	return p->pair ? 0 : -ENOMEM;
}

int kma_charge_pairs_init(struct kma_charge_pairs *p)
{
	*p = (struct kma_charge_pairs) {};
	return kma_charge_pairs_alloc(p, KMA_CHARGE_PAIRS_MIN);
}

void kma_charge_pairs_free(struct kma_charge_pairs *p)
{
	kma_copy_free(p->pair);
}

/* The place of a key, or a free place for it. */
static struct kma_charge_pair *kma_charge_pairs_place(const struct kma_charge_pairs *p, u32 key)
{
	u32 i = key * 0x9e3779b1U >> 8 & (p->nr - 1);

	while (p->pair[i].key && p->pair[i].key != key)
		i = (i + 1) & (p->nr - 1);
	return &p->pair[i];
}

/* Double the hash table.  Return: false if there is no memory, or if it is too large. */
static bool kma_charge_pairs_grow(struct kma_charge_pairs *p)
{
	const struct kma_charge_pairs old = *p;
	u32 i;

	if (old.nr >= KMA_CHARGE_PAIRS_MAX)
		return false;
	if (kma_charge_pairs_alloc(p, 2 * old.nr)) {
		*p = old;
		return false;
	}
	for (i = 0; i < old.nr; i++) {
		if (old.pair[i].key)
			*kma_charge_pairs_place(p, old.pair[i].key) = old.pair[i];
		if (!(i % 1024))
			cond_resched();
	}
	kma_copy_free(old.pair);
	return true;
}

bool kma_charge_pairs_add(struct kma_charge_pairs *p, u32 nr, u32 row, bool whole)
{
	const u32 key = nr << 16 | row;
	struct kma_charge_pair *pair;

	pair = kma_charge_pairs_place(p, key);
	if (!pair->key && p->used > p->nr / 2) {
		p->full = p->full || !kma_charge_pairs_grow(p);
		if (p->full)
			return false;
		pair = kma_charge_pairs_place(p, key);
	}
	p->used += !pair->key;
	pair->key = key;
	pair->n++;
	pair->wholes += whole;
	return true;
}
