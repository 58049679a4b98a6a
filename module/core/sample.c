// SPDX-License-Identifier: GPL-2.0
/* Drawing sample points and weighing samples.  See the overview in sample.h. */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/math64.h>

#include "sample.h"

DEFINE_PER_CPU(struct kma_sampler, kma_sampler);

static int kma_shift[KMA_SAMPLE_STREAMS] = { KMA_SHIFT_MIN, KMA_SHIFT_MIN };

/*
 * The increment of the state of the random number generator for each random number.  It is an odd
 * number with an irregular bit pattern.  Because it is odd, the state takes all 2^64 values before
 * it repeats.
 */
#define KMA_RANDOM_STEP	0x9e3779b97f4a7c15ULL

/*
 * The finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
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
	int cpu, stream;

	for_each_possible_cpu(cpu) {
		for (stream = 0; stream < KMA_SAMPLE_STREAMS; stream++) {
			seed = kma_random_mix(seed + KMA_RANDOM_STEP);
			per_cpu(kma_sampler, cpu).random[stream] = seed;
			per_cpu(kma_sampler, cpu).past[stream] = 0;
		}
	}
}

void kma_sample_set(enum kma_stream stream, int shift)
{
	WRITE_ONCE(kma_shift[stream], shift);
}

int kma_sample_shift(enum kma_stream stream)
{
	return READ_ONCE(kma_shift[stream]);
}

void kma_sample_forget(enum kma_stream stream)
{
	this_cpu_write(kma_sampler.past[stream], 0);
}

/* Fractional bits of a logarithm.  The largest logarithm is 64 ln 2. */
#define KMA_LN_BITS	58
#define KMA_LN_2	0x02c5c85fdf473de7ULL	/* ln 2 */

/*
 * The interval from 1 to 2 is divided into sixteen parts.  For a part with the midpoint c,
 * @inverse is 2^64 / c, rounded, and @ln is ln(2^64 / @inverse), with KMA_LN_BITS fractional
 * bits.  This is almost ln(c), but takes the rounding of @inverse into account.
 */
static const struct {
	u64 inverse;
	u64 ln;
} kma_ln_part[16] = {
	{ 0xf83e0f83e0f83e10ULL, 0x001f829b0e783300ULL },
	{ 0xea0ea0ea0ea0ea0fULL, 0x005bc34a2b95ad2eULL },
	{ 0xdd67c8a60dd67c8aULL, 0x0094aa97c0ffa91aULL },
	{ 0xd20d20d20d20d20dULL, 0x00ca92d4e7a2b5a4ULL },
	{ 0xc7ce0c7ce0c7ce0cULL, 0x00fdc8c36af1f154ULL },
	{ 0xbe82fa0be82fa0bfULL, 0x012e8e2bae11d30aULL },
	{ 0xb60b60b60b60b60bULL, 0x015d1bdbf5809ca5ULL },
	{ 0xae4c415c9882b931ULL, 0x0189a3386c1425abULL },
	{ 0xa72f05397829cbc1ULL, 0x01b44f77bcc8f629ULL },
	{ 0xa0a0a0a0a0a0a0a1ULL, 0x01dd46a04c1c4a0cULL },
	{ 0x9a90e7d95bc609a9ULL, 0x0204aa54b4ba1fd9ULL },
	{ 0x94f2094f2094f209ULL, 0x022a987a5e9abd35ULL },
	{ 0x8fb823ee08fb823fULL, 0x024f2bc25136235dULL },
	{ 0x8ad8f2fba9386823ULL, 0x02727c1a6ac54335ULL },
	{ 0x864b8a7de6d1d608ULL, 0x02949f0bb607d760ULL },
	{ 0x8208208208208208ULL, 0x02b5a80986b3e59fULL },
};

/* Multiply two numbers.  Both factors and the product have 62 fractional bits. */
static s64 kma_ln_mul(s64 a, s64 b)
{
	return (__int128)a * b >> 62;
}

/* ln(1 + d) for |d| up to 1/32, by its power series.  Both have 62 fractional bits. */
static s64 kma_ln_near_one(s64 d)
{
	s64 sum = (1LL << 62) / 9;
	int i;

	kma_unroll(8)
	for (i = 8; i; i--)
		sum = (1LL << 62) / i - kma_ln_mul(d, sum);
	return kma_ln_mul(d, sum);
}

/*
 * -ln(x / 2^64) for odd x, with KMA_LN_BITS fractional bits.  The result is never negative.  It
 * is off by less than 2^-53, which is more than the next term of the series.
 */
static u64 kma_minus_ln(u64 x)
{
	const int zeros = 63 - ilog2(x);
	u64 one_to_two = x << zeros;
	const u32 part = one_to_two >> 59 & 15;
	/* The number, divided by the c of its part, is 1 + d.  d has 63 fractional bits. */
	s64 d = ((kma_u128)one_to_two * kma_ln_part[part].inverse >> 64) - (1ULL << 63);

	return (zeros + 1) * KMA_LN_2 - kma_ln_part[part].ln -
	       (kma_ln_near_one(d >> 1) >> (62 - KMA_LN_BITS));
}

/* Draw the distance to the next sample point: -N ln(u), where u is uniform between 0 and 1. */
static u64 kma_sample_gap(enum kma_stream stream, int shift)
{
	const u64 u = kma_random_mix(this_cpu_add_return(kma_sampler.random[stream],
							 KMA_RANDOM_STEP)) | 1;

	return kma_minus_ln(u) >> (KMA_LN_BITS - shift);
}

int kma_sample_take(enum kma_stream stream, u32 bytes, u8 point)
{
	const int now = kma_sample_shift(stream);
	u64 gap = kma_sample_gap(stream, now);

	if (point) {
		kma_sample_point_set(stream, gap, now);
		return point;
	}
	if (gap >= bytes) {
		kma_sample_point_set(stream, gap - bytes, now);
		return 0;
	}
	kma_sample_point_set(stream, kma_sample_gap(stream, now), now);
	return now;
}

/* ---- weights --------------------------------------------------------------- */

/* 1 - exp(-x) for x up to 1/16, by its power series.  Both have 64 fractional bits. */
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

/* 1/p for x = Z/N up to 1/16, by the series 1/x + 1/2 + x/12 - x^3/720 + ... */
static u64 kma_weight_small(u32 bytes, int shift)
{
	const u64 x = (u64)bytes << (KMA_WEIGHT_SHIFT - shift);
	const u64 x3 = (kma_u128)x * x * x >> (2 * KMA_WEIGHT_SHIFT);

	return div64_u64(1ULL << (shift + KMA_WEIGHT_SHIFT), bytes) +
	       KMA_WEIGHT_ONE / 2 + x / 12 - x3 / 720;
}

u64 kma_sample_weight(u32 bytes, int shift)
{
	/* For objects of this size or larger, 1 - p is less than 2^-57, so the weight is 1. */
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
