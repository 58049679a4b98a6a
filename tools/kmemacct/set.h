/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of the module: listing and changing them. */
#ifndef SET_H
#define SET_H

#include <stdio.h>

#include "base.h"

/* Test for a command of `control` that is no setting, such as `filter`. */
bool set_is_command(const char *name);

/**
 * set_write() - change settings
 * @args: ends with NULL: pairs NAME=VALUE; or a name and its value, which is all words that
 *	follow; or a command of `control`
 *
 * Return: 0, or -1 after calling fail().  If one of several pairs fails, those before it stay
 * set, and the message lists them.
 */
int set_write(char **args);

/**
 * set_list() - list the settings
 * @name: the only one to list; NULL: all
 * @out: output file
 * @screen: width of the terminal, as print_screen() returns it
 * @exact: print sizes without rounding
 * @json: print them as JSON
 *
 * Return: 0, or -1 after calling fail().
 */
int set_list(const char *name, FILE *out, int screen, bool exact, bool json);

/*
 * Make the command for `control` that sets a name to a value: filter_X is a command of two
 * words.
 * Return: 0, or -1 after calling fail().
 */
#define SET_COMMAND	256
int set_command(char command[SET_COMMAND], const char *name, const char *value);

#endif /* SET_H */
