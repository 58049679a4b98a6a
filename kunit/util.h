/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the suites share. */
#ifndef KMA_KUNIT_UTIL_H
#define KMA_KUNIT_UTIL_H

#include <kunit/test.h>

#include "module.h"

extern struct kunit_suite kma_record_suite;
extern struct kunit_suite kma_memhotplug_suite;
extern struct kunit_suite kma_report_open_suite;
extern struct kunit_suite kma_report_text_suite;
extern struct kunit_suite kma_report_rows_suite;
extern struct kunit_suite kma_report_samples_suite;
extern struct kunit_suite kma_control_suite;
extern struct kunit_suite kma_control_refuse_suite;
extern struct kunit_suite kma_control_reset_suite;
extern struct kunit_suite kma_countmap_suite;
extern struct kunit_suite kma_marks_suite;
extern struct kunit_suite kma_recycling_suite;
extern struct kunit_suite kma_cacheinfo_suite;
extern struct kunit_suite kma_probe_suite;
extern struct kunit_suite kma_sampling_suite;
extern struct kunit_suite kma_helper_suite;
extern struct kunit_suite kma_storm_suite;
extern struct kunit_suite kma_engine_suite;
extern struct kunit_suite kma_selftest_suite;

/* ---- random numbers ------------------------------------------------------- */

/**
 * kma_random() - the next number of a sequence that is the same in every run
 * @state: state of the sequence; its first value is the seed, which may be any number
 *
 * Context: any.
 * Return: 64 evenly distributed bits.
 */
static inline u64 kma_random(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A random number below @n. */
static inline u32 kma_random_below(u64 *state, u32 n)
{
	return (kma_random(state) >> 32) * n >> 32;
}

/* ---- threads -------------------------------------------------------------- */

/**
 * kma_crew_run() - run a function in several threads, spread over the online CPUs
 * @work: the function; all threads enter it at the same time
 * @arg: first argument of @work
 * @nr: number of threads; the second argument of @work is the number of its thread
 *
 * Context: process, may sleep.
 * Return: 0 after @work has returned in all threads; or an error if a thread could not be
 * created, and then @work has not run.
 */
int kma_crew_run(void (*work)(void *arg, int nr), void *arg, int nr);

/* Number of threads for kma_crew_run(): one for each CPU, but at least two. */
static inline int kma_crew_size(void)
{
	return max_t(int, num_online_cpus(), 2);
}

/* An online CPU other than this one.  Skips the test if there is none. */
int kma_other_cpu(struct kunit *test);

/* ---- the module's state --------------------------------------------------- */

/**
 * kma_test_sample_bytes() - set `sample_bytes`, as a write to the module parameter does
 * @bytes: the value
 *
 * Context: process, may sleep.
 * Return: 0, or the error of kma_setting_write().
 */
int kma_test_sample_bytes(u64 bytes);

/* A counter of the module, added up over all CPUs. */
u64 kma_stat_sum(enum kma_stat stat);
#define kma_stat_now(name) kma_stat_sum(KMA_STAT_##name)

/* Set all counters of the module to 0, as after insmod. */
void kma_stats_clear(void);

/* Number of objects in a live table: all of them, or those of one row. */
u64 kma_objtab_count(const struct kma_objtab *t);
u64 kma_objtab_count_row(const struct kma_objtab *t, u32 row);

#endif /* KMA_KUNIT_UTIL_H */
