/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing the files of the module and of the kernel. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct reader;
struct snapshot;
struct table;

/* Test whether the module is loaded.  This leaves the message of fail() as it is. */
bool files_is_loaded(void);

/*
 * From now on, read tables and settings from a snapshot, and not from the module.  Files of this
 * machine, and commands to the module, then are errors.
 */
void files_use(const struct snapshot *s);

/* Test whether tables are read from a snapshot. */
bool files_is_snapshot(void);

/* Test whether the module has a file of that name: a table, or control. */
bool files_has(const char *name);

/*
 * Read such a file of the module.
 * Return: its text, ending with a NUL, which the caller frees; or NULL after calling fail().
 */
char *files_text(const char *name, size_t *len);

/*
 * Read a table of the module.
 * Return: the table, or NULL after calling fail().
 */
struct table *files_table(const char *name);

/*
 * Begin to read a table of the module row by row.
 * Return: the reader, or NULL after calling fail().
 */
struct reader *files_reader(const char *name);

/*
 * Read a table of the module, and keep its file open in @fd, for poll().  The caller closes it.
 * Return: the table, or NULL with no file open after calling fail().
 */
struct table *files_table_open(const char *name, int *fd);

/*
 * Read the file control.
 * Return: its text, which the caller frees, or NULL after calling fail().
 */
char *files_settings(void);

/*
 * Write one command to the file control.
 * Return: 0, or -1 after calling fail().
 */
int files_control(const char *command);

/**
 * files_proc() - read a file of /proc
 * @name: its path below /proc
 * @path: buffer of FILES_PATH bytes, set to its full path for use in errors
 * @len: set to the length of its text
 *
 * Return: its text, ending with a NUL, which the caller frees; or NULL after calling fail().
 */
char *files_proc(const char *name, char *path, size_t *len);

/*
 * Read a symbolic link of /proc.
 * Return: the length of its text, which no NUL ends and which is cut to @size; or -1.
 */
ssize_t files_proc_link(const char *name, char *text, size_t size);

/*
 * Read a file of /sys.
 * Return: its text, ending with a NUL, which the caller frees; NULL if it cannot be read, or if
 * tables are read from a snapshot.
 */
char *files_sys(const char *name, size_t *len);

#define FILES_PATH	4096

/* Find where the first file system of a type is mounted.  Return: false if there is none. */
bool files_mount(const char *type, char dir[FILES_PATH]);

#endif /* FILES_H */
