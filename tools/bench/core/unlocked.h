/* SPDX-License-Identifier: GPL-2.0 */
/* The core's environment with a cmpxchg() that has no lock prefix: for one thread only. */
#ifndef KMA_BENCH_UNLOCKED_H
#define KMA_BENCH_UNLOCKED_H

#include "../../test/core/env.h"

#define KMA_BENCH_UNLOCKED

#undef cmpxchg
#define cmpxchg(p, old, new) ({						\
	typeof(p) __p = (p);						\
	typeof(*__p) __was = (old);					\
									\
	__asm__ __volatile__("cmpxchg %2, %1"				\
			     : "+a" (__was), "+m" (*__p)		\
			     : "r" ((typeof(__was))(new))		\
			     : "memory", "cc");				\
	__was;								\
})

#undef try_cmpxchg
#define try_cmpxchg(p, old, new) ({					\
	typeof(p) __at = (p);						\
	typeof(*__at) *__old = (old), __seen = cmpxchg(__at, *__old, new); \
	bool __done = __seen == *__old;					\
									\
	*__old = __seen;						\
	__done;								\
})

#endif /* KMA_BENCH_UNLOCKED_H */
