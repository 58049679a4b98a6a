/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases: functions that call kma_expect() or kma_expect_ok(). */
#ifndef KMA_TEST_CASE_H
#define KMA_TEST_CASE_H

#include <stdio.h>
#include <time.h>

/* The first failure of the running case, or NULL. */
static const char *kma_case_why;

/* Fail the running case, unless @why is NULL. */
static inline void kma_expect_ok(const char *why)
{
	if (!kma_case_why)
		kma_case_why = why;
}

#define kma_expect(condition)						\
	kma_expect_ok((condition) ? NULL : __FILE__ ": not true: " #condition)

/**
 * struct kma_case - a test
 * @name: a description
 * @run: runs the test
 */
struct kma_case {
	const char *name;
	void (*run)(void);
};

static inline double kma_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Run cases and print their results.  Return: the number of failed cases. */
static inline int kma_cases_run(const struct kma_case *cases, int nr)
{
	int i, failed = 0;
	double start;

	for (i = 0; i < nr; i++) {
		start = kma_seconds();
		kma_case_why = NULL;
		cases[i].run();
		if (kma_case_why)
			printf("FAIL %s: %s\n", cases[i].name, kma_case_why);
		else
			printf("ok %s (%.1f s)\n", cases[i].name,
			       kma_seconds() - start);
		fflush(stdout);
		failed += !!kma_case_why;
	}
	return failed;
}

#endif /* KMA_TEST_CASE_H */
