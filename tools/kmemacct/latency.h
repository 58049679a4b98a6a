/* SPDX-License-Identifier: GPL-2.0 */
/* Views of the tables of latency and stalls. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdio.h>

#include "table.h"

/**
 * latency_view() - add percentiles, and text that shows the histogram
 * @latency: the table latency; the new table takes ownership of it
 * @bars: add the text
 *
 * A histogram has a bucket for each power of two.  So the percentiles are upper bounds: the
 * end of the bucket that the percentile is in, or the maximum if that is less.
 *
 * Return: the table, whose columns of buckets are hidden in text output.
 */
struct table *latency_view(struct table *latency, bool bars);

/**
 * latency_histograms() - print the whole histogram of each phase
 * @out: output file
 * @view: a table from latency_view()
 * @screen: width of the terminal; 0: lines may be of any length
 * @exact: print times in microseconds, without rounding
 */
void latency_histograms(FILE *out, const struct table *view, int screen, bool exact);

/**
 * latency_shares() - add each row's share of the total time, and a row of sums
 * @t: the table shrinkers or stalls; the new table takes ownership of it
 *
 * Return: the table.
 */
struct table *latency_shares(struct table *t);

#endif /* LATENCY_H */
