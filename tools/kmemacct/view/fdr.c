// SPDX-License-Identifier: GPL-2.0
/* The significant ones of many p-values.  See statistics.h. */
#include <math.h>
#include <stdlib.h>

#include "statistics.h"

static bool is_tested(const struct tested *t, double q)
{
	return t->p > 0 && t->least_p <= q;
}

static int compare(const void *a, const void *b)
{
	const double x = (*(struct tested * const *)a)->p, y = (*(struct tested * const *)b)->p;

	return x < y ? -1 : x > y;
}

/*
 * Go from the largest p-value down, because the q of a change is at most that of the next larger
 * p-value.
 */
static void adjust_sorted(struct tested **sorted, size_t nr)
{
	double least = 1;
	size_t i;

	for (i = nr; i--;) {
		least = fmin(least, sorted[i]->p * nr / (i + 1));
		sorted[i]->fdr = least;
	}
}

void fdr_adjust(struct tested *tested, size_t nr, double q)
{
	struct tested **sorted = alloc(nr, sizeof(*sorted));
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		tested[i].fdr = tested[i].p > 0;
		if (is_tested(&tested[i], q))
			sorted[n++] = &tested[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	adjust_sorted(sorted, n);
	free(sorted);
}
