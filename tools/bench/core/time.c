// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long the core takes to record a kmalloc and kfree pair, on one thread and on
 * two, and what a locked instruction costs on this machine.
 *
 * The number of locked instructions in a pair is counted in the code that is timed: it runs
 * with the processor's trap flag set, and the trap handler looks at each instruction before
 * it is executed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "measure.h"
#include "probes.h"

#define KMA_TIME_PAIRS		8192U
#define KMA_TIME_ROUNDS		400U
#define KMA_TRAP_FLAG		0x100

static double kma_time_pairs(const struct kma_bench_shape *s)
{
	double ns[KMA_TIME_ROUNDS];
	u64 start;
	u32 i;

	for (i = 0; i < KMA_TIME_ROUNDS; i++) {
		start = kma_measure_ns();
		kma_bench_pairs(s, KMA_TIME_PAIRS);
		ns[i] = (double)(kma_measure_ns() - start) / KMA_TIME_PAIRS;
	}
	return kma_measure_median(ns, KMA_TIME_ROUNDS);
}

/* ---- threads ---------------------------------------------------------------- */

static void kma_time_work(const void *shape, double *ns)
{
	ns[0] = kma_time_pairs(shape);
}

/* Mean time of a pair, with @nr threads running at the same time. */
static double kma_time_threads(const struct kma_bench_shape *s, u32 nr)
{
	double ns[2];

	kma_measure_threads(nr, kma_time_work, s, ns);
	return ns[0];
}

#ifdef KMA_BENCH_UNLOCKED
int main(void)
{
	const struct kma_bench_shape *s;

	kma_bench_start();
	for (s = kma_bench_shapes; s < kma_bench_shapes + kma_bench_nr_shapes; s++)
		printf("bench core_%s_1_thread_unlocked %.1f ns\n", s->name,
		       kma_time_threads(s, 1));
	return 0;
}
#else
/* ---- locked instructions ---------------------------------------------------- */

static u64 kma_locked;

/* Whether an instruction has the prefix 0xf0, or is an xchg with memory, which needs none. */
static bool kma_is_locked(const u8 *code)
{
	for (;; code++) {
		switch (*code) {
		case 0xf0:
			return true;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0x66: case 0x67: case 0xf2: case 0xf3:
			continue;
		}
		break;
	}
	if ((*code & 0xf0) == 0x40)
		code++;
	return (*code == 0x86 || *code == 0x87) && code[1] < 0xc0;
}

static void kma_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;

	(void)sig;
	(void)info;
	kma_locked += kma_is_locked((const u8 *)at->uc_mcontext.gregs[REG_RIP]);
}

static void kma_count_locked(const struct kma_bench_shape *s)
{
	const struct sigaction trap = {
		.sa_sigaction = kma_trap,
		.sa_flags = SA_SIGINFO,
	};

	/* Slow paths, such as a new page, are taken before the count. */
	kma_bench_pairs(s, KMA_TIME_PAIRS);
	sigaction(SIGTRAP, &trap, NULL);
	kma_locked = 0;
	__asm__ __volatile__("pushfq; orq %0, (%%rsp); popfq"
			     : : "i" (KMA_TRAP_FLAG) : "memory", "cc");
	kma_bench_pairs(s, s->batch);
	__asm__ __volatile__("pushfq; andq %0, (%%rsp); popfq"
			     : : "i" (~KMA_TRAP_FLAG) : "memory", "cc");
}

/*
 * The values that the key of an entry takes during a pair: free, busy, the address, busy,
 * free.  @lock is a lock prefix or an empty string.
 */
#define KMA_TIME_KEY(lock, key) do {					\
	unsigned long *__at = (key), __was = 0;				\
									\
	__asm__ __volatile__(lock "cmpxchgq %2, %1"			\
			     : "+a" (__was), "+m" (*__at)		\
			     : "r" (KMA_BUSY) : "memory", "cc");	\
	WRITE_ONCE(*__at, (unsigned long)__at);				\
	__was = (unsigned long)__at;					\
	__asm__ __volatile__(lock "cmpxchgq %2, %1"			\
			     : "+a" (__was), "+m" (*__at)		\
			     : "r" (KMA_BUSY) : "memory", "cc");	\
	WRITE_ONCE(*__at, 0);						\
} while (0)

#define KMA_TIME_KEYS(lock) ({						\
	static unsigned long __key[8] __aligned(64);			\
	double __ns[KMA_TIME_ROUNDS];					\
	u64 __start;							\
	u32 __i, __j;							\
									\
	for (__i = 0; __i < KMA_TIME_ROUNDS; __i++) {			\
		__start = kma_measure_ns();				\
		for (__j = 0; __j < KMA_TIME_PAIRS; __j++)		\
			KMA_TIME_KEY(lock, &__key[0]);			\
		__ns[__i] = (double)(kma_measure_ns() - __start) / KMA_TIME_PAIRS; \
	}								\
	kma_measure_median(__ns, KMA_TIME_ROUNDS);				\
})

int main(void)
{
	const struct kma_bench_shape *s;
	double locked, plain;

	kma_bench_start();
	for (s = kma_bench_shapes; s < kma_bench_shapes + kma_bench_nr_shapes; s++) {
		printf("bench core_%s_1_thread %.1f ns\n", s->name,
		       kma_time_threads(s, 1));
		printf("bench core_%s_2_threads %.1f ns\n", s->name,
		       kma_time_threads(s, 2));
		kma_count_locked(s);
		printf("bench core_%s_locked %.2f instructions\n", s->name,
		       (double)kma_locked / s->batch);
	}
	locked = KMA_TIME_KEYS("lock; ");
	plain = KMA_TIME_KEYS("");
	printf("bench core_lock_cost %.2f ns\n", (locked - plain) / 2);
	return 0;
}
#endif
