// SPDX-License-Identifier: GPL-2.0
/* What was live at earlier times, by call site and cache.  See the overview in history.h. */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "history.h"
#include "stack.h"

/* For each series, the seconds from a mark to the next, its marks, and the index of the first. */
static const struct {
	u32 step;
	u32 nr;
	u32 first;
} kma_series[KMA_HISTORY_SERIES] = {
	{ 10, KMA_HISTORY_MARKS_10S, 0 },
	{ 60, KMA_HISTORY_MARKS_1M, KMA_HISTORY_MARKS_10S },
	{ 3600, KMA_HISTORY_MARKS_1H, KMA_HISTORY_MARKS_10S + KMA_HISTORY_MARKS_1M },
};

/* ---- slots ----------------------------------------------------------------------------------- */

/* No row has the number KMA_HISTORY_NONE. */
static_assert(KMA_SITES_MAX + KMA_CACHES_MAX + KMA_CACHES_OTHER <= KMA_HISTORY_NONE);

/*
 * Each slot but those of [other] has a row with a call site, and there are at most KMA_PAIRS_MAX of
 * these.  If no slot were left, kma_history_slot_for() would share one and count that as full.
 */
static u32 kma_history_nr_slots(u32 sites_max)
{
	return KMA_PAIRS_MAX(sites_max) + 2 * KMA_HISTORY_OTHERS;
}

static u16 *kma_history_head(const struct kma_history *h, u64 key, u32 cache)
{
	return &h->head[kma_stack_mix(key, cache) & (roundup_pow_of_two(h->nr_slots) - 1)];
}

/* Find the open slot of a key and a cache, or return KMA_HISTORY_NONE. */
static u32 kma_history_find(const struct kma_history *h, u64 key, u32 cache)
{
	u32 s;

	for (s = *kma_history_head(h, key, cache); s != KMA_HISTORY_NONE; s = h->slot[s].next)
		if (h->slot[s].key == key && h->slot[s].cache == cache)
			break;
	return s;
}

/* Whether a slot is that of [other]. */
static bool kma_history_is_other(const struct kma_history_slot *slot)
{
	return slot->key <= KMA_HISTORY_SAMPLED;
}

static void kma_history_open(struct kma_history *h, u32 s, u64 key, u32 cache)
{
	u16 *head = kma_history_head(h, key, cache);
	struct kma_history_slot *slot = &h->slot[s];

	slot->key = key;
	slot->cache = cache;
	slot->next = *head;
	slot->open = true;
	*head = s;
	if (key <= KMA_HISTORY_SAMPLED)
		h->others[key]++;
}

static void kma_history_close(struct kma_history *h, u32 s)
{
	struct kma_history_slot *slot = &h->slot[s];
	u16 *link = kma_history_head(h, slot->key, slot->cache);

	if (!slot->open)
		return;
	while (*link != s)
		link = &h->slot[*link].next;
	*link = slot->next;
	slot->open = false;
	if (kma_history_is_other(slot))
		h->others[slot->key]--;
}

/* Take a slot into use.  One is spare: see kma_history_nr_slots(). */
static u32 kma_history_take(struct kma_history *h)
{
	const u32 s = h->spare;

	h->spare = h->slot[s].next;
	h->slot[s] = (struct kma_history_slot) { .row = KMA_HISTORY_NONE, .used = true };
	h->used++;
	return s;
}

static void kma_history_give(struct kma_history *h, u32 s)
{
	kma_history_close(h, s);
	kma_recent_drop(h->recent, h->slot[s].recent);
	h->slot[s].used = false;
	h->slot[s].next = h->spare;
	h->spare = s;
	h->used--;
}

/* ---- reading rows ---------------------------------------------------------------------------- */

/**
 * struct kma_history_sum - what the rows of a slot count
 * @bytes: live bytes, as from kma_weigh()
 * @variance: their variance
 * @counted: the variance of all that the rows have allocated and freed
 */
struct kma_history_sum {
	kma_u128 bytes;
	u64 variance;
	u64 counted;
};

/* The variance of the bytes of @n samples of @size bytes each. */
static u64 kma_history_variance(u64 n, u32 size, u64 weight)
{
	/* From bytes to 64 bytes: 12 bits less. */
	return kma_weigh_variance((kma_u128)n * size * size, weight) >> (KMA_VARIANCE_SHIFT + 12);
}

/* Add what a row counts. */
static void kma_history_add(struct kma_history_sum *sum, const struct kma_sitetab *t, u32 id,
			    const struct kma_row *row)
{
	const struct kma_site_info *info = &t->info[id];
	const u32 size = t->caches.info[info->cache].size;
	const int shift = READ_ONCE(info->shift);
	const u64 live = kma_row_live(row);
	u64 weight;

	if (shift == KMA_SHIFT_NONE)
		return;
	weight = kma_sample_weight(size, shift);
	sum->bytes += kma_weigh(live * size, weight);
	if (weight == KMA_WEIGHT_ONE)
		return;
	sum->variance += kma_history_variance(live, size, weight);
	/* What was allocated, and what is not live any more */
	sum->counted += kma_history_variance(2 * (row->hits + row->bulk) - live, size, weight);
}

static struct kma_history_sum kma_history_read(const struct kma_history *h,
					       const struct kma_sitetab *t, u32 first)
{
	struct kma_history_sum sum = {};
	struct kma_row row;
	u32 id;

	for (id = first; id != KMA_HISTORY_NONE; id = h->next_of[id]) {
		kma_sitetab_sum(t, id, &row);
		kma_history_add(&sum, t, id, &row);
	}
	return sum;
}

static u64 kma_history_kib(const struct kma_history_sum *sum)
{
	return (kma_estimate_round(sum->bytes) + 512) >> 10;
}

/* Add what was allocated and freed since the rows were last read. */
static void kma_history_churn(struct kma_history_slot *slot, const struct kma_history_sum *sum)
{
	const u64 more = sum->counted - slot->counted;
	int i;

	for (i = 0; i < KMA_HISTORY_SERIES; i++)
		slot->churn[i] += more;
	slot->counted = sum->counted;
}

/* ---- linking rows ---------------------------------------------------------------------------- */

static bool kma_history_samples(const struct kma_sitetab *t, u32 id)
{
	return READ_ONCE(t->info[id].shift) > KMA_SHIFT_EXACT;
}

static u64 kma_history_key(const struct kma_sitetab *t, u32 id)
{
	const struct kma_site_info *info = &t->info[id];
	const unsigned long *frame = &t->frame[(size_t)id * KMA_FRAMES_MAX];
	const bool samples = kma_history_samples(t, id);
	u64 key;
	u32 i;

	if (!info->site)
		return samples ? KMA_HISTORY_SAMPLED : KMA_HISTORY_EXACT;
	key = kma_stack_mix(info->site, samples);
	for (i = 0; i < info->nr_frames; i++)
		key = kma_stack_mix(key, frame[i]);
	return max_t(u64, key, KMA_HISTORY_SAMPLED + 1);
}

/* Find or make the slot of [other] of a cache.  If there are too many, return the shared one. */
static u32 kma_history_other(struct kma_history *h, u64 key, u32 cache)
{
	u32 s = kma_history_find(h, key, cache);

	if (s != KMA_HISTORY_NONE)
		return s;
	if (h->others[key] == KMA_HISTORY_OTHERS || h->spare == KMA_HISTORY_NONE) {
		h->full++;
		return key;
	}
	s = kma_history_take(h);
	h->slot[s].sampled = key == KMA_HISTORY_SAMPLED;
	kma_history_open(h, s, key, cache);
	return s;
}

/* Whether a row gets no new events, so that a new row of its call site needs a new slot. */
static bool kma_history_is_past(const struct kma_sitetab *t, u32 id)
{
	const int state = READ_ONCE(t->info[id].state);

	return state != KMA_SITE_LIVE && state != KMA_SITE_NO_CACHE && state != KMA_SITE_AGAIN;
}

/* Find or make the slot of a row. */
static u32 kma_history_slot_for(struct kma_history *h, const struct kma_sitetab *t, u32 id)
{
	const u64 key = kma_history_key(t, id);
	const u32 cache = t->info[id].cache;
	u32 s;

	if (key <= KMA_HISTORY_SAMPLED)
		return kma_history_other(h, key, cache);
	s = kma_history_find(h, key, cache);
	if (s != KMA_HISTORY_NONE && kma_history_is_past(t, h->slot[s].row))
		kma_history_close(h, s);
	else if (s != KMA_HISTORY_NONE && !kma_history_is_past(t, id))
		return s;
	if (h->spare == KMA_HISTORY_NONE) {
		h->full++;
		return kma_history_samples(t, id);
	}
	s = kma_history_take(h);
	h->slot[s].sampled = kma_history_samples(t, id);
	if (kma_history_is_past(t, id))
		h->slot[s].key = key;
	else
		kma_history_open(h, s, key, cache);
	h->slot[s].cache = cache;
	return s;
}

static void kma_history_link(struct kma_history *h, const struct kma_sitetab *t, u32 id)
{
	const u32 s = kma_history_slot_for(h, t, id);

	h->slot_of[id] = s;
	h->next_of[id] = h->slot[s].row;
	h->slot[s].row = id;
}

static void kma_history_unlink(struct kma_history *h, u32 id)
{
	u16 *link = &h->slot[h->slot_of[id]].row;

	while (*link != id)
		link = &h->next_of[*link];
	*link = h->next_of[id];
	h->slot_of[id] = KMA_HISTORY_NONE;
}

/* ---- rows that leave ------------------------------------------------------------------------- */

static void kma_history_merge_word(u32 *to, u32 from, u32 random)
{
	struct kma_history_value sum = kma_history_unpack(*to);
	const struct kma_history_value more = kma_history_unpack(from);

	if (!from)
		return;
	sum.kib += more.kib;
	sum.variance += more.variance;
	sum.churn += more.churn;
	*to = kma_history_pack(&sum, random);
}

/* Add a slot without rows to another one, and give it back. */
static void kma_history_merge(struct kma_history *h, u32 s, u32 to)
{
	const struct kma_history_slot *slot = &h->slot[s];
	u64 random = kma_stack_mix(slot->key ^ (u64)slot->cache << 32, h->marks);
	int i;

	for (i = 0; i < KMA_HISTORY_MARKS; i++) {
		random = kma_stack_mix(random, i);
		kma_history_merge_word(&h->slot[to].word[i], slot->word[i], random >> 32);
	}
	for (i = 0; i < KMA_HISTORY_SERIES; i++)
		h->slot[to].churn[i] += slot->churn[i];
	/* The earlier marks of both together are not known. */
	kma_recent_drop(h->recent, h->slot[to].recent);
	h->slot[to].recent = KMA_RECENT_NONE;
	kma_history_give(h, s);
}

void kma_history_row_leaves(struct kma_history *h, const struct kma_sitetab *t, u32 id,
			    const struct kma_row *row)
{
	const u32 s = id < h->nr_rows ? h->slot_of[id] : KMA_HISTORY_NONE;
	struct kma_history_sum sum, own = {};
	struct kma_history_slot *slot;

	if (s == KMA_HISTORY_NONE)
		return;
	slot = &h->slot[s];
	sum = kma_history_read(h, t, slot->row);
	kma_history_churn(slot, &sum);
	kma_history_add(&own, t, id, row);
	slot->counted -= own.counted;
	kma_history_unlink(h, id);
	if (slot->row != KMA_HISTORY_NONE || kma_history_is_other(slot))
		return;
	/* Then a slot is free for [other]. */
	kma_history_close(h, s);
	kma_history_merge(h, s, kma_history_other(h, slot->sampled, slot->cache));
}

void kma_history_cache_leaves(struct kma_history *h, u32 cache)
{
	u64 key;
	u32 s;

	for (key = 0; h->nr_slots && key <= KMA_HISTORY_SAMPLED; key++) {
		s = kma_history_find(h, key, cache);
		if (s != KMA_HISTORY_NONE)
			kma_history_merge(h, s, key);
	}
}

/* ---- marks ----------------------------------------------------------------------------------- */

static u32 kma_history_step(const struct kma_history *h, int series)
{
	return max(kma_series[series].step, h->step);
}

static bool kma_history_series_due(const struct kma_history *h, int series, u64 now)
{
	const u32 step = kma_history_step(h, series);

	return div_u64(now, step) > div_u64(h->time[h->newest[series]], step);
}

bool kma_history_due(const struct kma_history *h, u64 now)
{
	int i;

	for (i = 0; h->nr_rows && i < KMA_HISTORY_SERIES; i++)
		if (kma_history_series_due(h, i, now))
			return true;
	return false;
}

/* Replace the oldest mark of a series. */
static void kma_history_set(struct kma_history *h, int series, u64 now)
{
	const u32 next = h->newest[series] + 1, first = kma_series[series].first;

	h->newest[series] = next < first + kma_series[series].nr ? next : first;
	h->time[h->newest[series]] = now;
}

/* Link rows that were made since the last mark. */
static void kma_history_link_new(struct kma_history *h, const struct kma_sitetab *t)
{
	u32 id;

	for (id = 0; id < h->nr_rows; id++)
		if (h->slot_of[id] == KMA_HISTORY_NONE && kma_sitetab_info(t, id) &&
		    READ_ONCE(t->info[id].shift) != KMA_SHIFT_NONE)
			kma_history_link(h, t, id);
}

/* Until a slot is read, nothing is live in it: a slot that leaves before has nothing live. */
static void kma_history_clear(struct kma_history *h, int series)
{
	u32 s;

	for (s = 0; s < h->nr_slots; s++)
		h->slot[s].word[h->newest[series]] = 0;
}

void kma_history_begin(struct kma_history *h, const struct kma_sitetab *t, u64 now)
{
	int i;

	kma_history_link_new(h, t);
	h->due = 0;
	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		if (!kma_history_series_due(h, i, now))
			continue;
		kma_history_set(h, i, now);
		kma_history_clear(h, i);
		if (!i)
			kma_recent_begin(h->recent, now);
		h->due |= 1 << i;
	}
	h->next = 0;
	h->marks++;
}

/* Copy what was live at the marks of the first series, the newest last.  Return: their number. */
static u32 kma_history_last(const struct kma_history *h, const struct kma_history_slot *slot,
			    u32 word[KMA_HISTORY_MARKS_10S])
{
	u32 i, m, nr = 0;

	for (m = 1; m <= KMA_HISTORY_MARKS_10S; m++) {
		i = (h->newest[0] + m) % KMA_HISTORY_MARKS_10S;
		if (h->time[i] != KMA_HISTORY_NEVER)
			word[nr++] = slot->word[i];
	}
	return nr;
}

/* Store a mark of the first series for a slot that is one of those that change most. */
static void kma_history_store_recent(struct kma_history *h, struct kma_history_slot *slot)
{
	u32 word[KMA_HISTORY_MARKS_10S], nr = kma_history_last(h, slot, word);
	const u64 now = kma_history_unpack(word[nr - 1]).kib;
	const u64 then = nr > 1 ? kma_history_unpack(word[nr - 2]).kib : 0;
	u16 entry = slot->recent;
	int before;

	before = kma_recent_store(h->recent, &entry, slot - h->slot,
				  min_t(u64, now < then ? then - now : now - then, U32_MAX),
				  word, nr);
	if (before >= 0)
		h->slot[before].recent = KMA_RECENT_NONE;
	slot->recent = entry;
}

/* Store what is live in a slot as the word of each mark that is due. */
static void kma_history_store(struct kma_history *h, const struct kma_sitetab *t,
			      struct kma_history_slot *slot)
{
	const struct kma_history_sum sum = kma_history_read(h, t, slot->row);
	struct kma_history_value v = {
		.kib = kma_history_kib(&sum),
		.variance = sum.variance,
	};
	int i;

	kma_history_churn(slot, &sum);
	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		if (!(h->due & 1 << i))
			continue;
		v.churn = slot->churn[i];
		slot->word[h->newest[i]] = kma_history_pack(&v, KMA_HISTORY_ROUND_UP);
		slot->churn[i] = 0;
	}
	if (h->due & 1)
		kma_history_store_recent(h, slot);
}

/* Whether nothing was live in a slot at any of its marks. */
static bool kma_history_is_empty(const struct kma_history *h, const struct kma_history_slot *slot)
{
	int i;

	for (i = 0; i < KMA_HISTORY_MARKS; i++)
		if (slot->word[i])
			return false;
	return kma_recent_is_empty(h->recent, slot->recent);
}

/* Give back the slot of an [other] without rows, once it is empty. */
static void kma_history_drop(struct kma_history *h, u32 s)
{
	const struct kma_history_slot *slot = &h->slot[s];

	if (s > KMA_HISTORY_SAMPLED && slot->row == KMA_HISTORY_NONE &&
	    kma_history_is_empty(h, slot))
		kma_history_give(h, s);
}

/* Slots in each call */
#define KMA_HISTORY_SOME	64

bool kma_history_some(struct kma_history *h, const struct kma_sitetab *t)
{
	const u32 end = min(h->next + KMA_HISTORY_SOME, h->nr_slots);

	for (; h->next < end; h->next++) {
		if (!h->slot[h->next].used)
			continue;
		kma_history_store(h, t, &h->slot[h->next]);
		kma_history_drop(h, h->next);
	}
	return end < h->nr_slots;
}

/* Nanoseconds in one percent of a second */
#define KMA_HISTORY_PERCENT_NS	10000000ULL

/* A step that is longer than the last series is of no use. */
#define KMA_HISTORY_STEP_MIN	kma_series[0].step
#define KMA_HISTORY_STEP_MAX	kma_series[KMA_HISTORY_SERIES - 1].step

void kma_history_pace(struct kma_history *h, u64 ns)
{
	const u64 percent = h->step * KMA_HISTORY_PERCENT_NS;

	if (ns > percent)
		h->step = min(2 * h->step, KMA_HISTORY_STEP_MAX);
	else if (ns < percent / 4)
		h->step = max(h->step / 2, KMA_HISTORY_STEP_MIN);
}

/* ---- changes --------------------------------------------------------------------------------- */

struct kma_history_mark kma_history_at(const struct kma_history *h, u64 now, u32 seconds)
{
	struct kma_history_mark mark = { .index = -1 };
	u64 age, distance, best = U64_MAX;
	int i;

	for (i = 0; h->nr_rows && i < KMA_HISTORY_MARKS; i++) {
		if (h->time[i] == KMA_HISTORY_NEVER)
			continue;
		age = now - h->time[i];
		distance = age < seconds ? seconds - age : age - seconds;
		if (3 * age < 2ULL * seconds || age > 2ULL * seconds || distance >= best)
			continue;
		best = distance;
		mark = (struct kma_history_mark) { .index = i, .age = age };
	}
	return mark;
}

/* Whether a mark is being set: not all slots have been read. */
static bool kma_history_is_begun(const struct kma_history *h, u32 index, int series)
{
	return h->due & 1 << series && h->next < h->nr_slots && index == h->newest[series];
}

static void kma_history_list_mark(const struct kma_history *h, u64 now, u32 index,
				  struct kma_history_marks *marks, int series)
{
	const u64 time = kma_history_time(h, index);

	if (time != KMA_HISTORY_NEVER && !kma_history_is_begun(h, index, series))
		marks->mark[series][marks->nr[series]++] =
			(struct kma_history_mark) { .index = index, .age = now - time };
}

/* There is room for the marks of each series. */
static_assert(KMA_RECENT_MARKS <= KMA_HISTORY_MARKS_1M);
static_assert(KMA_HISTORY_MARKS_1H <= KMA_HISTORY_MARKS_1M);

void kma_history_list(const struct kma_history *h, u64 now, struct kma_history_marks *marks)
{
	u32 i, m;

	memset(marks, 0, sizeof(*marks));
	for (m = 1; h->nr_rows && m <= KMA_RECENT_MARKS - KMA_HISTORY_MARKS_10S; m++)
		kma_history_list_mark(h, now, KMA_HISTORY_MARKS +
				      (h->recent->newest + m) % KMA_RECENT_MARKS, marks, 0);
	for (i = 0; h->nr_rows && i < KMA_HISTORY_SERIES; i++)
		for (m = 1; m <= kma_series[i].nr; m++)
			kma_history_list_mark(h, now, kma_series[i].first +
					      (h->newest[i] - kma_series[i].first + m) %
					      kma_series[i].nr, marks, i);
}

u64 kma_history_time(const struct kma_history *h, u32 index)
{
	return index < KMA_HISTORY_MARKS ? h->time[index] :
					   h->recent->time[index - KMA_HISTORY_MARKS];
}

u32 kma_history_seconds(int series)
{
	return kma_series[series].step;
}

const struct kma_history_slot *kma_history_past(const struct kma_history *h,
						const struct kma_sitetab *t, u32 s, u32 *id)
{
	const struct kma_history_slot *slot = &h->slot[s];

	if (!slot->used || kma_history_is_empty(h, slot))
		return NULL;
	*id = kma_history_is_other(slot) ? t->sites_max + slot->cache : slot->row;
	return slot;
}

static int kma_history_series_of(int index)
{
	int i = KMA_HISTORY_SERIES - 1;

	while (index < (int)kma_series[i].first)
		i--;
	return i;
}

/* The variance of all that was allocated and freed since a mark. */
static u64 kma_history_churn_since(const struct kma_history *h,
				   const struct kma_history_slot *slot, int index,
				   const struct kma_history_sum *sum)
{
	const int series = kma_history_series_of(index);
	u64 churn = slot->churn[series] + sum->counted - slot->counted;
	const u32 end = kma_series[series].first + kma_series[series].nr;
	u32 i;

	for (i = kma_series[series].first; i < end; i++)
		if (h->time[i] != KMA_HISTORY_NEVER && h->time[i] > h->time[index])
			churn += kma_history_unpack(slot->word[i]).churn;
	return churn;
}

static void kma_history_add_since(const struct kma_history *h, const struct kma_history_slot *slot,
				  int index, const struct kma_history_sum *sum,
				  struct kma_history_change *change)
{
	const struct kma_history_value live = {
		.kib = kma_history_kib(sum),
		.variance = sum->variance,
		/* Round the KiB as at the mark if there were samples in between. */
		.churn = kma_history_churn_since(h, slot, index, sum),
	};
	const u32 word = kma_history_pack(&live, KMA_HISTORY_ROUND_UP);
	const struct kma_history_value now = kma_history_unpack(word);
	const struct kma_history_value then = kma_history_unpack(slot->word[index]);

	change->kib += now.kib - then.kib;
	change->variance += min(sum->variance + then.variance, live.churn) +
			    kma_history_rounding(word) + kma_history_rounding(slot->word[index]);
}

/* Add the changes of a slot since each of the marks. */
static void kma_history_add_slot(const struct kma_history *h, const struct kma_sitetab *t, u32 s,
				 const struct kma_history_mark *mark, int nr,
				 struct kma_history_change *change)
{
	const struct kma_history_sum sum = kma_history_read(h, t, h->slot[s].row);
	int i;

	for (i = 0; i < nr; i++)
		if (mark[i].index >= 0)
			kma_history_add_since(h, &h->slot[s], mark[i].index, &sum, &change[i]);
}

/* Add a row without a slot: nothing of it was live before. */
static void kma_history_add_new(const struct kma_sitetab *t, u32 id, int nr,
				struct kma_history_change *change)
{
	struct kma_history_sum sum = {};
	struct kma_row row;
	int i;

	kma_sitetab_sum(t, id, &row);
	kma_history_add(&sum, t, id, &row);
	for (i = 0; i < nr; i++) {
		change[i].kib += kma_history_kib(&sum);
		change[i].variance += sum.variance;
	}
}

/* Whether a row in use has no slot, and is wanted. */
static bool kma_history_is_new(const struct kma_history *h, const struct kma_sitetab *t, u32 id,
			       bool samples)
{
	return h->slot_of[id] == KMA_HISTORY_NONE && kma_sitetab_info(t, id) &&
	       READ_ONCE(t->info[id].shift) != KMA_SHIFT_NONE &&
	       (!samples || kma_history_samples(t, id));
}

/* Get the slots whose change is that of a row, at most two.  Return: their number. */
static int kma_history_shown(const struct kma_history *h, const struct kma_sitetab *t, u32 id,
			     bool samples, u32 s[2])
{
	int nr = 0;
	u64 key;

	if (id < t->sites_max) {
		s[0] = h->slot_of[id];
		return s[0] != KMA_HISTORY_NONE && !kma_history_is_other(&h->slot[s[0]]) &&
		       h->slot[s[0]].row == id;
	}
	for (key = samples ? KMA_HISTORY_SAMPLED : KMA_HISTORY_EXACT; key <= KMA_HISTORY_SAMPLED;
	     key++) {
		s[nr] = kma_history_find(h, key, id - t->sites_max);
		nr += s[nr] != KMA_HISTORY_NONE;
	}
	return nr;
}

bool kma_history_changed(const struct kma_history *h, const struct kma_sitetab *t, u32 id,
			 bool samples, const struct kma_history_mark *mark, int nr,
			 struct kma_history_change *change)
{
	int i, slots;
	bool new;
	u32 s[2];

	if (id >= h->nr_rows)
		return false;
	new = kma_history_is_new(h, t, id, samples);
	slots = kma_history_shown(h, t, id, samples, s);
	if (!slots && !new)
		return false;
	memset(change, 0, nr * sizeof(*change));
	for (i = 0; i < slots; i++)
		kma_history_add_slot(h, t, s[i], mark, nr, change);
	if (new)
		kma_history_add_new(t, id, nr, change);
	return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Rows of pairs and, at most, rows [other] */
static u32 kma_history_nr_rows(u32 sites_max)
{
	return sites_max + kma_caches_nr(false);
}

u64 kma_history_bytes(u32 sites_max)
{
	const u32 slots = kma_history_nr_slots(sites_max);

	return (u64)slots * sizeof(struct kma_history_slot) + sizeof(struct kma_recent) +
	       roundup_pow_of_two(slots) * sizeof(u16) +
	       2 * kma_history_nr_rows(sites_max) * sizeof(u16);
}

static void kma_history_init_slots(struct kma_history *h)
{
	u64 key;
	u32 s;

	h->spare = KMA_HISTORY_NONE;
	for (s = h->nr_slots; s; s--) {
		h->slot[s - 1].next = h->spare;
		h->spare = s - 1;
	}
	/* The first slots have the numbers of their keys. */
	for (key = 0; key <= KMA_HISTORY_SAMPLED; key++)
		kma_history_other(h, key, KMA_CACHES_MAX);
}

int kma_history_init(struct kma_history *h, const struct kma_sitetab *t, u64 now)
{
	int i;

	memset(h, 0, sizeof(*h));
	h->nr_slots = kma_history_nr_slots(t->sites_max);
	h->nr_rows = kma_sitetab_rows(t);
	h->step = KMA_HISTORY_STEP_MIN;
	h->slot = kma_env_zalloc(h->nr_slots * sizeof(h->slot[0]));
	h->head = kma_env_zalloc(roundup_pow_of_two(h->nr_slots) * sizeof(u16));
	h->slot_of = kma_env_zalloc(h->nr_rows * sizeof(u16));
	h->next_of = kma_env_zalloc(h->nr_rows * sizeof(u16));
	h->recent = kma_env_zalloc(sizeof(*h->recent));
	if (!h->slot || !h->head || !h->slot_of || !h->next_of || !h->recent) {
		kma_history_destroy(h);
		return -ENOMEM;
	}
	/* KMA_HISTORY_NONE */
	memset(h->head, 0xff, roundup_pow_of_two(h->nr_slots) * sizeof(u16));
	memset(h->slot_of, 0xff, h->nr_rows * sizeof(u16));
	kma_history_init_slots(h);
	/* KMA_HISTORY_NEVER; nothing is live yet, which is the first mark of each series. */
	memset(h->time, 0xff, sizeof(h->time));
	memset(h->recent->time, 0xff, sizeof(h->recent->time));
	h->recent->time[0] = now;
	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		h->newest[i] = kma_series[i].first;
		h->time[h->newest[i]] = now;
	}
	return 0;
}

void kma_history_destroy(struct kma_history *h)
{
	kma_env_free(h->recent);
	kma_env_free(h->next_of);
	kma_env_free(h->slot_of);
	kma_env_free(h->head);
	kma_env_free(h->slot);
	memset(h, 0, sizeof(*h));
}
