/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of many p-values are significant.
 *
 * Of 5,000 changes that are none, 250 have a p-value below 5 %.  Benjamini and Hochberg (1995) keep
 * the share of false ones among all that are called significant at most q on average, if the
 * p-values are independent of each other, as those of different call sites are.
 *
 * A p-value that could not have been q or less, with the few samples that it has, need not be among
 * those that are tested (Gilbert 2005).  One that is 0 is certain, and is not tested either.
 */
#ifndef FDR_H
#define FDR_H

#include "base.h"

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

#endif /* FDR_H */
