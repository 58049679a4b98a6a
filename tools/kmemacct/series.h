/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites that are exported, and the sum of all others.
 *
 *	callers --equal names are merged--> sites --patterns, cap--> listed sites, `other`
 *
 * Each number of the table is in one listed site or in `other`, so that all of them together are
 * the totals.  Estimates of different sites have no sample in common, so variances add up as well.
 */
#ifndef SERIES_H
#define SERIES_H

#include "base.h"

struct table;

/* How many call sites are listed if --series does not say it. */
#define SERIES_SITES	200

enum series_value {
	SERIES_LIVE_BYTES,
	SERIES_LIVE_OBJECTS,
	SERIES_ALLOCATIONS,
	SERIES_FREES,
	SERIES_ALLOCATED_BYTES,
	SERIES_VALUES
};

/**
 * struct series - the numbers of a call site, or of several
 * @site: the call site, without its module
 * @module: its module, `kernel` for code in no module; for names in brackets that are no call
 *	sites, such as [unknown], it is this name
 * @value: its numbers
 * @variance: their variances; 0 if they are exact
 */
struct series {
	const char *site;
	const char *module;
	u64 value[SERIES_VALUES];
	double variance[SERIES_VALUES];
};

#define SERIES_PATTERNS	64

/* Patterns as those of --site. */
struct series_patterns {
	const char *pattern[SERIES_PATTERNS];
	int nr;
};

/**
 * struct series_choice - which call sites are listed
 * @sites: at most as many as this: those with the most live bytes
 * @include: only those that match one of these; if there are none, all
 * @exclude: but none that match one of these
 */
struct series_choice {
	u64 sites;
	struct series_patterns include;
	struct series_patterns exclude;
};

/**
 * struct series_list - all numbers of a table
 * @listed: the call sites that are listed, those with the most live bytes first
 * @nr: number of @listed
 * @other: the sum of all others
 * @nr_other: number of these
 * @total: the sum of all
 */
struct series_list {
	struct series *listed;
	size_t nr;
	struct series other;
	size_t nr_other;
	struct series total;
};

/*
 * Add a pattern.
 * Return: 0, or -1 if there is no room for it.
 */
int series_add_pattern(struct series_patterns *p, const char *pattern);

/*
 * Make the list from the table callers, whose labels are changed: the list has pointers to them.
 * series_free() frees it.
 */
void series_make(struct series_list *list, struct table *callers,
		 const struct series_choice *choice);

void series_free(struct series_list *list);

#endif /* SERIES_H */
