// SPDX-License-Identifier: GPL-2.0
/* Recycling rows of a countmap.  See the overview in countmap_recycle.h. */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "countmap_recycle.h"

/* Why a row leaves: @leaving of struct kma_countmap_info. */
enum {
	KMA_LEAVES_NOT,
	KMA_LEAVES_GONE,
	KMA_LEAVES_DOUBLE,
	KMA_LEAVES_IDLE,
};

/*
 * The most copies of rows that one call reads.  A row has a copy for each possible CPU, or
 * KMA_COUNTMAP_COPIES shared ones.
 */
#define KMA_COUNTMAP_LOOK	65536

/* The number of rows before the reserve. */
static u32 kma_countmap_common(const struct kma_countmap *t)
{
	return t->rows - t->reserve;
}

bool kma_countmap_is_short(const struct kma_countmap *t)
{
	return kma_countmap_used(t) >= kma_countmap_common(t) / 8 * 7;
}

/* ---- mark ------------------------------------------------------------------ */

static bool kma_countmap_stays(const struct kma_countmap *t, u32 id)
{
	return kma_countmap_info(t, id) && !t->info[id].leaving;
}

static bool kma_countmap_leave(struct kma_countmap *t, u32 id, u8 why)
{
	struct kma_countmap_info *info = &t->info[id];

	/* The probe that is making this row has not published it yet. */
	if (!kma_countmap_unmap(t, id))
		return false;
	info->leaving = why;
	/* From here on, references to the row lead to [other]: see kma_countmap_deref(). */
	WRITE_ONCE(info->gen, info->gen + 1);
	return true;
}

static enum kma_countmap_fate kma_countmap_fate(const struct kma_countmap_policy *policy,
						const struct kma_countmap_info *info)
{
	if (READ_ONCE(info->retired) || READ_ONCE(info->gone))
		return KMA_COUNTMAP_GONE;
	return policy->fate ? policy->fate(info) : KMA_COUNTMAP_IN_USE;
}

static u32 kma_countmap_mark_gone(struct kma_countmap *t, const struct kma_countmap_policy *policy)
{
	u32 id, nr = 0;

	for (id = 1; id < t->rows; id++) {
		if (kma_countmap_stays(t, id) &&
		    kma_countmap_fate(policy, &t->info[id]) == KMA_COUNTMAP_GONE)
			nr += kma_countmap_leave(t, id, KMA_LEAVES_GONE);
		cond_resched();
	}
	return nr;
}

/* Whether a row has counted nothing since this function last read it. */
static bool kma_countmap_idle(struct kma_countmap *t, u32 id)
{
	struct kma_countmap_info *info = &t->info[id];
	const u64 before = info->seen;
	struct kma_countmap_sum sum = {};
	u32 i;

	kma_countmap_sum(t, id, &sum);
	info->seen = 1;
	for (i = 0; i < KMA_COUNTMAP_SHARED; i++)
		info->seen += sum.v[i];
	return info->seen == before;
}

/* Return: why a row that is not gone leaves, or KMA_LEAVES_NOT. */
static u8 kma_countmap_why(struct kma_countmap *t, const struct kma_countmap_policy *policy, u32 id)
{
	if (kma_countmap_first(t, id) != id)
		return KMA_LEAVES_DOUBLE;
	return kma_countmap_idle(t, id) &&
	       kma_countmap_fate(policy, &t->info[id]) == KMA_COUNTMAP_IN_USE ?
	       KMA_LEAVES_IDLE : KMA_LEAVES_NOT;
}

/* The most rows that one call reads in search of idle ones. */
static u32 kma_countmap_look_rows(const struct kma_countmap *t)
{
	unsigned int cpu;
	u32 copies = 0;

	if (t->shared)
		return KMA_COUNTMAP_LOOK / KMA_COUNTMAP_COPIES;
	for_each_possible_cpu(cpu)
		copies++;
	return max_t(u32, KMA_COUNTMAP_LOOK / copies, 1);
}

/* @nr: number of rows that leave already.  Return: number of further rows that leave. */
static u32 kma_countmap_mark_idle(struct kma_countmap *t, const struct kma_countmap_policy *policy,
				  u32 nr)
{
	const u32 enough = kma_countmap_common(t) / 4 * 3, used = kma_countmap_used(t) - nr;
	u32 id, more = 0, look = kma_countmap_look_rows(t);
	u8 why;

	for (; look && t->left && used > enough + more; look--, t->left--) {
		id = t->hand;
		t->hand = (id + 1) % t->rows;
		cond_resched();
		if (id == KMA_COUNTMAP_OTHER || !kma_countmap_stays(t, id))
			continue;
		why = kma_countmap_why(t, policy, id);
		if (why)
			more += kma_countmap_leave(t, id, why);
	}
	return more;
}

u32 kma_countmap_recycle_begin(struct kma_countmap *t, const struct kma_countmap_policy *policy,
			       bool idle)
{
	u32 nr = kma_countmap_mark_gone(t, policy);

	if (kma_countmap_used(t) - nr < kma_countmap_common(t) / 8 * 7)
		return nr;
	if (idle && !t->left)
		t->left = t->rows;
	return nr + kma_countmap_mark_idle(t, policy, nr);
}

/* ---- give ------------------------------------------------------------------ */

static u32 kma_countmap_heir(struct kma_countmap *t, const struct kma_countmap_policy *policy,
			     u32 id)
{
	struct kma_countmap_info *info = &t->info[id];

	if (info->leaving == KMA_LEAVES_DOUBLE)
		return kma_countmap_find(t, &info->key);
	/* The key of a retired row may stand for something else by now. */
	if (!policy->heir || (READ_ONCE(info->retired) && !policy->retired))
		return KMA_COUNTMAP_OTHER;
	return policy->heir(t, info, info->leaving == KMA_LEAVES_GONE);
}

static void kma_countmap_give_back(struct kma_countmap *t, const struct kma_countmap_policy *policy,
				   u32 id)
{
	struct kma_countmap_info *info = &t->info[id];

	kma_countmap_move(t, id, kma_countmap_heir(t, policy, id));
	WRITE_ONCE(info->ready, 0);
	WRITE_ONCE(info->retired, 0);
	WRITE_ONCE(info->gone, 0);
	info->leaving = KMA_LEAVES_NOT;
	info->seen = 0;
	WRITE_ONCE(info->gen, info->gen + 1);
	t->recycled++;
	kma_countmap_give(t, id);
}

void kma_countmap_recycle_finish(struct kma_countmap *t, const struct kma_countmap_policy *policy)
{
	u32 id;

	for (id = 1; id < t->rows; id++) {
		if (kma_countmap_info(t, id) && t->info[id].leaving)
			kma_countmap_give_back(t, policy, id);
		cond_resched();
	}
	kma_countmap_free_slots(t);
}
