/* SPDX-License-Identifier: GPL-2.0 */
/* Measuring times, for the programs that time the core. */
#ifndef KMA_BENCH_MEASURE_H
#define KMA_BENCH_MEASURE_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* CPU time of this thread, so that other programs on the machine matter less. */
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

/* Work that a thread does.  Sets @ns to the two times that are measured. */
typedef void kma_measure_work(const void *arg, double *ns);

struct kma_measure_thread {
	pthread_t thread;
	pthread_barrier_t *start;
	int cpu;
	kma_measure_work *work;
	const void *arg;
	double ns[2];
};

/* Run on a CPU of the machine, and record events as those of that CPU. */
static inline void *kma_measure_thread(void *arg)
{
	struct kma_measure_thread *t = arg;
	cpu_set_t cpus;

	/* If the machine does not have this CPU, this fails, and threads share a CPU. */
	CPU_ZERO(&cpus);
	CPU_SET(t->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	kma_env.cpu = t->cpu;
	pthread_barrier_wait(t->start);
	t->work(t->arg, t->ns);
	return NULL;
}

/* Set @ns to the mean times of @nr threads, at most two, that do the work at the same time. */
static inline void kma_measure_threads(u32 nr, kma_measure_work *work, const void *arg, double *ns)
{
	struct kma_measure_thread thread[2];
	pthread_barrier_t start;
	u32 i;

	pthread_barrier_init(&start, NULL, nr);
	for (i = 0; i < nr; i++) {
		thread[i] = (struct kma_measure_thread) {
			.start = &start, .cpu = i, .work = work, .arg = arg,
		};
		if (pthread_create(&thread[i].thread, NULL, kma_measure_thread, &thread[i]))
			exit(1);
	}
	ns[0] = 0;
	ns[1] = 0;
	for (i = 0; i < nr; i++) {
		pthread_join(thread[i].thread, NULL);
		ns[0] += thread[i].ns[0] / nr;
		ns[1] += thread[i].ns[1] / nr;
	}
}

#endif /* KMA_BENCH_MEASURE_H */
