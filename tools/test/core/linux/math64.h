/* SPDX-License-Identifier: GPL-2.0 */
/* Divisions of 64-bit numbers, in user space. */
#ifndef KMA_TEST_LINUX_MATH64_H
#define KMA_TEST_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 n, u64 by)
{
	return n / by;
}

#define div64_u64(n, by)	div_u64(n, by)

static inline u64 div64_u64_rem(u64 n, u64 by, u64 *rest)
{
	*rest = n % by;
	return n / by;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 by)
{
	unsigned __int128 product = a;

	return product * b / by;
}

static inline u64 div_u64_rem(u64 n, u32 by, u32 *rest)
{
	*rest = n % by;
	return n / by;
}

#endif /* KMA_TEST_LINUX_MATH64_H */
