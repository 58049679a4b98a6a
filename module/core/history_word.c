// SPDX-License-Identifier: GPL-2.0
/* Packing what was live into 32 bits.  See history_word.h. */
#include <linux/kernel.h>
#include <linux/log2.h>

#include "env.h"
#include "history_word.h"

#define KMA_WORD_ESTIMATE	0x80000000U
#define KMA_WORD_CODE_BITS	6
#define KMA_WORD_CODE_MAX	63U
#define KMA_WORD_MANTISSA_BITS	14
#define KMA_WORD_MANTISSA	((1U << KMA_WORD_MANTISSA_BITS) - 1)
/* With a larger exponent, the variance of rounding would have more than 64 bits. */
#define KMA_WORD_EXPONENT_MAX	28
#define KMA_WORD_FLOAT_MAX	(((KMA_WORD_EXPONENT_MAX + 1) << KMA_WORD_MANTISSA_BITS) - 1)

/* ---- variances ------------------------------------------------------------------------------- */

/* The bound of a code. */
static u64 kma_word_bound(u32 code)
{
	/* 2^(i/4), rounded up, with KMA_HISTORY_SHIFT fractional bits */
	static const u32 root[4] = { 256, 305, 363, 431 };
	const u32 quarters = 3 * (code - 1);

	return code ? (u64)root[quarters & 3] << (quarters >> 2) : 0;
}

static u32 kma_word_code(u64 variance, u32 random)
{
	u32 code = variance > 1 << KMA_HISTORY_SHIFT ?
		   (ilog2(variance) - KMA_HISTORY_SHIFT) * 4 / 3 : 0;
	u64 below, above;

	while (code < KMA_WORD_CODE_MAX && kma_word_bound(code) < variance)
		code++;
	if (code >= KMA_WORD_CODE_MAX)
		return KMA_WORD_CODE_MAX;
	if (!code || random == KMA_HISTORY_ROUND_UP)
		return code;
	below = kma_word_bound(code - 1);
	above = kma_word_bound(code);
	/* The probability of the larger bound is (variance - below) / (above - below). */
	return (kma_u128)(above - below) * random >> 32 < variance - below ? code : code - 1;
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* Return the number to add before the last @bits of a number are cut off. */
static u64 kma_word_carry(int bits, u32 random)
{
	/* The probability of rounding up is what is cut off, over 2^@bits. */
	return random == KMA_HISTORY_ROUND_UP ? 1ULL << bits >> 1 :
	       (u64)random >> (32 - min(bits, 32)) << (bits - min(bits, 32));
}

static u32 kma_word_float(u64 kib, u32 random)
{
	int exponent = 0;
	u64 mantissa = kib;

	while (mantissa >> (KMA_WORD_MANTISSA_BITS + 1)) {
		exponent++;
		mantissa = (kib + kma_word_carry(exponent, random)) >> exponent;
	}
	/* The exponent of the numbers whose leading bit is not stored is larger by one. */
	if (mantissa >> KMA_WORD_MANTISSA_BITS)
		exponent++;
	if (exponent > KMA_WORD_EXPONENT_MAX)
		return KMA_WORD_FLOAT_MAX;
	return exponent << KMA_WORD_MANTISSA_BITS | (mantissa & KMA_WORD_MANTISSA);
}

/* Set @ulp to the distance to the next larger number. */
static u64 kma_word_kib(u32 number, u64 *ulp)
{
	const u32 exponent = number >> KMA_WORD_MANTISSA_BITS;
	const u64 mantissa = number & KMA_WORD_MANTISSA;

	*ulp = exponent ? 1ULL << (exponent - 1) : 1;
	return exponent ? (mantissa + KMA_WORD_MANTISSA + 1) << (exponent - 1) : mantissa;
}

/* ---- words ----------------------------------------------------------------------------------- */

u32 kma_history_pack(const struct kma_history_value *v, u32 random)
{
	if (!v->variance && !v->churn)
		return min_t(u64, v->kib, KMA_HISTORY_EXACT_MAX);
	return KMA_WORD_ESTIMATE | kma_word_float(v->kib, random) << (2 * KMA_WORD_CODE_BITS) |
	       kma_word_code(v->variance, random) << KMA_WORD_CODE_BITS |
	       kma_word_code(v->churn, random);
}

/* The floating-point number of an estimate. */
static u32 kma_word_number(u32 word)
{
	return (word & ~KMA_WORD_ESTIMATE) >> (2 * KMA_WORD_CODE_BITS);
}

struct kma_history_value kma_history_unpack(u32 word)
{
	u64 ulp;

	if (!(word & KMA_WORD_ESTIMATE))
		return (struct kma_history_value) { .kib = word };
	return (struct kma_history_value) {
		.kib = kma_word_kib(kma_word_number(word), &ulp),
		.variance = kma_word_bound(word >> KMA_WORD_CODE_BITS & KMA_WORD_CODE_MAX),
		.churn = kma_word_bound(word & KMA_WORD_CODE_MAX),
	};
}

u64 kma_history_rounding(u32 word)
{
	u64 ulp = 1;

	if (word & KMA_WORD_ESTIMATE)
		kma_word_kib(kma_word_number(word), &ulp);
	/* The variance of a number that is spread evenly over this distance */
	return ulp > 1 ? (ulp * ulp << KMA_HISTORY_SHIFT) / 12 : 0;
}
