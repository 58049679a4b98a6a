/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of a charged cgroup and a row of call sites, and how many live objects or pages each has.
 *
 * In a pair, the number of an owner represents the charged cgroup: that of the first owner found
 * with this cgroup.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_REPORT_CHARGE_PAIRS_H
#define KMA_REPORT_CHARGE_PAIRS_H

#include <linux/types.h>

/**
 * struct kma_charge_owners - the number that represents the charged cgroup of each owner
 * @owner: by the number of an owner: KMA_OWNER_OTHER if no cgroup is charged; 0 if that was not
 *	looked up yet
 * @cgroup: by the number of a cgroup in kma_cgroups: the owner that represents it, or 0
 */
struct kma_charge_owners {
	u16 *owner;
	u16 *cgroup;
};

/**
 * struct kma_charge_pair - a pair, or a free place
 * @key: the number that represents the cgroup in the upper half, and the row in the lower one; 0
 *	if the place is free
 * @n: number of live objects or pages
 * @wholes: how many of these are objects, or first pages of page allocations
 */
struct kma_charge_pair {
	u32 key;
	u32 n;
	u32 wholes;
};

/**
 * struct kma_charge_pairs - a hash table of pairs
 * @pair: the places
 * @nr: number of places, a power of two
 * @used: number of places that are in use
 * @full: whether no place can be added
 */
struct kma_charge_pairs {
	struct kma_charge_pair *pair;
	u32 nr;
	u32 used;
	bool full;
};

static inline u32 kma_charge_pair_owner(const struct kma_charge_pair *p)
{
	return p->key >> 16;
}

static inline u32 kma_charge_pair_row(const struct kma_charge_pair *p)
{
	return (u16)p->key;
}

/* Both return 0 or -ENOMEM.  After either, the caller has to free the table. */
int kma_charge_owners_init(struct kma_charge_owners *o);
int kma_charge_pairs_init(struct kma_charge_pairs *p);

/* Free a table, which may be zeroed memory. */
void kma_charge_owners_free(struct kma_charge_owners *o);
void kma_charge_pairs_free(struct kma_charge_pairs *p);

/*
 * The number that represents the charged cgroup of owner @nr; 0 if no cgroup is charged, or if the
 * charged cgroup is not known.
 */
u32 kma_charge_owner(struct kma_charge_owners *o, u32 nr);

/*
 * Count an object or a page.  @nr is the result of kma_charge_owner(), @row the number of a row.
 * Return: false if there is no memory, or if there are too many pairs.
 */
bool kma_charge_pairs_add(struct kma_charge_pairs *p, u32 nr, u32 row, bool whole);

#endif /* KMA_REPORT_CHARGE_PAIRS_H */
