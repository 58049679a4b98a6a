// SPDX-License-Identifier: GPL-2.0
/* Owners: the tables and the memos.  See the overview in owner.h. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>

#include "owner.h"
#include "stat.h"

struct kma_idtab kma_owners;
struct kma_idtab kma_cgroups;
DEFINE_PER_CPU(struct kma_owner_memos, kma_owner_memos);
atomic64_t kma_owner_epoch[KMA_OWNER_EPOCHS];

/* The tables grow with the RAM: a machine with more memory has more processes and cgroups. */
#define KMA_OWNERS_MIN		1024U
#define KMA_OWNERS_RAM		32768U	/* bytes of RAM for each owner */
#define KMA_CGROUPS_MIN		256U
#define KMA_CGROUPS_MAX		16384U
#define KMA_CGROUPS_RAM		524288U	/* bytes of RAM for each cgroup */

static u32 kma_owner_nr(u64 ram, u32 per, u32 least, u32 most)
{
	return 1U << ilog2(clamp_t(u64, div_u64(ram, per), least, most));
}

u32 kma_owners_nr(u64 ram)
{
	return kma_owner_nr(ram, KMA_OWNERS_RAM, KMA_OWNERS_MIN, KMA_ID_MAX);
}

u32 kma_cgroups_nr(u64 ram)
{
	return kma_owner_nr(ram, KMA_CGROUPS_RAM, KMA_CGROUPS_MIN, KMA_CGROUPS_MAX);
}

u64 kma_owners_bytes(u64 ram)
{
	return kma_idtab_bytes(kma_owners_nr(ram), sizeof(struct kma_owner)) +
	       kma_idtab_bytes(kma_cgroups_nr(ram), sizeof(struct kma_cgroup));
}

int kma_owners_init(u64 ram)
{
	int ret = kma_idtab_init(&kma_owners, kma_owners_nr(ram), KMA_OWNER_RESERVED,
				 sizeof(struct kma_owner) / sizeof(u64), sizeof(struct kma_owner));
	const u32 interrupt = KMA_OWNER_MEMO_INTERRUPT / sizeof(struct kma_owner_memo);
	int cpu;

	/* No epoch is 0: an empty memo is not valid for any process. */
	kma_owners_forget();
	if (ret)
		return ret;
	ret = kma_idtab_init(&kma_cgroups, kma_cgroups_nr(ram), 1, 1, sizeof(struct kma_cgroup));
	if (ret)
		kma_idtab_destroy(&kma_owners);
	for_each_possible_cpu(cpu)
		per_cpu(kma_owner_memos, cpu).memo[interrupt].owner =
			KMA_OWNER_INTERRUPT << KMA_OWNER_SHIFT;
	return ret;
}

void kma_owners_destroy(void)
{
	kma_idtab_destroy(&kma_owners);
	kma_idtab_destroy(&kma_cgroups);
}

void kma_owner_forget(u32 tgid)
{
	/*
	 * What the caller has stored before, such as numbers that leave, is visible to a context
	 * that sees the new epoch.  Pairs with the acquire in kma_env_owner().
	 */
	smp_mb__before_atomic();
	atomic64_add(KMA_OWNER_EPOCH, kma_owner_epoch_of(tgid));
}

void kma_owners_forget(void)
{
	u32 i;

	for (i = 0; i < KMA_OWNER_EPOCHS; i++)
		kma_owner_forget(i);
}

u32 kma_owner_get(const struct kma_owner *owner)
{
	u32 id = kma_idtab_find(&kma_owners, (const u64 *)owner);

	if (id == KMA_ID_NONE)
		id = kma_idtab_add(&kma_owners, owner);
	if (id != KMA_ID_NONE)
		return id;
	kma_stat_inc(owner_other);
	return KMA_OWNER_OTHER;
}

void kma_owner_now(unsigned long memo, struct kma_owned *o)
{
	bool found;

	*o = (struct kma_owned) { .tgid = kma_env_tgid() };
	if (!kma_env_owners_on())
		return;
	kma_env_stay();
	found = kma_owner_find(&memo);
	if (found)
		o->owner = kma_owner_memo_owner(&memo);
	kma_env_leave();
	if (!found)
		kma_env_owner(memo, o);
}

void kma_owner_remember(unsigned long charge, u64 epoch, const void *groups,
			const struct kma_owned *o)
{
	struct kma_owner_memo *memo;

	kma_env_stay();
	memo = (void *)raw_cpu_ptr(&kma_owner_memos) + charge;
	memo->process = epoch + o->tgid;
	memo->groups = groups;
	memo->owner = o->owner;
	kma_env_leave();
}
