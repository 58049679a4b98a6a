// SPDX-License-Identifier: GPL-2.0
/* Count failed allocations.  See failures.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "../core/comm.h"
#include "../core/stat.h"
#include "../countmaps.h"
#include "../match/filter.h"
#include "../resolve/task.h"
#include "../state.h"
#include "failures.h"
#include "trigger.h"

/* Whether pages are tracked.  Written under kma_lock; probes read it. */
static bool kma_failures_tracked;

/* ---- rows ---------------------------------------------------------------------- */

/* Make the text of a row: the name of the task, and a semicolon, which the name does not have. */
static void kma_failure_text(char text[KMA_COUNTMAP_TEXT], const u64 comm[2])
{
	int i;

	memcpy(text, comm, KMA_COMM_BYTES);
	for (i = 0; text[i]; i++)
		if (text[i] == ';')
			text[i] = '?';
	text[i] = ';';
}

/* Find or make the row that counts what has no row of its own. */
static u32 kma_failure_rest_row(struct kma_countmap *t, u64 what)
{
	const struct kma_countmap_info info = {
		.key = { { [KMA_FAILURE_WHAT] = kma_failure_rest(what) } },
	};

	return kma_countmap_get_reserved(t, &info);
}

static u32 kma_failure_row(struct kma_countmap *t, unsigned long site, u64 what)
{
	struct kma_countmap_info info = {
		.key = { { [KMA_FAILURE_SITE] = site, [KMA_FAILURE_WHAT] = what } },
	};
	u64 comm[2];
	u32 id;

	kma_task_comm(comm);
	info.key.word[KMA_FAILURE_TASK] = kma_comm_hash(comm);
	id = kma_countmap_find(t, &info.key);
	if (likely(id != KMA_COUNTMAP_OTHER))
		return id;
	kma_failure_text(info.text, comm);
	id = kma_countmap_add(t, &info);
	if (id != KMA_COUNTMAP_OTHER)
		return id;
	kma_stat_inc(countmap_other);
	return kma_failure_rest_row(t, what);
}

static enum kma_countmap_fate kma_failure_fate(const struct kma_countmap_info *info)
{
	return info->key.word[KMA_FAILURE_SITE] ? KMA_COUNTMAP_IN_USE : KMA_COUNTMAP_KEPT;
}

static u32 kma_failure_heir(struct kma_countmap *t, const struct kma_countmap_info *info, bool gone)
{
	return kma_failure_rest_row(t, info->key.word[KMA_FAILURE_WHAT]);
}

const struct kma_countmap_policy kma_failure_policy = {
	.fate = kma_failure_fate, .heir = kma_failure_heir, .retired = true,
};

/* ---- counting ------------------------------------------------------------------- */

static void kma_failure_count(u64 what, const struct kma_filter_failure *f)
{
	struct kma_countmap *t;
	u32 id;

	if (!kma_countmaps_recording() || !kma_countmaps_matching(kma_filter_failed(f)))
		return;
	rcu_read_lock();
	t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_FAILURES]);
	if (t) {
		id = kma_failure_row(t, f->site, what);
		kma_countmap_add_to(t, id, KMA_FAILURE_FAILED, 1);
		if (f->gfp & (__force u32)__GFP_NOWARN)
			kma_countmap_add_to(t, id, KMA_FAILURE_NOWARN, 1);
		if (!kma_failure_is_object(what) && READ_ONCE(kma_failures_tracked))
			kma_countmap_add_to(t, id, KMA_FAILURE_TRACKED, 1);
		kma_countmap_raise(t, id, KMA_FAILURE_MAX_BYTES, f->bytes);
	}
	rcu_read_unlock();
	if (!kma_failure_is_object(what))
		kma_trigger_failed(f->site, f->order, f->gfp);
}

/*
 * The migrate type, as gfp_migratetype() has it.  On a machine with so little memory that the
 * kernel does not group pages by mobility, the kernel takes all of them for unmovable.
 */
static unsigned int kma_failure_type_of(u32 gfp)
{
	if (gfp & (__force u32)__GFP_MOVABLE)
		return MIGRATE_MOVABLE;
	return gfp & (__force u32)__GFP_RECLAIMABLE ? MIGRATE_RECLAIMABLE : MIGRATE_UNMOVABLE;
}

void kma_failure_count_pages(unsigned long site, int order, u32 gfp)
{
	const struct kma_filter_failure failed = {
		.order = order, .gfp = gfp, .bytes = PAGE_SIZE << order, .site = site,
	};

	kma_failure_count(kma_failure_pages(order, kma_failure_type_of(gfp), gfp), &failed);
}

void kma_failure_count_object(unsigned long site, size_t bytes, u32 gfp)
{
	const struct kma_filter_failure failed = {
		.order = -1, .gfp = gfp, .bytes = bytes, .site = site,
	};

	kma_failure_count(kma_failure_object(bytes, gfp), &failed);
}

/* ---- start and stop --------------------------------------------------------------- */

/*
 * Begin to count anew what failed while pages are tracked.  No probe counts it now: a grace period
 * has passed since kma_failures_track(false).
 */
static void kma_failures_forget_tracked(struct kma_countmap *t)
{
	struct kma_countmap_sum sum;
	u32 id;

	for (id = 0; id < t->rows; id++) {
		sum = (struct kma_countmap_sum) {};
		kma_countmap_sum(t, id, &sum);
		if (sum.v[KMA_FAILURE_TRACKED])
			kma_countmap_add_to(t, id, KMA_FAILURE_TRACKED,
					    -sum.v[KMA_FAILURE_TRACKED]);
	}
}

void kma_failures_track(bool on)
{
	struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_FAILURES);

	if (on && t)
		kma_failures_forget_tracked(t);
	WRITE_ONCE(kma_failures_tracked, on);
}

int kma_failures_start(void)
{
	int ret;

	kma_lock_take(KMA_LOCK_START);
	ret = kma_countmaps_begin(BIT(KMA_COUNTMAP_FAILURES));
	kma_lock_release();
	if (ret)
		pr_err("not enough memory\n");
	return ret;
}

void kma_failures_stop(void)
{
	kma_lock_take(KMA_LOCK_START);
	kma_countmaps_end(BIT(KMA_COUNTMAP_FAILURES));
	kma_lock_release();
}
