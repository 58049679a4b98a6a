// SPDX-License-Identifier: GPL-2.0
/*
 * Compares countmaps with plain sums: with sequential events, with more keys than rows, with rows
 * that are recycled, and with four threads that count and a fifth one that reads or recycles, under
 * the thread sanitizer.
 *
 *   countmap [SEED]
 */
#include <linux/kernel.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "seeded.h"
#include "../../../module/core/countmap_recycle.h"

#define KMA_KEYS	600
#define KMA_ROWS	400
#define KMA_EVENTS	400000

static struct kma_countmap kma_countmap;
static u64 kma_sum[KMA_KEYS];

/* Each key has one of its three words set, and keys differ in few bits. */
static struct kma_countmap_info kma_info(u32 key)
{
	struct kma_countmap_info info = { .more = key };

	info.key.word[key % 3] = 1 + key / 3;
	snprintf(info.text, sizeof(info.text), "row %u", key);
	return info;
}

static void kma_event(u32 key, u64 n)
{
	const struct kma_countmap_info info = kma_info(key);
	u32 id = kma_countmap_get(&kma_countmap, &info);

	kma_countmap_count(&kma_countmap, id, key % KMA_COUNTMAP_COUNTERS, n);
}

static u64 kma_sum_of(u32 id)
{
	struct kma_countmap_sum row = {};
	u64 sum = 0;
	int i;

	kma_countmap_sum(&kma_countmap, id, &row);
	for (i = 0; i < KMA_COUNTMAP_COUNTERS; i++)
		sum += row.v[i];
	return sum;
}

/* The sum over all rows of a key has to be exact, and each row has to have the right text. */
static void kma_expect_sums(void)
{
	u64 found[KMA_KEYS] = {};
	const struct kma_countmap_info *info;
	char text[KMA_COUNTMAP_TEXT];
	u32 id, i, first;

	for (id = 1; id < kma_countmap.rows; id++) {
		info = kma_countmap_info(&kma_countmap, id);
		if (!info)
			continue;
		snprintf(text, sizeof(text), "row %llu", info->more);
		kma_expect(!strcmp(info->text, text));
		first = kma_countmap_first(&kma_countmap, id);
		kma_expect(info->more == kma_countmap.info[first].more);
		found[info->more] += kma_sum_of(id);
	}
	for (i = 0; i < KMA_KEYS; i++)
		kma_expect(found[i] == kma_sum[i]);
	kma_expect(kma_sum_of(KMA_COUNTMAP_OTHER) == 0);
}

static void kma_begin(u32 rows)
{
	memset(kma_sum, 0, sizeof(kma_sum));
	kma_expect(!kma_countmap_init(&kma_countmap, rows));
}

static void kma_agrees(void)
{
	u32 i, key, id;
	u64 n;

	kma_begin(KMA_KEYS + 1);
	for (i = 0; i < KMA_EVENTS; i++) {
		kma_env.cpu = kma_below(KMA_ENV_CPUS);
		key = kma_below(KMA_KEYS);
		n = kma_below(1000);
		kma_event(key, n);
		kma_sum[key] += n;
	}
	for (id = 1; id <= KMA_KEYS; id++) {
		kma_expect(!!kma_countmap_info(&kma_countmap, id));
		kma_expect(kma_countmap_first(&kma_countmap, id) == id);
		kma_expect(kma_sum_of(id) == kma_sum[kma_countmap.info[id].more]);
	}
	kma_expect_sums();
	kma_countmap_destroy(&kma_countmap);
}

/* With more keys than rows, the first keys get rows, and all others are counted in [other]. */
static void kma_runs_out(void)
{
	struct kma_stats stats;
	u64 before, rest = 0;
	u32 i;

	kma_stats_sum(&stats);
	before = stats.v[KMA_STAT_countmap_other];
	kma_begin(KMA_ROWS);
	for (i = 0; i < 3 * KMA_KEYS; i++) {
		kma_event(i % KMA_KEYS, i);
		kma_sum[i % KMA_KEYS] += i;
		if (i % KMA_KEYS >= KMA_ROWS - 1)
			rest += i;
	}
	kma_stats_sum(&stats);
	kma_expect(kma_sum_of(KMA_COUNTMAP_OTHER) == rest);
	kma_expect(stats.v[KMA_STAT_countmap_other] - before ==
		   3 * (KMA_KEYS - (KMA_ROWS - 1)));
	for (i = 0; i < KMA_ROWS - 1; i++)
		kma_expect(kma_sum_of(i + 1) == kma_sum[i]);
	kma_countmap_destroy(&kma_countmap);
}

/* A key that is counted again after its row was retired gets a new row. */
static void kma_retires(void)
{
	u32 id, again;
	struct kma_countmap_info info = kma_info(7);

	kma_begin(KMA_ROWS);
	id = kma_countmap_get(&kma_countmap, &info);
	kma_countmap_retire(&kma_countmap, id, "what it was");
	kma_expect(kma_countmap.info[id].retired);
	kma_expect(!strcmp(kma_countmap_info(&kma_countmap, id)->text, "what it was"));
	kma_expect(kma_countmap_first(&kma_countmap, id) == id);
	again = kma_countmap_get(&kma_countmap, &info);
	kma_expect(again != id && again != KMA_COUNTMAP_OTHER);
	kma_expect(kma_countmap_get(&kma_countmap, &info) == again);
	kma_expect(kma_countmap_first(&kma_countmap, again) == again);
	kma_countmap_destroy(&kma_countmap);
}

/* A full countmap with a retired row is empty after kma_countmap_clear(). */
static void kma_clears(void)
{
	u32 i;

	kma_begin(KMA_ROWS);
	for (i = 0; i < KMA_KEYS; i++) {
		kma_env.cpu = i % KMA_ENV_CPUS;
		kma_event(i, 1);
	}
	kma_countmap_retire(&kma_countmap, 1, "gone");
	kma_countmap_clear(&kma_countmap);
	for (i = 0; i < KMA_ROWS; i++) {
		kma_expect(!kma_countmap_info(&kma_countmap, i));
		kma_expect(kma_sum_of(i) == 0);
	}
	for (i = 0; i < KMA_ROWS - 1; i++) {
		kma_event(KMA_KEYS - 1 - i, i);
		kma_expect(kma_sum_of(i + 1) == i);
	}
	kma_countmap_destroy(&kma_countmap);
}

/* If an allocation fails, kma_countmap_init() fails and leaves nothing. */
static void kma_starts_whole_or_not(void)
{
	int at;

	for (at = 1; ; at++) {
		kma_env_fail_at = at;
		if (!kma_countmap_init(&kma_countmap, KMA_ROWS))
			break;
		kma_expect(!kma_countmap.slot && !kma_countmap.chunk);
	}
	kma_env_fail_at = 0;
	kma_expect(at > 4);
	kma_countmap_destroy(&kma_countmap);
}

/* ---- recycling ----------------------------------------------------------------- */

#define KMA_FEW_ROWS	64
#define KMA_MANY_KEYS	10000
/* Keys from this one on are those of heirs. */
#define KMA_HEIR	1000000

/* Keys below this are gone.  Keys from KMA_HEIR on are kept. */
static u64 kma_gone_below;

static enum kma_countmap_fate kma_fate(const struct kma_countmap_info *info)
{
	if (info->more >= KMA_HEIR)
		return KMA_COUNTMAP_KEPT;
	return info->more < kma_gone_below ? KMA_COUNTMAP_GONE : KMA_COUNTMAP_IN_USE;
}

/* All keys with the same remainder have one heir. */
static u32 kma_heir(struct kma_countmap *t, const struct kma_countmap_info *info, bool gone)
{
	struct kma_countmap_info heir = kma_info(KMA_HEIR + info->more % 3);

	return gone ? kma_countmap_get_reserved(t, &heir) : KMA_COUNTMAP_OTHER;
}

static const struct kma_countmap_policy kma_policy = { .fate = kma_fate, .heir = kma_heir };
static const struct kma_countmap_policy kma_plain;

static u32 kma_recycle(const struct kma_countmap_policy *policy, bool idle)
{
	u32 nr = kma_countmap_recycle_begin(&kma_countmap, policy, idle);

	if (!nr)
		return 0;
	kma_env_wait_for_probes();
	kma_countmap_recycle_finish(&kma_countmap, policy);
	return nr;
}

static u32 kma_find(u32 key)
{
	const struct kma_countmap_info info = kma_info(key);

	return kma_countmap_find(&kma_countmap, &info.key);
}

static u64 kma_sum_all(void)
{
	u64 sum = 0;
	u32 id;

	for (id = 0; id < kma_countmap.rows; id++)
		sum += kma_sum_of(id);
	return sum;
}

/* After recycling, a tombstone is left only in front of a slot that is not free. */
static void kma_expect_slots(void)
{
	const struct kma_countmap *t = &kma_countmap;
	u32 i;

	for (i = 0; i <= t->mask; i++)
		kma_expect(t->slot[i] < t->rows || t->slot[(i + 1) & t->mask]);
}

/*
 * There are more keys than rows, but each key is gone when eight others have come.  So each key
 * gets a row, and the counts of all keys that are gone are in the rows of their heirs.
 */
static void kma_recycles_what_is_gone(void)
{
	u64 sum = 0, heir[3] = {};
	u32 key, i, nr = 0;

	kma_begin(KMA_FEW_ROWS);
	kma_countmap.reserve = 3;
	for (key = 0; key < KMA_MANY_KEYS; key++) {
		kma_env.cpu = key % KMA_ENV_CPUS;
		kma_event(key, key);
		kma_event(key / 2 * 2, 1);
		sum += key + 1;
		kma_expect(kma_find(key) && kma_sum_of(KMA_COUNTMAP_OTHER) == 0);
		kma_gone_below = key < 8 ? 0 : key - 8;
		if (kma_countmap_is_short(&kma_countmap))
			nr += kma_recycle(&kma_policy, false);
	}
	kma_expect(nr > KMA_MANY_KEYS - KMA_FEW_ROWS && kma_countmap.recycled == nr);
	kma_expect(kma_sum_all() == sum);
	kma_gone_below = KMA_MANY_KEYS;
	kma_recycle(&kma_policy, false);
	kma_expect(kma_countmap_used(&kma_countmap) == 1 + 3);
	kma_expect_slots();
	for (key = 0; key < KMA_MANY_KEYS; key++) {
		heir[key % 3] += key;
		heir[key / 2 * 2 % 3]++;
	}
	for (i = 0; i < 3; i++)
		kma_expect(kma_sum_of(kma_find(KMA_HEIR + i)) == heir[i]);
	kma_countmap_destroy(&kma_countmap);
}

/* Rows that count nothing between two searches leave, until a quarter of the rows is free. */
static void kma_recycles_what_is_idle(void)
{
	u32 key, i, left = 0;

	kma_begin(KMA_FEW_ROWS);
	kma_gone_below = 0;
	for (key = 0; key < KMA_FEW_ROWS - 1; key++)
		kma_event(key, 100 + key);
	/* The first search only notes what rows have counted. */
	kma_expect(kma_countmap_is_short(&kma_countmap));
	kma_expect(!kma_recycle(&kma_policy, true) && !kma_recycle(&kma_plain, false));
	for (key = 0; key < KMA_FEW_ROWS - 1; key += 2)
		kma_event(key, 1);
	kma_expect(kma_recycle(&kma_policy, true) == KMA_FEW_ROWS / 4);
	kma_expect(kma_countmap_used(&kma_countmap) == KMA_FEW_ROWS / 4 * 3);
	for (key = 0, i = 0; key < KMA_FEW_ROWS - 1; key++) {
		if (key % 2 && !kma_find(key)) {
			left += 100 + key;
			i++;
		} else {
			kma_expect(kma_sum_of(kma_find(key)) == 100 + key + !(key % 2));
		}
	}
	kma_expect(i == KMA_FEW_ROWS / 4 && kma_sum_of(KMA_COUNTMAP_OTHER) == left);
	/* Rows are not short any more: the next call does not search. */
	kma_expect(!kma_recycle(&kma_policy, true));
	/* The next search begins after the row that left last. */
	for (key = 100; key < 100 + KMA_FEW_ROWS / 4 - 1; key++)
		kma_event(key, 1);
	kma_expect(kma_recycle(&kma_policy, true) == KMA_FEW_ROWS / 4 - 1);
	kma_expect(kma_find(100) && kma_find(0));
	/* While rows are not short, idle ones stay. */
	for (key = 200; key < 204; key++)
		kma_event(key, 1);
	kma_expect(!kma_recycle(&kma_policy, true) && !kma_recycle(&kma_policy, true));
	kma_countmap_destroy(&kma_countmap);
}

/* A search of many rows takes several calls.  Each row is read once, and then once more. */
static void kma_searches_in_pieces(void)
{
	const u32 piece = 65536 / KMA_ENV_CPUS, rows = 3 * piece;
	struct kma_countmap_info info = {};
	u32 i;

	kma_begin(rows);
	for (i = 1; i < rows; i++) {
		info.key.word[0] = i;
		kma_countmap_count(&kma_countmap, kma_countmap_get(&kma_countmap, &info), 0, i);
	}
	kma_expect(!kma_recycle(&kma_plain, false) && !kma_countmap.left);
	kma_expect(!kma_recycle(&kma_plain, true) && kma_countmap.left == rows - piece);
	kma_expect(!kma_recycle(&kma_plain, false) && kma_countmap.left == piece);
	kma_expect(!kma_recycle(&kma_plain, true) && !kma_countmap.left);
	kma_expect(!kma_recycle(&kma_plain, false) && !kma_countmap.left);
	/* All rows are idle.  The search stops when a quarter of them is free, and then goes on. */
	kma_expect(kma_recycle(&kma_plain, true) == rows / 4);
	kma_expect(kma_countmap.left == rows - rows / 4 - 1);
	for (; kma_countmap_used(&kma_countmap) < rows; i++) {
		info.key.word[0] = i;
		kma_countmap_get(&kma_countmap, &info);
	}
	kma_expect(kma_recycle(&kma_plain, false) == rows / 4);
	kma_expect(kma_countmap.left == rows / 2 - 1);
	/* A countmap that is empty has no search that goes on. */
	kma_countmap_clear(&kma_countmap);
	kma_expect(!kma_countmap.left);
	kma_countmap_destroy(&kma_countmap);
}

/* A row is not idle because an earlier one with its number had counted as much. */
static void kma_forgets_what_was_seen(void)
{
	u32 key, id;

	kma_begin(KMA_FEW_ROWS);
	kma_gone_below = 0;
	for (key = 0; key < KMA_FEW_ROWS - 1; key++)
		kma_event(key, 5);
	kma_expect(!kma_recycle(&kma_plain, true));
	kma_expect(kma_recycle(&kma_plain, true) == KMA_FEW_ROWS / 4);
	for (id = KMA_FEW_ROWS / 4 + 1; id < KMA_FEW_ROWS; id++)
		kma_countmap_count(&kma_countmap, id, 0, 1);
	for (key = 100; key < 100 + KMA_FEW_ROWS / 4; key++)
		kma_event(key, 5);
	kma_expect(kma_countmap_used(&kma_countmap) == KMA_FEW_ROWS);
	/* The search that has begun ends; the next one is the first that reads the new rows. */
	kma_expect(!kma_recycle(&kma_plain, true) && !kma_countmap.left);
	for (id = KMA_FEW_ROWS / 4 + 1; id < KMA_FEW_ROWS; id++)
		kma_countmap_count(&kma_countmap, id, 0, 1);
	kma_expect(!kma_recycle(&kma_plain, true));
	kma_countmap_destroy(&kma_countmap);
}

/* A kept row stays, even if it is idle; one that has counted nothing at all does not. */
static void kma_keeps_what_is_kept(void)
{
	struct kma_countmap_info info;
	u32 key;

	kma_begin(KMA_FEW_ROWS);
	kma_gone_below = 0;
	for (key = 0; key < 10; key++)
		kma_event(KMA_HEIR + key, 1);
	for (key = 10; key < KMA_FEW_ROWS - 1; key++) {
		info = kma_info(key);
		kma_countmap_get(&kma_countmap, &info);
	}
	kma_expect(!kma_recycle(&kma_policy, true) && kma_recycle(&kma_policy, true) == 16);
	for (key = 0; key < 10; key++)
		kma_expect(kma_sum_of(kma_find(KMA_HEIR + key)) == 1);
	kma_countmap_destroy(&kma_countmap);
}

/* Retired rows, and those whose end a probe has seen, with several rows for one key. */
static void kma_recycles_what_has_ended(void)
{
	struct kma_countmap_info info = kma_info(5);
	u32 key, id[3], i;

	kma_begin(KMA_FEW_ROWS);
	kma_gone_below = 0;
	for (key = 0; key < 20; key++)
		kma_event(key, 1 + key);
	/* Two other CPUs have made rows for the same key. */
	id[0] = kma_find(5);
	id[1] = kma_countmap_add(&kma_countmap, &info);
	id[2] = kma_countmap_add(&kma_countmap, &info);
	kma_countmap_count(&kma_countmap, id[1], 0, 10);
	kma_countmap_count(&kma_countmap, id[2], 0, 100);
	kma_countmap_retire(&kma_countmap, kma_find(7), "what it was");
	kma_countmap_gone(&kma_countmap, &info.key);
	info = kma_info(1000);
	kma_countmap_gone(&kma_countmap, &info.key);
	kma_expect(kma_recycle(&kma_policy, false) == 4);
	for (i = 0; i < 3; i++)
		kma_expect(!kma_countmap_info(&kma_countmap, id[i]) && !kma_sum_of(id[i]));
	kma_expect(!kma_find(5) && kma_sum_of(kma_find(KMA_HEIR + 5 % 3)) == 6 + 110);
	kma_expect(kma_sum_of(KMA_COUNTMAP_OTHER) == 8);
	kma_expect(!kma_recycle(&kma_policy, false));
	/* A later row with one of these numbers is neither gone nor retired. */
	for (key = 20; kma_countmap_used(&kma_countmap) < KMA_FEW_ROWS; key++)
		kma_event(key, 1);
	kma_expect(!kma_recycle(&kma_policy, false) && kma_find(key - 1));
	/* A row that is retired, and idle as well, leaves once. */
	kma_expect(!kma_recycle(&kma_policy, true));
	kma_countmap_retire(&kma_countmap, kma_find(0), "what it was");
	kma_expect(kma_recycle(&kma_policy, true) == KMA_FEW_ROWS / 4);
	kma_expect(kma_countmap_used(&kma_countmap) == KMA_FEW_ROWS / 4 * 3);
	kma_countmap_destroy(&kma_countmap);
}

/* Several rows of a key become one, which has the counts of all. */
static void kma_merges_doubles(void)
{
	struct kma_countmap_info info = kma_info(5);
	u32 key, second;

	kma_begin(KMA_FEW_ROWS);
	kma_gone_below = 0;
	for (key = 0; key < KMA_FEW_ROWS - 2; key++)
		kma_event(key, 1);
	second = kma_countmap_add(&kma_countmap, &info);
	kma_countmap_count(&kma_countmap, second, 0, 10);
	kma_expect(kma_recycle(&kma_policy, true) == 1);
	kma_expect(kma_sum_of(kma_find(5)) == 11 && !kma_countmap_info(&kma_countmap, second));
	kma_countmap_destroy(&kma_countmap);
}

/* A word that refers to a row never refers to a later row with the same number. */
static void kma_refers_to_rows(void)
{
	struct kma_countmap_info info = kma_info(1);
	u64 ref, again;
	u32 id, nr;

	kma_begin(2);
	kma_expect(!kma_countmap_ref(&kma_countmap, KMA_COUNTMAP_OTHER));
	id = kma_countmap_get(&kma_countmap, &info);
	ref = kma_countmap_ref(&kma_countmap, id);
	kma_expect(ref && kma_countmap_deref(&kma_countmap, ref) == id);
	kma_gone_below = 2;
	nr = kma_countmap_recycle_begin(&kma_countmap, &kma_plain, false);
	kma_expect(!nr && kma_countmap_deref(&kma_countmap, ref) == id);
	nr = kma_countmap_recycle_begin(&kma_countmap, &kma_policy, false);
	/* A row that is leaving cannot be referred to any more. */
	kma_expect(nr == 1 && !kma_countmap_ref(&kma_countmap, id));
	kma_expect(kma_countmap_deref(&kma_countmap, ref) == KMA_COUNTMAP_OTHER);
	kma_countmap_recycle_finish(&kma_countmap, &kma_plain);
	kma_expect(kma_countmap_deref(&kma_countmap, ref) == KMA_COUNTMAP_OTHER);
	info = kma_info(2);
	kma_expect(kma_countmap_get(&kma_countmap, &info) == id);
	again = kma_countmap_ref(&kma_countmap, id);
	kma_expect(kma_countmap_deref(&kma_countmap, ref) == KMA_COUNTMAP_OTHER);
	kma_expect(kma_countmap_deref(&kma_countmap, again) == id);
	kma_countmap_clear(&kma_countmap);
	kma_expect(kma_countmap_deref(&kma_countmap, again) == KMA_COUNTMAP_OTHER);
	kma_expect(kma_countmap_get(&kma_countmap, &info) == id);
	kma_expect(kma_countmap_deref(&kma_countmap, again) == KMA_COUNTMAP_OTHER);
	kma_expect(!kma_countmap.recycled);
	again = kma_countmap_ref(&kma_countmap, id);
	kma_countmap_clear(&kma_countmap);
	kma_expect(kma_countmap_get(&kma_countmap, &info) == id);
	kma_expect(kma_countmap_deref(&kma_countmap, again) == KMA_COUNTMAP_OTHER);
	kma_countmap_destroy(&kma_countmap);
}

/* The reserve is only for some keys.  An event that finds no row writes only to [other]. */
static void kma_reserves_rows(void)
{
	struct kma_countmap before, *t = &kma_countmap;
	struct kma_countmap_info info;
	u32 slot[2 * KMA_FEW_ROWS], key;

	kma_begin(KMA_FEW_ROWS);
	t->reserve = 4;
	for (key = 0; key < KMA_FEW_ROWS; key++) {
		kma_expect(kma_countmap_has_room(t) == (key < KMA_FEW_ROWS - 1 - 4));
		kma_event(key, 1);
	}
	kma_expect(kma_countmap_used(t) == KMA_FEW_ROWS - 4);
	kma_expect(kma_sum_of(KMA_COUNTMAP_OTHER) == 1 + 4);
	for (key = 100; key < 104; key++) {
		info = kma_info(key);
		kma_expect(kma_countmap_get_reserved(t, &info));
	}
	info = kma_info(104);
	before = *t;
	kma_expect(t->mask + 1 == ARRAY_SIZE(slot));
	memcpy(slot, t->slot, sizeof(slot));
	kma_expect(!kma_countmap_get_reserved(t, &info) && !kma_countmap_get(t, &info));
	kma_expect(!memcmp(&before, t, sizeof(before)) && !memcmp(slot, t->slot, sizeof(slot)));
	kma_expect(kma_countmap_used(t) == KMA_FEW_ROWS);
	kma_countmap_destroy(t);
}

/* The counts of a probe are not lost if it has found the row before the row left the map. */
static void kma_loses_no_late_event(void)
{
	const struct kma_countmap_info info = kma_info(1);
	u32 id, nr;

	kma_begin(KMA_FEW_ROWS);
	kma_event(1, 5);
	id = kma_find(1);
	kma_gone_below = 2;
	nr = kma_countmap_recycle_begin(&kma_countmap, &kma_policy, false);
	kma_expect(nr == 1 && !kma_find(1));
	kma_expect(!kma_countmap_recycle_begin(&kma_countmap, &kma_policy, true));
	kma_expect(!kma_countmap_recycle_begin(&kma_countmap, &kma_policy, false));
	kma_countmap_count(&kma_countmap, id, 3, 7);
	/* An event of the key makes a row of its own. */
	kma_expect(kma_countmap_get(&kma_countmap, &info) != id);
	kma_event(1, 20);
	kma_countmap_recycle_finish(&kma_countmap, &kma_policy);
	kma_expect(kma_sum_of(kma_find(KMA_HEIR + 1)) == 12);
	kma_expect(kma_sum_of(kma_find(1)) == 20 && !kma_sum_of(id));
	kma_countmap_destroy(&kma_countmap);
}

/* A row that a probe is still making, and has not published yet, stays. */
static void kma_leaves_rows_that_are_made(void)
{
	u32 id, i;

	kma_begin(KMA_FEW_ROWS);
	kma_event(1, 5);
	id = kma_find(1);
	for (i = 0; kma_countmap.slot[i] != id; i++)
		;
	kma_countmap.slot[i] = U32_MAX;	/* busy */
	kma_gone_below = 2;
	kma_expect(!kma_recycle(&kma_policy, false));
	kma_countmap.slot[i] = id;
	kma_expect(kma_recycle(&kma_policy, false) == 1);
	kma_countmap_destroy(&kma_countmap);
}

/* Counters, and a maximum, in a shared or a local countmap. */
static void kma_recycles_wide_rows(bool local)
{
	struct kma_countmap_info info;
	struct kma_countmap_sum sum = {};
	u32 key, id;

	if (local)
		kma_expect(!kma_countmap_init_local(&kma_countmap, KMA_FEW_ROWS, 3, 1 << 1));
	else
		kma_expect(!kma_countmap_init_shared(&kma_countmap, KMA_FEW_ROWS, 3, 1 << 1));
	kma_gone_below = 0;
	for (key = 0; key < KMA_FEW_ROWS - 4; key++) {
		kma_env.cpu = key % KMA_ENV_CPUS;
		info = kma_info(key);
		id = kma_countmap_get(&kma_countmap, &info);
		kma_countmap_add_to(&kma_countmap, id, 0, 1);
		kma_countmap_raise(&kma_countmap, id, 1, key == 30 ? 1000 : key);
		kma_countmap_add_to(&kma_countmap, id, 2, key);
	}
	kma_gone_below = KMA_FEW_ROWS - 4;
	kma_expect(kma_recycle(&kma_policy, false) == KMA_FEW_ROWS - 4);
	for (key = 0; key < 3; key++) {
		sum = (struct kma_countmap_sum) {};
		kma_countmap_sum(&kma_countmap, kma_find(KMA_HEIR + key), &sum);
		kma_expect(sum.v[0] == 20 && sum.v[1] == (key ? 57 + key : 1000));
		kma_expect(sum.v[2] == 570 + 20 * key);
	}
	/* The counters of recycled rows are 0. */
	info = kma_info(1);
	for (key = 0; key < KMA_FEW_ROWS - 4; key++) {
		info.key.word[0] = 1000 + key;
		id = kma_countmap_get(&kma_countmap, &info);
		sum = (struct kma_countmap_sum) {};
		kma_countmap_sum(&kma_countmap, id, &sum);
		kma_expect(id && !sum.v[0] && !sum.v[1] && !sum.v[2]);
	}
	kma_countmap_destroy(&kma_countmap);
}

static void kma_recycles_shared_rows(void)
{
	kma_recycles_wide_rows(false);
	kma_recycles_wide_rows(true);
}

/* A retired row has an heir only if the policy says so: its key may mean something else by now. */
static void kma_recycles_retired_rows(void)
{
	const struct kma_countmap_policy policies[] = {
		kma_policy, { .fate = kma_fate, .heir = kma_heir, .retired = true },
	};
	u32 i, heir;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		kma_begin(KMA_FEW_ROWS);
		kma_gone_below = 0;
		kma_event(7, 70);
		kma_countmap_retire(&kma_countmap, kma_find(7), "what it was");
		kma_expect(kma_recycle(&policies[i], false) == 1);
		heir = kma_find(KMA_HEIR + 7 % 3);
		kma_expect(policies[i].retired == (heir != KMA_COUNTMAP_OTHER));
		kma_expect(kma_sum_of(heir) == 70 && kma_sum_all() == 70);
		kma_countmap_destroy(&kma_countmap);
	}
}

/* Random keys come and go, and rows are recycled: sums and texts stay exact. */
static void kma_recycles_at_random(void)
{
	u32 i, key, id;
	u64 sum = 0, n;

	kma_begin(KMA_FEW_ROWS);
	kma_countmap.reserve = 3;
	for (i = 0; i < KMA_EVENTS / 4; i++) {
		kma_env.cpu = kma_below(KMA_ENV_CPUS);
		kma_gone_below = i / 50;
		key = kma_gone_below + kma_below(80);
		n = kma_below(1000);
		kma_event(key, n);
		sum += n;
		if (i % 64)
			continue;
		if (kma_recycle(&kma_policy, i % 512 == 0))
			kma_expect_slots();
		for (id = 1; id < KMA_FEW_ROWS; id++) {
			char text[KMA_COUNTMAP_TEXT];
			const struct kma_countmap_info *info = kma_countmap_info(&kma_countmap, id);

			if (!info)
				continue;
			snprintf(text, sizeof(text), "row %llu", info->more);
			kma_expect(!strcmp(info->text, text));
			kma_expect(info->more >= kma_gone_below);
		}
	}
	kma_expect(kma_sum_all() == sum && kma_countmap.recycled > 1000);
	kma_countmap_destroy(&kma_countmap);
}

/* ---- threads ------------------------------------------------------------------- */

static u64 kma_thread_sum[KMA_ENV_CPUS][KMA_KEYS];
static bool kma_done;

/* Each thread has its own CPU.  All threads begin with the same keys, in the same order. */
static void *kma_thread(void *arg)
{
	const int cpu = (long)arg;
	u64 state = kma_seed + cpu;
	u32 i, key;

	kma_env.cpu = cpu;
	for (i = 0; i < KMA_EVENTS / 8; i++) {
		key = i < KMA_KEYS ? i : kma_random_below(&state, KMA_KEYS);
		kma_event(key, i);
		kma_thread_sum[cpu][key] += i;
	}
	return NULL;
}

static void *kma_reader(void *unused)
{
	const struct kma_countmap_info *info;
	u32 id, first;

	while (!READ_ONCE(kma_done)) {
		for (id = 1; id < kma_countmap.rows; id++) {
			info = kma_countmap_info(&kma_countmap, id);
			if (!info)
				continue;
			first = kma_countmap_first(&kma_countmap, id);
			if (kma_countmap.info[first].more != info->more)
				abort();
		}
	}
	return unused;
}

static void kma_agrees_in_threads(void)
{
	pthread_t thread[KMA_ENV_CPUS], reader;
	long cpu;
	u32 key;

	/* Each CPU may create a row of its own for a key. */
	kma_begin(KMA_ENV_CPUS * KMA_KEYS + 1);
	pthread_create(&reader, NULL, kma_reader, NULL);
	for (cpu = 0; cpu < KMA_ENV_CPUS; cpu++)
		pthread_create(&thread[cpu], NULL, kma_thread, (void *)cpu);
	for (cpu = 0; cpu < KMA_ENV_CPUS; cpu++)
		pthread_join(thread[cpu], NULL);
	WRITE_ONCE(kma_done, true);
	pthread_join(reader, NULL);
	for (cpu = 0; cpu < KMA_ENV_CPUS; cpu++)
		for (key = 0; key < KMA_KEYS; key++)
			kma_sum[key] += kma_thread_sum[cpu][key];
	kma_expect_sums();
	kma_countmap_destroy(&kma_countmap);
}

/*
 * The number of events that each thread has finished, or U64_MAX after its last one.  A thread may
 * begin its next event before the recycler sees that the last one has ended, so the recycler waits
 * for the end of two.
 */
static u64 kma_passed[KMA_ENV_CPUS];

static void kma_wait_for_threads(void)
{
	u64 before;
	int cpu;

	for (cpu = 0; cpu < KMA_ENV_CPUS; cpu++) {
		before = __atomic_load_n(&kma_passed[cpu], __ATOMIC_ACQUIRE);
		while (before != U64_MAX &&
		       __atomic_load_n(&kma_passed[cpu], __ATOMIC_ACQUIRE) < before + 2)
			sched_yield();
	}
}

/* The number of rows that the recycler has recycled, and how many the threads wait for. */
static u32 kma_recycled;
#define KMA_RECYCLED	300

/* Count many keys, some of them often and some once, and end some keys. */
static void *kma_thread_of_many(void *arg)
{
	const int cpu = (long)arg;
	struct kma_countmap_info info;
	u64 state = kma_seed + cpu, ref = 0;
	u32 i, key;

	kma_env.cpu = cpu;
	for (i = 0; READ_ONCE(kma_recycled) < KMA_RECYCLED; i++) {
		key = i / 5 % KMA_MANY_KEYS + kma_random_below(&state, 30);
		if (i % 10 == 9)
			key = 2 * KMA_MANY_KEYS + kma_random_below(&state, 10);
		info = kma_info(key);
		if (i % 100 == 50)
			kma_countmap_gone(&kma_countmap, &info.key);
		if (i % 7)
			kma_event(key, i);
		else
			kma_countmap_count(&kma_countmap, kma_countmap_deref(&kma_countmap, ref),
					   0, i);
		if (i % 7 == 6)
			ref = kma_countmap_ref(&kma_countmap, kma_find(key));
		kma_thread_sum[cpu][0] += i;
		__atomic_store_n(&kma_passed[cpu], i + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&kma_passed[cpu], U64_MAX, __ATOMIC_RELEASE);
	return NULL;
}

static void kma_expect_texts(void)
{
	const struct kma_countmap_info *info;
	char text[KMA_COUNTMAP_TEXT];
	u32 id;

	for (id = 1; id < kma_countmap.rows; id++) {
		info = kma_countmap_info(&kma_countmap, id);
		if (!info)
			continue;
		snprintf(text, sizeof(text), "row %llu", info->more);
		if (strcmp(info->text, text))
			abort();
	}
}

static void *kma_recycler(void *unused)
{
	u32 i = 0;

	kma_env_wait = kma_wait_for_threads;
	kma_env.cpu = 0;
	while (!READ_ONCE(kma_done)) {
		WRITE_ONCE(kma_recycled, kma_recycled + kma_recycle(&kma_policy, i++ % 4 == 0));
		kma_expect_texts();
	}
	return unused;
}

/* The recycler moves counts on CPU 0, on which a thread counts, too: in the kernel, both would. */
static void kma_recycles_in_threads(void)
{
	pthread_t thread[KMA_ENV_CPUS], recycler;
	u64 sum = 0;
	long cpu;

	kma_begin(KMA_FEW_ROWS);
	kma_countmap.reserve = 3;
	memset(kma_thread_sum, 0, sizeof(kma_thread_sum));
	kma_gone_below = 0;
	kma_done = false;
	for (cpu = 1; cpu < KMA_ENV_CPUS; cpu++)
		pthread_create(&thread[cpu], NULL, kma_thread_of_many, (void *)cpu);
	kma_passed[0] = U64_MAX;
	pthread_create(&recycler, NULL, kma_recycler, NULL);
	for (cpu = 1; cpu < KMA_ENV_CPUS; cpu++)
		pthread_join(thread[cpu], NULL);
	WRITE_ONCE(kma_done, true);
	pthread_join(recycler, NULL);
	for (cpu = 1; cpu < KMA_ENV_CPUS; cpu++)
		sum += kma_thread_sum[cpu][0];
	kma_expect(kma_sum_all() == sum && kma_countmap.recycled >= KMA_RECYCLED);
	kma_countmap_destroy(&kma_countmap);
}

static const struct kma_case kma_cases[] = {
	{ "a countmap agrees with plain sums", kma_agrees },
	{ "more keys than rows", kma_runs_out },
	{ "a retired row", kma_retires },
	{ "a cleared countmap", kma_clears },
	{ "a countmap without memory", kma_starts_whole_or_not },
	{ "rows of keys that are gone", kma_recycles_what_is_gone },
	{ "rows that are idle", kma_recycles_what_is_idle },
	{ "searches in pieces", kma_searches_in_pieces },
	{ "rows that count as much as earlier ones", kma_forgets_what_was_seen },
	{ "rows that are kept", kma_keeps_what_is_kept },
	{ "rows that have ended", kma_recycles_what_has_ended },
	{ "several rows for a key", kma_merges_doubles },
	{ "references to rows", kma_refers_to_rows },
	{ "a reserve of rows", kma_reserves_rows },
	{ "an event while its row leaves", kma_loses_no_late_event },
	{ "a row that is not published yet", kma_leaves_rows_that_are_made },
	{ "shared rows that are gone", kma_recycles_shared_rows },
	{ "retired rows and their heirs", kma_recycles_retired_rows },
	{ "rows that leave at random", kma_recycles_at_random },
	{ "threads that count the same keys", kma_agrees_in_threads },
	{ "threads that count many keys in few rows", kma_recycles_in_threads },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
