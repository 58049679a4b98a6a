// SPDX-License-Identifier: GPL-2.0
/* Quantiles of the gamma distribution.  See statistics.h. */
#include <math.h>

#include "statistics.h"

/* Terms that are smaller than this, relative to the sum, do not change it. */
#define TERM_MIN	(1 / 1e15)
/* Above this shape, the approximation that the search starts from is as good as its result. */
#define SHAPE_LARGE	1e5
/* The search ends when it moves by less than this, relative to the quantile. */
#define STEP_MIN	(1 / 1e12)
#define STEPS_MAX	200

static const struct {
	double probability;
	double normal;
} ends[] = {
	[GAMMA_LOW] = { 0.025, -1.959963984540054 },
	[GAMMA_HIGH] = { 0.975, 1.959963984540054 },
};

/* The density, times x. */
static double density_x(double shape, double x)
{
	return exp(shape * log(x) - x - lgamma(shape));
}

/* Probability of a value below x, by a power series.  It converges fast for x up to the shape. */
static double below_by_series(double shape, double x)
{
	double term = 1 / shape, sum = term;
	int i;

	for (i = 1; term > sum * TERM_MIN; i++) {
		term *= x / (shape + i);
		sum += term;
	}
	return sum * density_x(shape, x);
}

/*
 * Probability of a value above x, by the continued fraction
 *
 *	1/(b0 - a1/(b1 - a2/(b2 - ...))), with ai = i (i - shape) and bi = x + 2 i + 1 - shape
 *
 * It converges fast for x above the shape.  @p and @q are the last two numerators and
 * denominators of its convergents, scaled so that the last denominator is 1.
 */
static double above_by_fraction(double shape, double x)
{
	double p[2] = { 0, 1 / (x + 1 - shape) }, q[2] = { 1 / (x + 1 - shape), 1 };
	double a, b, numerator, denominator, change = 1;
	int i;

	for (i = 1; change > TERM_MIN; i++) {
		a = i * (i - shape);
		b = x + 2 * i + 1 - shape;
		numerator = b * p[1] - a * p[0];
		denominator = b * q[1] - a * q[0];
		p[0] = p[1] / denominator;
		q[0] = q[1] / denominator;
		change = fabs(numerator / denominator - p[1]) / p[1];
		p[1] = numerator / denominator;
		q[1] = 1;
	}
	return p[1] * density_x(shape, x);
}

/* Probability of a value below x. */
static double below(double shape, double x)
{
	return x < shape + 1 ? below_by_series(shape, x) :
			       1 - above_by_fraction(shape, x);
}

double gamma_above(double shape, double x)
{
	const double third = 1 / (9 * shape);

	if (x <= 0)
		return 1;
	/* The approximation that approximate() inverts */
	if (shape > SHAPE_LARGE)
		return erfc((cbrt(x / shape) - 1 + third) / sqrt(2 * third)) / 2;
	return x < shape + 1 ? 1 - below_by_series(shape, x) : above_by_fraction(shape, x);
}

/* Approximate a quantile: the third root of a gamma variate is almost normal (Wilson, Hilferty). */
static double approximate(double shape, enum gamma_end end)
{
	const double root = 1 - 1 / (9 * shape) + ends[end].normal / (3 * sqrt(shape));

	return shape * root * root * root;
}

/* Newton's method, and bisection where it would leave the interval that has the quantile. */
double gamma_quantile(double shape, enum gamma_end end)
{
	double x = approximate(shape, end), next, excess;
	double low = 0, high = shape + 10 * sqrt(shape) + 20;
	int i;

	if (shape > SHAPE_LARGE)
		return x;
	if (!(x > low && x < high))
		x = shape < 1 ? shape : high / 2;
	for (i = 0; i < STEPS_MAX; i++) {
		excess = below(shape, x) - ends[end].probability;
		if (excess > 0)
			high = x;
		else
			low = x;
		next = x - excess * x / density_x(shape, x);
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - x) <= STEP_MIN * x)
			return next;
		x = next;
	}
	return x;
}
