/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling by bytes.
 *
 * Sample points are scattered over the stream of allocated bytes, on average one for
 * every N bytes.  The position of each sample point is independent of all others (a Poisson
 * process).  An object of Z bytes is sampled if a sample point falls on it.  The probability
 * of this is
 *
 *	p = 1 - exp(-Z / N)
 *
 * A sampled object stands for 1/p objects like it, so the expected value of an estimate is
 * the true value.  Each sample adds (1 - p) / p^2 to the variance of an estimated number of
 * objects, and Z^2 times as much to the variance of an estimated number of bytes.  N is a power
 * of two.  Each sample stores the binary logarithm of its N, called the shift, so that the
 * weight of the sample stays the same when N is changed.
 *
 * Each CPU has a count of bytes past its next sample point.  The count is negative until the
 * sample point is reached: when a distance of D bytes to the sample point has been drawn, the
 * count starts at -D - 1.  One instruction adds the bytes of an object to the count, and two
 * flags of the processor show the sign of the count before and after the addition:
 *
 *	before < 0, after < 0		no sample point is on this object
 *	before < 0, after >= 0		the sample point is on this object: it is sampled
 *	before >= 0			there is no next sample point: the probe that met the
 *					last one has not drawn it yet, or N was changed
 *
 * In the last case, the probe draws a distance for this object alone, which decides whether
 * the object is sampled.
 *
 * All distances are drawn from the exponential distribution, which has no memory: the
 * distance to the next sample point does not depend on how far away the last one is.
 * So a probe that draws a distance may overwrite what other contexts have drawn or
 * counted in the meantime, as long as its decision to do so does not depend on the value
 * that it overwrites.  Samples stay unbiased even if the probe is interrupted before it stores
 * the distance, or if its task migrates to another CPU.
 *
 * The count is the lower half of the word `past`.  The upper half, which the addition does not
 * change, is the shift of the N that the distance was drawn with.  The probe reads the shift
 * after the addition.  If an interrupt draws a new sample point between the two, or if the task
 * migrates, the probe reads the shift of another sample point.  That shift is the same, unless
 * N was changed since the first sample point was drawn.  If N was changed, one sample gets the
 * weight of the wrong N; or, if `past` has no sample point, the probe draws a distance for this
 * object, as above.
 *
 * Arithmetic: distances are rounded down to integers.  This loses nothing.  A sample point is
 * on an object of Z bytes if its distance is less than Z; as Z is an integer, this is the
 * case exactly when the integer part of the distance is less than Z.  Before it is rounded
 * down, a distance is off by less than N / 2^53 bytes.  Weights have 32 fractional bits.
 * Each of these two errors changes an estimate by less than two parts in 10^9; they are
 * largest for objects of 8 bytes and an N of 64 MiB.  A distance is limited to less than 2 GiB;
 * with an N of 64 MiB, one distance in 10^14 would be longer.
 *
 * Context, unless a function says otherwise: any, NMI included.
 */
#ifndef KMA_CORE_SAMPLE_H
#define KMA_CORE_SAMPLE_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "env.h"

/* Limits of the shift: N is 4 KiB to 64 MiB. */
#define KMA_SHIFT_MIN	12
#define KMA_SHIFT_MAX	26
/* The shift of objects that are recorded without sampling. */
#define KMA_SHIFT_EXACT	0

/* In @past of struct kma_sampler, the count is in the lower bits, and the shift above them. */
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
 * @past: for each stream, the count of bytes past the next sample point, and the shift: see
 *	above; 0 if there is no next sample point
 * @random: for each stream, the state of the random number generator
 */
struct kma_sampler {
	u64 past[KMA_SAMPLE_STREAMS];
	u64 random[KMA_SAMPLE_STREAMS];
};

DECLARE_PER_CPU(struct kma_sampler, kma_sampler);

/* Seed the random number generators of all CPUs.  Context: process; nothing is sampled yet. */
void kma_sample_seed(u64 seed);

/*
 * Set the next sample point of this CPU, @gap bytes ahead; @gap is limited to KMA_PAST_MAX.
 * @shift is that of the N that @gap was drawn with.
 */
static inline void kma_sample_point_set(enum kma_stream stream, u64 gap, int shift)
{
	const u32 past = ~(u32)min_t(u64, gap, KMA_PAST_MAX);

	this_cpu_write(kma_sampler.past[stream], (u64)shift << KMA_PAST_BITS | past);
}

/*
 * Set the N that sample points are drawn with.  @shift is KMA_SHIFT_MIN to KMA_SHIFT_MAX.  Each
 * CPU keeps the sample point that was drawn with the old N, until the CPU meets it, or until
 * kma_sample_forget() runs there.  The caller prevents concurrent calls.
 */
void kma_sample_set(enum kma_stream stream, int shift);

/* The shift of the N that a stream is sampled with. */
int kma_sample_shift(enum kma_stream stream);

/* Forget the next sample point of this CPU, so that a new one is drawn with the current N. */
void kma_sample_forget(enum kma_stream stream);

/**
 * kma_sample_count() - count the bytes of an object
 * @stream: the object's stream
 * @bytes: bytes that the object takes, less than 2 GiB
 * @point: set if true is returned: the shift of the sample point that is on the object,
 *	or 0 if kma_sample_take() has yet to decide whether a sample point is on it
 *
 * Return: false if no sample point is on the object; true if one may be: then the caller has
 * to call kma_sample_take().
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

/*
 * Decide whether to sample an object of @bytes, and draw the next sample point.  @point is as set
 * by kma_sample_count().  Returns the shift that the object is sampled with; 0 if it is not
 * sampled.
 */
int kma_sample_take(enum kma_stream stream, u32 bytes, u8 point);

/* Weights have KMA_WEIGHT_SHIFT fractional bits; KMA_WEIGHT_ONE is a weight of 1. */
#define KMA_WEIGHT_SHIFT	32
#define KMA_WEIGHT_ONE		((u64)1 << KMA_WEIGHT_SHIFT)

/*
 * How many objects a sample stands for: 1/p, with KMA_WEIGHT_SHIFT fractional bits, off by less
 * than one part in 2^31.  @shift is KMA_SHIFT_EXACT for an object that was recorded without
 * sampling.
 */
u64 kma_sample_weight(u32 bytes, int shift);

/*
 * Estimate a total from @n samples, or @n bytes of samples, of equal weight, with KMA_WEIGHT_SHIFT
 * fractional bits.  Add up the estimates of all rows before rounding the sum by
 * kma_estimate_round(): otherwise the rounding errors of the rows add up, too.
 */
static inline kma_u128 kma_weigh(u64 n, u64 weight)
{
	return (kma_u128)n * weight;
}

/* Round a sum of kma_weigh() to the nearest integer. */
static inline u64 kma_estimate_round(kma_u128 estimate)
{
	return (estimate + KMA_WEIGHT_ONE / 2) >> KMA_WEIGHT_SHIFT;
}

/* Fractional bits of a variance. */
#define KMA_VARIANCE_SHIFT	16

/*
 * The variance of an estimate by kma_weigh(): n (1 - p) / p^2, with KMA_VARIANCE_SHIFT fractional
 * bits.  For objects, @n is the number of samples; for bytes, the sum of the squares of their
 * bytes.  The caller adds up the variances of all rows for kma_standard_error().
 */
static inline kma_u128 kma_weigh_variance(kma_u128 n, u64 weight)
{
	/* At most 2^62.  @n and @each are never both large, so their product does not overflow. */
	const u64 each = (kma_u128)weight * (weight - KMA_WEIGHT_ONE) >>
			 (2 * KMA_WEIGHT_SHIFT - KMA_VARIANCE_SHIFT);

	return n * each;
}

/* The integer part of the square root. */
u64 kma_sqrt(kma_u128 x);

/* The integer part of the standard error.  @variance is a sum of kma_weigh_variance(). */
static inline u64 kma_standard_error(kma_u128 variance)
{
	/* Most numbers are exact: do not compute a square root for these. */
	return variance ? kma_sqrt(variance >> KMA_VARIANCE_SHIFT) : 0;
}

#endif /* KMA_CORE_SAMPLE_H */
