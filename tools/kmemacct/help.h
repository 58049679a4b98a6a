/* SPDX-License-Identifier: GPL-2.0 */
/* The help, made from the tables of commands and options. */
#ifndef HELP_H
#define HELP_H

#include "commands.h"

/* Print the help of the program. */
void help_print(void);

/* Print the help of a command: its options, columns and an example. */
void help_print_command(const struct command *c);

#endif /* HELP_H */
