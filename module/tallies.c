// SPDX-License-Identifier: GPL-2.0
/*
 * The tallies there are: made when somebody begins to count, thrown away when he
 * stops, and empty again after `reset`.  So rows of processes and cgroups that have
 * ended are kept as long as somebody may want to see them, and not longer.
 *
 * Who counts looks at the pointer under rcu_read_lock(); who throws one away waits
 * until nobody does any more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "kmemacct.h"

/* A row is 128 bytes on each CPU, and some 170 in all. */
#define KMA_TALLY_ROWS		4096
#define KMA_TALLY_ROWS_FEW	1024

struct kma_tally __rcu *kma_tallies[KMA_TALLY_NR];
bool kma_tallies_on;

/* Protected by kma_lock. */
static u64 kma_tally_ns[KMA_TALLY_NR];

static u32 kma_tally_rows(enum kma_tally_of of)
{
	switch (of) {
	case KMA_TALLY_PCPU:
		return nr_node_ids + 1;
	case KMA_TALLY_EXTFRAG:
	case KMA_TALLY_CGROUPS:
		return KMA_TALLY_ROWS_FEW;
	default:
		return KMA_TALLY_ROWS;
	}
}

struct kma_tally *kma_tally_locked(enum kma_tally_of of)
{
	return rcu_dereference_protected(kma_tallies[of], lockdep_is_held(&kma_lock));
}

u64 kma_tally_since(enum kma_tally_of of)
{
	lockdep_assert_held(&kma_lock);
	return kma_tally_ns[of];
}

u64 kma_tally_memory(enum kma_tally_of of)
{
	return kma_tally_bytes(kma_tally_rows(of), nr_cpu_ids);
}

u64 kma_tallies_bytes(void)
{
	u64 bytes = 0;
	int i;

	for (i = 0; i < KMA_TALLY_NR; i++)
		if (rcu_access_pointer(kma_tallies[i]))
			bytes += kma_tally_memory(i);
	return bytes;
}

/* There is one row for each: two CPUs that made one at once would take another's. */
static void kma_tally_add_nodes(struct kma_tally *t)
{
	struct kma_tally_info info = {};
	int node;

	for_each_node(node) {
		info.key.word[0] = node;
		kma_tally_add(t, &info);
	}
}

static struct kma_tally *kma_tally_new(enum kma_tally_of of)
{
	struct kma_tally *t = kmalloc(sizeof(*t), GFP_KERNEL);

	if (!t || kma_tally_init(t, kma_tally_rows(of))) {
		kfree(t);
		return NULL;
	}
	if (of == KMA_TALLY_PCPU)
		kma_tally_add_nodes(t);
	return t;
}

static void kma_tally_free(struct kma_tally *t)
{
	if (t)
		kma_tally_destroy(t);
	kfree(t);
}

void kma_tallies_end(unsigned long which)
{
	struct kma_tally *t[KMA_TALLY_NR] = {};
	int i;

	lockdep_assert_held(&kma_lock);
	if (!which)
		return;
	for_each_set_bit(i, &which, KMA_TALLY_NR)
		t[i] = rcu_replace_pointer(kma_tallies[i], NULL, lockdep_is_held(&kma_lock));
	synchronize_rcu();
	for_each_set_bit(i, &which, KMA_TALLY_NR)
		kma_tally_free(t[i]);
}

int kma_tallies_begin(unsigned long which)
{
	unsigned long begun = 0;
	struct kma_tally *t;
	int i;

	lockdep_assert_held(&kma_lock);
	for_each_set_bit(i, &which, KMA_TALLY_NR) {
		t = kma_tally_new(i);
		if (!t) {
			kma_tallies_end(begun);
			return -ENOMEM;
		}
		kma_tally_ns[i] = ktime_get_boottime_ns();
		rcu_assign_pointer(kma_tallies[i], t);
		begun |= BIT(i);
	}
	return 0;
}

/* Nobody counts in it. */
static void kma_tally_begin_anew(struct kma_tally *t, enum kma_tally_of of)
{
	kma_tally_clear(t);
	if (of == KMA_TALLY_PCPU)
		kma_tally_add_nodes(t);
}

void kma_tallies_pause(struct kma_tally *t[KMA_TALLY_NR])
{
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_TALLY_NR; i++)
		t[i] = rcu_replace_pointer(kma_tallies[i], NULL, lockdep_is_held(&kma_lock));
	synchronize_rcu();
	for (i = 0; i < KMA_TALLY_NR; i++)
		if (t[i])
			kma_tally_begin_anew(t[i], i);
}

void kma_tallies_resume(struct kma_tally *t[KMA_TALLY_NR])
{
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_TALLY_NR; i++)
		rcu_assign_pointer(kma_tallies[i], t[i]);
}
