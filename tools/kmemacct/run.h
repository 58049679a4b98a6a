/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct run -- COMMAND */
#ifndef RUN_H
#define RUN_H

struct table;

/**
 * run_command() - run a command between two snapshots
 * @before: the first one, of callers; the new table's from now on
 * @command: its name and arguments, NULL at the end
 * @status: where its exit status goes, as a shell has it
 *
 * Return: the difference; NULL, and fail() was called.
 */
struct table *run_command(struct table *before, char **command, int *status);

#endif /* RUN_H */
