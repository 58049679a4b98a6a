// SPDX-License-Identifier: GPL-2.0
/* Confidence limits of estimated sums.  See statistics.h. */
#include <math.h>

#include "statistics.h"

/*
 * A gamma distribution is continuous, but the number of large objects that are not sampled is 0, 1
 * or 2.  To correct for this, the limits move by these parts of a jump.  With much smaller parts,
 * test/coverage.c fails, because it tries objects of many sizes and numbers.  If fewer jumps than
 * this are expected, the parts are at most JUMPS_TIMES that number.
 */
#define JUMPS_BELOW	0.75
#define JUMPS_ABOVE	0.1
#define JUMPS_TIMES	2

/* sinh() of more than this is infinite.  Larger objects are sampled with certainty anyway. */
#define HALF_SIZE_MAX	700.0
#define HALVINGS	60

/* A part may be 0, though its variance is not: a gamma distribution has no shape of 0. */
#define SAMPLES_MIN	0.000001

/*
 * With T = 1, the variance of a sample of size 2 h is (h / sinh(h))^2.
 * Return: h for the root of a variance, at most 1.
 */
static double half_size(double root)
{
	double low = 0, high = HALF_SIZE_MAX, h;
	int i;

	for (i = 0; i < HALVINGS && root < 1; i++) {
		h = (low + high) / 2;
		if (h / sinh(h) > root)
			low = h;
		else
			high = h;
	}
	return low;
}

/**
 * struct parts - what limits are computed from
 * @unit: @unit of the sum, or more if its samples show that T was larger
 * @root: root of the mean variance of a sample
 * @jump: by how much the sum changes if one object is sampled or not
 */
struct parts {
	double unit;
	double root;
	double jump;
};

/* A sample that stands for w objects adds w (w - 1) to the variance.  Return: w for its root. */
static double weight(double root)
{
	return 0.5 + hypot(0.5, root);
}

static struct parts parts_of(const struct weighed *w, bool is_sum)
{
	struct parts p = { .root = sqrt(w->variance / w->samples) };
	double h;

	p.unit = fmax(w->unit, p.root);
	if (w->mixed) {
		p.jump = weight(p.root);
		return p;
	}
	h = half_size(p.root / p.unit);
	p.jump = p.unit * (h + hypot(h, p.root / p.unit));
	/* Samples that count as less on average show that T was smaller. */
	if (is_sum && !w->part)
		p.jump = fmax(p.root, fmin(p.jump, w->estimate / w->samples));
	return p;
}

/* Return: the part of a jump to add to a limit, at most @most of it. */
static double jumps(const struct weighed *w, double jump, double most)
{
	return fmin(most, JUMPS_TIMES * w->variance / (jump * jump));
}

/**
 * struct upper - the distribution of what is above the estimate
 * @shape: shape of a gamma distribution
 * @scale: its scale
 * @rest: the part of it that is below the estimate
 */
struct upper {
	double shape;
	double scale;
	double rest;
};

static struct upper upper_of(const struct weighed *w, const struct parts *p)
{
	/* In a mixed sum, a few samples of small objects may have nearly all of the variance. */
	const double jump = w->mixed ? p->unit : fmax(p->jump, p->unit);
	const double rest = w->variance / (w->mixed ? p->unit : p->jump);
	const double part = jumps(w, jump, JUMPS_ABOVE);
	const double mean = rest + p->unit + part * (jump - p->unit);
	const double variance = w->variance + p->unit * p->unit +
				part * (jump * jump - p->unit * p->unit);

	return (struct upper) { mean * mean / variance, variance / mean, rest };
}

/* Return: how far the upper limit is above the estimate. */
static double above(const struct weighed *w, const struct parts *p)
{
	const struct upper u = upper_of(w, p);

	return gamma_quantile(u.shape, GAMMA_HIGH) * u.scale - u.rest;
}

/*
 * Return: how far the lower limit is below the estimate.  It is n - quantile(n) for n samples that
 * count as 1, and n is less than that if some count as more than others.
 */
static double below(const struct weighed *w, const struct parts *p)
{
	const double equal = w->estimate * w->estimate / w->variance;
	const double n = fmax(w->part ? equal : fmin(equal, w->samples), SAMPLES_MIN);
	const double jump = w->part ? fmin(p->jump, fmax(p->root, w->estimate)) : p->jump;

	return sqrt(w->variance / n) * (n - gamma_quantile(n, GAMMA_LOW)) +
	       jumps(w, jump, JUMPS_BELOW) * (jump - p->root);
}

struct bounds bounds_of_sum(const struct weighed *w)
{
	const struct parts p = parts_of(w, true);

	return (struct bounds) { .below = below(w, &p), .above = above(w, &p) };
}

/*
 * All samples may be of either sum.  So the true difference may be as far on either side of the
 * estimate as the upper limit of one sum with all samples.
 */
struct bounds bounds_of_change(const struct weighed *w)
{
	const struct parts p = parts_of(w, false);
	const double distance = above(w, &p);

	return (struct bounds) { .below = distance, .above = distance };
}

double bounds_p_of_change(const struct weighed *w)
{
	const struct parts p = parts_of(w, false);
	const struct upper u = upper_of(w, &p);

	return fmin(1, 2 * fmax(0, gamma_above(u.shape, (fabs(w->estimate) + u.rest) / u.scale)));
}

double bounds_unsampled(double unit)
{
	return unit * -log(0.025);
}
