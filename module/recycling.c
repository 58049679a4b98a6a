// SPDX-License-Identifier: GPL-2.0
/* Which rows of call sites are recycled, and when.  See recycling.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "baseline.h"
#include "core/recycle.h"
#include "recycling.h"
#include "resolve/symbol.h"
#include "sampling.h"
#include "state.h"

/* Turns from one look at the rows to the next, at least and, if nothing was recycled, at most. */
#define KMA_RECYCLING_TURNS	8
#define KMA_RECYCLING_TURNS_MAX	4096

/*
 * For each row, the low 32 bits of the number of objects that it had counted when it was last
 * found without live objects.  Protected by kma_lock, like the other variables.
 */
static u32 *kma_counted;
static unsigned int kma_turns;
/* Turns to wait after the last look, and the turn of the next one. */
static unsigned int kma_recycling_pause;
static unsigned int kma_recycling_next;
/* Whether the next turn looks at the rows.  kma_recycling_sweep() reads it without the lock. */
static bool kma_recycling_due;
/* What was recycled since load. */
static u64 kma_recycled_rows;
static u64 kma_recycled_caches;
static struct kma_recycling_gone kma_gone[KMA_RECYCLING_GONE];

static size_t kma_recycling_bytes(void)
{
	return kma_core.sites.sites_max * sizeof(kma_counted[0]);
}

/* Whether a row has counted nothing since this was last asked. */
static bool kma_recycling_idle(u32 id, const struct kma_row *sum)
{
	const u32 before = kma_counted[id];

	kma_counted[id] = sum->hits + sum->bulk;
	return kma_counted[id] == before;
}

/* The shift of rows that are new now. */
static int kma_recycling_shift(void)
{
	return kma_sampling_bytes() ? kma_sample_shift(KMA_SAMPLE_OBJECTS) : KMA_SHIFT_EXACT;
}

/**
 * struct kma_recycling_why - the reasons for recycling
 * @reset: a reset
 * @rows: rows run short
 * @caches: numbers of caches run short
 */
struct kma_recycling_why {
	bool reset;
	bool rows;
	bool caches;
};

/* Whether a row keeps the number of a destroyed cache in use. */
static bool kma_recycling_keeps_number(const struct kma_site_info *info)
{
	return kma_cachetab_state(&kma_core.sites.caches, info->cache) == KMA_CACHE_RETIRED;
}

static bool kma_recycling_wanted(void *arg, u32 id, const struct kma_row *sum)
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);
	const struct kma_recycling_why *why = arg;

	if (why->caches && kma_recycling_keeps_number(info))
		return true;
	if (!why->rows && !why->reset)
		return false;
	if (READ_ONCE(info->state) != KMA_SITE_LIVE || info->shift != kma_recycling_shift())
		return true;
	return why->reset ? info->nr_frames : kma_recycling_idle(id, sum);
}

static void kma_recycling_leaves(void *why, u32 id, struct kma_row *sum)
{
	kma_baseline_forget_row(id, sum);
	/* A row [other] has neither a name nor a count. */
	if (id >= kma_core.sites.sites_max)
		return;
	kma_symbol_forget(&kma_core.sites, id);
	kma_counted[id] = 0;
}

/* The number of a cache is recycled: add what its recycled rows have counted to kma_gone. */
static void kma_recycling_cache_leaves(void *why, int cache)
{
	const struct kma_sitetab *t = &kma_core.sites;
	/* The row of a number that has the name [other]. */
	struct kma_counts_raw raw = { .id = t->sites_max + KMA_CACHES_MAX };
	struct kma_site_counts counts;
	struct kma_recycling_gone *gone;
	int i;

	for (i = 0; i < KMA_PAST_SHIFTS; i++) {
		raw.since = *kma_recycle_past(t, cache, kma_past_shift(i));
		kma_counts_raw_set(&raw, cache, kma_past_shift(i));
		kma_counts_read(&counts, &raw);
		gone = &kma_gone[raw.sampled];
		kma_counts_add(&gone->counts, &counts);
		kma_row_add(&gone->row, &raw.since);
	}
}

static void kma_recycling_forget_gone(void)
{
	u32 i;

	memset(kma_gone, 0, sizeof(kma_gone));
	for (i = 0; i < KMA_RECYCLING_GONE; i++) {
		kma_gone[i].counts.id = kma_core.sites.sites_max + KMA_CACHES_MAX;
		kma_gone[i].sampled = i;
	}
}

const struct kma_recycling_gone *kma_recycling_gone(u32 i)
{
	lockdep_assert_held(&kma_lock);
	return &kma_gone[i];
}

/* Return: whether anything was recycled. */
static bool kma_recycling_now(struct kma_recycling_why why)
{
	const struct kma_recycle recycle = {
		.caches = why.reset || why.caches,
		.wanted = kma_recycling_wanted,
		.leaves = kma_recycling_leaves,
		.cache_leaves = kma_recycling_cache_leaves,
		.arg = &why,
	};
	struct kma_recycled nr;

	lockdep_assert_held(&kma_lock);
	if (!kma_recycle_begin(&kma_core.sites, &recycle))
		return false;
	nr = kma_recycle_finish(&kma_core.sites, &recycle);
	kma_recycled_rows += nr.rows;
	kma_recycled_caches += nr.caches;
	if (!nr.rows && !nr.caches)
		return false;
	/* Readers that have dropped the lock must not go on with these numbers. */
	kma_state_changed();
	return true;
}

static struct kma_recycling_why kma_recycling_short(void)
{
	const struct kma_sitetab *t = &kma_core.sites;

	return (struct kma_recycling_why) {
		.rows = kma_sitetab_used(t) >= t->sites_max / 8 * 7 ||
			(u32)atomic_read(&t->stacks) >= kma_sitetab_stacks_max(t) / 8 * 7,
		.caches = kma_cachetab_used(&t->caches) >= KMA_CACHES_MAX / 8 * 7,
	};
}

void kma_recycling_sweep(void)
{
	if (READ_ONCE(kma_recycling_due))
		kma_state_sweep(0);
}

void kma_recycling_turn(void)
{
	const struct kma_recycling_why why = kma_recycling_short();
	const unsigned int turn = kma_turns++;

	if (!why.rows && !why.caches) {
		kma_recycling_pause = KMA_RECYCLING_TURNS;
		return;
	}
	if ((int)(turn - kma_recycling_next) < 0)
		return;
	if (!kma_recycling_due) {
		WRITE_ONCE(kma_recycling_due, true);
		return;
	}
	WRITE_ONCE(kma_recycling_due, false);
	if (kma_recycling_now(why))
		kma_recycling_pause = KMA_RECYCLING_TURNS;
	else
		kma_recycling_pause = min(2 * kma_recycling_pause, KMA_RECYCLING_TURNS_MAX);
	kma_recycling_next = turn + kma_recycling_pause;
}

void kma_recycling_reset(void)
{
	kma_recycling_forget_gone();
	kma_recycling_now((struct kma_recycling_why) { .reset = true });
}

u64 kma_recycling_rows(void)
{
	return kma_recycled_rows;
}

u64 kma_recycling_caches(void)
{
	return kma_recycled_caches;
}

int kma_recycling_start(void)
{
	kma_turns = 0;
	kma_recycling_pause = KMA_RECYCLING_TURNS;
	kma_recycling_next = 0;
	kma_recycling_due = false;
	kma_recycled_rows = 0;
	kma_recycled_caches = 0;
	kma_recycling_forget_gone();
	kma_counted = kvzalloc(kma_recycling_bytes(), GFP_KERNEL);
	if (!kma_counted) {
		pr_err("not enough memory: use a smaller sites_max\n");
		return -ENOMEM;
	}
	kma_state_add_bytes(kma_recycling_bytes());
	return 0;
}

void kma_recycling_stop(void)
{
	kma_state_add_bytes(-(s64)kma_recycling_bytes());
	kvfree(kma_counted);
	kma_counted = NULL;
}
