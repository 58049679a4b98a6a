// SPDX-License-Identifier: GPL-2.0
/* The sums at the last `reset`.  See baseline.h. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "baseline.h"
#include "core/env.h"
#include "core/recycle.h"
#include "countmaps.h"
#include "identity.h"
#include "match/filter.h"
#include "state.h"
#include "trace/page_track.h"
#include "trace/phase.h"

struct kma_baseline kma_baseline;

/**
 * struct kma_baseline_job - a reset that is going on
 * @new: the sums that are being made
 * @changes: kma_state_changes() when this began
 * @keep_lock: make the sums without dropping kma_lock
 */
struct kma_baseline_job {
	struct kma_baseline new;
	u64 changes;
	bool keep_lock;
};

/* ---- sums ------------------------------------------------------------------ */

/* Number of rows to sum up before kma_lock is dropped for a moment. */
#define KMA_BASE_STEPS	32

/* To be called after each row.  Drops the lock now and then.  Return: 0, -EAGAIN or -EINTR. */
static int kma_baseline_pause_lock(const struct kma_baseline_job *job, u32 id)
{
	cond_resched();
	if ((id + 1) % KMA_BASE_STEPS || job->keep_lock)
		return 0;
	kma_lock_pause();
	if (fatal_signal_pending(current))
		return -EINTR;
	return job->changes == kma_state_changes() ? 0 : -EAGAIN;
}

static int kma_baseline_sum_table(const struct kma_baseline_job *job,
				  const struct kma_sitetab *t, struct kma_row *row)
{
	int ret = 0;
	u32 id;

	for (id = 0; row && !ret && id < kma_sitetab_rows(t); id++) {
		/* Clear the sums of an earlier attempt in a row that is not in use. */
		if (kma_sitetab_info(t, id))
			kma_sitetab_sum(t, id, &row[id]);
		else
			row[id] = (struct kma_row) {};
		ret = kma_baseline_pause_lock(job, id);
	}
	return ret;
}

static int kma_baseline_sum_rows(const struct kma_baseline_job *job)
{
	return kma_baseline_sum_table(job, &kma_core.sites, job->new.row) ?:
	       kma_baseline_sum_table(job, &kma_pagealloc.sites, job->new.page_row);
}

/* Whether a counter of kma_stats is about countmaps or phases: rows need not agree with these. */
static bool kma_baseline_is_of_countmaps(int i)
{
	return i >= KMA_STAT_countmap_other && i < KMA_STAT_spill_in;
}

/* Whether no row may have changed since kma_stats was last summed up for the baseline. */
static bool kma_baseline_quiet(const struct kma_baseline_job *job)
{
	struct kma_stats now;
	int i;

	kma_stats_sum(&now);
	for (i = 0; i < KMA_STAT_NR; i++)
		if (now.v[i] != job->new.stats.v[i] && !kma_baseline_is_of_countmaps(i))
			return false;
	return true;
}

/*
 * Sum up kma_stats at a moment when events pause.
 *
 * A probe counts an event in kma_stats first, and then in a row.  So this waits for running
 * probes: they have then counted in a row what they had counted in kma_stats.
 *
 * Return: false if events do not pause.
 */
static bool kma_baseline_sum_stats(struct kma_baseline_job *job)
{
	bool quiet;

	/* This sleeps and waits for probes, so drop the lock meanwhile. */
	if (!job->keep_lock)
		kma_lock_release();
	kma_stats_sum(&job->new.stats);
	usleep_range(1000, 2000);
	quiet = kma_baseline_quiet(job);
	if (quiet)
		kma_env_wait_for_probes();
	if (!job->keep_lock)
		kma_lock_take(KMA_LOCK_RESET);
	return quiet && kma_baseline_quiet(job);
}

/* Attempts to find a pause.  They are limited, because there may never be one. */
#define KMA_BASE_TRIES	8
/*
 * The largest number of times that the rows are summed up: this takes long if there are many rows
 * and CPUs.
 */
#define KMA_BASE_SUMS	4

/*
 * If the baseline included an event in some sums and not in others, tables would disagree by that
 * event until the next reset.  So look for a pause, which is cheap, before summing up the rows.  If
 * an event is counted while the rows are summed up, try again, but only a few times.
 */
static int kma_baseline_sum(struct kma_baseline_job *job)
{
	int ret, tries, sums = 0;

	for (tries = 0; tries < KMA_BASE_TRIES; tries++) {
		if (!kma_baseline_sum_stats(job))
			continue;
		if (job->changes != kma_state_changes())
			return -EAGAIN;
		ret = kma_baseline_sum_rows(job);
		if (ret || kma_baseline_quiet(job) || ++sums == KMA_BASE_SUMS)
			return ret;
	}
	if (job->changes != kma_state_changes())
		return -EAGAIN;
	/* Events were counted meanwhile, so these sums may disagree. */
	kma_stats_sum(&job->new.stats);
	return kma_baseline_sum_rows(job);
}

/* ---- reset ----------------------------------------------------------------- */

static void kma_baseline_free(struct kma_baseline *b)
{
	kma_env_free(b->row);
	kma_env_free(b->page_row);
	b->row = NULL;
	b->page_row = NULL;
}

static struct kma_row *kma_baseline_rows(const struct kma_sitetab *t)
{
	return kma_env_zalloc_try((size_t)kma_sitetab_rows(t) * sizeof(struct kma_row));
}

/* Make the sums.  Return: 0, -ENOMEM, -EINTR, or -EAGAIN if something has changed meanwhile. */
static int kma_baseline_make(struct kma_baseline_job *job)
{
	const bool pages = kma_pages_tracked();

	job->changes = kma_state_changes();
	job->new.row = kma_baseline_rows(&kma_core.sites);
	job->new.page_row = pages ? kma_baseline_rows(&kma_pagealloc.sites) : NULL;
	if (!job->new.row || (pages && !job->new.page_row))
		return -ENOMEM;
	return kma_baseline_sum(job);
}

/* Replace the baseline.  The lock has been held since @new was complete, and is still held. */
static void kma_baseline_replace(struct kma_baseline *new)
{
	struct kma_countmap *countmap[KMA_COUNTMAP_NR];
	struct kma_stats now;
	int i;

	kma_filter_reset();
	/*
	 * An event that finds no row in a countmap increments a counter of kma_stats.  So
	 * countmaps are paused while these counters are summed up.
	 */
	kma_countmaps_pause(countmap);
	kma_phase_forget();
	kma_stats_sum(&now);
	for (i = 0; i < KMA_STAT_NR; i++)
		if (kma_baseline_is_of_countmaps(i))
			new->stats.v[i] = now.v[i];
	kma_baseline_free(&kma_baseline);
	kma_baseline = *new;
	/* Tables no longer show what recycled rows had counted before the reset. */
	kma_recycle_forget(&kma_core.sites);
	kma_recycle_forget(&kma_pagealloc.sites);
	kma_countmaps_resume(countmap);
	kma_baseline.ns = ktime_get_boottime_ns();
	kma_identity.resets++;
}

/* The last attempt keeps the lock, so that no change can make it fail. */
#define KMA_BASE_ATTEMPTS	3

int kma_baseline_reset(void)
{
	struct kma_baseline_job job = {};
	int i, ret = -EAGAIN;

	lockdep_assert_held(&kma_lock);
	kma_lock_forget();
	for (i = 1; ret == -EAGAIN; i++) {
		job.keep_lock = i == KMA_BASE_ATTEMPTS;
		ret = kma_baseline_make(&job);
		if (ret)
			kma_baseline_free(&job.new);
	}
	if (!ret)
		kma_baseline_replace(&job.new);
	return ret;
}

/* ---- times while recording is off ------------------------------------------ */

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

/* ---- parts of the baseline --------------------------------------------------- */

void kma_baseline_forget_row(bool pages, u32 id, struct kma_row *sum)
{
	struct kma_row *base = pages ? kma_baseline.page_row : kma_baseline.row;

	lockdep_assert_held(&kma_lock);
	if (!base)
		return;
	kma_row_subtract(sum, &base[id]);
	base[id] = (struct kma_row) {};
}

void kma_baseline_begin_pages(void)
{
	u64 *base = kma_baseline.stats.v;
	const u64 off = base[KMA_STAT_page_off] - base[KMA_STAT_events_mm_page_alloc] -
			base[KMA_STAT_page_bulk];

	kma_baseline_forget_pages();
	/*
	 * Since the baseline was last replaced, each page allocation has counted as an event, and
	 * then in page_off.  Include those that a probe has not counted in page_off yet.
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
	kma_env_free(kma_baseline.page_row);
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
	kma_lock_take(KMA_LOCK_START);
	kma_stats_sum(&kma_baseline.stats);
	kma_stats_balance(&kma_baseline.stats);
	kma_baseline.ns = ktime_get_boottime_ns();
	kma_lock_release();
}

void kma_baseline_stop(void)
{
	kma_baseline_free(&kma_baseline);
	memset(&kma_baseline, 0, sizeof(kma_baseline));
}
