/* SPDX-License-Identifier: GPL-2.0 */
/* Powers of two, in user space. */
#ifndef KMA_TEST_LINUX_LOG2_H
#define KMA_TEST_LINUX_LOG2_H

#define ilog2(n)		(63 - __builtin_clzll(n))
#define roundup_pow_of_two(n)	((n) < 2 ? 1 : 1ULL << (64 - __builtin_clzll((n) - 1)))

#endif /* KMA_TEST_LINUX_LOG2_H */
