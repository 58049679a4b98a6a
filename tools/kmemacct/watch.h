/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct watch: what has changed since the last look, again and again. */
#ifndef WATCH_H
#define WATCH_H

#include "options.h"

/*
 * Print changes until a signal comes, or -n of them.  @args may have the name of a table and the
 * seconds between two looks.
 * Return: 0, or -1 after calling fail().
 */
int watch_run(const struct options *o, char **args);

#endif /* WATCH_H */
