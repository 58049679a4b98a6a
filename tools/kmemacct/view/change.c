// SPDX-License-Identifier: GPL-2.0
/* The significance of a change.  See statistics.h. */
#include <math.h>

#include "statistics.h"

/* ---- what came and what went ---------------------------------------------- */

/**
 * struct moved - upper bounds on the samples that came and went
 * @came: number of samples that came
 * @gone: number of samples that went
 */
struct moved {
	double came;
	double gone;
};

/* Return: the most that may have come, of samples or of variance. */
static double most_came(const struct change *c, double after, double allocated)
{
	return c->counted ? fmin(after, allocated) : after;
}

static struct moved samples_moved(const struct change *c)
{
	const double more = c->after.samples - c->before.samples;
	const double came = most_came(c, c->after.samples, c->allocated.samples);
	/*
	 * Because of rounding and races of counters, the samples could seem fewer than the ones
	 * seen.
	 */
	const double both = fmax(came - fmax(more, 0), 0);

	return (struct moved) { both + fmax(more, 0), both + fmax(-more, 0) };
}

struct reading change_uncertain(const struct change *c)
{
	/*
	 * Standard errors are rounded and variances are upper bounds: subtract the largest possible
	 * error.
	 */
	const double more = c->after.variance - c->before.variance - 2 * sqrt(c->after.variance);
	const double came = most_came(c, c->after.variance, c->allocated.variance);
	const struct moved m = samples_moved(c);

	return (struct reading) {
		.variance = fmax(2 * came - more, fabs(more)),
		.samples = m.came + m.gone,
	};
}

/* ---- small objects, few samples ------------------------------------------- */

/* With more samples than this, the limits of a difference (bounds.c) are as accurate. */
#define FEW_SAMPLES	1000
/* The variance of a sample is T squared for the smallest objects, and less for larger ones. */
#define SMALL_PART	0.02
/* The part of a change that may be exact or due to sizes of objects, in samples for each sample. */
#define EXACT_PART	0.2

static bool is_small(const struct reading *r, double unit)
{
	const double all = r->samples * unit * unit;

	return fabs(r->variance - all) <= SMALL_PART * all;
}

static double change_of(const struct change *c)
{
	return c->after.bytes - c->before.bytes;
}

/* Test whether the number of samples that came and went has the binomial distribution. */
static bool is_binomial(const struct change *c, const struct moved *m)
{
	const double all = m->came + m->gone;
	const double exact = change_of(c) / c->unit - (m->came - m->gone);

	return c->same_unit && all > 0 && all <= FEW_SAMPLES && fabs(exact) <= EXACT_PART * all &&
	       fabs(change_of(c)) <= all * c->unit &&
	       is_small(&c->before, c->unit) && is_small(&c->after, c->unit);
}

/* Return: the probability of @least or more of @of, each of which has the probability 1/2. */
static double binomial_tail(double of, double least)
{
	double p = 0, n;

	for (n = of; n >= least; n--)
		p += exp(lgamma(of + 1) - lgamma(n + 1) - lgamma(of - n + 1) - of * M_LN2);
	return p;
}

static double binomial_p(const struct change *c, double all)
{
	/* Larger objects count as more than one, so the change decides, and not the samples. */
	const double more = floor(fabs(change_of(c)) / c->unit);

	return fmin(1, 2 * binomial_tail(all, ceil((all + more) / 2)));
}

static double below_of(double n)
{
	return n > 0 ? n - gamma_quantile(n, GAMMA_LOW) : 0;
}

static double above_of(double n)
{
	return gamma_quantile(n + 1, GAMMA_HIGH) - n;
}

/*
 * The limits of a difference from those of its two parts, as Zou and Donner (2008) combine them:
 * both parts are rarely at their limits together.
 */
static struct significance classify_few(const struct change *c, const struct moved *m)
{
	const double all = m->came + m->gone;

	return (struct significance) {
		.below = c->unit * hypot(below_of(m->came), above_of(m->gone)),
		.above = c->unit * hypot(above_of(m->came), below_of(m->gone)),
		.p = binomial_p(c, all),
		.least_p = exp2(1 - all),
	};
}

/* ---- others --------------------------------------------------------------- */

static struct significance classify_many(const struct change *c)
{
	const struct reading r = change_uncertain(c);
	const struct weighed w = {
		.estimate = change_of(c),
		.variance = r.variance,
		.samples = fmax(r.samples, 1),
		.unit = c->unit,
	};
	const struct bounds bounds = bounds_of_change(&w);

	return (struct significance) { bounds.below, bounds.above, bounds_p_of_change(&w), 0 };
}

static struct significance classify_unsampled(const struct change *c)
{
	const double most = bounds_unsampled(c->unit);

	return (struct significance) {
		.below = most,
		.above = most,
		.p = fmin(1, 2 * exp(-fabs(change_of(c)) / c->unit)),
	};
}

struct significance change_classify(const struct change *c)
{
	const struct moved m = samples_moved(c);

	if (c->unit <= 0)
		return (struct significance) { .p = change_of(c) ? 0 : 1 };
	if (change_uncertain(c).variance <= 0 && m.came + m.gone <= 0)
		return classify_unsampled(c);
	return is_binomial(c, &m) ? classify_few(c, &m) : classify_many(c);
}
