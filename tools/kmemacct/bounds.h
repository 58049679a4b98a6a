/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The 95 % confidence limits of a sum that is estimated from samples.
 *
 * An object of z bytes is sampled with the probability p = 1 - exp(-z / T), and then counts as
 * 1 / p objects, or z / p bytes.  Of an estimated sum these are known: the estimate Y; its
 * variance V, which is the sum of (1 - p) / p^2, times z^2 for bytes; and the number of samples n.
 * The sizes are not known.
 *
 * If all objects are much smaller than T, each sample stands for T bytes and n is from a Poisson
 * distribution.  Then the limits for bytes are T times those of Garwood (1936), which are
 * quantiles of gamma distributions with the shapes n and n + 1.  Fay and Feuer (1997) extend them
 * to sums of different weights: the distribution has the mean and the variance of the sum, and for
 * the upper limit those of the sum and of one more sample, of the largest weight that any sample
 * could have had.  Two more things are needed here:
 *
 * Large objects
 *   What is uncertain about a sampled object is not what it takes itself, but what is not sampled
 *   for each one that is.  So the estimate has a certain part, which is the size of the sampled
 *   objects, and only the rest of it has a gamma distribution.  One object that is not
 *   sampled changes this rest by its whole size, the jump.  From V / n, the jump is estimated as
 *   if all objects had the same size.  If their sizes differ, the true rest is larger, with
 *   smaller jumps, so that the limits are too far apart rather than too close.
 *
 * Numbers of objects
 *   A row may count objects of several sizes.  Then n samples of large objects do not show how many
 *   small ones there are: each sample of those would have counted as many more.  So the one more
 *   sample is that of the smallest possible object.  The upper limit of a number of objects is
 *   far from the estimate, therefore, unless it is known that all have the same size.
 *
 * With no sample, the probability of this is exp(-B / T) for B bytes, whatever the sizes.  It is
 * 2.5 % for 3.69 T bytes.  This is the upper limit of all that was not sampled at all.  With 5 %
 * and 3.00 T instead, the interval would hold the truth in fewer than 95 of 100 cases, since with
 * samples, 2.5 % of the intervals are above the truth.
 *
 * test/coverage.c shows how often such intervals contain the true value.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "base.h"

/**
 * struct weighed - an estimated sum
 * @estimate: the estimate, which includes what is known exactly
 * @variance: its variance, above 0
 * @samples: the number of samples; for a part, an estimate of it
 * @unit: what one sample of an object much smaller than T counts as: T bytes; or T / z objects if
 *	all take z bytes, or if the smallest do; 0 if T is not known
 * @mixed: the sum is a number of objects that may differ in size
 * @part: the sum is about only some of the objects that were sampled
 */
struct weighed {
	double estimate;
	double variance;
	double samples;
	double unit;
	bool mixed;
	bool part;
};

/**
 * struct bounds - the distances of the limits from the estimate
 * @below: how much less the true value may be
 * @above: how much more it may be
 */
struct bounds {
	double below;
	double above;
};

/* Compute the limits of a sum. */
struct bounds bounds_of_sum(const struct weighed *w);

/*
 * Compute the limits of the difference of two sums.  @w has their difference, and the sums of their
 * variances and of their samples.
 */
struct bounds bounds_of_change(const struct weighed *w);

/*
 * Return: the p-value of the hypothesis that the true difference is zero.  It is less than 5 %
 * exactly if zero is not within the limits.
 */
double bounds_p_of_change(const struct weighed *w);

/* Return: the upper limit of a sum without a sample, for struct weighed's @unit. */
double bounds_unsampled(double unit);

#endif /* BOUNDS_H */
