// SPDX-License-Identifier: GPL-2.0
/* The sums at the last `reset`.  See baseline.h. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "baseline.h"
#include "core/recycle.h"
#include "countmaps.h"
#include "identity.h"
#include "match/filter.h"
#include "state.h"
#include "trace/page_track.h"
#include "trace/phase.h"

struct kma_baseline kma_baseline;

static void kma_baseline_sum_table(const struct kma_sitetab *t, struct kma_row *row)
{
	u32 id;

	for (id = 0; row && id < kma_sitetab_rows(t); id++) {
		/* Clear what is left of an earlier reset in a row that is not in use. */
		if (kma_sitetab_info(t, id))
			kma_sitetab_sum(t, id, &row[id]);
		else
			row[id] = (struct kma_row) {};
		cond_resched();
	}
}

static void kma_baseline_sum_rows(void)
{
	kma_baseline_sum_table(&kma_core.sites, kma_baseline.row);
	kma_baseline_sum_table(&kma_pagealloc.sites, kma_baseline.page_row);
}

/* Whether no event was counted since kma_stats was last summed up for the baseline. */
static bool kma_baseline_quiet(void)
{
	struct kma_stats now;

	kma_stats_sum(&now);
	return !memcmp(&now, &kma_baseline.stats, sizeof(now));
}

/*
 * Sum up kma_stats at a moment when events pause.
 *
 * A probe counts an event in kma_stats first, and then in a row.  So this waits for running
 * probes: they have then counted in a row what they had counted in kma_stats.
 *
 * Return: false if events do not pause.
 */
static bool kma_baseline_sum_stats(void)
{
	kma_stats_sum(&kma_baseline.stats);
	usleep_range(1000, 2000);
	if (!kma_baseline_quiet())
		return false;
	kma_env_wait_for_probes();
	return kma_baseline_quiet();
}

/* Attempts to find a pause.  They are limited, because there may never be one. */
#define KMA_BASE_TRIES	8
/* How often the rows are summed up at most: it takes long if there are many rows and CPUs. */
#define KMA_BASE_SUMS	4

/*
 * If the baseline included an event in some sums and not in others, tables would disagree by that
 * event until the next reset.  So look for a pause, which is cheap, before summing up the rows.  If
 * an event is counted while the rows are summed up, try again, but only a few times.
 */
static void kma_baseline_sum(void)
{
	int tries, sums = 0;

	for (tries = 0; tries < KMA_BASE_TRIES; tries++) {
		if (!kma_baseline_sum_stats())
			continue;
		kma_baseline_sum_rows();
		if (kma_baseline_quiet() || ++sums == KMA_BASE_SUMS)
			return;
	}
	/* These sums may disagree. */
	kma_stats_sum(&kma_baseline.stats);
	kma_baseline_sum_rows();
}

static void kma_baseline_take(void)
{
	struct kma_countmap *countmap[KMA_COUNTMAP_NR];

	kma_filter_reset();
	/*
	 * An event that finds no row in a countmap increments a counter of kma_stats.  So
	 * countmaps are paused while kma_stats is summed up.
	 */
	kma_countmaps_pause(countmap);
	kma_phase_forget();
	kma_state_sweep(0);
	kma_baseline_sum();
	/* What recycled rows had counted before is not shown any more. */
	kma_recycle_forget(&kma_core.sites);
	kma_countmaps_resume(countmap);
	kma_baseline.ns = ktime_get_boottime_ns();
	kma_identity.resets++;
}

static struct kma_row *kma_baseline_rows(const struct kma_sitetab *t)
{
	return kma_copy_alloc(kma_sitetab_rows(t), sizeof(struct kma_row));
}

/*
 * Whether recording was ever switched off, and the values of alloc_off and page_off when it first
 * was.  Pages that come before they are tracked are missing in any case, so their value is that at
 * the beginning of tracking, if this is later.
 */
static bool kma_baseline_paused;
static u64 kma_baseline_alloc_off;
static u64 kma_baseline_page_off;

void kma_baseline_pause(void)
{
	struct kma_stats now;

	lockdep_assert_held(&kma_lock);
	if (kma_baseline_paused)
		return;
	kma_stats_sum(&now);
	kma_baseline_alloc_off = now.v[KMA_STAT_alloc_off];
	kma_baseline_page_off = now.v[KMA_STAT_page_off];
	kma_baseline_paused = true;
}

u64 kma_baseline_missed(const struct kma_stats *now, bool pages)
{
	lockdep_assert_held(&kma_lock);
	if (!kma_baseline_paused)
		return 0;
	return pages ? now->v[KMA_STAT_page_off] - kma_baseline_page_off :
		       now->v[KMA_STAT_alloc_off] - kma_baseline_alloc_off;
}

int kma_baseline_reset(void)
{
	const bool pages = kma_pages_tracked();
	struct kma_row *row, *page_row;

	lockdep_assert_held(&kma_lock);
	row = kma_baseline.row ?: kma_baseline_rows(&kma_core.sites);
	page_row = kma_baseline.page_row || !pages ? kma_baseline.page_row :
		   kma_baseline_rows(&kma_pagealloc.sites);
	if (!row || (pages && !page_row)) {
		if (row != kma_baseline.row)
			kma_copy_free(row);
		if (page_row != kma_baseline.page_row)
			kma_copy_free(page_row);
		return -ENOMEM;
	}
	kma_baseline.row = row;
	kma_baseline.page_row = page_row;
	kma_baseline_take();
	return 0;
}

void kma_baseline_forget_row(u32 id, struct kma_row *sum)
{
	struct kma_row *base;

	lockdep_assert_held(&kma_lock);
	if (!kma_baseline.row)
		return;
	base = &kma_baseline.row[id];
	sum->hits -= base->hits;
	sum->bytes_req -= base->bytes_req;
	sum->frees -= base->frees;
	sum->repaired -= base->repaired;
	sum->no_entry -= base->no_entry;
	sum->pingpong -= base->pingpong;
	sum->cross_node -= base->cross_node;
	sum->bulk -= base->bulk;
	*base = (struct kma_row) {};
}

void kma_baseline_begin_pages(void)
{
	u64 *base = kma_baseline.stats.v;
	const u64 off = base[KMA_STAT_page_off] - base[KMA_STAT_events_mm_page_alloc] -
			base[KMA_STAT_page_bulk];

	kma_baseline_forget_pages();
	/*
	 * Since the baseline was last replaced, each allocation has counted in page_off.  Include
	 * those that a probe has counted as an event, but not in page_off yet.
	 */
	base[KMA_STAT_page_off] = off + base[KMA_STAT_events_mm_page_alloc] +
				  base[KMA_STAT_page_bulk];
	kma_baseline_page_off = base[KMA_STAT_page_off];
}

void kma_baseline_forget_pages(void)
{
	u64 *base = kma_baseline.stats.v;
	struct kma_stats stats;
	int i;

	lockdep_assert_held(&kma_lock);
	kma_copy_free(kma_baseline.page_row);
	kma_baseline.page_row = NULL;
	/* The rows are gone, but kma_stats still includes their events: subtract these. */
	kma_stats_sum(&stats);
	base[KMA_STAT_events_mm_page_alloc] = stats.v[KMA_STAT_events_mm_page_alloc];
	base[KMA_STAT_events_mm_page_free] = stats.v[KMA_STAT_events_mm_page_free];
	for (i = KMA_STAT_PAGES; i < KMA_STAT_NR; i++)
		base[i] = stats.v[i];
	kma_baseline_page_off = stats.v[KMA_STAT_page_off];
}

void kma_baseline_start(void)
{
	mutex_lock(&kma_lock);
	kma_stats_sum(&kma_baseline.stats);
	kma_stats_balance(&kma_baseline.stats);
	kma_baseline.ns = ktime_get_boottime_ns();
	mutex_unlock(&kma_lock);
}

void kma_baseline_stop(void)
{
	kma_copy_free(kma_baseline.row);
	kma_copy_free(kma_baseline.page_row);
	memset(&kma_baseline, 0, sizeof(kma_baseline));
}
