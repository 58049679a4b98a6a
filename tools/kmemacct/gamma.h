/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quantiles of the gamma distribution.
 *
 * The C library has the logarithm of the gamma function, and no quantiles.  The libraries that
 * have them (GSL, R's) are many times the size of this program, and this is all that it would
 * use of them.
 */
#ifndef GAMMA_H
#define GAMMA_H

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

#endif /* GAMMA_H */
