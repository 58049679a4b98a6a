// SPDX-License-Identifier: GPL-2.0
/* Which rows of call sites are recycled, and when.  See recycling.h. */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "baseline.h"
#include "core/env.h"
#include "core/recycle.h"
#include "marks.h"
#include "recycling.h"
#include "resolve/symbol.h"
#include "sampling.h"
#include "state.h"
#include "trace/page_track.h"

/* Turns from one search of the rows to the next: at least, and at most if none was recycled. */
#define KMA_RECYCLING_TURNS	8
#define KMA_RECYCLING_TURNS_MAX	4096

/* All of these variables are protected by kma_lock. */
static unsigned int kma_turns;
/* Turns to wait after the last search, and the turn of the next one. */
static unsigned int kma_recycling_pause;
static unsigned int kma_recycling_next;
/* Whether the next turn searches the rows.  kma_recycling_sweep() reads this without the lock. */
static bool kma_recycling_due;
/* Numbers of rows and of caches that were recycled since load. */
static u64 kma_recycled_rows;
static u64 kma_recycled_caches;
static struct kma_recycling_gone kma_gone[KMA_RECYCLING_GONE];

/**
 * struct kma_recycling - what to recycle, and why
 * @t: the table
 * @reset: there was a reset
 * @rows: rows run short
 * @caches: numbers of caches run short
 */
struct kma_recycling {
	struct kma_sitetab *t;
	bool reset;
	bool rows;
	bool caches;
};

/* Whether a row has counted nothing since this function last read it. */
static bool kma_recycling_idle(struct kma_sitetab *t, u32 id, const struct kma_row *sum)
{
	const u32 before = t->info[id].counted;

	t->info[id].counted = sum->hits + sum->bulk;
	return t->info[id].counted == before;
}

/* The shift of new rows. */
static int kma_recycling_shift(const struct kma_sitetab *t)
{
	if (t->pages)
		return kma_pages_shift();
	return kma_sampling_bytes() ? kma_sample_shift(KMA_SAMPLE_OBJECTS) : KMA_SHIFT_EXACT;
}

/* Whether a row keeps the number of a destroyed cache in use. */
static bool kma_recycling_keeps_number(const struct kma_sitetab *t,
				       const struct kma_site_info *info)
{
	return kma_cachetab_state(&t->caches, info->cache) == KMA_CACHE_RETIRED;
}

static bool kma_recycling_wanted(void *recycling, u32 id, const struct kma_row *sum)
{
	const struct kma_recycling *r = recycling;
	const struct kma_site_info *info = kma_sitetab_info(r->t, id);

	if (r->caches && kma_recycling_keeps_number(r->t, info))
		return true;
	if (!r->rows && !r->reset)
		return false;
	if (READ_ONCE(info->state) != KMA_SITE_LIVE || info->shift != kma_recycling_shift(r->t))
		return true;
	return r->reset ? info->nr_frames : kma_recycling_idle(r->t, id, sum);
}

static void kma_recycling_leaves(void *recycling, u32 id, struct kma_row *sum)
{
	const struct kma_recycling *r = recycling;

	if (!r->t->pages)
		kma_history_row_leaves(&kma_history, r->t, id, sum);
	kma_baseline_forget_row(r->t->pages, id, sum);
	/* A row [other] has no name. */
	if (id < r->t->sites_max)
		kma_symbol_forget(r->t, id);
}

/* The number of a cache is being recycled: add what its recycled rows have counted to kma_gone. */
static void kma_recycling_cache_leaves(void *recycling, int cache)
{
	const struct kma_sitetab *t = &kma_core.sites;
	/* The row [other] of a reserved number, whose cache has the name [other], too. */
	struct kma_sitecount_raw raw = { .id = t->sites_max + KMA_CACHES_MAX };
	struct kma_site_counts counts;
	struct kma_recycling_gone *gone;
	int i;

	kma_history_cache_leaves(&kma_history, cache);
	for (i = 0; i < KMA_PAST_SHIFTS; i++) {
		raw.since = *kma_recycle_past(t, cache, kma_past_shift(i));
		kma_sitecount_raw_set(&raw, cache, kma_past_shift(i));
		kma_sitecount_read(&counts, &raw);
		gone = &kma_gone[raw.sampled];
		kma_sitecount_add(&gone->counts, &counts);
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
static bool kma_recycling_now(struct kma_recycling r)
{
	const struct kma_recycle recycle = {
		/* No number of page allocations is retired, so this does nothing for pages. */
		.caches = r.reset || r.caches,
		.wanted = kma_recycling_wanted,
		.leaves = kma_recycling_leaves,
		.cache_leaves = kma_recycling_cache_leaves,
		.arg = &r,
	};
	struct kma_recycled nr;

	lockdep_assert_held(&kma_lock);
	if (!kma_recycle_begin(r.t, &recycle))
		return false;
	nr = kma_recycle_finish(r.t, &recycle);
	kma_recycled_rows += nr.rows;
	kma_recycled_caches += nr.caches;
	if (!nr.rows && !nr.caches)
		return false;
	/* Readers that have dropped the lock must not go on with these numbers. */
	kma_state_changed();
	return true;
}

static bool kma_recycling_short_of_rows(const struct kma_sitetab *t)
{
	return kma_sitetab_used(t) >= t->sites_max / 8 * 7 ||
	       (u32)atomic_read(&t->stacks) >= kma_sitetab_stacks_max(t) / 8 * 7;
}

/* Whether rows of the table of objects, or numbers of caches, run short. */
static struct kma_recycling kma_recycling_objects(void)
{
	struct kma_sitetab *t = &kma_core.sites;

	return (struct kma_recycling) {
		.t = t,
		.rows = kma_recycling_short_of_rows(t),
		.caches = kma_cachetab_used(&t->caches) >= KMA_CACHES_MAX / 8 * 7,
	};
}

/* Whether rows of the table of page allocations run short. */
static struct kma_recycling kma_recycling_pages(void)
{
	struct kma_sitetab *t = &kma_pagealloc.sites;

	return (struct kma_recycling) {
		.t = t,
		.rows = kma_pages_tracked() && kma_recycling_short_of_rows(t),
	};
}

void kma_recycling_sweep(void)
{
	if (READ_ONCE(kma_recycling_due))
		kma_state_sweep();
}

void kma_recycling_turn(void)
{
	const struct kma_recycling objects = kma_recycling_objects();
	const struct kma_recycling pages = kma_recycling_pages();
	const unsigned int turn = kma_turns++;
	bool any = false;

	if (!objects.rows && !objects.caches && !pages.rows) {
		kma_recycling_pause = KMA_RECYCLING_TURNS;
		kma_recycling_next = turn;
		WRITE_ONCE(kma_recycling_due, false);
		return;
	}
	if ((int)(turn - kma_recycling_next) < 0)
		return;
	if (!kma_recycling_due) {
		WRITE_ONCE(kma_recycling_due, true);
		return;
	}
	WRITE_ONCE(kma_recycling_due, false);
	if (objects.rows || objects.caches)
		any |= kma_recycling_now(objects);
	if (pages.rows)
		any |= kma_recycling_now(pages);
	kma_recycling_pause = any ? KMA_RECYCLING_TURNS :
			      min(2 * kma_recycling_pause, KMA_RECYCLING_TURNS_MAX);
	kma_recycling_next = turn + kma_recycling_pause;
}

void kma_recycling_reset(void)
{
	kma_recycling_forget_gone();
	kma_recycling_now((struct kma_recycling) { .t = &kma_core.sites, .reset = true });
	if (kma_pages_tracked())
		kma_recycling_now((struct kma_recycling) {
			.t = &kma_pagealloc.sites, .reset = true,
		});
}

u64 kma_recycling_rows(void)
{
	return kma_recycled_rows;
}

u64 kma_recycling_caches(void)
{
	return kma_recycled_caches;
}

void kma_recycling_start(void)
{
	kma_turns = 0;
	kma_recycling_pause = KMA_RECYCLING_TURNS;
	kma_recycling_next = 0;
	kma_recycling_due = false;
	kma_recycled_rows = 0;
	kma_recycled_caches = 0;
	kma_recycling_forget_gone();
}
