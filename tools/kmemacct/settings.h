/* SPDX-License-Identifier: GPL-2.0 */
/* Tables that are empty unless a setting of the module enables them. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "table.h"

/*
 * Read the table that a command is named for, with underscores for its dashes.
 * Return: the table, or NULL after calling fail().
 */
struct table *settings_table(const char *command);

/*
 * Read such a table of pages or accounting.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because it is not enabled.
 */
struct table *settings_counted(const char *command);

/*
 * Read the table stacks.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because nothing has been sampled.
 */
struct table *settings_stacks(void);

/*
 * Read such a table of latency.
 * Return: the table; NULL, after calling fail(), if it cannot be read, or if it is empty
 * because latency is not recorded.
 */
struct table *settings_latency(const char *command);

#endif /* SETTINGS_H */
