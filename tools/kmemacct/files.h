/* SPDX-License-Identifier: GPL-2.0 */
/* The files of the module and of the kernel. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

struct table;

/* A table of the module, as it is now.  Return: NULL, and fail() was called. */
struct table *files_table(const char *name);

/*
 * What the file control has, to be freed, each line behind a newline.
 * Return: NULL, and fail() was called.
 */
char *files_settings(void);

/* One command for the file control.  Return: 0, or -1 and fail() was called. */
int files_control(const char *command);

/**
 * files_proc() - a file of /proc
 * @name: its name
 * @path: where its path goes, for errors, of FILES_PATH bytes
 * @len: where its length goes
 *
 * Return: its text and a NUL, to be freed; NULL, and fail() was called.
 */
char *files_proc(const char *name, char *path, size_t *len);

/* A file of /sys, to be freed; NULL if there is none. */
char *files_sys(const char *name);

#define FILES_PATH	4096

#endif /* FILES_H */
