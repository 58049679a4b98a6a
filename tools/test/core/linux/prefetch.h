/* SPDX-License-Identifier: GPL-2.0 */
/* Prefetching, in user space. */
#ifndef KMA_TEST_LINUX_PREFETCH_H
#define KMA_TEST_LINUX_PREFETCH_H

#define prefetchw(p)	__builtin_prefetch(p, 1)

#endif /* KMA_TEST_LINUX_PREFETCH_H */
