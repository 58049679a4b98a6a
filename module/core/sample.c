// SPDX-License-Identifier: GPL-2.0
/* Sampling by bytes, all but the counting.  See the overview in sample.h. */
#include "sample.h"

DEFINE_PER_CPU(struct kma_sampler, kma_sampler);

static int kma_shift = KMA_SHIFT_MIN;

/* An odd number without a pattern; it steps through all 2^64. */
#define KMA_RANDOM_STEP	0x9e3779b97f4a7c15ULL

/* The finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
 * Number Generators, 2014, after Stafford's variant 13).
 */
static u64 kma_random_mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void kma_sample_seed(u64 seed)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		seed = kma_random_mix(seed + KMA_RANDOM_STEP);
		per_cpu(kma_sampler, cpu).random = seed;
		per_cpu(kma_sampler, cpu).past = 0;
	}
}

void kma_sample_set(int shift)
{
	WRITE_ONCE(kma_shift, shift);
}

int kma_sample_shift(void)
{
	return READ_ONCE(kma_shift);
}

void kma_sample_forget(void)
{
	this_cpu_write(kma_sampler.past, 0);
}

#define KMA_LOG_BITS	40
#define KMA_LN2_64	0xb17217f7d1cf79abULL	/* ln 2, 64 bits behind the point */

/* -log2(x / 2^64), with KMA_LOG_BITS behind the point, for x > 0: bit by bit, as
 * the logarithm of the square is twice that of the number.
 */
static u64 kma_minus_log2(u64 x)
{
	const int zeros = 63 - ilog2(x);
	u64 log = 0;
	int i;

	x <<= zeros;
	for (i = 0; i < KMA_LOG_BITS; i++) {
		/* From 1 to 2, with 63 bits behind the point; its square, with 62. */
		x = ((kma_u128)x * x) >> 64;
		log = log << 1 | x >> 63;
		if (!(x >> 63))
			x <<= 1;
	}
	return ((u64)(zeros + 1) << KMA_LOG_BITS) - log;
}

/* A distance to the next mark: -N ln(u), u uniform between 0 and 1. */
static u64 kma_sample_gap(int shift)
{
	const u64 u = kma_random_mix(this_cpu_add_return(kma_sampler.random,
							 KMA_RANDOM_STEP)) | 1;

	return (kma_u128)kma_minus_log2(u) * KMA_LN2_64 >> (64 + KMA_LOG_BITS - shift);
}

static void kma_sample_next(u64 gap, int shift)
{
	this_cpu_write(kma_sampler.past, ~gap << KMA_PAST_SHIFT | shift);
}

int kma_sample_take(u32 bytes, u8 crossed)
{
	const int now = kma_sample_shift();
	u64 gap = kma_sample_gap(now);

	if (crossed) {
		kma_sample_next(gap, now);
		return crossed;
	}
	if (gap >= bytes) {
		kma_sample_next(gap - bytes, now);
		return 0;
	}
	kma_sample_next(kma_sample_gap(now), now);
	return now;
}

/* ---- what samples stand for ----------------------------------------------- */

/* 1 - exp(-x) for x up to 1/16, with 64 bits behind the point: the series. */
static u64 kma_one_minus_exp(u64 x)
{
	u64 sum = 0, term = x;
	int i;

	for (i = 2; term; i++) {
		sum += i & 1 ? -term : term;
		term = div_u64((kma_u128)term * x >> 64, i);
	}
	return sum;
}

/* 1/p for x = Z/N up to 1/16: 1/x + 1/2 + x/12 - x^3/720 + ... */
static u64 kma_weight_small(u32 bytes, int shift)
{
	const u64 x = (u64)bytes << (KMA_WEIGHT_SHIFT - shift);
	const u64 x3 = (kma_u128)x * x * x >> (2 * KMA_WEIGHT_SHIFT);

	return div64_u64(1ULL << (shift + KMA_WEIGHT_SHIFT), bytes) +
	       KMA_WEIGHT_ONE / 2 + x / 12 - x3 / 720;
}

u64 kma_sample_weight(u32 bytes, int shift)
{
	/* Less than 2^-57 is left of 1 - p beyond that. */
	const u64 most = 40ULL << shift;
	int halvings = 0;
	u64 x, p;

	if (shift == KMA_SHIFT_EXACT || bytes >= most)
		return KMA_WEIGHT_ONE;
	if (bytes <= 1ULL << shift >> 4)
		return kma_weight_small(bytes, shift);
	while ((u64)bytes << 4 > 1ULL << (shift + halvings))
		halvings++;
	x = (u64)bytes << (64 - shift - halvings);
	/* exp(-2x) is the square of exp(-x). */
	for (p = kma_one_minus_exp(x); halvings; halvings--)
		p = p + p - (u64)((kma_u128)p * p >> 64);
	return mul_u64_u64_div_u64(1ULL << 63, 1ULL << (KMA_WEIGHT_SHIFT + 1), p);
}

u64 kma_sqrt(kma_u128 x)
{
	kma_u128 bit = (kma_u128)1 << 126, root = 0;

	for (; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root += bit << 1;
		}
		root >>= 1;
	}
	return root;
}
