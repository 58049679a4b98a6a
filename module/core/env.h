/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core needs of its surroundings, here of the kernel.
 *
 * The files of module/core include this header and each other, nothing else.
 * A program that compiles them in user space supplies a header with the same
 * guard, the same names and, where a function is only declared here, its own
 * definition.
 */
#ifndef KMA_CORE_ENV_H
#define KMA_CORE_ENV_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/prefetch.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/topology.h>
#include <linux/types.h>

/*
 * The clock of the live table: one unit is the smallest power of two of
 * jiffies that lasts at least 10 ms, so that 32 bits last for a year or more.
 */
#if HZ <= 100
#define KMA_TIME_SHIFT 0
#elif HZ <= 200
#define KMA_TIME_SHIFT 1
#elif HZ <= 400
#define KMA_TIME_SHIFT 2
#else
#define KMA_TIME_SHIFT 4
#endif

/* Products, and sums of squares. */
typedef unsigned __int128 kma_u128;

/* The compiler is not to know where this value comes from. */
#define kma_env_hide(x) OPTIMIZER_HIDE_VAR(x)

/* Unroll the loop that follows, of at most @n turns: gcc and clang know it. */
#define kma_unroll(n) _Pragma(__stringify(GCC unroll n))

/* Begin to fetch what is soon to be written to. */
#define kma_env_prefetchw(p) prefetchw(p)

/* Copy a string as far as there is room. */
#define kma_env_strcpy(to, from, size) strscpy(to, from, size)

/*
 * Add one to what nobody else writes to, in one instruction.  Others read it
 * meanwhile, and see it before or after.
 */
#define kma_inc_once(x) data_race((x)++)	/* see above */

/*
 * Whether memory has a value, compared there.  If so, what was stored before a
 * release of that value is seen from here on.
 */
#define kma_acquire_is(p, value) ({					\
	bool __is = data_race(*(p) == (value));	/* see above */		\
									\
	if (__is)							\
		smp_acquire__after_ctrl_dep();				\
	__is;								\
})

/* What makes an operand of a per-CPU variable, where that takes more than its name. */
#ifndef __my_cpu_var
#define __my_cpu_var(var) (var)
#endif

/*
 * Take one from the lower half of the lower half of a per-CPU u64.  Return: whether
 * its highest bit is clear then.  In one instruction, which leaves the answer in a
 * flag, where there is one.
 */
#ifndef kma_env_countdown
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define kma_env_countdown(var) ({					\
	bool __clear;							\
									\
	asm volatile("decw " __percpu_arg([v])				\
		     : [v] "+m" (__my_cpu_var(var)), "=@ccns" (__clear)); \
	__clear;							\
})
#else
#define kma_env_countdown(var) (this_cpu_dec_return(*(s16 *)&(var)) >= 0)
#endif
#endif

/*
 * Add 0 to S32_MAX to the lower half of a per-CPU u64, an s32.  Return: whether that is
 * not negative then; if so, @was_negative says whether it was before.  In one
 * instruction, which leaves both answers in flags: a negative number that becomes none
 * carries.
 */
#ifndef kma_env_add_past
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define kma_env_add_past(var, n, was_negative) ({			\
	bool __past;							\
									\
	asm volatile("addl %[by], " __percpu_arg([v])			\
		     : [v] "+m" (__my_cpu_var(var)), "=@ccns" (__past),	\
		       "=@ccc" (was_negative)				\
		     : [by] "er" ((s32)(n)));				\
	__past;								\
})
#else
#define kma_env_add_past(var, n, was_negative) ({			\
	const s32 __by = (n), __after = this_cpu_add_return(*(s32 *)&(var), __by); \
									\
	(was_negative) = __after < __by;				\
	__after >= 0;							\
})
#endif
#endif

#ifndef __LITTLE_ENDIAN
#error "kmemacct needs a processor that stores the lowest byte first"
#endif

/**
 * kma_env_clock() - a clock to tell how long something takes
 *
 * Context: any. Return: nanoseconds; those of two CPUs differ.
 */
static __always_inline u64 kma_env_clock(void)
{
	return local_clock();
}

/**
 * kma_env_clock_stay() - look at the clock, and stay on this CPU
 *
 * Context: any; preemption is off from here to kma_env_lap_leave().
 * Return: as kma_env_clock().
 */
static inline u64 kma_env_clock_stay(void)
{
	/* Since 7.0 a probe may be preempted, and migrate. */
	preempt_disable_notrace();
	return kma_env_clock();
}

/**
 * kma_env_lap_leave() - how long something took, which is over
 * @start: of kma_env_clock_stay()
 *
 * Context: any. Return: nanoseconds.
 */
static inline u64 kma_env_lap_leave(u64 start)
{
	u64 ns = kma_env_clock() - start;

	preempt_enable_notrace();
	return ns;
}

/**
 * kma_env_now() - the time, in units of the live table's clock
 *
 * Context: any. Return: units, modulo 2^32.
 */
static __always_inline u32 kma_env_now(void)
{
	return get_jiffies_64() >> KMA_TIME_SHIFT;
}

/**
 * kma_env_age_ms() - how long ago a time of kma_env_now() was
 * @now: a later time
 * @then: the time
 *
 * Context: any. Return: milliseconds, a multiple of the clock's unit.
 */
static inline u64 kma_env_age_ms(u32 now, u32 then)
{
	return div_u64(((u64)(u32)(now - then) << KMA_TIME_SHIFT) * MSEC_PER_SEC, HZ);
}

/**
 * kma_env_cpu() - the CPU this runs on
 *
 * Context: any; exact where the caller cannot migrate, as in a probe.
 * Return: a number below nr_cpu_ids.
 */
static __always_inline u16 kma_env_cpu(void)
{
	return raw_smp_processor_id();
}

/**
 * kma_env_node() - the NUMA node of the CPU this runs on
 *
 * Context: any, as kma_env_cpu(). Return: a node number.
 */
static __always_inline int kma_env_node(void)
{
	return numa_node_id();
}

/**
 * kma_env_tgid() - the process this runs for
 *
 * Context: any. Return: its thread group id, or 0 outside task context (and
 * for the idle tasks).
 */
static __always_inline u32 kma_env_tgid(void)
{
	return likely(in_task()) ? current->tgid : 0;
}

/* Let others run for a while, where many turns are taken. Context: process. */
static inline void kma_env_resched(void)
{
	cond_resched();
}

/**
 * kma_env_zalloc() - memory for a table, zeroed
 * @bytes: how much
 *
 * Context: process, may sleep. Return: page-aligned memory or NULL.
 */
void *kma_env_zalloc(size_t bytes);

/**
 * kma_env_zalloc_spread() - memory for a table that all CPUs share, zeroed
 * @bytes: how much
 *
 * It is cut into a share for each possible CPU, from that CPU's node.  No leak
 * detector looks into it.
 * Context: process, may sleep. Return: page-aligned memory, for kma_env_free(),
 * or NULL.
 */
void *kma_env_zalloc_spread(size_t bytes);

/**
 * kma_env_no_scan() - keep a leak detector from looking into a table
 * @mem: memory of kma_env_zalloc() that holds addresses of objects
 *
 * It would take them for references: nothing recorded would ever leak.
 * Context: process.
 */
void kma_env_no_scan(void *mem);

/**
 * kma_env_free() - give memory of kma_env_zalloc() or _spread() back
 * @mem: the memory, or NULL
 *
 * Context: process, may sleep.
 */
void kma_env_free(void *mem);

/* The most that alloc_percpu() gives: per-CPU tables come in chunks of that size. */
#define KMA_PERCPU_CHUNK_BYTES	32768

/**
 * kma_env_zalloc_percpu() - a chunk of a per-CPU table, zeroed
 * @align: alignment in bytes, a power of two
 *
 * Context: process, may sleep.
 * Return: KMA_PERCPU_CHUNK_BYTES for each CPU, for kma_env_free_percpu(), or NULL.
 */
void __percpu *kma_env_zalloc_percpu(size_t align);

/**
 * kma_env_free_percpu() - free a chunk of kma_env_zalloc_percpu()
 * @chunk: the chunk, or NULL
 *
 * Context: process, may sleep.
 */
void kma_env_free_percpu(void __percpu *chunk);

/* Frames of a stack that are kept, at most; see stack.h. */
#define KMA_FRAMES_MAX	24
struct kma_stack;

/**
 * kma_env_stack() - the stack that an allocation was called from, if it can be kept
 * @site: its call site
 *
 * Context: a probe, in the context that allocates, which does not migrate: any; does not
 * allocate, sleep or take a lock. Return: the stack, with no frames if @site is not to be
 * found, until kma_env_stack_done(); or NULL: then ask kma_env_unwind().
 */
const struct kma_stack *kma_env_stack(unsigned long site);

/* Context: as above, the same CPU. */
void kma_env_stack_done(const struct kma_stack *stack);

/**
 * kma_env_unwind() - the stack that an allocation was called from
 * @site: its call site
 * @stack: the result, as of kma_env_stack()
 *
 * Context: as above.
 */
void kma_env_unwind(unsigned long site, struct kma_stack *stack);

/**
 * kma_env_page_site() - the call site of a block of pages
 *
 * The first caller outside of the page allocator and its helpers.
 * Context: a probe, in the context that allocates: any, NMI included; does not
 * allocate, sleep or take a lock. Return: the return address, or KMA_SITE_NOWHERE
 * (pagealloc.h).
 */
unsigned long kma_env_page_site(void);

/* Room for the name of a cache, its NUL included; longer names are cut. */
#define KMA_CACHE_NAME_LEN 48

/**
 * kma_env_cache_info() - slot size, object size and name of a kmem_cache
 * @cache: address of the kmem_cache, from an event about one of its objects
 * @size: bytes an object takes in its slab, padding and metadata included
 * @object_size: bytes an object was asked to have
 * @name: its name, cut to KMA_CACHE_NAME_LEN - 1 characters
 *
 * Context: a probe: any context, does not allocate, sleep or take a lock.
 */
void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN]);

#endif /* KMA_CORE_ENV_H */
