// SPDX-License-Identifier: GPL-2.0
/* Allocating, emptying and freeing countmaps.  See countmaps.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>

#include "core/failure.h"
#include "core/stall.h"
#include "countmaps.h"
#include "state.h"

/* Rows of a countmap.  A row takes 128 bytes on each CPU, and some 180 bytes in shared memory. */
#define KMA_COUNTMAP_ROWS		4096
#define KMA_COUNTMAP_ROWS_FEW		1024

/*
 * A machine with more memory has more processes and cgroups.  So their countmaps have as many rows
 * as fit into this part of the RAM, within limits.
 */
static const struct {
	u32 part;
	u32 least;
	u32 most;
} kma_countmap_by_ram[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_TASKS] = { 512, 1024, 32768 },
	[KMA_COUNTMAP_CGROUPS] = { 1024, 1024, 16384 },
};

/*
 * The reserve is for rows that have the counts of many keys: of ended processes, removed cgroups,
 * interrupts, all shrinkers of a function, all shrinkers that a call site waits for, or all call
 * sites that fail at an order.
 */
static const u32 kma_countmap_reserve[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_SHRINKERS] = 64,
	[KMA_COUNTMAP_STALLS] = 256,
	[KMA_COUNTMAP_TASKS] = 8,
	[KMA_COUNTMAP_CGROUPS] = 8,
	[KMA_COUNTMAP_FAILURES] = 96,
};

/*
 * The countmaps that are shared or local: number of rows, counters of a row, and which of these
 * keep a maximum.  Refaults and calls of the slow path count in the countmap of `latency`.  They
 * may be frequent while memory is short, so this one is local.
 */
#define KMA_LATENCY_ROWS	128
static_assert(KMA_LATENCY_ROWS * KMA_LATENCY_NR * sizeof(u64) <= KMA_PERCPU_CHUNK_BYTES);

/* The histograms of waits take less than 1 MiB, with some 180 bytes for the map of each row. */
#define KMA_WAITS_ROWS		512
static_assert(KMA_WAITS_ROWS * (KMA_COUNTMAP_COPIES * KMA_LATENCY_TIMES_NR * sizeof(u64) + 180) <
	      SZ_1M);

static const struct {
	u32 rows;
	u32 counters;
	u32 maxima;
	bool local;
} kma_countmap_shared[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_LATENCY] = { KMA_LATENCY_ROWS, KMA_LATENCY_NR, BIT(KMA_LATENCY_MAX_NS),
				   .local = true },
	[KMA_COUNTMAP_SHRINKERS] = { 320, KMA_SHRINKER_NR, BIT(KMA_SHRINKER_MAX_NS) },
	[KMA_COUNTMAP_STALLS] = { 1024, KMA_STALLED_NR, BIT(KMA_STALLED_MAX_NS) },
	[KMA_COUNTMAP_WAITS] = { KMA_WAITS_ROWS, KMA_LATENCY_TIMES_NR, BIT(KMA_LATENCY_MAX_NS) },
	[KMA_COUNTMAP_FAILURES] = { 512, KMA_FAILURE_NR, BIT(KMA_FAILURE_MAX_BYTES) },
	[KMA_COUNTMAP_WAKERS] = { 1024, KMA_WAKER_NR, BIT(KMA_WAKER_MAX_NS) },
};

struct kma_countmap __rcu *kma_countmaps[KMA_COUNTMAP_NR];
bool kma_countmaps_on;

/* When each countmap was switched on, in ns since boot.  Protected by kma_lock. */
static u64 kma_countmap_ns[KMA_COUNTMAP_NR];

static u32 kma_countmap_rows_by_ram(enum kma_countmap_of of)
{
	const u32 most = kma_countmap_by_ram[of].most;
	const u64 bytes = (u64)totalram_pages() << PAGE_SHIFT;
	const u64 all = kma_countmap_bytes(most, nr_cpu_ids) * kma_countmap_by_ram[of].part;

	return max_t(u32, kma_countmap_by_ram[of].least,
		     min_t(u64, most, mul_u64_u64_div_u64(bytes, most, all)));
}

static u32 kma_countmap_rows(enum kma_countmap_of of)
{
	if (kma_countmap_by_ram[of].part)
		return kma_countmap_rows_by_ram(of);
	switch (of) {
	case KMA_COUNTMAP_PCPU:
		return nr_node_ids + 1;
	case KMA_COUNTMAP_EXTFRAG:
		return KMA_COUNTMAP_ROWS_FEW;
	default:
		return KMA_COUNTMAP_ROWS;
	}
}

struct kma_countmap *kma_countmap_locked(enum kma_countmap_of of)
{
	return rcu_dereference_protected(kma_countmaps[of], lockdep_is_held(&kma_lock));
}

u64 kma_countmap_since(enum kma_countmap_of of)
{
	lockdep_assert_held(&kma_lock);
	return kma_countmap_ns[of];
}

u32 kma_countmap_maxima(enum kma_countmap_of of)
{
	return kma_countmap_shared[of].maxima;
}

u64 kma_countmap_memory(enum kma_countmap_of of)
{
	if (kma_countmap_shared[of].local)
		return kma_countmap_local_bytes(kma_countmap_shared[of].rows, num_possible_cpus());
	if (kma_countmap_shared[of].rows)
		return kma_countmap_shared_bytes(kma_countmap_shared[of].rows,
						 kma_countmap_shared[of].counters);
	return kma_countmap_bytes(kma_countmap_rows(of), num_possible_cpus());
}

/*
 * Add the rows of all nodes in advance, because there are just enough rows.  If probes added
 * them, two CPUs might add two rows for the same node at the same time, and no row would be left
 * for another node.
 */
static void kma_countmap_add_nodes(struct kma_countmap *t)
{
	struct kma_countmap_info info = {};
	int node;

	for_each_node(node) {
		info.key.word[0] = node;
		kma_countmap_add(t, &info);
	}
}

static int kma_countmap_allocate(struct kma_countmap *t, enum kma_countmap_of of)
{
	const u32 rows = kma_countmap_shared[of].rows;

	if (!rows)
		return kma_countmap_init(t, kma_countmap_rows(of));
	if (kma_countmap_shared[of].local)
		return kma_countmap_init_local(t, rows, kma_countmap_shared[of].counters,
					       kma_countmap_shared[of].maxima);
	return kma_countmap_init_shared(t, rows, kma_countmap_shared[of].counters,
					kma_countmap_shared[of].maxima);
}

static struct kma_countmap *kma_countmap_new(enum kma_countmap_of of)
{
	struct kma_countmap *t = kma_small_alloc(sizeof(*t));

	if (!t || kma_countmap_allocate(t, of)) {
		kma_small_free(t);
		return NULL;
	}
	t->reserve = kma_countmap_reserve[of];
	if (of == KMA_COUNTMAP_PCPU)
		kma_countmap_add_nodes(t);
	return t;
}

static void kma_countmap_free(struct kma_countmap *t)
{
	if (t)
		kma_countmap_destroy(t);
	kma_small_free(t);
}

void kma_countmaps_end(unsigned long which)
{
	struct kma_countmap *t[KMA_COUNTMAP_NR] = {};
	int i;

	lockdep_assert_held(&kma_lock);
	if (!which)
		return;
	for_each_set_bit(i, &which, KMA_COUNTMAP_NR)
		t[i] = rcu_replace_pointer(kma_countmaps[i], NULL, lockdep_is_held(&kma_lock));
	synchronize_rcu();
	for_each_set_bit(i, &which, KMA_COUNTMAP_NR)
		kma_countmap_free(t[i]);
}

int kma_countmaps_begin(unsigned long which)
{
	unsigned long begun = 0;
	struct kma_countmap *t;
	int i;

	lockdep_assert_held(&kma_lock);
	for_each_set_bit(i, &which, KMA_COUNTMAP_NR) {
		t = kma_countmap_new(i);
		if (!t) {
			kma_countmaps_end(begun);
			return -ENOMEM;
		}
		kma_countmap_ns[i] = ktime_get_boottime_ns();
		rcu_assign_pointer(kma_countmaps[i], t);
		begun |= BIT(i);
	}
	return 0;
}

/* Empty a countmap that no probe is using. */
static void kma_countmap_begin_anew(struct kma_countmap *t, enum kma_countmap_of of)
{
	kma_countmap_clear(t);
	if (of == KMA_COUNTMAP_PCPU)
		kma_countmap_add_nodes(t);
}

void kma_countmaps_pause(struct kma_countmap *t[KMA_COUNTMAP_NR])
{
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_COUNTMAP_NR; i++)
		t[i] = rcu_replace_pointer(kma_countmaps[i], NULL, lockdep_is_held(&kma_lock));
	synchronize_rcu();
	for (i = 0; i < KMA_COUNTMAP_NR; i++)
		if (t[i])
			kma_countmap_begin_anew(t[i], i);
}

void kma_countmaps_resume(struct kma_countmap *t[KMA_COUNTMAP_NR])
{
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_COUNTMAP_NR; i++)
		rcu_assign_pointer(kma_countmaps[i], t[i]);
}
