/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels, and the only file that knows their versions.
 * Everything else asks for a feature by its name, KMA_HAVE_*.
 */
#ifndef KMA_COMPAT_H
#define KMA_COMPAT_H

#include <linux/build_bug.h>
#include <linux/linkage.h>
#include <linux/log2.h>
#include <linux/mmzone.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "kmemacct needs Linux 5.10, or 6.1 and newer"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kmemacct knows Linux 5.10, and 6.1 and newer, but nothing in between"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#error "kmemacct does not know Linux 7.3 and newer"
#endif

#ifdef CONFIG_UNWINDER_ORC
/* Who unwinds is told where each return address was. */
#include <asm/unwind.h>
#define KMA_HAVE_UNWINDER
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
/* Events name the kmem_cache and the node; before, node has events of its own. */
#define KMA_HAVE_EVENT_CACHE
/* kmem_cache_free is traced before the object is free for others. */
#define KMA_HAVE_FREE_EVENT_EARLY
#define KMA_FREES_EARLY true
/* A large kmalloc for another function is told with who called that one. */
#define KMA_HAVE_LARGE_CALLER
/* What ftrace calls may interrupt itself, unless it asks not to. */
#define KMA_HAVE_FTRACE_NESTING
#else
/* Not certain there: nobody may follow the function instead. */
#define KMA_FREES_EARLY false
/* What there is under another name, or is nothing */
#define ftrace_get_regs(regs)		(regs)
#define ftrace_regs			pt_regs
#define ftrace_free_filter(ops)		ftrace_set_filter(ops, NULL, 0, 1)
#define get_kretprobe_retaddr(ri)	((unsigned long)(ri)->ret_addr)
#define in_hardirq()			in_irq()
#define pde_data(inode)			PDE_DATA(inode)
#endif

/* The name of what kmem_cache_alloc_bulk() calls. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk_noprof
#else
#define KMA_ALLOC_BULK kmem_cache_alloc_bulk
#endif

/* Many pages at once, which have no event. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMA_ALLOC_PAGES_BULK alloc_pages_bulk_noprof
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_ALLOC_PAGES_BULK __alloc_pages_bulk
#endif
/* Whoever calls it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define kma_alloc_pages_bulk(gfp, nr, page) alloc_pages_bulk(gfp, nr, page)
#else
#define kma_alloc_pages_bulk(gfp, nr, page) alloc_pages_bulk_array(gfp, nr, page)
#endif
/* They may be put on a list. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define KMA_HAVE_ALLOC_PAGES_LIST
#endif

/* A block that leaves a zone's lists is told with why. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KMA_HAVE_PERCPU_REFILL
#endif

/* The largest order that the page allocator has: MAX_ORDER itself, or one below it. */
#define KMA_ORDER_MAX	ilog2(MAX_ORDER_NR_PAGES)

/* What the bits of a pageblock mean. */
#ifdef PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_TYPE	PAGEBLOCK_MIGRATETYPE_MASK
#define KMA_PAGEBLOCK_ISOLATED	PAGEBLOCK_ISO_MASK
#else
#define KMA_PAGEBLOCK_TYPE	((1UL << PB_migratetype_bits) - 1)
#define KMA_PAGEBLOCK_ISOLATED	0
#endif

/* Some objects may come from a pool with a guard page around each. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define KMA_HAVE_KFENCE
#endif

/* A timer gets its function with its clock. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define KMA_HAVE_HRTIMER_SETUP
#endif

/* kvmalloc() of more than a page that may not wait is told with who called it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define KMA_HAVE_KVMALLOC_CALLER
#endif

/* Each CPU's sheaves of free objects: what kfree_rcu() puts there, nobody tells. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define KMA_HAVE_SHEAVES
#endif

/*
 * A function that is only jumped to directly begins without a mark for indirect
 * jumps, KMA_DIRECT, and objtool is told that this is meant, KMA_IS_DIRECT().
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
#define KMA_IS_DIRECT(function)	static_assert(true)
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
