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
#include <linux/sched.h>
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

/* Unroll the loop that follows, of at most @n turns: gcc and clang know it. */
#define kma_unroll(n) _Pragma(__stringify(GCC unroll n))

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
	return in_task() ? current->tgid : 0;
}

/**
 * kma_env_zalloc() - memory for a table, zeroed
 * @bytes: how much
 * @cpu: the memory is taken from this CPU's node, if there is such a CPU
 *
 * Context: process, may sleep. Return: page-aligned memory or NULL.
 */
void *kma_env_zalloc(size_t bytes, int cpu);

/**
 * kma_env_no_scan() - keep a leak detector from looking into a table
 * @mem: memory of kma_env_zalloc() that holds addresses of objects
 *
 * It would take them for references: nothing recorded would ever leak.
 * Context: process.
 */
void kma_env_no_scan(void *mem);

/**
 * kma_env_free() - give memory of kma_env_zalloc() back
 * @mem: the memory, or NULL
 *
 * Context: process, may sleep.
 */
void kma_env_free(void *mem);

/* Counters of KMA_ROWS_PER_CHUNK rows; see sitetab.h. */
struct kma_row;
struct kma_row __percpu *kma_env_alloc_rows(void);
void kma_env_free_rows(struct kma_row __percpu *rows);

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
