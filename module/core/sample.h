/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling by bytes.
 *
 * Sample points are strewn over the stream of allocated bytes, on average one in N of
 * them, each where it is whatever the others are (a Poisson process).  An object
 * of Z bytes is sampled if a sample point falls on it:
 *
 *	p = 1 - exp(-Z / N)
 *
 * and then stands for 1/p objects like it, so that what is expected of the sum
 * over samples is the sum over all objects.  The variance that one sample adds to
 * an estimated number of objects is (1 - p) / p^2, to one of bytes Z^2 times that.
 * N is a power of two, and a sample keeps its binary logarithm, the shift: what
 * it weighs does not change when N does.
 *
 * Each CPU counts the bytes from its next sample point on, which is negative up to there: when
 * a sample point at a distance of D is drawn it is -D - 1.  One instruction adds an object's bytes
 * and tells by two flags what was there before:
 *
 *	before < 0, after < 0		no sample point on this object
 *	before < 0, after >= 0		the sample point is on it: sampled
 *	before >= 0			whoever crossed the sample point has not drawn the
 *					next one yet, or N was changed
 *
 * In the last case the object is decided by itself, by a distance that is drawn
 * for it.  All distances are drawn from the exponential distribution, which has
 * no memory: however far the last sample point is, the next one is as far as ever.  So
 * whoever draws may overwrite what others have drawn or counted meanwhile,
 * as long as that does not depend on what it was; no interrupt, and no task that
 * has gone to another CPU in between, makes the result wrong.
 *
 * The count is the lower half of a word, `past`, and the shift that it was drawn for is
 * the upper one, which no addition changes.  That is read after the addition.  Who is interrupted
 * just there by somebody that draws, or goes on elsewhere, reads the shift of another
 * sample point: the same, unless N was changed since its own was drawn.  Then one sample of that
 * CPU weighs as one of the other N would, or is decided anew where none is drawn yet.
 *
 * Arithmetic: distances are integers, rounded down, which is exact: a sample point is on
 * an object of Z bytes if the distance is less than Z, and so is its integer part
 * if Z is one.  A distance is off by less than N / 2^53 bytes before that is taken, and
 * weights have 32 bits behind the point: both change an estimate by less than two parts
 * in 10^9, which objects of 8 bytes come nearest to, with an N of 64 MiB.  No distance
 * is 2 GiB: of those with that N one in 10^14 would be.
 */
#ifndef KMA_CORE_SAMPLE_H
#define KMA_CORE_SAMPLE_H

#include "env.h"

/* Binary logarithms of N: 4 KiB to 64 MiB. */
#define KMA_SHIFT_MIN	12
#define KMA_SHIFT_MAX	26
/* Of what is recorded without sampling. */
#define KMA_SHIFT_EXACT	0

/* Of the word: a sample point's distance is below, its shift above. */
#define KMA_PAST_BITS	32
#define KMA_PAST_MAX	0x7fffffffULL

/* Objects and blocks of pages are two streams, each with an N of its own. */
enum kma_stream {
	KMA_SAMPLE_OBJECTS,
	KMA_SAMPLE_PAGES,
	KMA_SAMPLE_STREAMS
};

/**
 * struct kma_sampler - where a CPU is in its streams of bytes
 * @past: bytes past the next sample point, and its shift: see above
 * @random: state of its random numbers
 */
struct kma_sampler {
	u64 past[KMA_SAMPLE_STREAMS];
	u64 random[KMA_SAMPLE_STREAMS];
};

DECLARE_PER_CPU(struct kma_sampler, kma_sampler);

/**
 * kma_sample_seed() - begin other sequences of random numbers
 * @seed: any number
 *
 * Context: process; nobody samples.
 */
void kma_sample_seed(u64 seed);

/**
 * kma_sample_point_set() - put this CPU's next sample point somewhere
 * @stream: what it is for
 * @gap: bytes before it
 * @shift: binary logarithm of the N it was drawn for
 *
 * Context: any.
 */
static inline void kma_sample_point_set(enum kma_stream stream, u64 gap, int shift)
{
	const u32 past = ~(u32)min_t(u64, gap, KMA_PAST_MAX);

	this_cpu_write(kma_sampler.past[stream], (u64)shift << KMA_PAST_BITS | past);
}

/**
 * kma_sample_set() - sample with another N from here on
 * @stream: what
 * @shift: its binary logarithm, KMA_SHIFT_MIN to KMA_SHIFT_MAX
 *
 * Other CPUs go on with the N before until they have met their next sample point, or
 * kma_sample_forget() runs there.
 *
 * Context: any; one at a time.
 */
void kma_sample_set(enum kma_stream stream, int shift);

/* The binary logarithm of N. Context: any. */
int kma_sample_shift(enum kma_stream stream);

/* Decide the next object of this CPU by the current N. Context: any. */
void kma_sample_forget(enum kma_stream stream);

/**
 * kma_sample_count() - count an object's bytes
 * @stream: what it is
 * @bytes: bytes the object takes, less than 2 GiB
 * @point: where true is returned: the shift of the sample point that is on the object, or 0 if
 *	it is not known yet whether there is one
 *
 * Context: a probe, any context. Return: false if there is no sample point on the object; if
 * there may be one, and kma_sample_take() has to be called, true.
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
 * kma_sample_take() - decide about an object, and draw the next sample point
 * @stream: what it is
 * @bytes: bytes the object takes
 * @point: of kma_sample_count()
 *
 * Context: a probe, any context. Return: the shift it was sampled with, or 0 if
 * it was not.
 */
int kma_sample_take(enum kma_stream stream, u32 bytes, u8 point);

/* A number of one, as a weight. */
#define KMA_WEIGHT_SHIFT	32
#define KMA_WEIGHT_ONE		((u64)1 << KMA_WEIGHT_SHIFT)

/**
 * kma_sample_weight() - how many objects a sample stands for
 * @bytes: bytes it takes
 * @shift: that it was sampled with; KMA_SHIFT_EXACT for an object recorded as such
 *
 * Context: any. Return: 1/p, with KMA_WEIGHT_SHIFT bits behind the point; off by
 * less than one part in 2^31.
 */
u64 kma_sample_weight(u32 bytes, int shift);

/**
 * kma_weigh() - what a number of samples, or of their bytes, stands for
 * @n: the number
 * @weight: of each
 *
 * Context: any. Return: the estimate, with KMA_WEIGHT_SHIFT bits behind the point: those
 * of many rows are added up first, or what each is rounded by would be, too.
 */
static inline kma_u128 kma_weigh(u64 n, u64 weight)
{
	return (kma_u128)n * weight;
}

/* Such an estimate, to the nearest integer. Context: any. */
static inline u64 kma_weighed(kma_u128 estimate)
{
	return (estimate + KMA_WEIGHT_ONE / 2) >> KMA_WEIGHT_SHIFT;
}

#define KMA_VARIANCE_SHIFT	16

/**
 * kma_weigh_variance() - the variance of such an estimate
 * @n: the sum of the squares of what is estimated: of bytes, of objects (1 each)
 * @weight: of each
 *
 * Context: any. Return: n (1 - p) / p^2, with KMA_VARIANCE_SHIFT bits behind the point, for
 * those of many rows to be added up: kma_standard_error().
 */
static inline kma_u128 kma_weigh_variance(kma_u128 n, u64 weight)
{
	/* At most 2^62.  Either factor may be large, not both. */
	const u64 each = (kma_u128)weight * (weight - KMA_WEIGHT_ONE) >>
			 (2 * KMA_WEIGHT_SHIFT - KMA_VARIANCE_SHIFT);

	return n * each;
}

/**
 * kma_sqrt() - square root
 * @x: any number
 *
 * Context: any. Return: its integer part.
 */
u64 kma_sqrt(kma_u128 x);

/* The integer part of a standard error, of a sum of kma_weigh_variance(). Context: any. */
static inline u64 kma_standard_error(kma_u128 variance)
{
	return kma_sqrt(variance >> KMA_VARIANCE_SHIFT);
}

#endif /* KMA_CORE_SAMPLE_H */
