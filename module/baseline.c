// SPDX-License-Identifier: GPL-2.0
/* The sums at the last `reset`.  See baseline.h. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "baseline.h"
#include "countmaps.h"
#include "match/filter.h"
#include "state.h"
#include "trace/page_track.h"

struct kma_baseline kma_baseline;

static void kma_baseline_sum_rows(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(t); id++)
		kma_sitetab_sum(t, id, &kma_baseline.row[id]);
	for (id = 0; kma_baseline.page_row && id < kma_sitetab_rows(&kma_pagealloc.sites); id++)
		kma_sitetab_sum(&kma_pagealloc.sites, id, &kma_baseline.page_row[id]);
}

/*
 * Sum up all counters, and store the sums in the baseline.
 *
 * A probe counts an event in kma_stats first, and then in a row.  If @wait is true, this waits
 * for running probes between reading kma_stats and reading the rows.
 *
 * Return: true if no other event was counted in the meantime.  With @wait, all sums then
 * include the same events.
 */
static bool kma_baseline_sum_once(bool wait)
{
	struct kma_stats after;

	kma_stats_sum(&kma_baseline.stats);
	if (wait) {
		/* Probes that counted an event in kma_stats have now counted it in a row. */
		kma_env_wait_for_probes();
	}
	kma_baseline_sum_rows();
	kma_stats_sum(&after);
	return !memcmp(&after, &kma_baseline.stats, sizeof(after));
}

/* Retries are limited, because there may never be a pause without events. */
#define KMA_BASE_TRIES	8

/*
 * Retry until the counters are stable.  If the baseline included an event in some sums and not
 * in others, tables would disagree by that event until the next reset.
 *
 * The first call in the loop does not wait, and so finds out cheaply whether events pause.
 */
static void kma_baseline_sum(void)
{
	int i;

	for (i = 0; i < KMA_BASE_TRIES; i++) {
		if (kma_baseline_sum_once(false) && kma_baseline_sum_once(true))
			return;
		usleep_range(1000, 2000);
	}
	kma_baseline_sum_once(false);
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
	kma_state_sweep();
	kma_baseline_sum();
	kma_countmaps_resume(countmap);
	kma_baseline.ns = ktime_get_boottime_ns();
}

static struct kma_row *kma_baseline_rows(const struct kma_sitetab *t)
{
	return kma_copy_alloc(kma_sitetab_rows(t), sizeof(struct kma_row));
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
}

void kma_baseline_start(void)
{
	mutex_lock(&kma_lock);
	kma_baseline.ns = ktime_get_boottime_ns();
	mutex_unlock(&kma_lock);
}

void kma_baseline_stop(void)
{
	kma_copy_free(kma_baseline.row);
	kma_copy_free(kma_baseline.page_row);
	memset(&kma_baseline, 0, sizeof(kma_baseline));
}
