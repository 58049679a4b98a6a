/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling by bytes.
 *
 * Sample points are scattered over the stream of allocated bytes, on average one for
 * every N bytes.  The place of each is independent of all others (a Poisson process).
 * An object of Z bytes is sampled if a sample point falls on it.  The probability of
 * that is
 *
 *	p = 1 - exp(-Z / N)
 *
 * A sampled object stands for 1/p objects like it.  So the expected sum over the samples
 * is the sum over all objects.  One sample adds (1 - p) / p^2 to the variance of an
 * estimated number of objects, and Z^2 times as much to the variance of an estimated
 * number of bytes.  N is a power of two.  Each sample keeps the binary logarithm of its
 * N, the shift, so that the weight of a sample stays the same when N is changed.
 *
 * Each CPU counts the bytes past its next sample point.  The count is negative until the
 * sample point is reached: when a distance of D bytes has been drawn, the count starts
 * at -D - 1.  One instruction adds the bytes of an object, and two flags of the processor
 * tell the sign of the count before and after:
 *
 *	before < 0, after < 0		no sample point is on this object
 *	before < 0, after >= 0		the sample point is on this object: sampled
 *	before >= 0			the probe that met the sample point has not drawn the
 *					next one yet, or N was changed
 *
 * In the last case, a distance that is drawn for this object alone decides whether it is
 * sampled.
 *
 * All distances are drawn from the exponential distribution, which has no memory: the
 * distance to the next sample point does not depend on how far away the last one is.
 * So a probe that draws a distance may overwrite what other contexts have drawn or
 * counted in the meantime, as long as its decision to do so does not depend on the value
 * that it overwrites.
 * The result stays right if the probe is interrupted in between, and if its task
 * migrates to another CPU.
 *
 * The count is the lower half of a word, `past`.  The upper half, which no addition
 * changes, is the shift that the count was drawn for.  The probe reads the shift after
 * the addition.  If an interrupt draws a new sample point just then, or the task
 * migrates, the probe reads the shift of another sample point.  That shift is the same,
 * unless N was changed since the first sample point was drawn.  Then one sample of that
 * CPU gets the weight of the other N; or, if no sample point has been drawn with the
 * other N yet, the object is decided anew.
 *
 * Arithmetic: distances are rounded down to integers, which is exact.  A sample point is
 * on an object of Z bytes if its distance is less than Z; as Z is an integer, this is the
 * case exactly when the integer part of the distance is less than Z.  Before it is rounded
 * down, a distance is off by less than N / 2^53 bytes.  Weights have 32 fractional bits.
 * Each of the two changes an estimate by less than two parts in 10^9; objects of 8 bytes
 * come nearest to that, with an N of 64 MiB.  A distance is limited to less than 2 GiB;
 * with an N of 64 MiB one distance in 10^14 would be longer.
 */
#ifndef KMA_CORE_SAMPLE_H
#define KMA_CORE_SAMPLE_H

#include "env.h"

/* Binary logarithms of N: 4 KiB to 64 MiB. */
#define KMA_SHIFT_MIN	12
#define KMA_SHIFT_MAX	26
/* The shift of objects that are recorded without sampling. */
#define KMA_SHIFT_EXACT	0

/* struct kma_sampler's @past: the count is in the lower bits, the shift above them. */
#define KMA_PAST_BITS	32
#define KMA_PAST_MAX	0x7fffffffULL

/**
 * enum kma_stream - what is sampled; each stream has an N of its own
 * @KMA_SAMPLE_OBJECTS: slab objects
 * @KMA_SAMPLE_PAGES: page allocations
 * @KMA_SAMPLE_STREAMS: number of streams
 */
enum kma_stream {
	KMA_SAMPLE_OBJECTS,
	KMA_SAMPLE_PAGES,
	KMA_SAMPLE_STREAMS
};

/**
 * struct kma_sampler - position of a CPU in its streams of bytes
 * @past: for each stream, bytes past the next sample point, and its shift: see above
 * @random: for each stream, the state of the random number generator
 */
struct kma_sampler {
	u64 past[KMA_SAMPLE_STREAMS];
	u64 random[KMA_SAMPLE_STREAMS];
};

DECLARE_PER_CPU(struct kma_sampler, kma_sampler);

/**
 * kma_sample_seed() - seed the random number generators of all CPUs
 * @seed: any number
 *
 * Context: process; nothing is sampled yet.
 */
void kma_sample_seed(u64 seed);

/**
 * kma_sample_point_set() - set the next sample point of this CPU
 * @stream: the stream of the sample point
 * @gap: bytes before the sample point; limited to KMA_PAST_MAX
 * @shift: binary logarithm of the N that @gap was drawn with
 *
 * Context: any.
 */
static inline void kma_sample_point_set(enum kma_stream stream, u64 gap, int shift)
{
	const u32 past = ~(u32)min_t(u64, gap, KMA_PAST_MAX);

	this_cpu_write(kma_sampler.past[stream], (u64)shift << KMA_PAST_BITS | past);
}

/**
 * kma_sample_set() - sample a stream with another N from now on
 * @stream: the stream
 * @shift: binary logarithm of N, KMA_SHIFT_MIN to KMA_SHIFT_MAX
 *
 * Each CPU keeps the sample point that it has drawn with the old N, until it meets that
 * sample point or kma_sample_forget() runs on it.
 *
 * Context: any; the caller prevents concurrent calls.
 */
void kma_sample_set(enum kma_stream stream, int shift);

/**
 * kma_sample_shift() - the N that a stream is sampled with
 * @stream: the stream
 *
 * Context: any.
 * Return: the binary logarithm of N.
 */
int kma_sample_shift(enum kma_stream stream);

/**
 * kma_sample_forget() - forget the next sample point of this CPU
 * @stream: the stream
 *
 * The next object of this CPU is decided with the current N.
 *
 * Context: any.
 */
void kma_sample_forget(enum kma_stream stream);

/**
 * kma_sample_count() - count the bytes of an object
 * @stream: the object's stream
 * @bytes: bytes the object takes, less than 2 GiB
 * @point: set if true is returned: the shift of the sample point that is on the object,
 *	or 0 if it is not decided yet whether there is one
 *
 * Context: a probe, any context.
 * Return: false if no sample point is on the object; true if there may be one: then
 * kma_sample_take() has to be called.
 */
static __always_inline bool kma_sample_count(enum kma_stream stream, unsigned long bytes,
					     u8 *point)
{
	bool met;

	if (likely(!kma_env_add_past(kma_sampler.past[stream], bytes, met)))
		return false;
	*point = met ? this_cpu_read(kma_sampler.past[stream]) >> KMA_PAST_BITS : 0;
	return true;
}

/**
 * kma_sample_take() - decide whether to sample an object, and draw the next sample point
 * @stream: the object's stream
 * @bytes: bytes the object takes
 * @point: from kma_sample_count()
 *
 * Context: a probe, any context.
 * Return: the shift that the object is sampled with; 0 if it is not sampled.
 */
int kma_sample_take(enum kma_stream stream, u32 bytes, u8 point);

/* Weights have KMA_WEIGHT_SHIFT fractional bits; KMA_WEIGHT_ONE is a weight of 1. */
#define KMA_WEIGHT_SHIFT	32
#define KMA_WEIGHT_ONE		((u64)1 << KMA_WEIGHT_SHIFT)

/**
 * kma_sample_weight() - how many objects a sample stands for
 * @bytes: bytes the object takes
 * @shift: the shift it was sampled with; KMA_SHIFT_EXACT if it was recorded without
 *	sampling
 *
 * Context: any.
 * Return: 1/p, with KMA_WEIGHT_SHIFT fractional bits; off by less than one part in 2^31.
 */
u64 kma_sample_weight(u32 bytes, int shift);

/**
 * kma_weigh() - what a number of samples, or of their bytes, stands for
 * @n: the number
 * @weight: weight of each sample
 *
 * Add up the estimates of all rows before rounding them with kma_weighed(): otherwise
 * the rounding errors of the rows add up, too.
 *
 * Context: any.
 * Return: the estimate, with KMA_WEIGHT_SHIFT fractional bits.
 */
static inline kma_u128 kma_weigh(u64 n, u64 weight)
{
	return (kma_u128)n * weight;
}

/**
 * kma_weighed() - round an estimate
 * @estimate: a sum of kma_weigh()
 *
 * Context: any.
 * Return: the nearest integer.
 */
static inline u64 kma_weighed(kma_u128 estimate)
{
	return (estimate + KMA_WEIGHT_ONE / 2) >> KMA_WEIGHT_SHIFT;
}

/* Fractional bits of a variance. */
#define KMA_VARIANCE_SHIFT	16

/**
 * kma_weigh_variance() - the variance of an estimate by kma_weigh()
 * @n: the sum over the samples of the square of what is estimated: of their bytes, or
 *	of 1 for each object
 * @weight: weight of each sample
 *
 * The variances of many rows are added up, and the sum is given to
 * kma_standard_error().
 *
 * Context: any.
 * Return: n (1 - p) / p^2, with KMA_VARIANCE_SHIFT fractional bits.
 */
static inline kma_u128 kma_weigh_variance(kma_u128 n, u64 weight)
{
	/* At most 2^62.  @n or @each may be large, but not both, so the product fits. */
	const u64 each = (kma_u128)weight * (weight - KMA_WEIGHT_ONE) >>
			 (2 * KMA_WEIGHT_SHIFT - KMA_VARIANCE_SHIFT);

	return n * each;
}

/**
 * kma_sqrt() - the square root of a number
 * @x: any number
 *
 * Context: any.
 * Return: the integer part of the square root.
 */
u64 kma_sqrt(kma_u128 x);

/**
 * kma_standard_error() - the standard error of an estimate
 * @variance: a sum of kma_weigh_variance()
 *
 * Context: any.
 * Return: the integer part of the standard error.
 */
static inline u64 kma_standard_error(kma_u128 variance)
{
	return kma_sqrt(variance >> KMA_VARIANCE_SHIFT);
}

#endif /* KMA_CORE_SAMPLE_H */
