/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How sure a change of live memory is, if objects were sampled.
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
 *	bounds.h has the limits of a difference; the p-value is where zero is just outside them.
 *
 * No samples
 *	What is known exactly has changed by D.  For no change in all, D bytes without a sample
 *	came or went, which has the probability exp(-D / T) at most.
 *
 * A difference of several thousand call sites has many changes that are large by chance.  So which
 * of them are significant depends on all p-values: see fdr.h.
 *
 * test/discovery.c shows how often a change is significant that is none.
 */
#ifndef CHANGE_H
#define CHANGE_H

#include "base.h"

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
 * @allocated: what was allocated meanwhile
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
 * struct verdict - how sure a change is
 * @below: how much less the true change may be, by its 95 % interval
 * @above: how much more it may be
 * @p: the p-value; 0: the change is certain
 * @least_p: the least p-value that these numbers of samples could have had
 */
struct verdict {
	double below;
	double above;
	double p;
	double least_p;
};

struct verdict change_judge(const struct change *c);

/*
 * Compute the variance and the number of samples of a change: of what came and what went.  The
 * result has no bytes.
 */
struct reading change_uncertain(const struct change *c);

#endif /* CHANGE_H */
