/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `kmemacct export`: the tables callers and stats as metrics, for monitoring systems.
 *
 *	callers --series.c--> listed call sites, `other`, totals --export.c, openmetrics.c--> text
 *	stats --status.c--> losses, costs -------------------------^
 *
 * What a table counts is a counter only as long as it never decreases, except when it begins at 0
 * again: PromQL's rate() takes each decrease for that.  Counts of a call site and totals are such:
 * an estimate grows with each sample, and a reset begins all counts at 0.  `other` is not one.  It
 * decreases when a call site gets on the list, by all that the site has counted.  So its counts are
 * gauges of another name.  What is live is always a gauge.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "series.h"

/* The formats, for completion and the man page; NULL ends them. */
const char *export_format(int nr);

/**
 * export_write() - read the module's tables and write metrics
 * @format: name of the format
 * @path: file to write, which is replaced as a whole; NULL or `-`: standard output
 * @choice: which call sites are listed
 *
 * Return: 0, or -1 after calling fail().
 */
int export_write(const char *format, const char *path, const struct series_choice *choice);

#endif /* EXPORT_H */
