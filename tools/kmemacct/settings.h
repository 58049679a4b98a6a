/* SPDX-License-Identifier: GPL-2.0 */
/* Tables that are empty unless a setting of the module enables them. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "table.h"

/*
 * Read such a table of pages or accounting.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because it is not enabled.
 */
struct table *settings_counted(const char *name);

/*
 * Check whether such a table is enabled, if it is empty.
 * Return: 0, or -1 after calling fail().
 */
int settings_check_counted(const struct table *t);

/*
 * Read the table stacks.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because nothing has been sampled.
 */
struct table *settings_stacks(const char *name);

/*
 * Read such a table of latency.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because latency is not recorded.
 */
struct table *settings_latency(const char *name);

#endif /* SETTINGS_H */
