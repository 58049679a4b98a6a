/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU variables in user space.  The CPU is that of the thread, see env.h.
 *
 * An operation that is one instruction in the kernel is one instruction here, so that a signal
 * handler sees the same states as an interrupt.
 */
#ifndef KMA_TEST_LINUX_PERCPU_H
#define KMA_TEST_LINUX_PERCPU_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "../env.h"

#define per_cpu_ptr(p, cpu)	((typeof(p))((uintptr_t)(p) + (cpu) * KMA_ENV_STRIDE))
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))

/* The variable is the first CPU's copy, and the other copies follow in @others. */
#define DECLARE_PER_CPU(type, name)					\
	extern struct kma_percpu_##name {				\
		type;							\
		char others[KMA_ENV_CPUS * KMA_ENV_STRIDE];		\
	} __aligned(64) name
#define DEFINE_PER_CPU(type, name) struct kma_percpu_##name name

/* One instruction that reads, adds and writes, without a lock prefix. */
#define this_cpu_add(pcp, n) do {					\
	static_assert(sizeof(pcp) == 8);				\
	__asm__ __volatile__("addq %1, %0"				\
			     : "+m" (per_cpu(pcp, kma_env.cpu))		\
			     : "er" ((u64)(n)) : "cc");			\
} while (0)

#define this_cpu_inc(pcp) do {						\
	static_assert(sizeof(pcp) == 8);				\
	__asm__ __volatile__("incq %0"					\
			     : "+m" (per_cpu(pcp, kma_env.cpu)) : : "cc"); \
} while (0)

#define this_cpu_dec(pcp) this_cpu_add(pcp, -1)

#define raw_cpu_ptr(p)		per_cpu_ptr(p, kma_env.cpu)
#define this_cpu_read(pcp)	READ_ONCE(per_cpu(pcp, kma_env.cpu))
#define this_cpu_write(pcp, value) WRITE_ONCE(per_cpu(pcp, kma_env.cpu), value)

#define this_cpu_cmpxchg(pcp, old, new) cmpxchg(&per_cpu(pcp, kma_env.cpu), old, new)

#define this_cpu_add_return(pcp, n) ({					\
	u64 __n = (n), __was = __n;					\
									\
	static_assert(sizeof(pcp) == 8);				\
	__asm__ __volatile__("xaddq %0, %1"				\
			     : "+r" (__was),				\
			       "+m" (per_cpu(pcp, kma_env.cpu)) : : "cc"); \
	(typeof(pcp))(__was + __n);					\
})

#endif /* KMA_TEST_LINUX_PERCPU_H */
