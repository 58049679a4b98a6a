/* SPDX-License-Identifier: GPL-2.0 */
/* Confidence limits of numbers from samples: of sums, and of changes. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include "../base/base.h"

/* ---- quantiles (gamma.c) ----------------------------------------------- */

/*
 * Quantiles of the gamma distribution.
 *
 * The C library has the logarithm of the gamma function, and no quantiles.  The libraries that
 * have them (GSL, R's) are many times the size of this program, and this is all that it would
 * use of them.
 */

/* The ends of a 95 % interval: 2.5 % of the distribution are below the first or above the other. */
enum gamma_end {
	GAMMA_LOW,
	GAMMA_HIGH,
};

/**
 * gamma_quantile() - compute a quantile of the gamma distribution with scale 1
 * @shape: its shape, which is also its mean; above 0
 * @end: which quantile
 *
 * With n events of a Poisson process, the exact 95 % interval of their expected number is from
 * gamma_quantile(n, GAMMA_LOW) to gamma_quantile(n + 1, GAMMA_HIGH).
 *
 * Return: the quantile, off by less than one part in 10^9.
 */
double gamma_quantile(double shape, enum gamma_end end);

/*
 * Return: the probability that a variable of this distribution is above @x.  With n events of a
 * Poisson process, gamma_above(n, x) is the probability of fewer than n if x are expected.
 */
double gamma_above(double shape, double x);

/* ---- limits of sums and differences (bounds.c) ------------------------- */

/*
 * The 95 % confidence limits of a sum that is estimated from samples.
 *
 * An object of z bytes is sampled with the probability p = 1 - exp(-z / T), and then counts as
 * 1 / p objects, or z / p bytes.  The following is known of an estimated sum: the estimate Y; its
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
 *   The size of a sampled object is certain.  The number of objects that were not sampled for each
 *   sampled one is not.  So the estimate has a certain part, which is the size of the sampled
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

/* ---- changes (change.c) ------------------------------------------------ */

/*
 * The significance of a change of live memory, if objects were sampled.
 *
 * Between two readings, some objects of a call site stay, some go, and some come.  Those that stay
 * are in both readings, with the same samples, and cancel out.  The change is the bytes of those
 * that came less the bytes of those that went; only their samples make it uncertain.  A table shows
 * the samples n and the variance V of all live objects, before and after:
 *
 *	n_after - n_before = n_came - n_gone		V_after - V_before = V_came - V_gone
 *
 * If nothing is known of what stays, everything may have come anew.  If counters may be subtracted,
 * what came is part of what was allocated meanwhile, whose samples and variance are the growth of
 * counters.  Frees tell nothing more: allocations less frees are the change.  So n_came and V_came
 * are at most the smaller of the two, and with the equations this bounds n_gone and V_gone.
 * More samples and variance for the same change make it less sure, so bounds are on the safe side.
 *
 * The p-value of a change is the probability of such a change or a larger one, in either direction,
 * if as many bytes came as went:
 *
 * Small objects, few samples
 *	Each sample stands for T bytes, and is as likely of what came as of what went.  So the
 *	number of those that came has a binomial distribution with 1/2, whatever the true number
 *	of bytes: with d more that came than went, of m, it is 2 P(X >= (m + d) / 2).  This
 *	is used if the variances show that the samples are of objects much smaller than T.
 *
 * Other objects, or many samples
 *	bounds.c has the limits of a difference; the p-value is where zero is just outside them.
 *
 * No samples
 *	What is known exactly has changed by D.  For no change in all, D bytes without a sample
 *	came or went, which has the probability exp(-D / T) at most.
 *
 * A difference of several thousand call sites has many changes that are large by chance.  So which
 * of them are significant depends on all p-values: see fdr.c.
 *
 * test/discovery.c shows how often a change is significant that is none.
 */

/**
 * struct reading - what a table shows of the live objects of one name
 * @bytes: the estimate
 * @variance: its variance, computed from a standard error that was rounded down: at most that of
 *	the next larger one; 0: it is exact
 * @samples: number of samples behind it
 */
struct reading {
	double bytes;
	double variance;
	double samples;
};

/**
 * struct change - a change from one reading to another
 * @before: the earlier reading
 * @after: the later one
 * @counted: @allocated is known
 * @allocated: allocations between the readings
 * @unit: T, the bytes that a sample of a small object stands for, the larger one of both readings;
 *	0: nothing was sampled
 * @same_unit: both readings have the same T
 */
struct change {
	struct reading before;
	struct reading after;
	bool counted;
	struct reading allocated;
	double unit;
	bool same_unit;
};

/**
 * struct significance - how sure a change is
 * @below: how much less the true change may be, by its 95 % interval
 * @above: how much more it may be
 * @p: the p-value; 0: the change is certain
 * @least_p: the least p-value that these numbers of samples could have had
 */
struct significance {
	double below;
	double above;
	double p;
	double least_p;
};

struct significance change_classify(const struct change *c);

/*
 * Compute the variance and the number of samples of a change: of what came and what went.  The
 * result has no bytes.
 */
struct reading change_uncertain(const struct change *c);

/* ---- many changes (fdr.c) ---------------------------------------------- */

/*
 * The significant ones of many p-values.
 *
 * Of 5,000 changes that are none, 250 have a p-value below 5 %.  Benjamini and Hochberg (1995) keep
 * the share of false ones among all that are called significant at most q on average, if the
 * p-values are independent of each other, as those of different call sites are.
 *
 * A p-value that could not have been q or less, with the few samples that it has, need not be among
 * those that are tested (Gilbert 2005).  One that is 0 is certain, and is not tested either.
 */

/**
 * struct tested - a change that is tested
 * @p: its p-value; 0: it is certain
 * @least_p: the least p-value that was possible
 * @fdr: set to the least q with which it is significant, among those tested; 1 if it is not tested
 */
struct tested {
	double p;
	double least_p;
	double fdr;
};

/* Set @fdr of all @nr changes.  @q decides which of them are tested. */
void fdr_adjust(struct tested *tested, size_t nr, double q);

#endif /* STATISTICS_H */
