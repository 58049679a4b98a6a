/* SPDX-License-Identifier: GPL-2.0 */
/* Atomic operations and the order of memory accesses, in user space. */
#ifndef KMA_TEST_LINUX_ATOMIC_H
#define KMA_TEST_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

/* x86 keeps loads in order, and stores: these stop only the compiler, as in the kernel. */
#define smp_rmb()	barrier()	/* see above */
#define smp_wmb()	barrier()	/* see above */
/* The atomic operations below are full barriers. */
#define smp_mb__before_atomic()	barrier()	/* see above */
#define smp_mb()	({ __asm__ __volatile__("mfence" : : : "memory"); })	/* a real fence */

/* Pairs with smp_store_release(). */
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* Pairs with smp_load_acquire(). */
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)

#define cmpxchg(p, old, new) ({						\
	typeof(p) __p = (p);						\
	typeof(*__p) __was = (old);					\
									\
	__atomic_compare_exchange_n(__p, &__was, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	__was;								\
})

#define try_cmpxchg(p, old, new)						\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic_inc(v)		((void)__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(v)		((void)__atomic_fetch_sub(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_try_cmpxchg(v, old, new)	try_cmpxchg(&(v)->counter, old, new)
#define atomic64_read(v)	READ_ONCE((v)->counter)
#define atomic64_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic64_inc_return(v)	(__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic64_add(n, v)	((void)__atomic_fetch_add(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define atomic64_sub(n, v)	((void)__atomic_fetch_sub(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define atomic64_try_cmpxchg(v, old, new)	try_cmpxchg(&(v)->counter, old, new)

#endif /* KMA_TEST_LINUX_ATOMIC_H */
