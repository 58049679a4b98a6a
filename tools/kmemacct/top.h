/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct top: tables on the whole screen, refreshed again and again. */
#ifndef TOP_H
#define TOP_H

#include "options.h"

/**
 * top_run() - show a view until the user quits
 * @o: the options
 * @view: name of the first view; NULL: callers
 *
 * Return: the exit status, or -1 after calling fail().
 */
int top_run(const struct options *o, const char *view);

#endif /* TOP_H */
