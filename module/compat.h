/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences between kernel versions.  Only this file tests the version.  All other files
 * test for features, by the macros KMA_HAVE_*.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_COMPAT_H
#define KMA_COMPAT_H

#include <linux/build_bug.h>
#include <linux/linkage.h>
#include <linux/log2.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "kmemacct needs Linux 5.10, or 6.1 and newer"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kmemacct supports Linux 5.10, and 6.1 and newer, but no version in between"
#endif

/*
 * The newest kernel that the tests run on.  The module also works on a newer kernel, as on this
 * one, if the compiler finds the same prototypes there; at load it then prints a warning to the
 * kernel log.  To see the warning on any kernel, build with KCFLAGS=-DKMA_TESTED_UP_TO=0.
 */
#ifndef KMA_TESTED_UP_TO
#define KMA_TESTED_UP_TO	KERNEL_VERSION(7, 3, 255)
#endif
#define KMA_KERNEL_TESTED	(LINUX_VERSION_CODE <= KMA_TESTED_UP_TO)

/* The notifiers of a panic.  Kernels without this header declare them in linux/kernel.h. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#include <linux/panic_notifier.h>
#endif

#ifdef CONFIG_UNWINDER_ORC
/* The state of the ORC unwinder shows where on the stack it found each return address. */
#include <asm/unwind.h>
#define KMA_HAVE_UNWINDER
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
/*
 * Allocation events have the kmem_cache and the node as arguments.  Older kernels have separate
 * tracepoints for allocations on a node.
 */
#define KMA_HAVE_EVENT_CACHE
/* kmem_cache_free is traced before the object can be allocated again. */
#define KMA_HAVE_FREE_EVENT_EARLY
#define KMA_FREES_EARLY true
/* An ftrace callback may interrupt itself, unless its ftrace_ops forbid that. */
#define KMA_HAVE_FTRACE_NESTING
#else
/*
 * On these kernels, kmem_cache_free is traced after the object is free.  The module sees frees
 * early only if it can follow the function kmem_cache_free() instead, which is not certain.
 */
#define KMA_FREES_EARLY false
/* Functions and types that have another name on these kernels, or do not exist. */
#define ftrace_get_regs(regs)		(regs)
#define ftrace_regs			pt_regs
#define ftrace_free_filter(ops)		ftrace_set_filter(ops, NULL, 0, 1)
#define get_kretprobe(ri)		((ri)->rp)
#define get_kretprobe_retaddr(ri)	((unsigned long)(ri)->ret_addr)
#define in_hardirq()			in_irq()
#define pde_data(inode)			PDE_DATA(inode)
#endif

/*
 * Names of functions.  If a header declares the function, test what the header has rather than the
 * version, because distributions backport changes.  For other functions, a list of names is tried
 * (see trace/kretprobe.h).
 */

/* The symbol of kmem_cache_alloc_bulk(), which is a macro since 6.10. */
#ifdef kmem_cache_alloc_bulk
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk_noprof
#else
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk
#endif

/*
 * The bulk page allocator, which has no tracepoint.  It is a macro since 6.10.  Linux 5.10 has no
 * bulk page allocator.
 */
#if defined(__alloc_pages_bulk) || defined(alloc_pages_bulk)
#define KMA_ALLOC_PAGES_BULK alloc_pages_bulk_noprof
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_ALLOC_PAGES_BULK __alloc_pages_bulk
#endif

/* A call of the bulk page allocator that puts the pages into an array. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define kma_alloc_pages_bulk(gfp, nr, page) alloc_pages_bulk(gfp, nr, page)
#else
#define kma_alloc_pages_bulk(gfp, nr, page) alloc_pages_bulk_array(gfp, nr, page)
#endif

/* An argument of mm_page_alloc_zone_locked shows whether a per-CPU list is being refilled. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_HAVE_PERCPU_REFILL
#endif

/* A probe of a tracepoint may be preempted, and may migrate to another CPU. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define KMA_PROBES_ARE_PREEMPTIBLE
#endif

/*
 * Whether the kernel treats a task with bottom halves off as an interrupt when it chooses the
 * cgroup to charge.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_CHARGE_BH_IS_INTERRUPT	false
/* int_active_memcg is exported. */
#define KMA_HAVE_INT_ACTIVE_MEMCG
#else
#define KMA_CHARGE_BH_IS_INTERRUPT	true
#endif

/* Whether the kernel charges its own memory to cgroups: not with cgroup.memory=nokmem. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define kma_kmem_is_charged()	memcg_kmem_online()
#else
#define kma_kmem_is_charged()	memcg_kmem_enabled()
#endif

/*
 * The largest order of the page allocator.  Depending on the kernel version, MAX_ORDER is this
 * order, or this order plus 1.
 */
#define KMA_ORDER_MAX	ilog2(MAX_ORDER_NR_PAGES)

/* Masks for the flags of a pageblock: its migrate type, and whether it is isolated. */
#ifdef PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_TYPE	PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_ISOLATED	PAGEBLOCK_ISO_MASK
#else
#define KMA_PAGEBLOCK_TYPE	((1UL << PB_migratetype_bits) - 1)
#define KMA_PAGEBLOCK_ISOLATED	0
#endif

/*
 * The slab allocator keeps free objects in per-CPU sheaves.  An object that kfree_rcu() puts into
 * a sheaf is freed without an event.
 */
#if defined(kmem_cache_alloc_from_sheaf) || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define KMA_HAVE_SHEAVES
#endif

/* kmalloc_nolock() and kfree_nolock(), which may be called in any context, NMI included. */
#if defined(kmalloc_nolock) || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define KMA_HAVE_KMALLOC_NOLOCK
/* The function that kmalloc_nolock() calls; in 7.2 kmalloc_nolock_noprof() is a macro too. */
#ifdef kmalloc_nolock_noprof
#define KMA_KMALLOC_NOLOCK	_kmalloc_nolock_noprof
#define KMA_KMALLOC_NOLOCK_ARGS	DECL_TOKEN_PARAMS(size, token), gfp_t gfp, int node
#else
#define KMA_KMALLOC_NOLOCK	kmalloc_nolock_noprof
#define KMA_KMALLOC_NOLOCK_ARGS	size_t size, gfp_t gfp, int node
#endif
/* Index of the gfp flags among the arguments of this function. */
#ifdef CONFIG_KMALLOC_PARTITION_CACHES
#define KMA_KMALLOC_NOLOCK_GFP	2
#else
#define KMA_KMALLOC_NOLOCK_GFP	1
#endif
#endif

/* kfree_rcu_nolock(), which calls kfree_call_rcu_nolock(). */
#if defined(kfree_rcu_nolock) || LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define KMA_HAVE_KFREE_RCU_NOLOCK
#endif

/*
 * With indirect branch tracking (IBT), functions begin with an ENDBR instruction, so that they
 * can be called indirectly.  A function that is only reached by direct jumps does not need it:
 * KMA_DIRECT omits the instruction, and KMA_IS_DIRECT() informs objtool that this is intended.
 */
#ifdef CONFIG_X86_KERNEL_IBT
#define KMA_DIRECT	__noendbr
#ifdef ANNOTATE_NOENDBR_SYM
#define KMA_IS_DIRECT(function) ANNOTATE_NOENDBR_SYM(function)
#else
#define KMA_IS_DIRECT(function)						\
	asm(".pushsection .discard.noendbr\n"				\
	    ".long " __stringify(function) "\n"				\
	    ".popsection")
#endif
#else
#define KMA_DIRECT
#define KMA_IS_DIRECT(function)	static_assert(!__same_type(function, void))
#endif

/* Whether an address is in the area that holds the code of modules and of BPF programs. */
static inline bool kma_is_module_area(unsigned long addr)
{
#ifdef MODULES_VADDR
	return addr >= MODULES_VADDR && addr < MODULES_END;
#else
	return false;
#endif
}

#ifdef MODULE
/* Whether an address is in the code of this module. */
static inline bool kma_is_own(unsigned long addr)
{
	return within_module(addr, THIS_MODULE);
}
#else
/*
 * Built into the kernel, there is no THIS_MODULE.  The linker puts the code of this module
 * between these two functions: see tools/packaging/builtin/Makefile.
 */
void kma_text_begin(void);
void kma_text_end(void);

static inline bool kma_is_own(unsigned long addr)
{
	return addr >= (unsigned long)kma_text_begin && addr < (unsigned long)kma_text_end;
}
#endif

/* Kretprobes keep their instances in an objpool: a ring for each possible CPU. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define KMA_HAVE_OBJPOOL
#include <linux/objpool.h>
#endif

/* kmalloc_size_roundup() is not exported on all kernels. */
static inline size_t kma_kmalloc_bytes(size_t size)
{
	if (size > 64 && size <= 96)
		return 96;
	if (size > 128 && size <= 192)
		return 192;
	return roundup_pow_of_two(size);
}

/* The unwinder finds the return addresses that kretprobes have replaced. */
#define KMA_UNWINDS_KRETPROBES	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0))

/* Shrinkers are allocated, and have a pointer for the code that registers them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define KMA_HAVE_SHRINKER_ALLOC
#endif

/*
 * The arguments of the tracepoints of reclaim and shrinkers: since 7.1, they have the memory
 * cgroup, and the order comes after the gfp flags.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define KMA_RECLAIM_BEGIN	gfp_t gfp, int order, struct mem_cgroup *memcg
#define KMA_RECLAIM_END		unsigned long reclaimed, struct mem_cgroup *memcg
#define KMA_SHRINK_START	struct shrinker *shrinker, struct shrink_control *sc, long nr, \
			unsigned long cache_items, unsigned long long delta, \
			unsigned long total_scan, int priority, struct mem_cgroup *memcg
#define KMA_SHRINK_END	struct shrinker *shrinker, int nid, int freed, long unused, long new, \
			long total_scan, struct mem_cgroup *memcg
/* balance_pgdat() has tracepoints. */
#define KMA_HAVE_BALANCE_EVENT
#else
#define KMA_RECLAIM_BEGIN	int order, gfp_t gfp
#define KMA_RECLAIM_END		unsigned long reclaimed
#define KMA_SHRINK_START	struct shrinker *shrinker, struct shrink_control *sc, long nr, \
			unsigned long cache_items, unsigned long long delta, \
			unsigned long total_scan, int priority
#define KMA_SHRINK_END	struct shrinker *shrinker, int nid, int freed, long unused, long new, \
			long total_scan
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
/* The tracepoint mm_vmscan_throttled. */
#define KMA_HAVE_THROTTLED
/* The first arguments of mm_compaction_begin and mm_compaction_end. */
#define KMA_COMPACTION	struct compact_control *cc, unsigned long zone_start, \
			unsigned long zone_end, bool sync
#else
#define KMA_COMPACTION	unsigned long zone_start, unsigned long start, \
			unsigned long end, unsigned long zone_end, bool sync
#endif

/* The workqueue of the system whose work may run on any CPU. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define kma_unbound_wq		system_dfl_wq
#else
#define kma_unbound_wq		system_unbound_wq
#endif

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#error "kmemacct needs CONFIG_DYNAMIC_FTRACE_WITH_REGS: it follows kmem_cache_free_bulk()"
#endif
#ifndef CONFIG_KRETPROBES
#error "kmemacct needs a kernel with CONFIG_KRETPROBES: it follows kmem_cache_alloc_bulk()"
#endif
#ifndef CONFIG_64BIT
#error "kmemacct needs a 64-bit kernel"
#endif

#endif /* KMA_COMPAT_H */
