/* SPDX-License-Identifier: GPL-2.0 */
/* Measuring times, for the programs that time the core. */
#ifndef KMA_BENCH_MEASURE_H
#define KMA_BENCH_MEASURE_H

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* CPU time of this thread, so that what else the machine runs matters less. */
static inline u64 kma_measure_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline int kma_measure_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline double kma_measure_median(double *values, u32 nr)
{
	qsort(values, nr, sizeof(values[0]), kma_measure_compare);
	return values[nr / 2];
}

/* Run this thread on a CPU of the machine, and record its events as those of that CPU. */
static inline void kma_measure_on_cpu(int cpu)
{
	cpu_set_t cpus;

	/* If the machine does not have this CPU, this fails, and threads share a CPU. */
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	kma_env.cpu = cpu;
}

#endif /* KMA_BENCH_MEASURE_H */
