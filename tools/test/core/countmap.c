// SPDX-License-Identifier: GPL-2.0
/*
 * Compares countmaps with plain sums: with sequential events, with more keys than rows, and
 * with four threads that count and a fifth one that reads, under the thread sanitizer.
 *
 *   countmap [SEED]
 */
#include <pthread.h>
#include <stdlib.h>

#include "seeded.h"
#include "../../../module/core/countmap.h"

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

static const struct kma_case kma_cases[] = {
	{ "a countmap agrees with plain sums", kma_agrees },
	{ "more keys than rows", kma_runs_out },
	{ "a retired row", kma_retires },
	{ "a cleared countmap", kma_clears },
	{ "a countmap without memory", kma_starts_whole_or_not },
	{ "threads that count the same keys", kma_agrees_in_threads },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
