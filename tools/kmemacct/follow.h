/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct slow: the log of slow phases on standard output, and its new records. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "options.h"
#include "table.h"

/*
 * Print the log, the newest record last, and free the table.
 * Return: 0, or -1 after calling fail().
 */
int follow_log(struct table *t, const struct options *o);

/*
 * Print the log and then each new record, until SIGINT or SIGTERM.  Then print what each
 * shrinker did meanwhile.
 * Return: 0, or -1 after calling fail().
 */
int follow_new(const struct options *o);

/*
 * Print what shrinkers did between two readings of the table shrinkers, the one that took
 * longest first.  This changes @after.
 */
void follow_shrinkers(FILE *out, const struct table *before, struct table *after, bool exact);

#endif /* FOLLOW_H */
