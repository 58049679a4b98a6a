/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct run -- COMMAND */
#ifndef RUN_H
#define RUN_H

#include "base.h"

struct table;

/**
 * run_command() - run a command between two snapshots of callers
 * @command: its name and arguments, NULL at the end
 * @keys: an order of them that has to be right, or NULL
 * @own_cgroup: in a cgroup of its own, and count nothing else meanwhile
 * @status: where its exit status goes, as a shell has it
 *
 * Return: the difference; NULL, and fail() was called.
 */
struct table *run_command(char **command, const char *keys, bool own_cgroup,
			  int *status);

#endif /* RUN_H */
