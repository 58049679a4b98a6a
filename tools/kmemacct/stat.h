/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmemacct stat [-- COMMAND]: what perf kmem stat prints from a recording, from the tables of
 * the module.  Without a command it is what the module counts since it was loaded.
 */
#ifndef STAT_H
#define STAT_H

#include "options.h"

/**
 * stat_command() - print the tables that the options select
 * @o: the options
 * @command: name and arguments of a command, then NULL; no name: print all that is counted
 * @status: set to the exit status of the command that a shell would report; 0 if there is none
 *
 * Return: 0, or -1 after calling fail().
 */
int stat_command(const struct options *o, char **command, int *status);

#endif /* STAT_H */
