/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The environment of the core in a user-space program.  It has the names of
 * module/core/env.h and the same include guard, so "-include env.h" replaces that header.
 * The folder linux/ stands for the kernel's headers.
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

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define kma_u128 unsigned __int128
#define kma_pragma(x)	_Pragma(#x)
#define kma_unroll(n)	kma_pragma(GCC unroll n)

#define kma_inc_once(x) ({						\
	typeof(x) *__x = &(x);						\
									\
	WRITE_ONCE(*__x, *__x + 1);					\
})
/* Pairs with smp_store_release(). */
#define kma_acquire_is(p, value)	(smp_load_acquire(p) == (value))	/* see above */

/* ---- CPUs ------------------------------------------------------------------ */

#define KMA_ENV_CPUS	4
/* Distance between the copies of a per-CPU variable: the size of a chunk of rows. */
#define KMA_ENV_STRIDE	32768UL

/* The environment of this thread's events. */
struct kma_env {
	int cpu;
	u32 now;
	u32 tgid;
	const void *groups;		/* stands for the set of cgroups */
	bool interrupt;			/* not in a task */
	bool remote;			/* another cgroup is charged than that of the task */
	unsigned long stack;	/* the caller of the call site; 0: the stack cannot be unwound */
	unsigned long page_site;	/* the call site of a page allocation */
	unsigned long helper;		/* a return address in a helper */
	unsigned long caller;		/* the caller of @helper; 0 if it is not found */
};

extern __thread struct kma_env kma_env;

#include <linux/percpu.h>

#define kma_env_now()	(kma_env.now)
#define kma_env_tgid()	(kma_env.interrupt ? 0 : kma_env.tgid)

#define kma_env_owners_on()		kma_env_owners
#define kma_env_in_task(charge)		((void)(charge), !kma_env.interrupt)
#define kma_env_task_tgid()		(kma_env.tgid)
#define kma_env_task_groups()		(kma_env.groups)
#define kma_env_task_remote()		(kma_env.remote)
/* A thread uses the number of a CPU alone. */
#define kma_env_stay()			do { } while (0)
#define kma_env_leave()			do { } while (0)
#define kma_env_this_cpu(var)		per_cpu(var, kma_env.cpu)
#define kma_env_this_cpu_is(var, value)	(per_cpu(var, kma_env.cpu) == (value))

/* The gfp flags of tests are small numbers. */
#define KMA_GFP_ACCOUNT			2U

extern bool kma_env_owners;
/* Added to the names of all tasks. */
extern u64 kma_env_renamed;
struct kma_owned;
struct kma_owner;
void kma_env_owner(unsigned long charge, struct kma_owned *o);

/* The owner of an object that this thread allocates: what kma_env_owner() finds. */
struct kma_owner kma_env_owner_key(unsigned long charge);
/* This environment has no clock: tests pass times to the core themselves. */
#define kma_env_clock_stay() 0
#define kma_env_lap_leave(start) ((void)(start), 0)

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

/* ---- functions, see module/core/env.h -------------------------------------- */

/* The function that kma_env_wait_for_probes() calls on this thread; by default none. */
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

struct kma_return {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

unsigned long kma_env_object_site(unsigned long site);

#define KMA_CACHE_NAME_LEN 128

/* The core's stand-in for a struct kmem_cache. */
struct kma_env_cache {
	u32 size;
	u32 object_size;
	char name[KMA_CACHE_NAME_LEN];
	bool charged;
};

void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN]);
bool kma_env_cache_is_charged(unsigned long cache);

/* The number of the next memory allocation that fails, counted from 1; 0: none fails. */
extern int kma_env_fail_at;

/* Sum of the sizes of all memory allocations. */
extern size_t kma_env_bytes;

#endif /* KMA_CORE_ENV_H */
