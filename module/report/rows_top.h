/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The largest rows of a table of counters of objects, without making all others.
 *
 * A whole table copies and sorts 600 bytes for each pair of call site and cache.  This adds up one
 * column by label first, chooses the labels with the largest sums, and makes whole rows of these
 * only.  Counters change in between, so a row may be a little below one that was not chosen.
 */
#ifndef KMA_REPORT_ROWS_TOP_H
#define KMA_REPORT_ROWS_TOP_H

#include "seqtab.h"

/**
 * kma_rows_top_fill() - fill a snapshot with the rows that its request asks for
 * @snap: the snapshot; if only the first rows were made, @top_only and @matched of it are set
 * @name: the function that names a row, as for kma_rows_site_fill()
 * @samples: true to use only rows of samples
 *
 * Without a request, or if it does not ask for the first rows in the order of one column that is a
 * sum, this is kma_rows_site_fill().
 *
 * Context: process, may sleep; kma_lock is held, and dropped while rows are named.
 * Return: 0, -ENOMEM or -EAGAIN, as from @fill of struct kma_table.
 */
int kma_rows_top_fill(struct kma_snapshot *snap,
		      const char *(*name)(struct kma_names *, u32), bool samples);

#endif /* KMA_REPORT_ROWS_TOP_H */
