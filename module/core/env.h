/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that the core calls outside its folder: memory for tables, clocks, stacks, and
 * properties of caches and tasks.
 *
 * The files of module/core include this header, each other, and headers of the kernel that
 * tools/test/core/linux has, too.  A program that compiles the core in user space supplies those
 * headers, and a header with the include guard and the names of this one.  The program also defines
 * the functions that are only declared here.
 *
 * Context, unless a function says otherwise: any, NMI included; for kma_env_pfns_*() and functions
 * that allocate or free memory: process, may sleep.
 *
 * The functions kma_*_init() of the core return 0, or -ENOMEM with no memory left allocated.
 */
#ifndef KMA_CORE_ENV_H
#define KMA_CORE_ENV_H

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/math64.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/stringify.h>
#include <linux/types.h>

#include "../compat.h"

/*
 * The clock of the live table.  Its unit is the smallest power of two of jiffies that
 * lasts at least 10 ms, so that 32 bits last for a year or more.
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

/* For products of two u64 values, and for sums of squares. */
#define kma_u128 unsigned __int128

/* Make gcc and clang unroll the loop that follows, of at most @n iterations. */
#define kma_unroll(n) _Pragma(__stringify(GCC unroll n))

/*
 * Add one to a variable that has no other writer.  This is one instruction: a concurrent reader
 * sees either the old or the new value.
 */
#define kma_inc_once(x) data_race((x)++)	/* see above */

/*
 * Whether the memory at @p holds @value.  If so, this pairs with the release that stored it: all
 * stores before that release are visible.  The compiler may compare the value in memory, without a
 * load into a register.
 */
#define kma_acquire_is(p, value) ({					\
	bool __is = data_race(*(p) == (value));	/* see above */		\
									\
	if (__is)							\
		smp_acquire__after_ctrl_dep();				\
	__is;								\
})

/*
 * Turns a per-CPU variable into an operand of __percpu_arg().  On kernels that do not define
 * this macro, the variable itself is the operand.
 */
#ifndef __my_cpu_var
#define __my_cpu_var(var) (var)
#endif

/*
 * kma_env_countdown(var): subtract one from bits 0 to 15 of @var, a per-CPU u64.
 * On x86-64 this is one instruction, which leaves the result of the test in the sign flag.
 * Returns true if bit 15 is clear afterwards.
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
 * kma_env_add_past(var, n, was_negative): add @n, 0 to S32_MAX, to the lower half of
 * @var, a per-CPU u64.  The lower half is an s32.  If it is not negative afterwards,
 * @was_negative is set to whether it was negative before.  On x86-64 this is one
 * instruction, which leaves both results in flags: the sign flag shows the sign afterwards,
 * and the carry flag shows that a negative number has become non-negative.
 * Returns true if the lower half is not negative afterwards.
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

/* kma_env_this_cpu(var): the value of a per-CPU variable of this CPU. */
#define kma_env_this_cpu(var)	raw_cpu_read(var)

/*
 * kma_env_this_cpu_is(var, value): whether a per-CPU variable of 8 bytes has a value.  On x86-64
 * this is one instruction, which leaves the result in the zero flag.
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define kma_env_this_cpu_is(var, value) ({				\
	bool __is;							\
									\
	static_assert(sizeof(var) == 8);				\
	asm volatile("cmpq %[x], " __percpu_arg([v])			\
		     : "=@ccz" (__is)					\
		     : [v] "m" (__my_cpu_var(var)),			\
		       [x] "r" ((unsigned long)(value)));		\
	__is;								\
})
#else
#define kma_env_this_cpu_is(var, value)	(raw_cpu_read(var) == (value))
#endif

#ifndef __LITTLE_ENDIAN
#error "kmemacct needs a processor that stores the lowest byte first"
#endif

/* Turn off preemption until kma_env_lap_leave(), and read local_clock(). */
static inline u64 kma_env_clock_stay(void)
{
	/* Since Linux 7.0 a probe may be preempted, and may migrate to another CPU. */
	preempt_disable_notrace();
	return local_clock();
}

/*
 * The ns since kma_env_clock_stay() returned @start.  Undoes the change to preemption that
 * kma_env_clock_stay() made.
 */
static inline u64 kma_env_lap_leave(u64 start)
{
	u64 ns = local_clock() - start;

	preempt_enable_notrace();
	return ns;
}

/* The clock of the live table: units of KMA_TIME_SHIFT, modulo 2^32. */
static __always_inline u32 kma_env_now(void)
{
	const u64 now = get_jiffies_64();

	return now >> KMA_TIME_SHIFT;
}

/* The ms from @then to @now, from kma_env_now(), rounded down to the clock's unit. */
static inline u64 kma_env_age_ms(u32 now, u32 then)
{
	return div_u64(((u64)(u32)(now - then) << KMA_TIME_SHIFT) * MSEC_PER_SEC, HZ);
}

/* Thread group ID of the current process; 0 for the idle tasks and outside task context. */
static __always_inline u32 kma_env_tgid(void)
{
	return likely(in_task()) ? current->tgid : 0;
}

/*
 * For core/owner.h: whether owners are recorded, and which task runs on this CPU.
 *
 * kma_env_stay() and kma_env_leave() keep the context on its CPU while it uses a memo.  They do
 * nothing where probes are not preemptible.
 */
DECLARE_STATIC_KEY_FALSE(kma_owners_on);
#define kma_env_owners_on()	static_branch_likely(&kma_owners_on)
#define kma_env_task_tgid()	((u32)current->tgid)
#define kma_env_task_groups()	((const void *)rcu_access_pointer(current->cgroups))

#ifdef KMA_PROBES_ARE_PREEMPTIBLE
#define kma_env_stay()		preempt_disable_notrace()
#define kma_env_leave()		preempt_enable_notrace()
#else
#define kma_env_stay()		do { } while (0)
#define kma_env_leave()		do { } while (0)
#endif

/* Whether memory that the task allocates is charged to another cgroup than its own. */
#ifdef CONFIG_MEMCG
#define kma_env_task_remote()	(!!current->active_memcg)
#else
#define kma_env_task_remote()	false
#endif

/*
 * Whether the context is a task.  For an object that is charged, this is what the kernel takes for
 * a task when it chooses the cgroup to charge.
 */
static __always_inline bool kma_env_in_task(unsigned long charge)
{
	return KMA_CHARGE_BH_IS_INTERRUPT && charge ? !in_interrupt() : in_task();
}

/* The gfp flag that asks to charge memory to a cgroup. */
#define KMA_GFP_ACCOUNT		((__force u32)__GFP_ACCOUNT)

struct kma_owned;

/*
 * Find or make the owner of an object that is allocated in this context, and remember it if all
 * threads of the current process have it.  @charge is KMA_CHARGE, or any other value if the object
 * is not charged.  Context: a probe.
 */
void kma_env_owner(unsigned long charge, struct kma_owned *o);

/* Wait until all probes that are running now have ended.  Context: process, may sleep. */
void kma_env_wait_for_probes(void);

/* Allocate zeroed, page-aligned memory, to be freed by kma_env_free(); or return NULL. */
void *kma_env_zalloc(size_t bytes);

/* Like kma_env_zalloc(), but fail instead of adding to memory pressure. */
void *kma_env_zalloc_try(size_t bytes);

/*
 * Like kma_env_zalloc(), for a table that all CPUs share.  The memory is divided into equal parts,
 * one for each possible CPU, and each part is allocated on the node of its CPU.  Leak detectors do
 * not scan this memory.
 */
void *kma_env_zalloc_spread(size_t bytes);

/* The node of a page frame without RAM.  Differs from NUMA_NO_NODE. */
#define KMA_NODE_NONE	(NUMA_NO_NODE - 1)

/* The node of the first of @nr page frames that is online, or @otherwise.  Context: process. */
int kma_env_pfns_node(unsigned long pfn, unsigned long nr, int otherwise);

/**
 * kma_env_zalloc_near() - allocate zeroed memory for a table that describes page frames
 * @bytes: size of the memory
 * @pfn: number of the first page frame
 * @nr: number of page frames; each is described by the same number of bytes
 * @node: the node of page frames that are not online yet, or NUMA_NO_NODE
 *
 * Each page of the memory is allocated on the node of the page frames that it describes.
 *
 * Return: page-aligned memory, to be freed by kma_env_free(); or NULL.
 */
void *kma_env_zalloc_near(size_t bytes, unsigned long pfn, unsigned long nr, int node);

/**
 * kma_env_pfns_alloc() - allocate an array with an element for each page frame
 * @nr: number of elements, a power of two
 * @size: size of an element in bytes, a power of two, at most 8
 * @fill: the initial value of each 8 bytes
 *
 * The element of an address in the direct map is number (address >> PAGE_SHIFT) % @nr.  The
 * array is divided into parts of a page.  A part that describes page frames of RAM is allocated
 * on their node.  All other parts share one page, which is also mapped after the last part.  So
 * gaps between the addresses of RAM take no memory.
 *
 * Return: page-aligned memory, to be freed by kma_env_pfns_free(); or NULL.
 */
void *kma_env_pfns_alloc(u64 nr, size_t size, u64 fill);

/**
 * kma_env_pfns_repeat() - map the memory of an array of page frames again, several times in a row
 * @array: the array
 * @nr: number of its elements
 * @more: number of elements of the result, a power of two, at least @nr
 * @size: size of an element in bytes
 *
 * Element i of the result is the same memory as element i % @nr of @array.
 *
 * Return: page-aligned memory, to be freed by kma_env_pfns_free(), before or after @array; or
 * NULL.
 */
void *kma_env_pfns_repeat(void *array, u64 nr, u64 more, size_t size);

/**
 * kma_env_pfns_extend() - map the memory of an array of page frames again, with new memory
 * @array: the array
 * @nr: number of its elements
 * @more: number of elements of the result, a power of two, at least @nr
 * @size: size of an element in bytes
 * @fill: the initial value of each 8 bytes of new parts
 * @pfn: number of the first page frame that will be added
 * @added: number of page frames that will be added
 * @node: the node of these page frames
 *
 * The element of a page frame below @nr is the same memory as in @array.  Parts that describe
 * only page frames that are added get memory of their own.
 *
 * Return: page-aligned memory, to be freed by kma_env_pfns_free(), before or after @array; or
 * NULL.
 */
void *kma_env_pfns_extend(void *array, u64 nr, u64 more, size_t size, u64 fill,
			  unsigned long pfn, unsigned long added, int node);

/*
 * Whether one of @added page frames from @pfn on has no memory of its own in @array, or whether
 * such an array cannot be extended.  @nr and @size are as in kma_env_pfns_extend().
 */
bool kma_env_pfns_missing(void *array, u64 nr, size_t size, unsigned long pfn,
			  unsigned long added);

/* Bytes that an array of page frames would take, with @nr elements of @size bytes. */
u64 kma_env_pfns_forecast(u64 nr, size_t size);

/* Bytes that an array of page frames takes, with @nr elements of @size bytes. */
u64 kma_env_pfns_bytes(void *array, u64 nr, size_t size);

/* Free @array, or NULL, with @nr elements of @size bytes. */
void kma_env_pfns_free(void *array, u64 nr, size_t size);

/*
 * Keep leak detectors from scanning @mem, memory from kma_env_zalloc() that holds addresses of
 * objects.  A leak detector such as kmemleak would take these addresses for references, and would
 * never report an object that is recorded in the table.  Context: process.
 */
void kma_env_no_scan(void *mem);

/* Free memory from kma_env_zalloc*(), or NULL, but no per-CPU chunk. */
void kma_env_free(void *mem);

/* Per-CPU tables are allocated in chunks of this size, the most that alloc_percpu() allows. */
#define KMA_PERCPU_CHUNK_BYTES	32768

/*
 * Allocate a zeroed chunk of a per-CPU table: KMA_PERCPU_CHUNK_BYTES for each CPU, aligned to
 * @align bytes, a power of two.  Returns NULL on failure.  To be freed by kma_env_free_percpu().
 */
void __percpu *kma_env_zalloc_percpu(size_t align);

/* Free a chunk from kma_env_zalloc_percpu(), or NULL. */
void kma_env_free_percpu(void __percpu *chunk);

/*
 * Bytes that these functions have allocated and that are not freed yet, in whole pages.  Per-CPU
 * chunks count once for each possible CPU.
 */
u64 kma_env_memory(void);

/*
 * The part of kma_env_memory() that is not in per-CPU chunks, in bytes, as /proc/vmallocinfo shows
 * them; but a page that parts of an array share (kma_env_pfns_alloc()) counts once.
 */
u64 kma_env_memory_areas(void);

/* How many frames of a stack are kept at most; see stack.h. */
#define KMA_FRAMES_MAX	24
struct kma_stack;

/**
 * kma_env_stack() - get the stack of an allocation from this CPU's cache of stacks
 * @site: call site of the allocation
 *
 * A stack that is not in the cache is unwound and added to it.  If this context has
 * interrupted one that is using the same place in the cache, the result is NULL.
 *
 * Context: a probe, in the context that allocates, which does not migrate until
 * kma_env_stack_done(); does not allocate, sleep or take a lock.
 * Return: the stack, valid until kma_env_stack_done(), without frames if @site is not on
 * it; or NULL, and then the caller has to call kma_env_unwind() instead.
 */
const struct kma_stack *kma_env_stack(unsigned long site);

/* End the use of the result of kma_env_stack(), on the same CPU and in the same context. */
void kma_env_stack_done(const struct kma_stack *stack);

/*
 * Unwind the stack of the allocation at @site, without the cache of stacks.  @stack has no frames
 * if @site is not on the stack.  Context: a probe, in the context that allocates, which does not
 * migrate; does not allocate, sleep or take a lock.
 */
void kma_env_unwind(unsigned long site, struct kma_stack *stack);

/*
 * Return address at the call site of a page allocation: the first caller on the stack that is not
 * in the page allocator or its helpers (match/caller.h); KMA_SITE_UNKNOWN (pagealloc.h) if
 * there is none.  Context: a probe, in the context that allocates; does not allocate, sleep or
 * take a lock.
 */
unsigned long kma_env_page_site(void);

/**
 * struct kma_return - where a function that is running returns to
 * @ip: its return address; 0 if it is not known
 * @sp: the stack pointer after the return
 * @bp: the frame pointer after the return
 */
struct kma_return {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

/*
 * Like kma_env_page_site(), but the search begins at a function that has not returned, if it is
 * known where that function returns to.  Its return address on the stack may have been replaced.
 */
unsigned long kma_env_page_site_from(const struct kma_return *from);

/*
 * The call site of an object whose event has the return address @site.  If @site is not in a helper
 * (match/caller.h), this is @site.  Otherwise it is the first return address on the stack that is
 * not in a helper, or 0 if none is found.  Context: as kma_env_page_site().
 */
unsigned long kma_env_object_site(unsigned long site);

/* Size of the buffer for a cache name, NUL included; longer names are truncated. */
#define KMA_CACHE_NAME_LEN 128

/**
 * kma_env_cache_info() - read slot size, object size and name of a kmem_cache
 * @cache: address of the kmem_cache, from an event for one of its objects
 * @size: bytes that an object takes in its slab, padding and metadata included
 * @object_size: size of an object as requested when the kmem_cache was created
 * @name: the name of the kmem_cache, truncated to KMA_CACHE_NAME_LEN - 1 characters
 *
 * Context: a probe; does not allocate, sleep or take a lock.
 */
void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN]);

/* Whether all objects of a kmem_cache are charged to a cgroup.  Context: a probe. */
bool kma_env_cache_is_charged(unsigned long cache);

#endif /* KMA_CORE_ENV_H */
