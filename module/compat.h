/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels, and the only file that knows their versions.
 * Everything else asks for a feature by its name, KMA_HAVE_*.
 */
#ifndef KMA_COMPAT_H
#define KMA_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kmemacct needs Linux 6.1 or newer: older tracepoints do not name the cache"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#error "kmemacct does not know Linux 7.0 and newer: probes can be preempted there"
#endif
/* The name of what kmem_cache_alloc_bulk() calls. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMA_ALLOC_BULK_SYMBOL "kmem_cache_alloc_bulk_noprof"
#else
#define KMA_ALLOC_BULK_SYMBOL "kmem_cache_alloc_bulk"
#endif

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#error "kmemacct needs CONFIG_DYNAMIC_FTRACE_WITH_REGS: it follows kmem_cache_free_bulk()"
#endif
#ifndef CONFIG_KPROBES
#error "kmemacct needs a kernel with CONFIG_KPROBES: it follows kmem_cache_destroy()"
#endif
#ifndef CONFIG_64BIT
#error "kmemacct needs a 64-bit kernel"
#endif

#endif /* KMA_COMPAT_H */
