/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU additions for User-Mode Linux, in one instruction as on x86.  The additions of
 * User-Mode Linux itself make two function calls, to block and unblock the signals that
 * stand for interrupts.
 *
 * The kernel `uml-plain` is built with this header instead of its asm/percpu.h.  In `uml`,
 * only the module uses it (uml.h).
 */
#ifndef KMA_BENCH_UML_PERCPU_H
#define KMA_BENCH_UML_PERCPU_H

#define kma_uml_add(size, type, pcp, n)					\
	asm volatile("add" size " %1, %0"				\
		     : "+m" (pcp) : "er" ((type)(n)) : "cc")
#define kma_uml_add_return(size, type, pcp, n) ({			\
	const type __n = (type)(n);					\
	type __was = __n;						\
									\
	asm volatile("xadd" size " %0, %1"				\
		     : "+r" (__was), "+m" (pcp) : : "cc");		\
	(typeof(pcp))(__was + __n);					\
})

#undef this_cpu_add_4
#undef this_cpu_add_8
#undef this_cpu_add_return_4
#undef this_cpu_add_return_8
#define this_cpu_add_4(pcp, n)		kma_uml_add("l", u32, pcp, n)
#define this_cpu_add_8(pcp, n)		kma_uml_add("q", u64, pcp, n)
#define this_cpu_add_return_4(pcp, n)	kma_uml_add_return("l", u32, pcp, n)
#define this_cpu_add_return_8(pcp, n)	kma_uml_add_return("q", u64, pcp, n)

#include <asm-generic/percpu.h>

#endif /* KMA_BENCH_UML_PERCPU_H */
