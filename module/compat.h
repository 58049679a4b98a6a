/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences between kernel versions.  No other file tests the version: all others
 * test for features, by macros that are named KMA_HAVE_*.
 */
#ifndef KMA_COMPAT_H
#define KMA_COMPAT_H

#include <linux/build_bug.h>
#include <linux/linkage.h>
#include <linux/log2.h>
#include <linux/mmzone.h>
#include <linux/objtool.h>
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
 * The newest kernel that the tests run on.  On a newer one the module works as on this
 * one, if the compiler finds the same prototypes there, and the kernel log says so at
 * load.  To see that line on any kernel, build with KCFLAGS=-DKMA_TESTED_UP_TO=0.
 */
#ifndef KMA_TESTED_UP_TO
#define KMA_TESTED_UP_TO	KERNEL_VERSION(7, 3, 255)
#endif
#define KMA_KERNEL_TESTED	(LINUX_VERSION_CODE <= KMA_TESTED_UP_TO)

#ifdef CONFIG_UNWINDER_ORC
/* The state of the ORC unwinder tells where on the stack each return address was. */
#include <asm/unwind.h>
#define KMA_HAVE_UNWINDER
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
/*
 * Allocation events name the kmem_cache and the node.  Older kernels have separate events
 * for allocations on a node.
 */
#define KMA_HAVE_EVENT_CACHE
/* kmem_cache_free is traced before another CPU can be given the object. */
#define KMA_HAVE_FREE_EVENT_EARLY
#define KMA_FREES_EARLY true
/* An ftrace callback may interrupt itself, unless its ftrace_ops forbid that. */
#define KMA_HAVE_FTRACE_NESTING
#else
/*
 * Not certain there: kmem_cache_free is traced late, unless the module can follow the
 * function itself instead.
 */
#define KMA_FREES_EARLY false
/* Functions and types that have another name there, or do not exist. */
#define ftrace_get_regs(regs)		(regs)
#define ftrace_regs			pt_regs
#define ftrace_free_filter(ops)		ftrace_set_filter(ops, NULL, 0, 1)
#define get_kretprobe_retaddr(ri)	((unsigned long)(ri)->ret_addr)
#define in_hardirq()			in_irq()
#define pde_data(inode)			PDE_DATA(inode)
#endif

/* The function that a call of kmem_cache_alloc_bulk() enters. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk_noprof
#else
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk
#endif

/* The bulk page allocator, which has no tracepoint; 5.10 has none. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMA_ALLOC_PAGES_BULK alloc_pages_bulk_noprof
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_ALLOC_PAGES_BULK __alloc_pages_bulk
#endif

/* mm_page_alloc_zone_locked tells whether a CPU's list of free pages is refilled. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_HAVE_PERCPU_REFILL
#endif

/*
 * The largest order of the page allocator.  MAX_ORDER is that order or one more, by
 * kernel version.
 */
#define KMA_ORDER_MAX	ilog2(MAX_ORDER_NR_PAGES)

/* The flags of a pageblock: the bits of its migrate type, and the bit "isolated". */
#ifdef PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_TYPE	PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_ISOLATED	PAGEBLOCK_ISO_MASK
#else
#define KMA_PAGEBLOCK_TYPE	((1UL << PB_migratetype_bits) - 1)
#define KMA_PAGEBLOCK_ISOLATED	0
#endif

/*
 * Each CPU has sheaves of free objects.  An object that kfree_rcu() puts into a sheaf is
 * freed without an event.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define KMA_HAVE_SHEAVES
#endif

/* kmalloc_nolock() and kfree_nolock(), which any context may call, NMI included. */
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
/* Which of its arguments are the gfp flags. */
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

/* The type of the head that kvfree_call_rcu() takes. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define kma_rcu_head		kvfree_rcu_head
#else
#define kma_rcu_head		rcu_head
#endif

/*
 * With indirect branch tracking (IBT), a function begins with an ENDBR instruction so
 * that it can be called indirectly.  A function that is only jumped to directly does not
 * need it: KMA_DIRECT leaves it out, and KMA_IS_DIRECT() tells objtool that this is
 * intended.
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
