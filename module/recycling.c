// SPDX-License-Identifier: GPL-2.0
/* Which rows of call sites are recycled, and when.  See recycling.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>

#include "baseline.h"
#include "core/env.h"
#include "core/recycle.h"
#include "recycling.h"
#include "resolve/symbol.h"
#include "sampling.h"
#include "state.h"

/* If rows run short, they are looked at once in so many turns. */
#define KMA_RECYCLING_TURNS	8

/*
 * For each row, the low 32 bits of the number of objects that it had counted when it was last
 * found without live objects.  Protected by kma_lock, like the other variables.
 */
static u32 *kma_counted;
static unsigned int kma_turns;
static u64 kma_recycled;

u64 kma_recycling_forecast(void)
{
	return kma_config.sites_max * sizeof(kma_counted[0]);
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

static bool kma_recycling_wanted(void *reset, u32 id, const struct kma_row *sum)
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);

	if (READ_ONCE(info->state) != KMA_SITE_LIVE || info->shift != kma_recycling_shift())
		return true;
	return *(bool *)reset ? info->nr_frames : kma_recycling_idle(id, sum);
}

static void kma_recycling_leaves(void *reset, u32 id, struct kma_row *sum)
{
	kma_baseline_forget_row(id, sum);
	kma_symbol_forget(&kma_core.sites, id);
	kma_counted[id] = 0;
}

static void kma_recycling_now(bool reset)
{
	const struct kma_recycle recycle = {
		.wanted = kma_recycling_wanted,
		.leaves = kma_recycling_leaves,
		.arg = &reset,
	};
	u32 nr;

	lockdep_assert_held(&kma_lock);
	if (!kma_recycle_begin(&kma_core.sites, &recycle))
		return;
	nr = kma_recycle_finish(&kma_core.sites, &recycle);
	kma_recycled += nr;
	/* Readers that have dropped the lock must not go on with numbers of rows. */
	if (nr)
		kma_state_changed();
}

static bool kma_recycling_short(void)
{
	const struct kma_sitetab *t = &kma_core.sites;

	return kma_sitetab_used(t) >= t->sites_max / 8 * 7 ||
	       (u32)atomic_read(&t->stacks) >= kma_sitetab_stacks_max(t) / 8 * 7;
}

void kma_recycling_turn(void)
{
	if (kma_turns++ % KMA_RECYCLING_TURNS == 0 && kma_recycling_short())
		kma_recycling_now(false);
}

void kma_recycling_reset(void)
{
	kma_recycling_now(true);
}

u64 kma_recycling_rows(void)
{
	return kma_recycled;
}

int kma_recycling_start(void)
{
	kma_turns = 0;
	kma_recycled = 0;
	kma_counted = kma_env_zalloc(kma_recycling_forecast());
	if (!kma_counted) {
		pr_err("not enough memory: use a smaller sites_max\n");
		return -ENOMEM;
	}
	return 0;
}

void kma_recycling_stop(void)
{
	kma_env_free(kma_counted);
	kma_counted = NULL;
}
