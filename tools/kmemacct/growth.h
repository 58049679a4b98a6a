/* SPDX-License-Identifier: GPL-2.0 */
/* What has grown and shrunk from one table to another.  change.h has how sure that is. */
#ifndef GROWTH_H
#define GROWTH_H

#include "table.h"

/* The usual share of false ones among the significant changes */
#define GROWTH_FDR	0.05

/**
 * struct growth_options - how two tables are compared
 * @counted: counters may be subtracted: same load, no reset in between
 * @plain: names are compared without offsets
 * @churn: also list names that have allocated and freed, with as much live as before
 * @elapsed_ms: time between the two; 0: it is not known
 * @fdr: largest share of false ones among the changes that are called significant
 */
struct growth_options {
	bool counted;
	bool plain;
	bool churn;
	u64 elapsed_ms;
	double fdr;
};

/**
 * struct growth - what has changed
 * @table: a row for each name whose live size has changed, by the absolute change
 * @before: sum of what was live
 * @after: sum of what is live
 * @sampled: something was sampled, so that changes may be estimates
 * @unsampled: what a name may have in a table without a sample, in bytes
 */
struct growth {
	struct table *table;
	u64 before;
	u64 after;
	bool sampled;
	u64 unsampled;
};

/*
 * Compare two tables of the same name, which live_find() knows.  The new table, of name @name,
 * needs neither of them any more.
 */
struct growth growth_make(const char *name, const struct table *before, const struct table *after,
			  const struct growth_options *o);

/* Make a table with the columns of a comparison, which takes ownership of @t, one without rows. */
struct table *growth_columns(struct table *t);

/* Return: number of rows of a comparison that have grown significantly. */
size_t growth_count(const struct table *t);

#endif /* GROWTH_H */
