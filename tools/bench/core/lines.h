/* SPDX-License-Identifier: GPL-2.0 */
/* The core's environment for lines.c, which also notes accesses made in inline assembly. */
#ifndef KMA_BENCH_LINES_H
#define KMA_BENCH_LINES_H

#include "../../test/core/env.h"

void kma_line_write(void *at);

#undef this_cpu_inc
#undef this_cpu_add

#define this_cpu_inc(pcp) this_cpu_add(pcp, 1)
#define this_cpu_add(pcp, n) do {					\
	typeof(pcp) *__at = &per_cpu(pcp, kma_env.cpu);			\
									\
	kma_line_write(__at);						\
	*__at += (n);							\
} while (0)

#undef kma_env_add_past
#define kma_env_add_past(var, n, was_negative) ({			\
	s32 *__half = (s32 *)&per_cpu(var, kma_env.cpu);		\
									\
	kma_line_write(__half);						\
	(was_negative) = *__half < 0;					\
	*__half += (n);							\
	*__half >= 0;							\
})

#endif /* KMA_BENCH_LINES_H */
