/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion for bash, made from the tables of commands and options.
 *
 * The script completes commands, the options of a command, columns behind -s and -o, the values of
 * --by, and what a command takes as its argument.  Behind `--` it completes files.
 */
#ifndef COMPLETION_H
#define COMPLETION_H

/* Print the script. */
void completion_print(void);

#endif /* COMPLETION_H */
