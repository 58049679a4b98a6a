/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a call site and cache was live at one time, in 32 bits.
 *
 *	exact		0, then KiB in 31 bits
 *	estimate	1, then KiB as a floating-point number of 19 bits, then two codes of 6 bits
 *
 * The floating-point number has an exponent of 5 bits and a mantissa of 14 bits, as IEEE 754
 * defines them: it is exact up to 32 MiB, and off by less than one part in 32,768 beyond.
 *
 * The codes are variances.  Code 0 stands for 0, and each further code for a bound that is 2^(3/4)
 * times that of the code before it.  A variance gets the next larger bound: then a standard error
 * is at most 30 % too large, and never too small.
 *
 * If small values are added to a large one again and again, each of these roundings would count.
 * So a sum is rounded up or down at random, and its expected value is the sum.
 *
 * Context of all functions: any.
 */
#ifndef KMA_CORE_HISTORY_WORD_H
#define KMA_CORE_HISTORY_WORD_H

#include <linux/kernel.h>
#include <linux/types.h>

/* The unit of a variance is the square of 64 bytes: KiB^2 with this many fractional bits. */
#define KMA_HISTORY_SHIFT	8

/* The largest exact number is 2 TiB, the largest estimate 4 PiB, the largest error 9.5 GiB. */
#define KMA_HISTORY_EXACT_MAX	0x7fffffffU

/**
 * struct kma_history_value - what was live at one time
 * @kib: live KiB
 * @variance: the variance of @kib, as described above; 0 if it is exact
 * @churn: the variance of the KiB that were allocated and freed since an earlier time
 */
struct kma_history_value {
	u64 kib;
	u64 variance;
	u64 churn;
};

/* For @random of kma_history_pack(): round KiB to the nearest number, and variances up. */
#define KMA_HISTORY_ROUND_UP	U32_MAX

/*
 * Pack a value.  @random is a random number, or KMA_HISTORY_ROUND_UP.  Numbers that are too large
 * become the largest number.
 */
u32 kma_history_pack(const struct kma_history_value *v, u32 random);

struct kma_history_value kma_history_unpack(u32 word);

/* The variance that rounding adds to the KiB of a word. */
u64 kma_history_rounding(u32 word);

#endif /* KMA_CORE_HISTORY_WORD_H */
