/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The environment of the core in a user-space program.  It has the names of
 * module/core/env.h and the same include guard, so "-include env.h" replaces that header.
 *
 * A CPU is a number that a thread has, and may change between events.  An operation that
 * is one instruction in the kernel is one instruction here, so that a signal handler sees
 * the same states as an interrupt.  A marked access (READ_ONCE() and so on) is an atomic
 * access here, and others are plain, so the thread sanitizer reports missing marks.  The
 * sanitizer does not know fences, and x86 does not need them for smp_rmb() and smp_wmb():
 * as in the kernel, these two only stop the compiler from reordering.
 */
#ifndef KMA_CORE_ENV_H
#define KMA_CORE_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- types and arithmetic -------------------------------------------------- */

typedef unsigned char u8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
#define kma_u128 unsigned __int128

#define U16_MAX		0xffffU
#define U32_MAX		0xffffffffU
#define U64_MAX		0xffffffffffffffffULL
#define NUMA_NO_NODE	(-1)

/* The C library defines __always_inline, too. */
#define noinline	__attribute_noinline__
#define __aligned(n)	__attribute((__aligned__(n)))
#define __percpu
#define typeof		__typeof__
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define static_assert(x) _Static_assert(x, #x)
#define kma_pragma(x)	_Pragma(#x)
#define kma_unroll(n)	kma_pragma(GCC unroll n)
#define kma_env_strcpy(to, from, size) snprintf(to, size, "%s", from)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) ({						\
	typeof(d) __d = (d);						\
									\
	((n) + __d - 1) / __d;						\
})
#define min_t(type, a, b) ({						\
	type __a = (a), __b = (b);					\
									\
	__a < __b ? __a : __b;						\
})
#define min(a, b)		min_t(typeof(a), a, b)
#define max_t(type, a, b) ({						\
	type __a = (a), __b = (b);					\
									\
	__a > __b ? __a : __b;						\
})
#define max(a, b)		max_t(typeof(a), a, b)
#define clamp_t(type, x, low, high)	min_t(type, max_t(type, x, low), high)
#define ilog2(n)		(63 - __builtin_clzll(n))
#define roundup_pow_of_two(n)	((n) < 2 ? 1 : 1ULL << (64 - __builtin_clzll((n) - 1)))

static inline u64 div_u64(u64 n, u64 by)
{
	return n / by;
}

#define div64_u64(n, by)	div_u64(n, by)

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 by)
{
	return (kma_u128)a * b / by;
}

static inline u64 div_u64_rem(u64 n, u32 by, u32 *rest)
{
	*rest = n % by;
	return n / by;
}

/* ---- memory between CPUs --------------------------------------------------- */

#define barrier()	({ __asm__ __volatile__("" : : : "memory"); })
#define smp_rmb()	barrier()	/* for the compiler only, as in the kernel on x86 */
#define smp_wmb()	barrier()	/* for the compiler only, as in the kernel on x86 */
#define smp_mb()	({ __asm__ __volatile__("mfence" : : : "memory"); })	/* a real fence */

#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define kma_inc_once(x) ({						\
	typeof(x) *__x = &(x);						\
									\
	WRITE_ONCE(*__x, *__x + 1);					\
})
/* Both pair with smp_store_release(). */
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kma_acquire_is(p, value)	(smp_load_acquire(p) == (value))	/* see above */
/* Pairs with smp_load_acquire(). */
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)

#define cmpxchg(p, old, new) ({						\
	typeof(p) __p = (p);						\
	typeof(*__p) __was = (old);					\
									\
	__atomic_compare_exchange_n(__p, &__was, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	__was;								\
})

#define try_cmpxchg(p, old, new)						\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

/* Hide an intended data race from the thread sanitizer. */
#define data_race(expr) ({						\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);			\
	__auto_type __value = (expr);					\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);			\
	__value;							\
})
#else
/* Without the thread sanitizer, no data race is reported. */
#define data_race(expr)	(expr)
#endif

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic_fetch_inc(v)	__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_inc(v)		((void)__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(v)		((void)__atomic_fetch_sub(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_try_cmpxchg(v, old, new)					\
	__atomic_compare_exchange_n(&(v)->counter, old, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic64_read(v)	READ_ONCE((v)->counter)
#define atomic64_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic64_inc_return(v)	(__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic64_add(n, v)	((void)__atomic_fetch_add(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define atomic64_sub(n, v)	((void)__atomic_fetch_sub(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define atomic64_try_cmpxchg(v, old, new)				\
	__atomic_compare_exchange_n(&(v)->counter, old, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* ---- CPUs ------------------------------------------------------------------ */

#define KMA_ENV_CPUS	4
/* Distance between the copies of a per-CPU variable: the size of a chunk of rows. */
#define KMA_ENV_STRIDE	32768UL

/* The environment of this thread's events. */
struct kma_env {
	int cpu;
	u32 now;
	u32 tgid;
	unsigned long stack;	/* the caller of the call site; 0: the stack cannot be unwound */
	unsigned long page_site;	/* the call site of a page allocation */
};

extern __thread struct kma_env kma_env;

/* CPUs 0 and 1 are on node 0, the others on node 1. */
#define kma_env_node()	(kma_env.cpu / 2)
#define kma_env_cpu()	((u16)kma_env.cpu)
#define kma_env_now()	(kma_env.now)
#define kma_env_tgid()	(kma_env.tgid)
/* There is no clock: tests pass times to the core themselves. */
#define kma_env_clock_stay() 0
#define kma_env_lap_leave(start) ((void)(start), 0)
#define kma_env_hide(x) __asm__("" : "+r" (x))
#define kma_env_resched() do { } while (0)
#define kma_env_prefetchw(p) __builtin_prefetch(p, 1)

#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < KMA_ENV_CPUS; (cpu)++)
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

#define kma_env_countdown(var) ({					\
	bool __clear;							\
									\
	static_assert(sizeof(var) == 8);				\
	__asm__ __volatile__("decw %0"					\
			     : "+m" (per_cpu(var, kma_env.cpu)),	\
			       "=@ccns" (__clear));			\
	__clear;							\
})

#define kma_env_add_past(var, n, was_negative) ({			\
	bool __past;							\
									\
	static_assert(sizeof(var) == 8);				\
	__asm__ __volatile__("addl %[by], %[v]"				\
			     : [v] "+m" (per_cpu(var, kma_env.cpu)),	\
			       "=@ccns" (__past), "=@ccc" (was_negative) \
			     : [by] "er" ((s32)(n)));			\
	__past;								\
})

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

/* ---- functions, see module/core/env.h -------------------------------------- */

/* What kma_env_wait_for_probes() does on this thread; by default nothing. */
typedef void kma_env_waiter(void);
extern __thread kma_env_waiter *kma_env_wait;
void kma_env_wait_for_probes(void);

void *kma_env_zalloc(size_t bytes);
void *kma_env_zalloc_spread(size_t bytes);
void *kma_env_zalloc_near(size_t bytes, unsigned long pfn, unsigned long nr, int node);
void *kma_env_pfns_alloc(u64 nr, size_t size, u64 fill);
void kma_env_pfns_free(void *array, u64 nr, size_t size);
u64 kma_env_pfns_forecast(u64 nr, size_t size);
void kma_env_no_scan(void *mem);
void kma_env_free(void *mem);

#define KMA_PERCPU_CHUNK_BYTES	32768
void *kma_env_zalloc_percpu(size_t align);
void kma_env_free_percpu(void *chunk);

#define KMA_FRAMES_MAX	24
struct kma_stack;
const struct kma_stack *kma_env_stack(unsigned long site);
void kma_env_stack_done(const struct kma_stack *stack);
bool kma_env_stack_is_held(void);
void kma_env_unwind(unsigned long site, struct kma_stack *stack);

unsigned long kma_env_page_site(void);

#define KMA_CACHE_NAME_LEN 48

/* Stands for a struct kmem_cache. */
struct kma_env_cache {
	u32 size;
	u32 object_size;
	char name[KMA_CACHE_NAME_LEN];
};

void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN]);

/* The number of the next memory allocation that fails, counted from 1; 0: none fails. */
extern int kma_env_fail_at;

/* Sum of the sizes of all memory allocations. */
extern size_t kma_env_bytes;

#endif /* KMA_CORE_ENV_H */
