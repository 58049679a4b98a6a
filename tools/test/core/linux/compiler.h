/* SPDX-License-Identifier: GPL-2.0 */
/* The macros of the compiler that the core needs, in user space. */
#ifndef KMA_TEST_LINUX_COMPILER_H
#define KMA_TEST_LINUX_COMPILER_H

/* The C library defines __always_inline, too. */
#include <sys/cdefs.h>

#define noinline	__attribute_noinline__
#define __aligned(n)	__attribute((__aligned__(n)))
#define __percpu
#define typeof		__typeof__
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define barrier()	({ __asm__ __volatile__("" : : : "memory"); })
#define OPTIMIZER_HIDE_VAR(x) __asm__("" : "+r" (x))

/* Marked accesses are atomic, so the thread sanitizer reports those that are not marked. */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)

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

#endif /* KMA_TEST_LINUX_COMPILER_H */
