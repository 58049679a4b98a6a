/* SPDX-License-Identifier: GPL-2.0 */
/* kmemacct run -- COMMAND */
#ifndef RUN_H
#define RUN_H

#include "base.h"

struct table;

/**
 * run_command() - run a command between two snapshots of the table callers
 * @command: name and arguments of the command, then NULL
 * @own_cgroup: run the command in a cgroup of its own, and count nothing else meanwhile
 * @status: set to the exit status that a shell would report
 *
 * Return: the difference of the snapshots, or NULL after calling fail().
 */
struct table *run_command(char **command, bool own_cgroup, int *status);

/**
 * run_alone() - run a command, and do nothing else
 * @command: name and arguments of the command, then NULL
 * @elapsed_ms: set to the time that it took
 * @status: set to the exit status that a shell would report
 *
 * Return: 0, or -1 after calling fail().
 */
int run_alone(char **command, u64 *elapsed_ms, int *status);

/*
 * Check that the counts were not reset between two snapshots of a table, which were taken at
 * least @elapsed_ms apart.
 * Return: 0, or -1 after calling fail().
 */
int run_check_reset(const struct table *before, const struct table *after, u64 elapsed_ms);

#endif /* RUN_H */
