/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of the module's file `control`: `name value`, in which a value may have blanks. */
#ifndef CONTROL_H
#define CONTROL_H

#include "base.h"

/**
 * struct control - the lines of the file
 * @text: their text
 * @name: their names
 * @value: their values
 * @nr: number of lines
 */
struct control {
	char *text;
	const char **name;
	const char **value;
	size_t nr;
};

/*
 * Read the file.
 * Return: 0, or -1 after calling fail().
 */
int control_read(struct control *c);

/* Split a text, which malloc() has allocated; control_free() frees it. */
void control_parse(struct control *c, char *text);

/* Return: a value, or NULL if there is no line of that name. */
const char *control_value(const struct control *c, const char *name);

/* Test whether the value of a name is a comma-separated list with a word. */
bool control_lists(const struct control *c, const char *name, const char *word);

/*
 * Copy the value that the module has now.
 * Return: 0, or -1 after calling fail().
 */
int control_copy(const char *name, char *value, size_t size);

/* Test whether the module has a value now; false if the file cannot be read. */
bool control_is(const char *name, const char *value);

/*
 * Return: the command that adds a table to those that @account, the value of the setting, has
 * enabled; the caller frees it.  It repeats these, because the module discards the counts of a
 * table that is not in the list.
 */
char *control_enable_command(const char *account, const char *table);

void control_free(struct control *c);

#endif /* CONTROL_H */
